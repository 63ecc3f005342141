"""Running products and linear recurrences along an axis: what the gradients of products and scans are made of.

Both are closed under differentiation, so products and scans have derivatives of any order, exact where elements are
zero: nothing is ever divided by an element.
"""

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops.axes import reduced_shape


# ----- the product of what stands before each element (after it, for `reverse`), itself left out
def cumprod_exclusive_kernel(xp, x, *, axis, reverse):
    wide = x.astype(float32) if x.dtype == float16 else x
    y = xp.ones_like(wide)
    if x.shape[axis] > 1:
        first = (slice(None),) * axis + (slice(None, -1),)
        later = (slice(None),) * axis + (slice(1, None),)
        if reverse:
            y[first] = xp.flip(xp.cumprod(xp.flip(wide[later], axis), axis=axis, dtype=wide.dtype), axis)
        else:
            y[later] = xp.cumprod(wide[first], axis=axis, dtype=wide.dtype)
    return y if wide is x else y.astype(x.dtype)


def cumprod_exclusive_infer(x, *, axis, reverse):
    reduced_shape(x.shape, (axis,), True)
    return Aval(x.shape, x.dtype)


def cumprod_exclusive_vjp(g, y, x, *, axis, reverse):
    # result i is the product of all x before i: the sum over i > k of g(i) * (product before i without x(k)) is
    # (product before k) * (sum over i > k of g(i) * product between k and i)
    return y * bind(recurrence_p, g, x, axis=axis, reverse=not reverse)


cumprod_exclusive_p = declare("cumprod_exclusive", cumprod_exclusive_kernel, cumprod_exclusive_infer,
                              vjps=(cumprod_exclusive_vjp,), reads=({"y", 0},))


# ----- h(i) = sum over j < i of g(j) * (product of a between j and i): h(i) = g(i-1) + a(i-1) * h(i-1)
def recurrence_kernel(xp, g, a, *, axis, reverse):
    g, a = xp.moveaxis(g, axis, 0), xp.moveaxis(a, axis, 0)
    h = xp.zeros_like(g)
    count = g.shape[0]
    if reverse:
        for i in range(count - 2, -1, -1):
            h[i] = g[i + 1] + a[i + 1] * h[i + 1]
    else:
        for i in range(1, count):
            h[i] = g[i - 1] + a[i - 1] * h[i - 1]
    return xp.moveaxis(h, 0, axis)


def recurrence_infer(g, a, *, axis, reverse):
    if g.shape is not None and a.shape is not None and len(g.shape) != len(a.shape):
        raise ShapeError(f"recurrence: values of shape {g.shape} and factors of shape {a.shape} differ")
    shape = a.shape if g.shape is None else g.shape
    reduced_shape(shape, (axis,), True)
    return Aval(shape, g.dtype)


def recurrence_vjp_g(t, h, g, a, *, axis, reverse):
    # a pair j < i has the same factors whichever way one looks
    return bind(recurrence_p, t, a, axis=axis, reverse=not reverse)


def recurrence_vjp_a(t, h, g, a, *, axis, reverse):
    # a(m) stands between j and i for j < m < i: what comes to it from one end, times what comes from the other
    return bind(recurrence_p, t, a, axis=axis, reverse=not reverse) * h


recurrence_p = declare("recurrence", recurrence_kernel, recurrence_infer, vjps=(recurrence_vjp_g, recurrence_vjp_a),
                       reads=({1}, {"y", 1}))


def cumprod_exclusive(x, axis, reverse=False):
    """For each element the product of those before it (after it, for `reverse`) along `axis`; of none, 1."""
    return bind(cumprod_exclusive_p, x, axis=axis, reverse=reverse)


def recurrence(g, a, axis, reverse=False):
    """h(i) = g(i-1) + a(i-1) * h(i-1) along `axis`, h of the first element 0; from the other end for `reverse`."""
    return bind(recurrence_p, g, a, axis=axis, reverse=reverse)
