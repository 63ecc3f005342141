"""Reductions: sum and mean."""

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.ops.broadcasting import broadcast_like, size_of
from minigrad.ops.casting import cast


def reduced_shape(shape, axes, keepdim):
    """The shape after a reduction over `axes` (None: all)."""
    if shape is None:
        return () if axes is None else None
    result = []
    for axis, size in enumerate(shape):
        if axes is not None and axis not in axes:
            result.append(size)
        elif keepdim:
            result.append(1)
    return tuple(result)


def sum_kernel(xp, x, *, axes, keepdim):
    return xp.sum(x, axis=axes, keepdims=keepdim, dtype=int64 if x.dtype.kind in "biu" else x.dtype)


def sum_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), int64 if x.dtype.kind in "biu" else x.dtype)


def sum_vjp(g, y, x, *, axes, keepdim):
    if axes is not None and not keepdim:
        from minigrad.ops.shaping import unsqueeze

        for axis in axes:
            g = unsqueeze(g, axis)
    return broadcast_like(g, x)


sum_p = declare("sum", sum_kernel, sum_infer, vjps=(sum_vjp,), reads=((),))


def normal_axes(x, dim):
    if dim is None:
        return None
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(sorted([d % x.ndim if x.ndim else 0 for d in dims]))


def sum(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A001, A002
    """The sum over `dim`."""
    if dtype is not None:
        input = cast(input, dtype)
    return bind(sum_p, input, axes=normal_axes(input, dim), keepdim=keepdim)


def mean(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The mean over `dim`."""
    axes = normal_axes(input, dim)
    count = 1
    for axis in range(input.ndim) if axes is None else axes:
        count = count * size_of(input, axis)
    return sum(input, dim, keepdim, dtype=dtype) / count
