"""Windows along an axis: overlapping slices as a view, and the adding up of windows that is its gradient."""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, is_known, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.shaping import reshape, squeeze

__all__ = ["unfold"]


# ----- their positions take the place of the axis, their elements become the last axis
def unfold_kernel(xp, x, *, axis, size, step):
    count = (x.shape[axis] - size) // step + 1
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:], size)
    strides = (*x.strides[:axis], x.strides[axis] * step, *x.strides[axis + 1:], x.strides[axis])
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def unfold_infer(x, *, axis, size, step):
    if x.shape is None:
        return Aval(None, x.dtype)
    whole = x.shape[axis]
    if whole.__class__ is int and size > whole:
        raise ShapeError(f"unfold: windows of size {size} do not fit dimension {axis} of shape {shape_text(x.shape)}")
    count = Dim() if whole.__class__ is Dim else (whole - size) // step + 1
    return Aval((*x.shape[:axis], count, *x.shape[axis + 1:], size), x.dtype)


def unfold_vjp(g, y, x, *, axis, size, step):
    if is_known(x.shape):
        return bind(add_windows_p, g, axis=axis, size=size, step=step, shape=x.shape)
    return bind(add_windows_p, g, x, axis=axis, size=size, step=step, shape=None)


def add_windows_kernel(xp, g, *like, axis, size, step, shape):
    y = xp.zeros(like[0].shape if shape is None else shape, dtype=g.dtype)
    key = [slice(None)] * y.ndim
    for k in range(size):
        key[axis] = slice(k, k + (g.shape[axis] - 1) * step + 1, step)
        y[tuple(key)] += g[..., k]
    return y


def add_windows_infer(g, *like, axis, size, step, shape):
    return Aval(like[0].shape if shape is None else shape, g.dtype)


def add_windows_vjp(h, y, g, *like, axis, size, step, shape):
    return bind(unfold_p, h, axis=axis, size=size, step=step)


unfold_p = declare("unfold", unfold_kernel, unfold_infer, vjps=(unfold_vjp,), reads=((),), views=True)
add_windows_p = declare("add_windows", add_windows_kernel, add_windows_infer, vjps=(add_windows_vjp,), reads=((),))


def unfold(input, dimension, size, step):
    """Windows of `size` elements along `dimension`, `step` apart: a view with the windows' elements as its last axis.

    PyTorch: Tensor.unfold.

    Raises:
        ShapeError: `size` is larger than the dimension, or `step` is not positive.
    """
    axis = normal_axis("unfold", input, dimension)
    size, step = operator.index(size), operator.index(step)
    if size < 0 or step < 1:
        raise ShapeError(f"unfold: size must not be negative and step must be positive, got {size} and {step}")
    if input.ndim == 0:
        return squeeze(unfold(reshape(input, (1,)), 0, size, step), 0)
    if input.shape is not None and input.shape[axis].__class__ is int and size > input.shape[axis]:
        raise ShapeError(f"unfold: windows of size {size} do not fit dimension {axis} of shape"
                         f" {shape_text(input.shape)}")
    return bind(unfold_p, input, axis=axis, size=size, step=step)
