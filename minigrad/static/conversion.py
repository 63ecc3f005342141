"""TensorFlow 1.x's rules for what becomes a tensor, and for operands of different dtypes."""

import sys

import numpy as np

from minigrad.core.dispatch import Operand
from minigrad.core.dtypes import as_dtype, float32, int32
from minigrad.core.sites import IS_OURS
from minigrad.errors import DtypeError
from minigrad.graph import Node, default_graph


def as_constant_array(value, dtype=None):
    """`value` as a NumPy array; Python floats give float32 and Python ints int32, as in TensorFlow."""
    if dtype is not None:
        return np.array(value, dtype=as_dtype(dtype))
    array = np.array(value)
    if array.dtype == object:
        raise DtypeError(f"a {type(value).__name__} with tensors or ragged rows in it cannot become a tensor; use"
                         " stack([...]) to join tensors")
    if not has_arrays(value):
        if array.dtype == np.float64:
            return array.astype(float32)
        if array.dtype == np.int64:
            return array.astype(int32)
    as_dtype(array.dtype)
    return array


def has_arrays(value):
    """True when the dtype is the user's choice: a NumPy array or scalar is among the values."""
    if isinstance(value, list | tuple):
        return any([has_arrays(v) for v in value])
    return isinstance(value, np.ndarray | np.generic)


def convert_to_tensor(value, dtype=None, name=None):
    """A tensor: `value` itself, a stack of the tensors in a list, or a constant. TensorFlow: tf.convert_to_tensor.

    Raises:
        DtypeError: `value` is a tensor of another dtype than `dtype`.
    """
    if isinstance(value, Node):
        if dtype is not None and value.dtype != as_dtype(dtype):
            raise DtypeError(f"{value!r} is {value.dtype}, expected {as_dtype(dtype)}; use cast()")
        return value
    if isinstance(value, Operand):
        return default_graph().captured(value)
    if isinstance(value, list | tuple) and any([isinstance(v, Node) for v in value]):
        from minigrad.ops.joining import stack

        like = next(v for v in value if isinstance(v, Node))
        return stack([convert_to_tensor(v, dtype or like.dtype) for v in value])
    return default_graph().constant(as_constant_array(value, dtype), name=name)


def operands(action, a, b, weak=True, scalar_arrays=False):
    """Both operands of a binary operation of a user's line, in one dtype.

    A number takes the dtype of the tensor that it meets. minigrad's own lines (layers, composed operations, gradient
    rules) may mix dtypes, which are promoted as in the other engine.

    Raises:
        DtypeError: two tensors of different dtypes, or a float that meets an integer tensor.
    """
    if IS_OURS[sys._getframe(2).f_code.co_filename]:
        return a, b
    like = a if isinstance(a, Node) else b
    if not isinstance(like, Node):
        like = convert_to_tensor(a)
        a = like
    results = []
    for x in (a, b):
        if isinstance(x, Node):
            if x.dtype != like.dtype:
                raise DtypeError(f"{action}: the operands {a!r} and {b!r} have different dtypes; cast one of them:"
                                 f" cast(x, {like.dtype})")
        elif isinstance(x, Operand):
            x = default_graph().captured(x)
        else:
            x = constant_like(action, x, like, weak and not scalar_arrays)
        results.append(x)
    return tuple(results)


def constant_like(action, x, like, weak):
    """The number or array `x` as an operand beside the tensor `like`."""
    if isinstance(x, list | tuple) and any([isinstance(v, Node) for v in x]):
        return convert_to_tensor(x, like.dtype)
    array = np.asarray(x)
    if (array.dtype.kind == "f" and like.dtype.kind != "f") or (array.dtype.kind != "b" and like.dtype.kind == "b"):
        raise DtypeError(f"{action}: {x!r} cannot become a tensor of dtype {like.dtype}, which {like!r} has; cast that"
                         " first")
    if isinstance(x, np.ndarray) and array.dtype != like.dtype:
        raise DtypeError(f"{action}: an array of dtype {array.dtype} meets {like!r}; TensorFlow 1.x does not convert"
                         f" arrays: use x.astype('{like.dtype}')")
    if weak and x.__class__ in (int, float) and like.dtype.kind == "f":
        return float(x)
    if weak and x.__class__ is int:
        return x
    return like.graph.innermost().constant(array.astype(like.dtype))
