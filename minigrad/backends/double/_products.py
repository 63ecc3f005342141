"""Products of arrays: `matmul`, `dot`, `einsum`, `tensordot` and their relatives. Both operands are device arrays."""

import numpy as np

from minigrad.backends.double._elementwise import elementwise
from minigrad.backends.double._memory import (
    DeviceArray,
    check_dtype,
    fresh,
    host_value,
    raw_array,
    raw_operand,
    raw_optional,
    refuse,
    wrap,
)

__all__ = ["cross", "dot", "einsum", "inner", "kron", "matmul", "outer", "tensordot", "vdot"]

EINSUM_OPTIONS = frozenset({"dtype", "optimize"})


def matmul(*args, axes=None, axis=None, keepdims=False, casting="same_kind", dtype=None, signature=None, order="K",
           out=None):
    """Matrix product of two device arrays with at least one dimension, broadcast over leading ones."""
    if axes is not None or axis is not None or keepdims or signature is not None or order != "K":
        raise NotImplementedError("matmul: the double has only out, dtype and casting of CuPy's options")
    if len(args) not in (2, 3):
        raise ValueError(f"matmul takes two operands (and an out), got {len(args)}")
    raw = [raw_array("matmul", "each operand", operand) for operand in args[:2]]
    out = args[2] if len(args) == 3 else out
    options = {} if dtype is None else {"dtype": check_dtype(dtype), "casting": casting}
    with np.errstate(all="ignore"):
        result = np.matmul(*raw, out=raw_optional("matmul", "out", out), **options)
    return fresh(result) if out is None else out


def dot(a, b, out=None):
    raw_a, raw_b = raw_array("dot", "a", a), raw_array("dot", "b", b)
    with np.errstate(all="ignore"):
        result = np.dot(raw_a, raw_b)
    return stored("dot", result, out)


def vdot(a, b):
    raw_a, raw_b = raw_array("vdot", "a", a), raw_array("vdot", "b", b)
    with np.errstate(all="ignore"):
        return fresh(np.vdot(raw_a, raw_b))


def inner(a, b):
    raw_a, raw_b = raw_array("inner", "a", a), raw_array("inner", "b", b)
    with np.errstate(all="ignore"):
        return fresh(np.inner(raw_a, raw_b))


def outer(a, b, out=None):
    raw_array("outer", "a", a), raw_array("outer", "b", b)
    result = elementwise(np.multiply, (wrap(a._data.reshape(-1, 1)), wrap(b._data.reshape(1, -1))), out=out)
    return wrap(result) if out is None else out


def tensordot(a, b, axes=2):
    raw_a, raw_b = raw_array("tensordot", "a", a), raw_array("tensordot", "b", b)
    with np.errstate(all="ignore"):
        return fresh(np.tensordot(raw_a, raw_b, axes=host_value("tensordot", "axes", axes)))


def kron(a, b):
    if not isinstance(a, DeviceArray) and not isinstance(b, DeviceArray):
        refuse("kron", "one operand", a, "a device array")
    raw_a, raw_b = raw_operand("kron", "a", a), raw_operand("kron", "b", b)
    with np.errstate(all="ignore"):
        return fresh(np.kron(raw_a, raw_b))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    raw_a, raw_b = raw_array("cross", "a", a), raw_array("cross", "b", b)
    with np.errstate(all="ignore"):
        return fresh(np.cross(raw_a, raw_b, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis))


def einsum(*operands, **kwargs):
    """Einstein's summation, subscripts first or as lists between the operands; with one operand it may be a view."""
    unknown = sorted(set(kwargs) - EINSUM_OPTIONS)
    if unknown:
        raise TypeError(f"einsum: did not understand the following kwargs: {unknown}; CuPy has dtype and optimize")
    with_subscripts = bool(operands) and isinstance(operands[0], str)
    raw, arrays = [], 0
    for position, operand in enumerate(operands):
        is_array = position > 0 if with_subscripts else position % 2 == 0 and position + 1 < len(operands)
        arrays += is_array
        raw.append(raw_array("einsum", "each operand", operand) if is_array else operand)
    with np.errstate(all="ignore"):
        result = np.einsum(*raw, **kwargs)
    return wrap(result) if arrays == 1 else fresh(result)


def stored(name, result, out):
    """`result` as a new device array, or copied into `out`, which must have its shape and dtype."""
    if out is None:
        return fresh(result)
    target = raw_array(name, "out", out)
    if target.shape != np.shape(result):
        raise ValueError(f"{name}: out has shape {target.shape}, the result has {np.shape(result)}")
    np.copyto(target, result, casting="same_kind")
    return out
