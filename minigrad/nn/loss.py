"""Losses as modules."""

import warnings
from collections.abc import Callable
from typing import Any

from minigrad.dynamic.tensor import Tensor
from minigrad.errors import InvalidArgumentError
from minigrad.nn.module import Module
from minigrad.ops import distances, losses

REDUCTIONS = ("mean", "sum", "none")


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, also where PyTorch's older arguments say it."""
    if size_average is None and reduce is None:
        if reduction not in REDUCTIONS:
            raise InvalidArgumentError(f'reduction must be "mean", "sum" or "none", not {reduction!r}')
        return reduction
    chosen = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce are old names: write reduction={chosen!r}", UserWarning, stacklevel=4)
    return chosen


class Loss(Module):
    """What losses share.

    Args:
        size_average, reduce: older ways of saying `reduction`.
        reduction: "mean" or "sum" of the losses of all elements, or "none".
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


# ----- of differences
class MSELoss(Loss):
    """(input - target) ** 2. PyTorch: torch.nn.MSELoss."""

    def forward(self, input: Any, target: Any) -> Any:
        return losses.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """|input - target|. PyTorch: torch.nn.L1Loss."""

    def forward(self, input: Any, target: Any) -> Any:
        return losses.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """d ** 2 / (2 beta) for differences below beta, |d| - beta / 2 for others. PyTorch: torch.nn.SmoothL1Loss."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                 beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        return losses.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """d ** 2 / 2 for differences up to delta, delta * (|d| - delta / 2) for others. PyTorch: torch.nn.HuberLoss."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        if delta <= 0:
            raise InvalidArgumentError(f"delta must be above 0, got {delta}")
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        return losses.huber_loss(input, target, self.reduction, self.delta)


# ----- of classes
class CrossEntropyLoss(Loss):
    """Of logits (N, C, ...) and class numbers (N, ...) or probabilities (N, C, ...). PyTorch: CrossEntropyLoss.

    Args:
        weight: a factor for each class.
        ignore_index: a class number that does not count.
        label_smoothing: so much of each target is spread over all classes (Szegedy 2015).
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                 reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        return losses.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index,
                                    reduction=self.reduction, label_smoothing=self.label_smoothing)


class NLLLoss(Loss):
    """-input[class] for log-probabilities (N, C, ...). PyTorch: torch.nn.NLLLoss.

    Args:
        weight: a factor for each class.
        ignore_index: a class number that does not count.
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        return losses.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class BCELoss(Loss):
    """The binary cross-entropy of probabilities. PyTorch: torch.nn.BCELoss; `weight` is a factor for each element."""

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        return losses.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Loss):
    """The binary cross-entropy of logits, stable for any size of them. PyTorch: torch.nn.BCEWithLogitsLoss.

    Args:
        weight: a factor for each element.
        pos_weight: a factor for the positive ones.
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        return losses.binary_cross_entropy_with_logits(input, target, self.weight, reduction=self.reduction,
                                                       pos_weight=self.pos_weight)


class MultiMarginLoss(Loss):
    """max(0, margin - input[class] + input[other]) ** p, the mean over the classes. PyTorch: MultiMarginLoss."""

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
                 size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        if p not in (1, 2):
            raise InvalidArgumentError(f"p must be 1 or 2, got {p}")
        self.p, self.margin = p, margin
        self.register_buffer("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        return losses.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """MultiMarginLoss for several classes; -1 ends their list. PyTorch: torch.nn.MultiLabelMarginLoss."""

    def forward(self, input: Any, target: Any) -> Any:
        return losses.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(Loss):
    """The binary cross-entropy of the logits of each class, the mean over them. PyTorch: MultiLabelSoftMarginLoss."""

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        return losses.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """log(1 + e ** (-target * input)) for targets of 1 and -1. PyTorch: torch.nn.SoftMarginLoss."""

    def forward(self, input: Any, target: Any) -> Any:
        return losses.soft_margin_loss(input, target, reduction=self.reduction)


# ----- of distributions
class KLDivLoss(Loss):
    """target * (log(target) - input) for log-probabilities `input`. PyTorch: torch.nn.KLDivLoss.

    Args:
        reduction: also "batchmean", the sum over the number of samples, which is the divergence.
        log_target: the targets are log-probabilities too.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                 log_target: bool = False) -> None:
        super().__init__(size_average, reduce, "mean" if reduction == "batchmean" else reduction)
        if reduction == "batchmean":
            self.reduction = reduction
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        return losses.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(Loss):
    """e ** input - target * input: counts that are Poisson distributed. PyTorch: torch.nn.PoissonNLLLoss.

    Args:
        log_input: the input is the logarithm of the expectation; else input - target * log(input + eps).
        full: add Stirling's approximation of log(target!).
    """

    def __init__(self, log_input: bool = True, full: bool = False, size_average: bool | None = None,
                 eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Any, target: Any) -> Any:
        return losses.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps,
                                       reduction=self.reduction)


class GaussianNLLLoss(Loss):
    """(log(var) + (input - target) ** 2 / var) / 2. PyTorch: torch.nn.GaussianNLLLoss.

    Args:
        full: add the constant log(2 pi) / 2.
        eps: the least variance.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Any, target: Any, var: Any) -> Any:
        return losses.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


# ----- of distances
class MarginRankingLoss(Loss):
    """max(0, -target * (input1 - input2) + margin). PyTorch: torch.nn.MarginRankingLoss."""

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        return losses.margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(Loss):
    """input for targets of 1, max(0, margin - input) for targets of -1. PyTorch: torch.nn.HingeEmbeddingLoss."""

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Any, target: Any) -> Any:
        return losses.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(Loss):
    """1 - cosine for targets of 1, max(0, cosine - margin) for targets of -1. PyTorch: CosineEmbeddingLoss."""

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        return losses.cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


class TripletMarginLoss(Loss):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin). PyTorch: TripletMarginLoss.

    Args:
        p: the norm of the distances.
        swap: take the distance of positive and negative where it is smaller (Balntas 2016).
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                 size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise InvalidArgumentError(f"margin must be above 0, got {margin}")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        return losses.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap,
                                          reduction=self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """TripletMarginLoss with a distance of one's own. PyTorch: torch.nn.TripletMarginWithDistanceLoss."""

    def __init__(self, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
                 swap: bool = False, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        return losses.triplet_margin_with_distance_loss(anchor, positive, negative,
                                                        distance_function=self.distance_function, margin=self.margin,
                                                        swap=self.swap, reduction=self.reduction)


# ----- distances themselves
class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`. PyTorch: torch.nn.CosineSimilarity."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        return distances.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps along the last dimension. PyTorch: torch.nn.PairwiseDistance."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        return distances.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
