"""Losses. PyTorch: torch.nn.functional."""

import math

from minigrad.core.dims import may_equal, shape_text
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, square
from minigrad.ops.casting import cast
from minigrad.ops.exponential import exp, log, softplus, xlogy
from minigrad.ops.indexing import getitem
from minigrad.ops.reduction import mean, sum as total
from minigrad.ops.scatter import take_along_dim
from minigrad.ops.selection import clamp_min, where
from minigrad.ops.shaping import movedim, squeeze, unsqueeze
from minigrad.ops.softmax import cross_entropy_rows, log_softmax

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy",
           "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss",
           "mse_loss", "multi_margin_loss", "nll_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss",
           "triplet_margin_loss"]


def reduced(loss, reduction):
    """The elements' losses as they are ("none"), their mean, or their sum."""
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return total(loss)
    if reduction == "none":
        return loss
    raise ValueError(f'reduction must be "mean", "sum" or "none", not {reduction!r}')


def same_shapes(name, input, target):
    """Element losses compare like with like: broadcasting (n,) against (n, 1) would compare all with all."""
    a, b = input.shape, target.shape
    if a is None or b is None:
        return
    if len(a) != len(b) or not all(map(may_equal, a, b)):
        raise ShapeError(f"{name}: input of shape {shape_text(a)} and target of shape {shape_text(b)} differ; reshape"
                         " one of them")


# ----- classes
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    """The cross-entropy of logits (N, C, ...) or (C,) and class numbers (N, ...), or class probabilities (N, C, ...).

    Args:
        weight: of each class, (C,).
        ignore_index: class number whose elements do not count.
        label_smoothing: so much of the probability is spread evenly over all classes.

    Raises:
        TensorIndexError: a class number is out of range.
    """
    axis = 0 if input.ndim == 1 else 1
    if target.dtype.kind == "f":
        return soft_cross_entropy(input, target, weight, reduction, label_smoothing, axis)
    if weight is None and label_smoothing == 0 and reduction in ("mean", "sum", "none"):
        logits = input if input.ndim <= 2 else movedim(input, 1, -1)
        if not has_ignored(target, ignore_index):
            return reduced(cross_entropy_rows(logits, target), reduction)
    logp = log_softmax(input, axis)
    loss = nll_loss(logp, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return loss
    kept = cast(comparison.ne(target, ignore_index), input.dtype)
    spread = logp if weight is None else logp * on_axis(weight, logp.ndim, axis)
    smooth = -(total(spread, axis) * kept)
    if reduction == "mean":
        smooth = total(smooth) / total(kept if weight is None else class_weights(weight, target, ignore_index))
    else:
        smooth = reduced(smooth, reduction)
    classes = input.shape[axis]
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / classes)


def has_ignored(target, ignore_index):
    """May some elements be ignored? In a graph, where values are unknown, only for an index that can be a class."""
    array = getattr(target, "array", target)
    if hasattr(array, "aval"):
        return ignore_index >= 0
    return bool((array == ignore_index).any())


def soft_cross_entropy(input, target, weight, reduction, label_smoothing, axis):
    same_shapes("cross_entropy", input, target)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
    logp = log_softmax(input, axis)
    if weight is not None:
        logp = logp * on_axis(weight, logp.ndim, axis)
    loss = -total(target * logp, axis)
    if reduction == "mean":
        rows = math.prod(input.shape) / input.shape[axis]
        return total(loss) / rows
    return reduced(loss, reduction)


def on_axis(weight, ndim, axis):
    """A vector of classes so that it broadcasts along the class dimension."""
    for _ in range(ndim - 1 - axis):
        weight = unsqueeze(weight, -1)
    return weight


def class_weights(weight, target, ignore_index):
    """The weight of each element's class, 0 where it is ignored."""
    kept = comparison.ne(target, ignore_index)
    own = getitem(weight, (where(kept, target, 0),))
    return where(kept, own, 0.0)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
             reduction="mean"):
    """-input[class] for log-probabilities (N, C, ...) and class numbers (N, ...); "mean" divides by the weights."""
    if target.dtype.kind not in "iu":
        raise DtypeError(f"nll_loss: class numbers must be integers, not {target.dtype}")
    axis = 0 if input.ndim == 1 else 1
    kept = comparison.ne(target, ignore_index)
    safe = where(kept, target, 0)
    own = squeeze(take_along_dim(input, unsqueeze(safe, axis), axis), axis)
    factor = cast(kept, input.dtype) if weight is None else class_weights(weight, target, ignore_index)
    loss = -where(kept, own * factor, 0.0)
    if reduction == "mean":
        return total(loss) / total(factor)
    return reduced(loss, reduction)


