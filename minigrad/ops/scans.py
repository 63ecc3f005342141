"""Running sums, products and extremes along a dimension."""

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.ops.axes import normal_axis
from minigrad.ops.casting import cast
from minigrad.ops.exponential import exp, log
from minigrad.ops.padding import flip
from minigrad.ops.reduction import Extreme
from minigrad.ops.scatter import take_along_dim
from minigrad.ops.selection import clamp_min
from minigrad.ops.shaping import reshape

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "logcumsumexp"]


def summed_dtype(dtype):
    return int64 if dtype.kind in "biu" else dtype


# ----- sum: the gradient is the running sum from the other end
def cumsum_kernel(xp, x, *, axis, reverse):
    if reverse:
        return xp.flip(xp.cumsum(xp.flip(x, axis), axis=axis, dtype=summed_dtype(x.dtype)), axis)
    return xp.cumsum(x, axis=axis, dtype=summed_dtype(x.dtype))


def scan_infer(x, *, axis, reverse):
    return Aval(x.shape, summed_dtype(x.dtype))


def cumsum_vjp(g, y, x, *, axis, reverse):
    return bind(cumsum_p, g, axis=axis, reverse=not reverse)


cumsum_p = declare("cumsum", cumsum_kernel, scan_infer, vjps=(cumsum_vjp,), reads=((),))


# ----- products of what stands before (or after) each element, itself left out
def cumprod_exclusive_kernel(xp, x, *, axis, reverse):
    y = xp.ones_like(x)
    if x.shape[axis] > 1:
        index = [slice(None)] * x.ndim
        shifted = [slice(None)] * x.ndim
        if reverse:
            index[axis], shifted[axis] = slice(1, None), slice(None, -1)
            y[tuple(shifted)] = xp.flip(xp.cumprod(xp.flip(x[tuple(index)], axis), axis=axis, dtype=x.dtype), axis)
        else:
            index[axis], shifted[axis] = slice(None, -1), slice(1, None)
            y[tuple(shifted)] = xp.cumprod(x[tuple(index)], axis=axis, dtype=x.dtype)
    return y


def cumprod_exclusive_infer(x, *, axis, reverse):
    return Aval(x.shape, x.dtype)


def cumprod_exclusive_vjp(g, y, x, *, axis, reverse):
    return prefix_products_vjp(g, x, axis, reverse)


cumprod_exclusive_p = declare("cumprod_exclusive", cumprod_exclusive_kernel, cumprod_exclusive_infer,
                              vjps=(cumprod_exclusive_vjp,), reads=({0},))


def cumprod_exclusive(x, axis, reverse):
    """For each element the product of those before it (after it, for `reverse`) along `axis`; 1 for the first."""
    return bind(cumprod_exclusive_p, x, axis=axis, reverse=reverse)


def prefix_products_vjp(g, x, axis, reverse):
    """The gradient of the products of what stands before each element, exact where elements are zero.

    With h(i) = g(i) + x(i) * h(i+1), the sum over later results of g times the product of what lies between, the
    gradient of element k is (product of those before k) * h(k+1). h runs from the far end, one step an element.
    """
    before = cumprod_exclusive(x, axis, reverse)
    return before * bind(horner_p, g, x, axis=axis, reverse=reverse)


# ----- h(i) = sum over j > i of g(j) * product of x(i+1 .. j-1): what follows each element, in Horner's form
def horner_kernel(xp, g, x, *, axis, reverse):
    g, x = xp.moveaxis(g, axis, 0), xp.moveaxis(x, axis, 0)
    h = xp.zeros_like(g)
    count = g.shape[0]
    if reverse:
        for i in range(1, count):
            h[i] = g[i - 1] + x[i - 1] * h[i - 1]
    else:
        for i in range(count - 2, -1, -1):
            h[i] = g[i + 1] + x[i + 1] * h[i + 1]
    return xp.moveaxis(h, 0, axis)


def horner_infer(g, x, *, axis, reverse):
    return Aval(g.shape, g.dtype)


def horner_vjp_g(t, h, g, x, *, axis, reverse):
    # h(i) = sum over j > i of g(j) * prod x(i+1..j-1), so the sums run the other way round
    return bind(horner_p, t, x, axis=axis, reverse=not reverse)


def horner_vjp_x(t, h, g, x, *, axis, reverse):
    # x(m) stands between i and j for i < m < j
    return bind(horner_p, t, x, axis=axis, reverse=not reverse) * h


horner_p = declare("running_horner", horner_kernel, horner_infer, vjps=(horner_vjp_g, horner_vjp_x),
                   reads=({1}, {"y", 1}))


# ----- product
def cumprod_kernel(xp, x, *, axis):
    return xp.cumprod(x, axis=axis, dtype=summed_dtype(x.dtype))


def cumprod_infer(x, *, axis):
    return Aval(x.shape, summed_dtype(x.dtype))


