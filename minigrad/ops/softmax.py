"""Softmax, its logarithm, logsumexp, and the cross-entropies of rows: stable at any size of the logits.

A row of which every element is -inf (all of it masked) has softmax 0, log-softmax -inf and gradient 0, where PyTorch
gives NaN. NaN in a row stays in that row.
"""

import warnings

import numpy as np

from minigrad.config import default_dtype
from minigrad.core.aval import Aval
from minigrad.core.dims import may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops import comparison
from minigrad.ops.axes import normal_axes, normal_axis, reduced_shape
from minigrad.ops.casting import cast
from minigrad.ops.classes import checked_labels, label_place, row_shape
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import exp
from minigrad.ops.promotion import to_float
from minigrad.ops.reduction import any as some, dot_over, sum as total, widened, with_axes
from minigrad.ops.selection import where
from minigrad.ops.shaping import reshape, unsqueeze

__all__ = ["cross_entropy_rows", "log_softmax", "logsumexp", "soft_cross_entropy_rows", "softmax", "softmin"]

NEGATIVE_INFINITY = float("-inf")


def shifted(xp, x, axis):
    """`x` minus the largest of its row: at most 0, and exactly 0 in one place; rows of -inf stay -inf."""
    top = xp.maximum(x.max(axis=axis, keepdims=True), float(np.finfo(x.dtype).min))
    return xp.subtract(x, top)


def exponentiated(xp, z, axis):
    """(e, s): e ** z, written over `z`, and its sums; for rows from `shifted` at least 1, or 0 for a row of -inf."""
    e = xp.exp(z, out=z) if z.ndim else xp.exp(z)  # NumPy gives a scalar, not an array, for the difference of 0-d ones
    return e, e.sum(axis=axis, keepdims=True)


def row_infer(x, *, axis):
    reduced_shape(x.shape, axis if axis is None or axis.__class__ is tuple else (axis,), True)
    return Aval(x.shape, x.dtype)


# ----- softmax along an axis; inside of logsumexp's rule, along several, or all (None)
def softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    e, s = exponentiated(xp, shifted(xp, widened(x), axis), axis)
    e /= xp.maximum(s, 0.5)
    return e if e.dtype == x.dtype else e.astype(x.dtype)


def softmax_vjp(g, y, x, *, axis):
    return bind(softmax_slope_p, g, y, axis=axis)


softmax_p = declare("softmax", softmax_kernel, row_infer, vjps=(softmax_vjp,), reads=({"y"},), promote=to_float)


# ----- y * (g - sum(g * y)): what softmax's Jacobian, which is symmetric, makes of g
def softmax_slope_kernel(xp, g, y, *, axis):
    wide, weights = widened(g), widened(y)
    result = wide - dot_over(xp, wide, weights, axis)
    result *= weights
    return result if result.dtype == g.dtype else result.astype(g.dtype)


def slope_infer(g, y, *, axis):
    return row_infer(y if g.shape is None else g, axis=axis)


def softmax_slope_vjp_g(t, z, g, y, *, axis):
    return bind(softmax_slope_p, t, y, axis=axis)


def softmax_slope_vjp_y(t, z, g, y, *, axis):
    return t * (g - total(g * y, axis, True)) - g * total(t * y, axis, True)


softmax_slope_p = declare("softmax_slope", softmax_slope_kernel, slope_infer,
                          vjps=(softmax_slope_vjp_g, softmax_slope_vjp_y), reads=({1}, {0, 1}))


# ----- log-softmax
def log_softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    z = shifted(xp, widened(x), axis)
    z -= xp.log(xp.maximum(xp.exp(z).sum(axis=axis, keepdims=True), 0.5))
    return z if z.dtype == x.dtype else z.astype(x.dtype)


def log_softmax_vjp(g, y, x, *, axis):
    return bind(log_softmax_slope_p, g, y, axis=axis)


log_softmax_p = declare("log_softmax", log_softmax_kernel, row_infer, vjps=(log_softmax_vjp,), reads=({"y"},),
                        promote=to_float)


# ----- g - e ** y * sum(g), and 0 in rows of -inf
def log_softmax_slope_kernel(xp, g, y, *, axis):
    if g.size == 0:
        return xp.zeros_like(g)
    wide = widened(g)
    result = xp.exp(widened(y))
    result *= -wide.sum(axis=axis, keepdims=True)
    masked = xp.isneginf(y.max(axis=axis, keepdims=True))
    result += xp.where(masked, 0, wide) if masked.any() else wide
    return result if result.dtype == g.dtype else result.astype(g.dtype)


