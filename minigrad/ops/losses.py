"""Losses. PyTorch: torch.nn.functional; the arguments `size_average` and `reduce` are its old spelling of `reduction`.

Losses that compare element by element (mse, l1, smooth l1, huber and both binary cross-entropies) refuse operands of
unequal shapes: broadcasting (n,) against (n, 1) would silently compare all with all.
"""

import math

from minigrad.core.dims import may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float64
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.activations import relu
from minigrad.ops.arithmetic import abs as absolute, sqrt, square
from minigrad.ops.broadcasting import size_of
from minigrad.ops.casting import cast
from minigrad.ops.classes import label_marks_p, pick_classes_p
from minigrad.ops.distances import pairwise_distance
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import exp, log, log1p, logsigmoid, sigmoid, xlogy
from minigrad.ops.indexing import getitem
from minigrad.ops.promotion import to_float
from minigrad.ops.reduction import mean, sum as total
from minigrad.ops.scans import cumsum
from minigrad.ops.scatter import gather_p
from minigrad.ops.selection import clamp_min, minimum, where
from minigrad.ops.shaping import squeeze, unsqueeze
from minigrad.ops.softmax import class_cross_entropy, log_softmax, soft_cross_entropy_rows

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy",
           "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss",
           "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss",
           "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss",
           "triplet_margin_with_distance_loss"]


# ----- binary cross-entropy of probabilities: the logarithms stay above -100, and the slope's divisor above 1e-12
def binary_cross_entropy_kernel(xp, x, t):
    if x.size and (x.min() < 0 or x.max() > 1):
        raise InvalidArgumentError(f"binary_cross_entropy: probabilities are between 0 and 1, but the input has values"
                                   f" from {float(x.min())} to {float(x.max())}; for logits use"
                                   " binary_cross_entropy_with_logits")
    return (t - 1) * xp.maximum(xp.log1p(-x), -100) - t * xp.maximum(xp.log(x), -100)


def binary_cross_entropy_vjp_x(g, y, x, t):
    return g * ((x - t) / clamp_min((1 - x) * x, 1e-12))


def binary_cross_entropy_vjp_t(g, y, x, t):
    return g * (clamp_min(log1p(-x), -100.0) - clamp_min(log(x), -100.0))


binary_cross_entropy_p = elementwise("binary_cross_entropy", binary_cross_entropy_kernel,
                                     (binary_cross_entropy_vjp_x, binary_cross_entropy_vjp_t), ({0, 1}, {0}),
                                     promote=to_float)


# ----- binary cross-entropy of logits: t softplus(-x) + (1 - t) softplus(x), every part exact however small
def bce_with_logits_kernel(xp, x, t):
    e = xp.exp(-xp.absolute(x))
    return log_one_plus(xp, e) + t * xp.maximum(-x, 0) + (1 - t) * xp.maximum(x, 0)


def log_one_plus(xp, e):
    """log(1 + e) for e from 0 to 1, exact for small e: log of the rounded sum, less what the rounding added to it.

    Where NumPy's log runs on vectors and its log1p does not, this is several times faster.
    """
    u = e + 1
    return xp.log(u) - (u - 1 - e) / u


def bce_with_logits_vjp_x(g, y, x, t):
    return g * bind(bce_slope_p, x, t)


def bce_with_logits_vjp_t(g, y, x, t):
    return -g * x


bce_with_logits_p = elementwise("bce_with_logits", bce_with_logits_kernel,
                                (bce_with_logits_vjp_x, bce_with_logits_vjp_t), ({0, 1}, {0}), promote=to_float)


# ----- its slope: (1 - t) sigmoid(x) - t sigmoid(-x), never the difference of nearly equal numbers
def bce_slope_kernel(xp, x, t):
    e = xp.exp(-xp.absolute(x))
    positive = xp.maximum(e, xp.greater_equal(x, 0))  # e ** min(x, 0)
    negative = xp.maximum(e, xp.less_equal(x, 0))
    return ((1 - t) * positive - t * negative) / (e + 1)


def bce_slope_vjp_x(g, y, x, t):
    return g * (sigmoid(x) * sigmoid(-x))


def bce_slope_vjp_t(g, y, x, t):
    return -g


bce_slope_p = elementwise("bce_slope", bce_slope_kernel, (bce_slope_vjp_x, bce_slope_vjp_t), ({0}, ()),
                          promote=to_float)


# ----- x kept above a bound that the derivative does not see, so that it can lead back from below
def kept_above_kernel(xp, x, low):
    return xp.maximum(x, low)


