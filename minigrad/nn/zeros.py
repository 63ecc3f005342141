"""Zeros beside a value: of its dtype, on its device and in its engine."""

from typing import Any

from minigrad.dynamic.tensor import Tensor
from minigrad.ops.arithmetic import abs as absolute
from minigrad.ops.casting import cast
from minigrad.ops.comparison import lt
from minigrad.ops.shaping import expand


def zeros_beside(x: Any, size: int) -> Any:
    """Zeros of shape (*x.shape[:-1], size)."""
    if isinstance(x, Tensor):
        return x.new_zeros((*x.shape[:-1], size))
    zeros = cast(lt(absolute(x[..., :1]), 0), x.dtype)  # whatever x holds, also infinity and NaN
    return expand(zeros, (*[-1] * (x.ndim - 1), size))