def log_softmax_slope_vjp_g(t, z, g, y, *, axis):
    masked = comparison.logical_not(some(comparison.gt(y, NEGATIVE_INFINITY), axis, True))
    return where(masked, 0.0, t) - total(exp(y) * t, axis, True)


def log_softmax_slope_vjp_y(t, z, g, y, *, axis):
    return -t * exp(y) * total(g, axis, True)


log_softmax_slope_p = declare("log_softmax_slope", log_softmax_slope_kernel, slope_infer,
                              vjps=(log_softmax_slope_vjp_g, log_softmax_slope_vjp_y), reads=({1}, {0, 1}))


# ----- e to a difference of logarithms, where infinities of one sign are equal: nothing of nothing is 0, all of all 1
def exp_difference_kernel(xp, a, b):
    y = xp.exp(xp.subtract(a, b))
    same = xp.logical_and(xp.equal(a, b), xp.isinf(b))
    return xp.where(same, xp.greater(b, 0).astype(y.dtype), y)


def exp_difference_vjp_a(g, y, a, b):
    return g * y


def exp_difference_vjp_b(g, y, a, b):
    return -g * y


exp_difference_p = elementwise("exp_difference", exp_difference_kernel, (exp_difference_vjp_a, exp_difference_vjp_b),
                               ({"y"}, {"y"}), promote=to_float)


# ----- logsumexp, over any axes
def logsumexp_kernel(xp, x, *, axes, keepdim):
    wide = widened(x)
    if x.size == 0:
        y = xp.log(wide.sum(axis=axes, keepdims=keepdim))
        return y.astype(x.dtype)
    top = wide.max(axis=axes, keepdims=True)
    shift = xp.where(xp.isfinite(top), top, 0)
    y = xp.log(exponentiated(xp, xp.subtract(wide, shift), axes)[1]) + shift
    return y.reshape(reduced_shape(x.shape, axes, keepdim)).astype(x.dtype)


def logsumexp_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), x.dtype)


def logsumexp_vjp(g, y, x, *, axes, keepdim):
    return with_axes(g, axes, keepdim) * bind(logsumexp_weights_p, x, axis=axes)


logsumexp_p = declare("logsumexp", logsumexp_kernel, logsumexp_infer, vjps=(logsumexp_vjp,), reads=({0},),
                      promote=to_float)


# ----- its weights: softmax; where an element is inf, it has all the weight
def logsumexp_weights_kernel(xp, x, *, axis):
    y = softmax_kernel(xp, x, axis=axis)
    if x.size:
        top = x.max(axis=axis, keepdims=True)
        infinite = xp.isposinf(top)
        if infinite.any():
            hits = xp.equal(x, top).astype(x.dtype)
            y = xp.where(infinite, hits / hits.sum(axis=axis, keepdims=True), y)
    return y


logsumexp_weights_p = declare("logsumexp_weights", logsumexp_weights_kernel, row_infer, vjps=(softmax_vjp,),
                              reads=({"y"},))


# ----- cross-entropy of logits and class numbers: the loss of each row (or their mean), the slope by the logits
# (softmax minus 1 at the class; with the mean, over the count), and the count of the rows that are not ignored
def cross_entropy_rows_kernel(xp, x, labels, *, axis, ignore_index, average):
    labels, ignored, count = checked_labels(xp, labels, x.shape[axis], ignore_index)
    if labels.size:
        loss, slope = row_losses(xp, widened(x), labels, axis, count if average else 1)
    else:
        loss, slope = xp.zeros(labels.shape, dtype=x.dtype), xp.zeros_like(x)
    if ignored is not None:
        loss = xp.where(ignored, 0, loss)
        slope = xp.where(xp.expand_dims(ignored, axis), 0, slope)
    if average:
        loss = xp.true_divide(loss.sum(), count)
    if loss.dtype != x.dtype:
        loss, slope = loss.astype(x.dtype), slope.astype(x.dtype)
    return loss, slope, xp.asarray(count, dtype=int64)


