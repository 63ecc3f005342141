"""Softmax, its logarithm, and the cross-entropies of rows: stable at any size of the logits.

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
from minigrad.ops.axes import normal_axis, reduced_shape
from minigrad.ops.casting import cast
from minigrad.ops.classes import checked_labels, label_marks_p, label_place, row_shape
from minigrad.ops.exponential import exp
from minigrad.ops.promotion import to_float
from minigrad.ops.reduction import any as some, sum as total, widened
from minigrad.ops.selection import where
from minigrad.ops.shaping import reshape, unsqueeze

__all__ = ["cross_entropy_rows", "log_softmax", "soft_cross_entropy_rows", "softmax", "softmin"]

NEGATIVE_INFINITY = float("-inf")


def shifted(xp, x, axis):
    """`x` minus the largest of its row: at most 0, and exactly 0 in one place; rows of -inf stay -inf."""
    top = xp.maximum(x.max(axis=axis, keepdims=True), float(np.finfo(x.dtype).min))
    return xp.subtract(x, top)


def exponentials(xp, x, axis):
    """(z, e, s): `x` shifted, e ** z, and its sums, which are at least 1, or 0 for a row of -inf."""
    z = shifted(xp, x, axis)
    e = xp.exp(z)
    return z, e, xp.add.reduce(e, axis=axis, keepdims=True)


def row_infer(x, *, axis):
    reduced_shape(x.shape, (axis,), True)
    return Aval(x.shape, x.dtype)


# ----- softmax
def softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    _, e, s = exponentials(xp, widened(x), axis)
    e /= xp.maximum(s, 0.5)
    return e if e.dtype == x.dtype else e.astype(x.dtype)


def softmax_vjp(g, y, x, *, axis):
    gy = g * y
    return gy - y * total(gy, axis, True)


softmax_p = declare("softmax", softmax_kernel, row_infer, vjps=(softmax_vjp,), reads=({"y"},), promote=to_float)


# ----- log-softmax
def log_softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    z, _, s = exponentials(xp, widened(x), axis)
    z -= xp.log(xp.maximum(s, 0.5))
    return z if z.dtype == x.dtype else z.astype(x.dtype)


def log_softmax_vjp(g, y, x, *, axis):
    masked = comparison.logical_not(some(comparison.gt(y, NEGATIVE_INFINITY), axis, True))
    return where(masked, 0.0, g) - exp(y) * total(g, axis, True)


log_softmax_p = declare("log_softmax", log_softmax_kernel, row_infer, vjps=(log_softmax_vjp,), reads=({"y"},),
                        promote=to_float)


# ----- cross-entropy of logits and class numbers: the loss of each row, its slope (softmax minus 1 at the class), and
# how many rows count
def cross_entropy_rows_kernel(xp, x, labels, *, axis, ignore_index):
    labels, ignored, count = checked_labels(xp, labels, x.shape[axis], ignore_index)
    count = xp.asarray(count, dtype=int64)
    if x.size == 0:
        return xp.zeros(labels.shape, dtype=x.dtype), xp.zeros_like(x), count
    z, e, s = exponentials(xp, widened(x), axis)
    place = label_place(xp, labels, axis)
    bounded = xp.maximum(s, 0.5)
    loss = xp.log(bounded).reshape(labels.shape) - z[place]
    e /= bounded
    e[place] -= xp.minimum(s, 1).reshape(labels.shape)  # 0 for a row of -inf, whose slope is 0
    if ignored is not None:
        loss = xp.where(ignored, 0, loss)
        e = xp.where(xp.expand_dims(ignored, axis), 0, e)
    if e.dtype == x.dtype:
        return loss, e, count
    return loss.astype(x.dtype), e.astype(x.dtype), count


def cross_entropy_rows_infer(x, labels, *, axis, ignore_index):
    return Aval(row_shape("cross_entropy_rows", x, labels, axis), x.dtype), Aval(x.shape, x.dtype), Aval((), int64)


def cross_entropy_rows_joint(g, y, x, labels, *, needed, axis, ignore_index):
    g_loss, g_slope, _ = g
    slope = y[1]
    result = None
    if g_loss is not None:
        result = unsqueeze(g_loss, axis) * slope
    if g_slope is not None:
        weights = slope + bind(label_marks_p, labels, slope, axis=axis)
        second = softmax_vjp(g_slope, weights, x, axis=axis)
        result = second if result is None else result + second
    return result, None


cross_entropy_rows_p = declare("cross_entropy_rows", cross_entropy_rows_kernel, cross_entropy_rows_infer,
                               joint=cross_entropy_rows_joint, reads={"y", 1}, multiple=True)


# ----- cross-entropy of logits and class probabilities t: the loss of each row, and its slope, sum(t) softmax - t
def soft_cross_entropy_rows_kernel(xp, x, labels, *, axis, label_gradient):
    if x.size == 0:
        return xp.zeros(reduced_shape(x.shape, (axis,), False), dtype=x.dtype), xp.zeros_like(x)
    t = widened(labels)
    z, e, s = exponentials(xp, widened(x), axis)
    bounded = xp.maximum(s, 0.5)
    weight = xp.add.reduce(t, axis=axis, keepdims=True)
    products = xp.where(xp.equal(t, 0), 0, t * z)  # a masked class of probability 0 is fine
    own = xp.add.reduce(products, axis=axis, keepdims=True)
    loss = (weight * xp.log(bounded) - own).reshape(reduced_shape(x.shape, (axis,), False))
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
            second = softmax_vjp(g_slope, weights, x, axis=axis) * total(labels, axis, True)
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
    return along_rows("softmax", softmax_p, input, dim, dtype)


def log_softmax(input, dim=None, dtype=None):
    """log(softmax(input)) along `dim`, without overflow; -inf where a row is all -inf."""
    return along_rows("log_softmax", log_softmax_p, input, dim, dtype)


def softmin(input, dim=None, dtype=None):
    """softmax(-input) along `dim`."""
    return along_rows("softmin", softmax_p, -input, dim, dtype)


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
    return counted_cross_entropy_rows(input, labels, dim, ignore_index)[0]


def counted_cross_entropy_rows(input, labels, dim, ignore_index):
    """(`cross_entropy_rows`, how many rows are not ignored)."""
    axis = row_axis("cross_entropy_rows", input, dim, labels, 1)
    if input.dtype.kind != "f":
        input = cast(input, default_dtype())
    loss, _, count = bind(cross_entropy_rows_p, input, labels, axis=axis, ignore_index=ignore_index)
    return loss, count


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
