"""Broadcasting and its undoing."""

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare


def sum_to_kernel(xp, x, *, shape):
    lead = x.ndim - len(shape)
    axes = list(range(lead))
    for i, size in enumerate(shape):
        if size == 1 and x.shape[lead + i] != 1:
            axes.append(lead + i)
    return xp.sum(x, axis=tuple(axes), keepdims=True).reshape(shape)


def sum_to_infer(x, *, shape):
    return Aval(shape, x.dtype)


def sum_to_vjp(g, y, x, *, shape):
    return broadcast_to(g, x.shape)


def broadcast_to_kernel(xp, x, *, shape):
    return xp.broadcast_to(x, shape)


def broadcast_to_infer(x, *, shape):
    return Aval(shape, x.dtype)


def broadcast_to_vjp(g, y, x, *, shape):
    return sum_to(g, x.shape)


sum_to_p = declare("sum_to", sum_to_kernel, sum_to_infer, vjps=(sum_to_vjp,), reads=((),))
broadcast_to_p = declare("broadcast_to", broadcast_to_kernel, broadcast_to_infer, vjps=(broadcast_to_vjp,), reads=((),), views=True)


def sum_to(x, shape):
    """Sum `x` over the axes along which `shape` was broadcast to it: the inverse of broadcasting, for gradients."""
    if x.shape == shape:
        return x
    return bind(sum_to_p, x, shape=shape)


def broadcast_to(x, shape):
    if x.shape == shape:
        return x
    return bind(broadcast_to_p, x, shape=shape)
