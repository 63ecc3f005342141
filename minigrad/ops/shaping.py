"""Shapes."""
from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.ops.broadcasting import reshape_like


def reshape_kernel(xp, x, *, shape):
    return x.reshape(shape)


def reshape_infer(x, *, shape):
    return Aval(shape, x.dtype)


def reshape_vjp(g, y, x, *, shape):
    return reshape_like(g, x)


def unsqueeze_kernel(xp, x, *, axis):
    return xp.expand_dims(x, axis)


def unsqueeze_infer(x, *, axis):
    return Aval((*x.shape[:axis], 1, *x.shape[axis:]), x.dtype)


def unsqueeze_vjp(g, y, x, *, axis):
    return reshape_like(g, x)


reshape_p = declare("reshape", reshape_kernel, reshape_infer, vjps=(reshape_vjp,), reads=((),), views=True)
unsqueeze_p = declare("unsqueeze", unsqueeze_kernel, unsqueeze_infer, vjps=(unsqueeze_vjp,), reads=((),), views=True)


def reshape(input, shape):
    return bind(reshape_p, input, shape=tuple(shape))


def unsqueeze(input, dim):
    return bind(unsqueeze_p, input, axis=dim % (input.ndim + 1))