def row_losses(xp, x, labels, axis, divisor):
    """(loss of each row, its slope over `divisor`), for at least one row."""
    place = label_place(xp, labels, axis)
    z = shifted(xp, x, axis)
    own = z[place]
    e, s = exponentiated(xp, z, axis)
    scale = xp.maximum(s, 0.5)
    loss = xp.log(scale).reshape(labels.shape) - own
    own = xp.minimum(s, 1).reshape(labels.shape)  # 1, and 0 for a row of -inf, whose slope is 0
    if divisor > 1:
        scale *= divisor
        own /= divisor
    e /= scale
    e[place] -= own
    return loss, e


def cross_entropy_rows_infer(x, labels, *, axis, ignore_index, average):
    rows = row_shape("cross_entropy_rows", x, labels, axis)
    return Aval(() if average else rows, x.dtype), Aval(x.shape, x.dtype), Aval((), int64)


def cross_entropy_rows_joint(g, y, x, labels, *, needed, axis, ignore_index, average):
    g_loss, g_slope, _ = g
    result = None
    if g_loss is not None:
        result = (g_loss if average else unsqueeze(g_loss, axis)) * y[1]
    if g_slope is not None:
        second = bind(softmax_slope_p, g_slope, softmax(x, axis), axis=axis)
        if ignore_index is not None:
            second = where(comparison.eq(unsqueeze(labels, axis), ignore_index), 0.0, second)
        if average:
            second = second / cast(y[2], x.dtype)
        result = second if result is None else result + second
    return result, None


cross_entropy_rows_p = declare("cross_entropy_rows", cross_entropy_rows_kernel, cross_entropy_rows_infer,
                               joint=cross_entropy_rows_joint, reads={"y", 0, 1}, multiple=True)


# ----- cross-entropy of logits and class probabilities t: the loss of each row, and its slope, sum(t) softmax - t
def soft_cross_entropy_rows_kernel(xp, x, labels, *, axis, label_gradient):
    if x.size == 0:
        return xp.zeros(reduced_shape(x.shape, (axis,), False), dtype=x.dtype), xp.zeros_like(x)
    t = widened(labels)
    z = shifted(xp, widened(x), axis)
    weight = t.sum(axis=axis, keepdims=True)
    own = t * z
    if not xp.isfinite(own.sum()):
        own = xp.where(xp.equal(t, 0), 0, own)  # a masked class of probability 0 costs nothing
    e, s = exponentiated(xp, z, axis)
    bounded = xp.maximum(s, 0.5)
    loss = weight * xp.log(bounded) - own.sum(axis=axis, keepdims=True)
    loss = loss.reshape(reduced_shape(x.shape, (axis,), False))
    e *= weight / bounded
    e -= t * xp.minimum(s, 1)
    if e.dtype == x.dtype:
        return loss, e
    return loss.astype(x.dtype), e.astype(x.dtype)


def soft_cross_entropy_rows_infer(x, labels, *, axis, label_gradient):
    known = x.shape is not None and labels.shape is not None
    if known and (len(x.shape) != len(labels.shape) or not all(map(may_equal, x.shape, labels.shape))):
        raise ShapeError(f"soft_cross_entropy_rows: logits of shape {shape_text(x.shape)} and class probabilities of"
                         f" shape {shape_text(labels.shape)} differ")
    shape = labels.shape if x.shape is None else x.shape
    return Aval(reduced_shape(shape, (axis,), False), x.dtype), Aval(shape, x.dtype)


def soft_cross_entropy_rows_joint(g, y, x, labels, *, needed, axis, label_gradient):
    g_loss, g_slope = g
    g_x = g_labels = None
    if g_loss is not None:
        row = unsqueeze(g_loss, axis)
        if needed[0]:
            g_x = row * y[1]
        if needed[1] and label_gradient:
            g_labels = -row * log_softmax(x, axis)
    if g_slope is not None:
        weights = softmax(x, axis)
        if needed[0]:
            second = bind(softmax_slope_p, g_slope, weights, axis=axis) * total(labels, axis, True)
            g_x = second if g_x is None else g_x + second
        if needed[1] and label_gradient:
            second = total(g_slope * weights, axis, True) - g_slope
            g_labels = second if g_labels is None else g_labels + second
    return g_x, g_labels


soft_cross_entropy_rows_p = declare("soft_cross_entropy_rows", soft_cross_entropy_rows_kernel,
                                    soft_cross_entropy_rows_infer, joint=soft_cross_entropy_rows_joint,
                                    reads={"y", "xs"}, promote=to_float, multiple=True)


