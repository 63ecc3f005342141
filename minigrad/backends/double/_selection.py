"""Choosing elements: by condition, by place, by order; tests for equality; what dtypes become of others.

Places out of range wrap around silently, and where one place is written more than once the winner is not defined.
"""

import numpy as np

from minigrad.backends.double._elementwise import elementwise
from minigrad.backends.double._indexing import write
from minigrad.backends.double._memory import (
    DeviceArray,
    check_dtype,
    device_array,
    fresh,
    fresh_all,
    host_value,
    quiet,
    raw_array,
    raw_operand,
    raw_sequence,
    refuse,
    wrap,
)
from minigrad.backends.double._methods import wrapped

__all__ = [
    "allclose", "angle", "argpartition", "argsort", "argwhere", "around", "array_equal", "can_cast", "choose", "clip",
    "common_type", "compress", "extract", "fill_diagonal", "flatnonzero", "imag", "in1d", "intersect1d", "isclose",
    "iscomplex", "iscomplexobj", "isin", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar", "lexsort",
    "may_share_memory", "min_scalar_type", "nan_to_num", "nonzero", "partition", "place", "put", "put_along_axis",
    "putmask", "ravel_multi_index", "real", "result_type", "round", "searchsorted", "select", "setdiff1d",
    "setxor1d", "shares_memory", "sort", "take", "take_along_axis", "union1d", "unique", "unravel_index", "where",
]


# ---- by condition


def where(condition, x=None, y=None):
    """`x` where the condition holds, else `y`; the condition is a device array, the others may be scalars."""
    raw = raw_array("where", "condition", condition)
    if (x is None) != (y is None):
        raise ValueError("Must provide both 'x' and 'y' or neither.")
    if x is None:
        return fresh_all(raw.nonzero())
    return fresh(np.where(raw.astype(bool, copy=False), raw_operand("where", "x", x), raw_operand("where", "y", y)))


def nonzero(a):
    return device_array("nonzero", "a", a).nonzero()


def flatnonzero(a):
    return fresh(np.flatnonzero(raw_array("flatnonzero", "a", a)))


def argwhere(a):
    return fresh(np.argwhere(raw_array("argwhere", "a", a)))


def extract(condition, a):
    return fresh(np.extract(raw_array("extract", "condition", condition), raw_array("extract", "a", a)))


def compress(condition, a, axis=None, out=None):
    return device_array("compress", "a", a).compress(condition, axis, out)


def select(condlist, choicelist, default=0):
    conditions = raw_sequence("select", "condlist", condlist)
    for raw in conditions:
        if raw.dtype != bool:
            raise ValueError(f"select: condlist must have boolean arrays, got {raw.dtype}")
    if isinstance(default, DeviceArray):
        raise TypeError("select: default only accepts scalar values")
    return fresh(np.select(conditions, raw_sequence("select", "choicelist", choicelist), default))


def choose(a, choices, out=None, mode="raise"):
    return device_array("choose", "a", a).choose(choices, out, mode)


def clip(a, a_min, a_max, out=None):
    return device_array("clip", "a", a).clip(a_min, a_max, out)


def putmask(a, mask, values):
    raw, chosen = raw_array("putmask", "a", a), raw_array("putmask", "mask", mask)
    if raw.shape != chosen.shape:
        raise ValueError("putmask: mask and data must be the same size")
    np.putmask(raw, chosen.astype(bool), raw_operand("putmask", "values", values))


def place(arr, mask, vals):
    np.place(raw_array("place", "arr", arr), raw_array("place", "mask", mask), raw_array("place", "vals", vals))


# ---- by place


def take(a, indices, axis=None, out=None):
    return device_array("take", "a", a).take(indices, axis, out)


def take_along_axis(a, indices, axis):
    raw, places = raw_array("take_along_axis", "a", a), raw_array("take_along_axis", "indices", indices)
    if places.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        raw, axis = raw.ravel(), 0
    if raw.ndim != places.ndim:
        raise ValueError("`indices` and `a` must have the same number of dimensions")
    return fresh(np.take_along_axis(raw, wrapped(places, raw.shape[axis]), axis))


def put_along_axis(arr, indices, values, axis):
    raw, places = raw_array("put_along_axis", "arr", arr), raw_array("put_along_axis", "indices", indices)
    if places.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if places.ndim != 1:
            raise NotImplementedError("Tuple setitem isn't supported for flatiter.")
        return put(arr, indices, values)
    if raw.ndim != places.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis = np.lib.array_utils.normalize_axis_index(axis, raw.ndim)
    key = []
    for dim, length in enumerate(raw.shape):
        along = (1,) * dim + (-1,) + (1,) * (raw.ndim - dim - 1)
        key.append(places if dim == axis else np.arange(length).reshape(along))
    return write(raw, tuple(key), values)


def put(a, ind, v, mode="wrap"):
    device_array("put", "a", a).put(ind, v, mode)


def fill_diagonal(a, val, wrap=False):
    if isinstance(val, (DeviceArray, np.ndarray)):
        refuse("fill_diagonal", "val", val, "a scalar")
    np.fill_diagonal(raw_array("fill_diagonal", "a", a), val, wrap)


def unravel_index(indices, dims, order="C"):
    return fresh_all(np.unravel_index(raw_array("unravel_index", "indices", indices),
                                      host_value("unravel_index", "dims", dims), order))


def ravel_multi_index(multi_index, dims, mode="wrap", order="C"):
    raw = raw_sequence("ravel_multi_index", "multi_index", multi_index)
    return fresh(np.ravel_multi_index(tuple(raw), host_value("ravel_multi_index", "dims", dims), mode, order))


# ---- by order


