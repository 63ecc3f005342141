"""The methods that compute: reductions, shapes, selections. The functions of the same names call these, as in CuPy."""

import numpy as np

from minigrad.backends.double._indexing import scatter
from minigrad.backends.double._memory import (
    DeviceArray,
    axis_not_list,
    check_dtype,
    fresh,
    fresh_all,
    host_value,
    quiet,
    raw_array,
    raw_indices,
    raw_operand,
    raw_optional,
    refuse,
    view,
    wrap,
)
from minigrad.backends.double._products import dot as product_dot


def reduced(method, array, out, **parameters):
    """Run a method of `numpy.ndarray` with no warnings; `out` is None or a device array, which is then returned."""
    raw_out = raw_optional(method.__name__, "out", out)
    host_value(method.__name__, "axis", parameters.get("axis"))
    with quiet():
        result = method(array._data, out=raw_out, **parameters)
    return fresh(result) if out is None else out


def dtype_or_none(dtype):
    """A dtype argument that may be missing."""
    return None if dtype is None else check_dtype(dtype)


def sort_kind(kind):
    """CuPy sorts stably, whatever is asked for, and refuses the other names."""
    if kind not in (None, "stable"):
        raise ValueError(f"kind can only be None or 'stable', got {kind!r}")
    return "stable"


def wrapped(indices, size):
    """Indices brought into range as CuPy's kernels do it, by the remainder: they never raise for being out of range."""
    if np.result_type(indices).kind not in "biu":
        raise IndexError(f"indices must be of an integer dtype, got {np.result_type(indices)}")
    indices = np.asarray(indices).astype(np.intp)
    if size == 0:
        if indices.size:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return indices
    return indices % size