# ----- probabilities
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(t log(p) + (1 - t) log(1 - p)) for probabilities p; the logarithms are kept at or above -100."""
    same_shapes("binary_cross_entropy", input, target)
    loss = -(target * clamp_min(log(input), -100.0) + (1 - target) * clamp_min(log(1 - input), -100.0))
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    """binary_cross_entropy(sigmoid(input), target), stable for any logit; `pos_weight` weighs the positive part."""
    same_shapes("binary_cross_entropy_with_logits", input, target)
    # t softplus(-x) + (1 - t) softplus(x): each part and its derivative keeps its small values
    positive = target if pos_weight is None else target * pos_weight
    loss = positive * softplus_of(-input) + (1 - target) * softplus_of(input)
    return reduced(loss if weight is None else loss * weight, reduction)


def softplus_of(x):
    return softplus(x, threshold=float("inf"))


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log(target) - input) for log-probabilities `input`; "batchmean" divides the sum by the batch size."""
    if log_target:
        loss = exp(target) * (target - input)
    else:
        loss = xlogy(target, target) - target * input
    if reduction == "batchmean":
        return total(loss) / (input.shape[0] if input.ndim else 1)
    return reduced(loss, reduction)


# ----- distances
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target) ** 2.

    Raises:
        ShapeError: the shapes differ.
    """
    same_shapes("mse_loss", input, target)
    loss = square(input - target)
    return reduced(loss if weight is None else loss * weight, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|input - target|."""
    same_shapes("l1_loss", input, target)
    loss = absolute(input - target)
    return reduced(loss if weight is None else loss * weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """d ** 2 / (2 beta) for differences below beta, |d| - beta / 2 for others."""
    same_shapes("smooth_l1_loss", input, target)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    d = absolute(input - target)
    return reduced(where(comparison.lt(d, beta), square(d) * (0.5 / beta), d - beta / 2), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d ** 2 / 2 for differences up to delta, delta * (|d| - delta / 2) for others."""
    same_shapes("huber_loss", input, target)
    d = absolute(input - target)
    loss = where(comparison.le(d, delta), square(d) * 0.5, (d - delta / 2) * delta)
    return reduced(loss if weight is None else loss * weight, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """The negative log-likelihood of counts under Poisson rates, without the constant unless `full` (Stirling's)."""
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        safe = where(comparison.gt(target, 1), target, 1.0)
        stirling = safe * log(safe) - safe + log(safe * (2 * math.pi)) * 0.5
        loss = loss + where(comparison.gt(target, 1), stirling, 0.0)
    return reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood under normal distributions of variance `var`, which is kept above eps."""
    if hasattr(var, "shape") and var.shape != input.shape and len(var.shape) == len(input.shape) - 1:
        var = unsqueeze(var, -1)
    floor = clamp_min(var, eps)
    # the bound has no part in the derivative: var keeps the gradient that it would have above it
    loss = (log(floor) + square(input - target) / floor) * 0.5
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


# ----- margins
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input where the target is 1, max(0, margin - input) where it is -1."""
    zero = input * 0
    apart = where(comparison.eq(target, 1), zero, clamp_min(margin - input, 0.0))
    near = where(comparison.eq(target, -1), zero, input)
    return reduced(apart + near, reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin)."""
    return reduced(clamp_min(-target * (input1 - input2) + margin, 0.0), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + e ** (-target * input))."""
    return reduced(softplus_of(-target * input), reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                      reduction="mean"):
    """The sum over the other classes of max(0, margin - x[class] + x[i]) ** p, over the number of classes."""
    rows = unsqueeze(input, 0) if input.ndim == 1 else input
    classes = unsqueeze(target, 0) if target.ndim == 0 else target
    column = unsqueeze(classes, 1)
    own = take_along_dim(rows, column, 1)
    gap = clamp_min(rows - own + margin, 0.0)
    gap = square(gap) if p == 2 else gap
    if weight is not None:
        gap = gap * unsqueeze(getitem(weight, (classes,)), 1)
    from minigrad.ops.embedding import one_hot

    others = comparison.eq(one_hot(classes, rows.shape[1]), 0)
    loss = total(where(others, gap, 0.0), 1) / rows.shape[1]
    return reduced(squeeze(loss, 0) if input.ndim == 1 else loss, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1."""
    axis = 1 if input1.ndim > 1 else 0
    eps = 1e-12
    dot = total(input1 * input2, axis)
    sizes = (total(square(input1), axis) + eps) * (total(square(input2), axis) + eps)
    from minigrad.ops.arithmetic import sqrt

    cosine = dot / sqrt(sizes)
    zero = cosine * 0
    near = where(comparison.eq(target, 1), 1 - cosine, zero)
    apart = where(comparison.eq(target, -1), clamp_min(cosine - margin, 0.0), zero)
    return reduced(near + apart, reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, |anchor - positive| - |anchor - negative| + margin) with p-norms."""
    from minigrad.ops.normalization import pairwise_distance
    from minigrad.ops.selection import minimum

    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp_min(near - far + margin, 0.0), reduction)