def sort(a, axis=-1, kind=None):
    raw = raw_array("sort", "a", a)
    result = wrap(raw.flatten() if axis is None else raw.copy())
    result.sort(-1 if axis is None else axis, kind)
    return result


def argsort(a, axis=-1, kind=None):
    return device_array("argsort", "a", a).argsort(axis, kind)


def partition(a, kth, axis=-1):
    raw = raw_array("partition", "a", a)
    result = wrap(raw.flatten() if axis is None else raw.copy())
    result.partition(kth, -1 if axis is None else axis)
    return result


def argpartition(a, kth, axis=-1):
    return device_array("argpartition", "a", a).argpartition(kth, axis)


def lexsort(keys):
    raw = raw_array("lexsort", "keys", keys)
    if raw.ndim > 2:
        raise NotImplementedError("lexsort: keys with the rank of three or more is not supported")
    return fresh(np.lexsort(raw))


def searchsorted(a, v, side="left", sorter=None):
    return device_array("searchsorted", "a", a).searchsorted(v, side, sorter)


# ---- as sets


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    raw = raw_array("unique", "ar", ar)
    if axis is not None and raw.dtype == bool:
        raise TypeError("unique: CuPy compares rows by subtracting them, which bool arrays have not; cast them first")
    result = np.unique(raw, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    return fresh_all(result) if isinstance(result, tuple) else fresh(result)


def isin(element, test_elements, assume_unique=False, invert=False):
    return fresh(np.isin(raw_array("isin", "element", element), raw_array("isin", "test_elements", test_elements),
                         assume_unique, invert))


def in1d(ar1, ar2, assume_unique=False, invert=False):
    return isin(device_array("in1d", "ar1", ar1).ravel(), ar2, assume_unique, invert)


def intersect1d(arr1, arr2, assume_unique=False, return_indices=False):
    result = np.intersect1d(raw_array("intersect1d", "arr1", arr1), raw_array("intersect1d", "arr2", arr2),
                            assume_unique, return_indices)
    return fresh_all(result) if return_indices else fresh(result)


def setdiff1d(ar1, ar2, assume_unique=False):
    return fresh(np.setdiff1d(raw_array("setdiff1d", "ar1", ar1), raw_array("setdiff1d", "ar2", ar2), assume_unique))


def setxor1d(ar1, ar2, assume_unique=False):
    return fresh(np.setxor1d(raw_array("setxor1d", "ar1", ar1), raw_array("setxor1d", "ar2", ar2), assume_unique))


def union1d(arr1, arr2):
    return fresh(np.union1d(raw_array("union1d", "arr1", arr1), raw_array("union1d", "arr2", arr2)))


# ---- tests: the answers are device arrays, so that `if` waits for the device


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    with quiet():
        return fresh(np.isclose(raw_operand("isclose", "a", a), raw_operand("isclose", "b", b), rtol, atol, equal_nan))


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1, a2, equal_nan=False):
    return fresh(np.array_equal(raw_array("array_equal", "a1", a1), raw_array("array_equal", "a2", a2), equal_nan))


def isposinf(x, out=None):
    return signed_infinity("isposinf", np.greater, x, out)


def isneginf(x, out=None):
    return signed_infinity("isneginf", np.less, x, out)


def signed_infinity(name, comparison, x, out):
    """Where `x` is infinite and compares with 0 as asked."""
    raw = raw_array(name, "x", x)
    result = elementwise(np.logical_and, (wrap(np.isinf(raw)), wrap(comparison(raw, 0))), out=out)
    return wrap(result) if out is None else out


def shares_memory(a, b, max_work=None):
    return np.shares_memory(raw_array("shares_memory", "a", a), raw_array("shares_memory", "b", b))


def may_share_memory(a, b, max_work=None):
    return np.may_share_memory(raw_array("may_share_memory", "a", a), raw_array("may_share_memory", "b", b))


def isscalar(element):
    return not isinstance(element, DeviceArray) and np.isscalar(element)


# ---- elementwise functions that are no ufuncs


def around(a, decimals=0, out=None):
    return device_array("around", "a", a).round(decimals, out)


def round(a, decimals=0, out=None):
    return device_array("round", "a", a).round(decimals, out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    raw = raw_array("nan_to_num", "x", x)
    result = np.nan_to_num(raw, copy, nan=raw_operand("nan_to_num", "nan", nan),
                           posinf=raw_optional_number("posinf", posinf), neginf=raw_optional_number("neginf", neginf))
    return fresh(result) if copy else x


def raw_optional_number(name, value):
    """A number for `nan_to_num`, or None where it was not given."""
    return None if value is None else raw_operand("nan_to_num", name, value)


def real(val):
    return device_array("real", "val", val).real


def imag(val):
    return device_array("imag", "val", val).imag


def angle(z, deg=False):
    return fresh(np.angle(raw_array("angle", "z", z), deg))


def isreal(x):
    return fresh(np.isreal(raw_array("isreal", "x", x)))


def iscomplex(x):
    return fresh(np.iscomplex(raw_array("iscomplex", "x", x)))


def isrealobj(x):
    return not iscomplexobj(x)


def iscomplexobj(x):
    return np.iscomplexobj(x._data if isinstance(x, DeviceArray) else x)


# ---- dtypes


def result_type(*arrays_and_dtypes):
    return np.result_type(*[item.dtype if isinstance(item, DeviceArray) else item for item in arrays_and_dtypes])


def can_cast(from_, to, casting="safe"):
    return np.can_cast(from_.dtype if isinstance(from_, DeviceArray) else from_, to, casting)


def common_type(*arrays):
    return np.common_type(*[raw_array("common_type", "each array", array) for array in arrays])


def min_scalar_type(a):
    return check_dtype(a.dtype if isinstance(a, DeviceArray) else np.min_scalar_type(a))