def kept_above_vjp(g, y, x, low):
    return g


kept_above_p = elementwise("kept_above", kept_above_kernel, (kept_above_vjp, None), ((), ()))


# ----- what the losses have in common
def reduced(loss, reduction, size_average=None, reduce=None):
    """The elements' losses as they are ("none"), their mean, or their sum."""
    reduction = reduction_named(reduction, size_average, reduce)
    if reduction == "mean":
        return mean(loss)
    return total(loss) if reduction == "sum" else loss


def reduction_named(reduction, size_average=None, reduce=None):
    """The reduction that the arguments ask for; `size_average` and `reduce` are PyTorch's old spelling.

    Raises:
        InvalidArgumentError: there is no such reduction.
    """
    if size_average is not None or reduce is not None:
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in ("mean", "sum", "none"):
        raise InvalidArgumentError(f'reduction must be "mean", "sum" or "none", not {reduction!r}')
    return reduction


def same_shapes(name, input, target):
    """Refuse operands of unequal shapes.

    Raises:
        ShapeError: the shapes differ.
    """
    a, b = input.shape, target.shape
    if a is None or b is None:
        return
    if len(a) != len(b) or not all(map(may_equal, a, b)):
        raise ShapeError(f"{name}: input of shape {shape_text(a)} and target of shape {shape_text(b)} differ, and"
                         " broadcasting them would compare all with all; reshape one of them")


def class_axis(name, x):
    """The axis of the classes: the only one, or the second."""
    if x.ndim == 0:
        raise ShapeError(f"{name}: expected scores of shape (classes,) or (batch, classes, ...), not ()")
    return 0 if x.ndim == 1 else 1


def class_weights(weight, target, ignore_index):
    """The weight of each element's class, 0 where it is ignored."""
    kept = comparison.ne(target, ignore_index)
    return where(kept, getitem(weight, (where(kept, target, 0),)), 0.0)


def on_axis(weight, ndim, axis):
    """A vector of classes so that it broadcasts along the class axis."""
    for _ in range(ndim - 1 - axis):
        weight = unsqueeze(weight, -1)
    return weight


# ----- classes
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """The cross-entropy of logits (N, C, ...) or (C,) and class numbers (N, ...), or class probabilities (N, C, ...).

    Args:
        weight: of each class, (C,); "mean" divides by the weights of the classes met.
        ignore_index: class number whose elements do not count.
        label_smoothing: so much of the probability is spread evenly over all classes.

    Raises:
        TensorIndexError: a class number is out of range.
        ShapeError, DtypeError: the target does not fit.
    """
    axis = class_axis("cross_entropy", input)
    reduction = reduction_named(reduction, size_average, reduce)
    if target.dtype.kind == "f":
        if label_smoothing:
            target = target * (1 - label_smoothing) + even_share(label_smoothing, input, axis)
        if weight is not None:
            target = target * on_axis(weight, target.ndim, axis)
        return reduced(soft_cross_entropy_rows(input, target, axis), reduction)
    if label_smoothing == 0:
        if weight is None and reduction == "mean":
            return class_cross_entropy(input, target, axis, ignore_index, True)
        loss = class_cross_entropy(input, target, axis, ignore_index, False)
        return weighed(loss, None, weight, target, ignore_index, reduction)
    logp = log_softmax(input, axis)
    loss = nll_loss(logp, target, weight, ignore_index=ignore_index, reduction=reduction)
    spread = total(logp if weight is None else logp * on_axis(weight, logp.ndim, axis), axis)
    kept = cast(comparison.ne(target, ignore_index), logp.dtype)
    spread = -where(comparison.ne(target, ignore_index), spread, 0.0)
    if reduction == "mean":
        spread = total(spread) / total(kept if weight is None else class_weights(weight, target, ignore_index))
    elif reduction == "sum":
        spread = total(spread)
    return loss * (1 - label_smoothing) + spread * label_smoothing / size_of(input, axis)


def even_share(amount, x, axis):
    """`amount` over the size of an axis; in double precision, as Python has it, where only the running graph knows."""
    size = size_of(x, axis)
    return amount / (size if isinstance(size, int) else cast(size, float64))


