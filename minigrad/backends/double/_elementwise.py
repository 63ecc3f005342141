"""Runs one NumPy ufunc as CuPy runs its own: operands checked, no floating point warnings, results in C order."""

import numpy as np

from minigrad.backends.double._memory import (
    SCALAR_TYPES,
    DeviceArray,
    check_dtype,
    raw_optional,
    refuse,
    wrap,
)

WITHOUT_COMPLEX = frozenset({np.logical_and, np.logical_or, np.logical_xor, np.logical_not})


def elementwise(function, operands, out=None, dtype=None, casting="same_kind"):
    """Apply the NumPy ufunc `function` to device arrays and scalars; returns what NumPy returns (raw memory).

    `out` is None, a device array, or a tuple of them for ufuncs with several outputs.
    """
    raw = []
    for operand in operands:
        if isinstance(operand, DeviceArray):
            raw.append(operand._data)
        elif type(operand) in SCALAR_TYPES:
            raw.append(operand)
        else:
            refuse(function.__name__, "each operand", operand, "a device array or a scalar")
    if function in WITHOUT_COMPLEX and np.result_type(*raw).kind == "c":
        raise TypeError(f"{function.__name__}: CuPy has no complex version; compare with 0 first")
    options = {"order": "C"}
    if dtype is not None:
        options["dtype"] = check_dtype(dtype)
    if casting != "same_kind":
        options["casting"] = casting
    if out is not None:
        options["out"] = raw_out(function.__name__, out)
    with np.errstate(all="ignore"):
        try:
            return function(*raw, **options)
        except ValueError:
            if function is not np.power:
                raise
            return power_of_negative(raw, options.get("out"))


def apply(function, *operands):
    """Apply a NumPy ufunc with one output to device arrays and scalars: a device array."""
    return wrap(elementwise(function, operands))


def apply_into(function, target, *operands):
    """Apply a NumPy ufunc and write the result into the device array `target`, which is returned."""
    elementwise(function, operands, out=target)
    return target


def raw_out(name, out):
    """The memory of an `out` argument: one device array, or a tuple of device arrays and Nones."""
    if not isinstance(out, tuple):
        return raw_optional(name, "out", out)
    return tuple([raw_optional(name, "out", item) for item in out])


def power_of_negative(raw, out):
    """Integers to negative integer powers, where NumPy raises: CuPy gives 0, except for the bases 1 and -1."""
    base, exponent = np.broadcast_arrays(*raw)
    with_sign = np.where(exponent % 2 == 0, 1, base)
    # NumPy computes the ordinary places; the exponents it would refuse are replaced by 0 there
    ordinary = np.power(base, np.where(exponent < 0, 0, exponent))
    result = np.where(exponent >= 0, ordinary, np.where(abs(base) == 1, with_sign, 0))
    result = np.ascontiguousarray(result.astype(np.result_type(*raw))).reshape(base.shape)
    if out is None:
        return result
    np.copyto(out, result, casting="same_kind")
    return out