def softmax(input, dim=None, dtype=None):
    """e ** input over its sum along `dim`: positive numbers that sum to 1. All 0 where a row is all -inf.

    PyTorch: torch.softmax; without `dim` it warns and chooses as PyTorch does.

    Raises:
        AxisError: `dim` is out of range.
    """
    x, axis = rows_of("softmax", input, dim, dtype)
    y = bind(softmax_p, x, axis=axis)
    return reshape(y, ()) if input.ndim == 0 else y


def log_softmax(input, dim=None, dtype=None):
    """log(softmax(input)) along `dim`, without overflow; -inf where a row is all -inf."""
    x, axis = rows_of("log_softmax", input, dim, dtype)
    y = bind(log_softmax_p, x, axis=axis)
    return reshape(y, ()) if input.ndim == 0 else y


def softmin(input, dim=None, dtype=None):
    """softmax(-input) along `dim`."""
    x, axis = rows_of("softmin", -input, dim, dtype)
    y = bind(softmax_p, x, axis=axis)
    return reshape(y, ()) if input.ndim == 0 else y


def rows_of(name, x, dim, dtype):
    """(x in its dtype, the axis of its rows); a value without dimensions becomes a row of one."""
    if dtype is not None:
        x = cast(x, dtype)
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
        warnings.warn(f"{name} without dim chooses dim={dim} here; say which dimension holds a row, for example dim=-1",
                      stacklevel=3)
    axis = normal_axis(name, x, dim)
    return (reshape(x, (1,)) if x.ndim == 0 else x), axis


def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(input))) over `dim` (an int or a tuple), without overflow.

    Where all are -inf it is -inf with gradient 0 (PyTorch's gradient is NaN there); where one is inf it is inf.

    Raises:
        AxisError: `dim` is out of range or named twice.
    """
    return bind(logsumexp_p, input, axes=normal_axes("logsumexp", input, dim), keepdim=keepdim)


def along_rows(name, prim, x, dim, dtype):
    """Apply `prim` along one dimension; a value without dimensions is a row of one."""
    if dtype is not None:
        x = cast(x, dtype)
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
        warnings.warn(f"{name} without dim chooses dim={dim} here; say which dimension holds a row, for example dim=-1",
                      stacklevel=3)
    axis = normal_axis(name, x, dim)
    if x.ndim == 0:
        return reshape(bind(prim, reshape(x, (1,)), axis=0), ())
    return bind(prim, x, axis=axis)


def cross_entropy_rows(input, labels, dim=-1, ignore_index=None):
    """-log(softmax(input))[label] for each row of logits along `dim`; the result has the shape of `labels`.

    Args:
        labels: class numbers, integers of the shape of `input` without `dim`.
        ignore_index: a number among the labels whose rows have loss 0 and gradient 0.

    Raises:
        TensorIndexError: a class number is out of range.
        ShapeError, DtypeError: the labels do not fit.
    """
    return class_cross_entropy(input, labels, dim, ignore_index, False)


def class_cross_entropy(input, labels, dim, ignore_index, average):
    """`cross_entropy_rows`, or their mean over the rows that are not ignored."""
    axis = row_axis("cross_entropy_rows", input, dim, labels, 1)
    if input.dtype.kind != "f":
        input = cast(input, default_dtype())
    return bind(cross_entropy_rows_p, input, labels, axis=axis, ignore_index=ignore_index, average=average)[0]


def soft_cross_entropy_rows(input, labels, dim=-1, label_gradient=True):
    """-sum(labels * log(softmax(input))) for each row along `dim`: the cross-entropy of class probabilities.

    Args:
        labels: class probabilities in the shape of `input`; they need not sum to 1.
        label_gradient: False treats the labels as constants (TensorFlow 1: softmax_cross_entropy_with_logits).

    Raises:
        ShapeError: the shapes differ.
    """
    axis = row_axis("soft_cross_entropy_rows", input, dim, labels, 0)
    return bind(soft_cross_entropy_rows_p, input, labels, axis=axis, label_gradient=label_gradient)[0]


def row_axis(name, x, dim, labels, missing):
    """`dim` as a number from 0 up; where the rank of `x` is unknown, that of `labels`, `missing` less, tells it."""
    if x.ndim == 0:
        raise ShapeError(f"{name}: the logits have no dimensions, so there are no classes; their shape must be"
                         " (classes,) or (..., classes)")
    if x.ndim is None and labels.ndim is not None:
        return dim % (labels.ndim + missing)
    return normal_axis(name, x, dim)