def weighed(loss, count, weight, target, ignore_index, reduction):
    """Losses of rows, of which `count` are not ignored, times the weights of their classes, reduced."""
    if weight is not None:
        weights = class_weights(weight, target, ignore_index)
        loss = loss * weights
        if reduction == "mean":
            return total(loss) / total(weights)
    if reduction == "mean":
        return total(loss) / count
    return total(loss) if reduction == "sum" else loss


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """-input[class] for log-probabilities (N, C, ...) or (C,) and class numbers (N, ...).

    Args: as `cross_entropy`.

    Raises:
        TensorIndexError: a class number is out of range.
        ShapeError, DtypeError: the target does not fit.
    """
    axis = class_axis("nll_loss", input)
    reduction = reduction_named(reduction, size_average, reduce)
    picked, count = bind(pick_classes_p, input, target, axis=axis, ignore_index=ignore_index)
    return weighed(-picked, count, weight, target, ignore_index, reduction)


# ----- probabilities
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(t log(p) + (1 - t) log(1 - p)) for probabilities p and targets t; the logarithms are kept at or above -100.

    Raises:
        ShapeError: the shapes differ.
        InvalidArgumentError: a probability is below 0 or above 1.
    """
    same_shapes("binary_cross_entropy", input, target)
    loss = bind(binary_cross_entropy_p, input, target)
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    """binary_cross_entropy(sigmoid(input), target), exact for any logit; `pos_weight` weighs the positive part.

    Raises:
        ShapeError: the shapes differ.
    """
    same_shapes("binary_cross_entropy_with_logits", input, target)
    if pos_weight is None:
        loss = bind(bce_with_logits_p, input, target)
    else:
        loss = (target - 1) * logsigmoid(-input) - target * pos_weight * logsigmoid(input)
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log(target) - input) for log-probabilities `input`: Kullback and Leibler's divergence.

    Args:
        reduction: "batchmean", the mathematical one, divides the sum by the batch size; the others as elsewhere.
        log_target: `target` holds logarithms too.
    """
    loss = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction == "batchmean":
        return total(loss) / (size_of(input, 0) if input.ndim else 1)
    return reduced(loss, reduction, size_average, reduce)