class Methods(DeviceArray):
    """What `array.name(...)` does. Parameters and defaults are CuPy's: no `where`, no `initial`, no `mode`."""

    __slots__ = ()

    # ---- reductions

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        return reduced(np.ndarray.sum, self, out, axis=axis, dtype=dtype_or_none(dtype), keepdims=keepdims)

    def prod(self, axis=None, dtype=None, out=None, keepdims=None):
        return reduced(np.ndarray.prod, self, out, axis=axis, dtype=dtype_or_none(dtype), keepdims=bool(keepdims))

    def mean(self, axis=None, dtype=None, out=None, keepdims=False):
        return reduced(np.ndarray.mean, self, out, axis=axis, dtype=dtype_or_none(dtype), keepdims=keepdims)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return reduced(np.ndarray.var, self, out, axis=axis, dtype=dtype_or_none(dtype), ddof=ddof, keepdims=keepdims)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return reduced(np.ndarray.std, self, out, axis=axis, dtype=dtype_or_none(dtype), ddof=ddof, keepdims=keepdims)

    def max(self, axis=None, out=None, keepdims=False):
        return reduced(np.ndarray.max, self, out, axis=axis, keepdims=keepdims)

    def min(self, axis=None, out=None, keepdims=False):
        return reduced(np.ndarray.min, self, out, axis=axis, keepdims=keepdims)

    def ptp(self, axis=None, out=None, keepdims=False):
        largest = reduced(np.ndarray.max, self, out, axis=axis, keepdims=keepdims)
        largest -= reduced(np.ndarray.min, self, None, axis=axis, keepdims=keepdims)
        return largest

    def argmax(self, axis=None, out=None, dtype=None, keepdims=False):
        return self._place_of(np.ndarray.argmax, axis, out, dtype, keepdims)

    def argmin(self, axis=None, out=None, dtype=None, keepdims=False):
        return self._place_of(np.ndarray.argmin, axis, out, dtype, keepdims)

    def _place_of(self, method, axis, out, dtype, keepdims):
        places = reduced(method, self, out, axis=axis, keepdims=keepdims)
        return places if dtype is None else places.astype(dtype)

    def all(self, axis=None, out=None, keepdims=False):
        return reduced(np.ndarray.all, self, out, axis=axis, keepdims=keepdims)

    def any(self, axis=None, out=None, keepdims=False):
        return reduced(np.ndarray.any, self, out, axis=axis, keepdims=keepdims)

    def cumsum(self, axis=None, dtype=None, out=None):
        return reduced(np.ndarray.cumsum, self, out, axis=axis, dtype=dtype_or_none(dtype))

    def cumprod(self, axis=None, dtype=None, out=None):
        return reduced(np.ndarray.cumprod, self, out, axis=axis, dtype=dtype_or_none(dtype))

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        return reduced(np.ndarray.trace, self, out, offset=offset, axis1=axis1, axis2=axis2,
                       dtype=dtype_or_none(dtype))

    def dot(self, b, out=None):
        return product_dot(self, b, out)

    def round(self, decimals=0, out=None):
        return reduced(np.ndarray.round, self, out, decimals=host_value("round", "decimals", decimals))

    def clip(self, min=None, max=None, out=None):
        if min is None and max is None:
            raise ValueError("array_clip: must set either max or min")
        low = None if min is None else raw_operand("clip", "min", min)
        high = None if max is None else raw_operand("clip", "max", max)
        with np.errstate(all="ignore"):
            result = np.clip(self._data, low, high, out=raw_optional("clip", "out", out))
        return fresh(result) if out is None else out

    def conj(self):
        # NumPy gives the very same array back for real dtypes, CuPy too
        return self if self._data.dtype.kind != "c" else fresh(self._data.conj())

    def conjugate(self):
        return self.conj()

    # ---- dtype and copies

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        if casting is not None or subok is not None:
            raise TypeError("astype: CuPy supports neither casting nor subok")
        dtype = check_dtype(dtype)
        if not copy and dtype == self._data.dtype and order in ("K", "A"):
            return self
        with np.errstate(all="ignore"):
            return wrap(self._data.astype(dtype, order=order))

    def copy(self, order="C"):
        return wrap(self._data.copy(order))

    def byteswap(self, inplace=False):
        raw = self._data.byteswap(inplace)
        return self if inplace else wrap(raw)

    def view(self, dtype=None, type=None):
        if type is not None:
            raise NotImplementedError("view: the double has one class of arrays; give a dtype only")
        return wrap(self._data.view() if dtype is None else self._data.view(check_dtype(dtype)))

    # ---- shape

    def reshape(self, *shape, order="C", copy=None):
        host_value("reshape", "shape", shape[0] if len(shape) == 1 else shape)
        options = {} if copy is None else {"copy": copy}
        return wrap(self._data.reshape(*shape, order=order, **options))

    def ravel(self, order="C"):
        return wrap(self._data.ravel(order))

    def flatten(self, order="C"):
        return wrap(self._data.flatten(order))

    def transpose(self, *axes):
        return wrap(self._data.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        return wrap(self._data.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        return wrap(self._data.squeeze(axis_not_list("squeeze", axis)))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return view(self._data.diagonal(offset, axis1, axis2))

    def repeat(self, repeats, axis=None):
        if isinstance(repeats, np.ndarray):
            refuse("repeat", "repeats", repeats, "an int, a list of ints or a device array")
        counts = repeats._data if isinstance(repeats, DeviceArray) else repeats
        return fresh(self._data.repeat(counts, axis))

    # ---- selection

    def take(self, indices, axis=None, out=None):
        places = raw_indices("take", "indices", indices)
        data = self._data if self._data.ndim else self._data.reshape(1)
        if axis is not None:
            axis = np.lib.array_utils.normalize_axis_index(axis, data.ndim)
        size = data.size if axis is None else data.shape[axis]
        result = np.take(data, wrapped(places, size), axis=axis)
        if out is None:
            return fresh(result)
        target = raw_array("take", "out", out)
        if target.dtype != data.dtype:
            raise TypeError("take: Output dtype mismatch")
        if target.shape != result.shape:
            raise ValueError("take: Output shape mismatch")
        target[...] = result
        return out

    def put(self, indices, values, mode="wrap"):
        if mode not in ("raise", "wrap", "clip"):
            raise ValueError("put: clipmode not understood")
        places = raw_indices("put", "indices", indices)
        self._data.put(places, raw_operand("put", "values", values), mode=mode)

    def choose(self, choices, out=None, mode="raise"):
        raw = raw_array("choose", "choices", choices)
        result = self._data.choose(list(raw), out=raw_optional("choose", "out", out), mode=mode)
        return fresh(result) if out is None else out

    def compress(self, condition, axis=None, out=None):
        chosen = np.flatnonzero(raw_indices("compress", "condition", condition))
        return self.take(wrap(chosen), axis, out)

    def nonzero(self):
        return fresh_all(self._data.nonzero())

    def searchsorted(self, v, side="left", sorter=None):
        if not isinstance(v, DeviceArray) and not isinstance(v, (int, float, complex)):
            raise NotImplementedError(f"searchsorted: only Python scalars or device arrays are supported for v, "
                                      f"got {type(v).__name__}")
        places = self._data.searchsorted(raw_operand("searchsorted", "v", v), side,
                                         raw_optional("searchsorted", "sorter", sorter))
        return fresh(places)

    def scatter_add(self, slices, value):
        scatter(np.add, self._data, slices, value)

    def scatter_max(self, slices, value):
        scatter(np.maximum, self._data, slices, value)

    def scatter_min(self, slices, value):
        scatter(np.minimum, self._data, slices, value)

    # ---- order

    def sort(self, axis=-1, kind=None):
        self._must_be_contiguous("sort")
        self._data.sort(axis=axis, kind=sort_kind(kind))

    def argsort(self, axis=-1, kind=None):
        return fresh(np.atleast_1d(self._data).argsort(axis=axis, kind=sort_kind(kind)))

    def partition(self, kth, axis=-1):
        self._must_be_contiguous("partition")
        self._data.partition(host_value("partition", "kth", kth), axis=axis)

    def argpartition(self, kth, axis=-1):
        return fresh(self._data.argpartition(host_value("argpartition", "kth", kth), axis=axis))

    def _must_be_contiguous(self, name):
        if not self._data.flags.c_contiguous:
            raise NotImplementedError(f"{name}: sorting non-contiguous array is not supported in place; "
                                      f"use xp.{name}(array)")