def cumprod_vjp(g, y, x, *, axis):
    # y(i) = x(i) * (product before i): the part through x(i) itself, and the part through what stands before
    before = cumprod_exclusive(x, axis, False)
    return g * before + prefix_products_vjp(g * x, x, axis, False)


cumprod_p = declare("cumprod", cumprod_kernel, cumprod_infer, vjps=(cumprod_vjp,), reads=({0},))


# ----- log of the running sums of exponentials
def logcumsumexp_kernel(xp, x, *, axis):
    moved = xp.moveaxis(x, axis, 0)
    y = xp.empty_like(moved)
    if moved.shape[0]:
        y[0] = moved[0]
        for i in range(1, moved.shape[0]):
            y[i] = xp.logaddexp(y[i - 1], moved[i])
    return xp.moveaxis(y, 0, axis)


def logcumsumexp_infer(x, *, axis):
    return Aval(x.shape, x.dtype)


def logcumsumexp_vjp(g, y, x, *, axis):
    # the sum over later results of g * e ** (x - y); each factor e ** (x(k) - y(i)) with k <= i is at most 1, but
    # apart they may overflow, so positive and negative parts of g are summed as logarithms
    up = exp(x + reversed_logcumsumexp(log(clamp_min(g, 0.0)) - y, axis))
    down = exp(x + reversed_logcumsumexp(log(clamp_min(-g, 0.0)) - y, axis))
    return up - down


def reversed_logcumsumexp(x, axis):
    return flip(bind(logcumsumexp_p, flip(x, (axis,)), axis=axis), (axis,))


logcumsumexp_p = declare("logcumsumexp", logcumsumexp_kernel, logcumsumexp_infer, vjps=(logcumsumexp_vjp,),
                         reads=({"y", 0},))


# ----- extremes and where they are: of equal ones the last
def cummax_kernel(xp, x, *, axis):
    return running_extreme(xp, x, axis, xp.greater_equal)


def cummin_kernel(xp, x, *, axis):
    return running_extreme(xp, x, axis, xp.less_equal)


def running_extreme(xp, x, axis, wins):
    """The index of the extreme so far along `axis`, NaN counting as more extreme than any number."""
    x = xp.moveaxis(x, axis, 0)
    indices = xp.zeros(x.shape, dtype=int64)
    if x.shape[0]:
        best = x[0]
        for i in range(1, x.shape[0]):
            better = xp.logical_or(wins(x[i], best), xp.isnan(x[i])) if x.dtype.kind == "f" else wins(x[i], best)
            if x.dtype.kind == "f":
                better = xp.logical_and(better, xp.logical_or(xp.isnan(x[i]), xp.logical_not(xp.isnan(best))))
            best = xp.where(better, x[i], best)
            indices[i] = xp.where(better, i, indices[i - 1])
    return xp.moveaxis(indices, 0, axis)


def position_infer(x, *, axis):
    return Aval(x.shape, int64)


cummax_p = declare("cummax_indices", cummax_kernel, position_infer)
cummin_p = declare("cummin_indices", cummin_kernel, position_infer)


def cumsum(input, dim, *, dtype=None):  # noqa: A002  PyTorch's argument name
    """Running sums along `dim`; integers give int64."""
    return scan("cumsum", cumsum_p, input, dim, dtype, {"reverse": False})


def cumprod(input, dim, *, dtype=None):  # noqa: A002
    """Running products along `dim`; integers give int64. The gradient is exact where elements are zero."""
    return scan("cumprod", cumprod_p, input, dim, dtype, {})


def scan(name, prim, x, dim, dtype, params):
    """A scan in which a value without dimensions is its own result."""
    if dtype is not None:
        x = cast(x, dtype)
    axis = normal_axis(name, x, dim)
    if x.ndim == 0:
        return reshape(bind(prim, reshape(x, (1,)), axis=0, **params), ())
    return bind(prim, x, axis=axis, **params)


def logcumsumexp(input, dim):  # noqa: A002
    """log of the running sums of e ** input along `dim`, without overflow."""
    axis = normal_axis("logcumsumexp", input, dim)
    if input.ndim == 0:
        return input * 1
    return bind(logcumsumexp_p, input, axis=axis)


def cummax(input, dim):  # noqa: A002
    """(values, indices) of the largest so far along `dim`; of equal ones the last."""
    return running("cummax", cummax_p, input, dim)


def cummin(input, dim):  # noqa: A002
    """(values, indices) of the smallest so far along `dim`; of equal ones the last."""
    return running("cummin", cummin_p, input, dim)


def running(name, prim, x, dim):
    axis = normal_axis(name, x, dim)
    if x.ndim == 0:
        return Extreme(x * 1, cast(x * 0, int64))
    indices = bind(prim, x, axis=axis)
    return Extreme(take_along_dim(x, indices, axis), indices)