# ----- element by element
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target) ** 2.

    Raises:
        ShapeError: the shapes differ.
    """
    same_shapes("mse_loss", input, target)
    loss = square(input - target)
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|input - target|; the derivative at 0 is 0.

    Raises:
        ShapeError: the shapes differ.
    """
    same_shapes("l1_loss", input, target)
    loss = absolute(input - target)
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """d ** 2 / (2 beta) for differences d below beta, |d| - beta / 2 for others.

    Raises:
        ShapeError: the shapes differ.
        InvalidArgumentError: beta is negative.
    """
    same_shapes("smooth_l1_loss", input, target)
    if beta < 0:
        raise InvalidArgumentError(f"smooth_l1_loss: beta must be at least 0, not {beta}")
    d = absolute(input - target)
    if beta > 0:
        d = where(comparison.lt(d, beta), square(d) * (0.5 / beta), d - beta / 2)
    return reduced(d, reduction, size_average, reduce)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d ** 2 / 2 for differences d up to delta, delta * (|d| - delta / 2) for others.

    Raises:
        ShapeError: the shapes differ.
        InvalidArgumentError: delta is not positive.
    """
    same_shapes("huber_loss", input, target)
    if delta <= 0:
        raise InvalidArgumentError(f"huber_loss: delta must be above 0, not {delta}")
    d = absolute(input - target)
    loss = where(comparison.le(d, delta), square(d) * 0.5, (d - delta / 2) * delta)
    return reduced(loss if weight is None else loss * weight, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """The negative log-likelihood of counts under Poisson rates, or their logarithms where `log_input`.

    Args:
        full: add Stirling's approximation of log(target!) for targets above 1.
        eps: keeps the logarithm of a rate of 0 finite.
    """
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        many = comparison.gt(target, 1)
        safe = where(many, target, 1.0)
        stirling = safe * log(safe) - safe + log(safe * (2 * math.pi)) * 0.5
        loss = loss + where(many, stirling, 0.0)
    return reduced(loss, reduction, size_average, reduce)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood under normal distributions of mean `input` and variance `var`.

    Args:
        var: of the shape of `input`, or without its last dimension, or a number.
        full: add the constant log(2 pi) / 2.
        eps: bound below which no variance is used; its gradient does not see the bound.
    """
    if not isinstance(var, (int, float)):
        if var.shape != input.shape and var.shape is not None and var.shape == input.shape[:-1]:
            var = unsqueeze(var, -1)
        var = bind(kept_above_p, var, eps)
        loss = (log(var) + square(input - target) / var) * 0.5
    else:
        var = max(var, eps)
        loss = (square(input - target) / var + math.log(var)) * 0.5
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# ----- margins
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input where the target is 1, max(0, margin - input) where it is -1."""
    apart = where(comparison.eq(target, 1), 0.0, clamp_min(margin - input, 0.0))
    near = where(comparison.eq(target, -1), 0.0, input)
    return reduced(apart + near, reduction, size_average, reduce)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin) for targets 1 (the first shall be bigger) and -1."""
    return reduced(clamp_min(-target * (input1 - input2) + margin, 0.0), reduction, size_average, reduce)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + e ** (-target * input)) for targets 1 and -1."""
    return reduced(-logsigmoid(target * input), reduction, size_average, reduce)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The sum over the other classes of max(0, margin - x[class] + x[i]) ** p, over the number of classes.

    Args:
        input: scores (N, C) or (C,).
        target: class numbers (N,) or ().
        p: 1 or 2.
        weight: of each class, (C,).

    Raises:
        TensorIndexError: a class number is out of range.
        InvalidArgumentError: another p.
    """
    if p not in (1, 2):
        raise InvalidArgumentError(f"multi_margin_loss: p must be 1 or 2, not {p}")
    axis = class_axis("multi_margin_loss", input)
    own = bind(pick_classes_p, input, target, axis=axis, ignore_index=None)[0]
    gap = relu(input - unsqueeze(own, axis) + margin)
    gap = square(gap) if p == 2 else gap
    if weight is not None:
        gap = gap * unsqueeze(getitem(weight, (target,)), axis)
    others = comparison.eq(bind(label_marks_p, target, input, axis=axis), 0)
    loss = total(where(others, gap, 0.0), axis) / size_of(input, axis)
    return reduced(loss, reduction, size_average, reduce)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The sum of max(0, 1 - x[j] + x[i]) over each row's classes j and the other classes i, over their number.

    Args:
        input: scores (N, C) or (C,).
        target: class numbers of the same shape; those of a row end at the first -1.

    Raises:
        ShapeError, DtypeError: the target does not fit.
        TensorIndexError: a class number is out of range.
    """
    same_shapes("multilabel_margin_loss", input, target)
    rows, labels = (unsqueeze(input, 0), unsqueeze(target, 0)) if input.ndim == 1 else (input, target)
    # a class number counts where no negative one stands at or before it
    valid = comparison.eq(cumsum(comparison.lt(labels, 0), 1), 0)
    labels = where(valid, labels, -1)
    own = bind(gather_p, rows, where(valid, labels, 0), axis=1, unique=False)
    gap = relu(unsqueeze(rows, 1) - unsqueeze(own, 2) + 1)  # (row, its class j, other class i)
    chosen = comparison.ne(total(bind(label_marks_p, labels, gap, axis=2), 1, True), 0)
    counts = comparison.logical_and(unsqueeze(valid, 2), comparison.logical_not(chosen))
    loss = total(where(counts, gap, 0.0), (1, 2))
    loss = loss / size_of(rows, 1)
    return reduced(squeeze(loss, 0) if input.ndim == 1 else loss, reduction, size_average, reduce)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over the classes of binary cross-entropies of logits and targets 0 and 1, for each row.

    Args:
        weight: of each class.
    """
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = mean(loss if weight is None else loss * weight, -1)
    return reduced(loss, reduction, size_average, reduce)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cosine of the rows where the target is 1, max(0, cosine - margin) where it is -1."""
    axis = class_axis("cosine_embedding_loss", input1)
    eps = 1e-12
    lengths = sqrt((total(square(input1), axis) + eps) * (total(square(input2), axis) + eps))
    cosine = total(input1 * input2, axis) / lengths
    near = where(comparison.eq(target, 1), 1 - cosine, 0.0)
    apart = where(comparison.eq(target, -1), clamp_min(cosine - margin, 0.0), 0.0)
    return reduced(near + apart, reduction, size_average, reduce)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, |anchor - positive| - |anchor - negative| + margin) with p-norms.

    Args:
        swap: use |positive - negative| where it is smaller than |anchor - negative|.
    """
    def distance(a, b):
        return pairwise_distance(a, b, p, eps)

    reduction = reduction_named(reduction, size_average, reduce)
    return triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=distance, margin=margin,
                                             swap=swap, reduction=reduction)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) for a distance, by default `pairwise_distance`."""
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(clamp_min(near - far + margin, 0.0), reduction)
