"""Losses as modules."""

from minigrad.nn.module import Module
from minigrad.ops import losses


class Loss(Module):
    """What losses share: the reduction "mean", "sum" or "none" over the elements."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class MSELoss(Loss):
    """(input - target) ** 2. PyTorch: torch.nn.MSELoss."""

    def forward(self, input, target):
        return losses.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """|input - target|."""

    def forward(self, input, target):
        return losses.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """d ** 2 / (2 beta) for differences below beta, |d| - beta / 2 for others."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(reduction=reduction)
        self.beta = beta

    def forward(self, input, target):
        return losses.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """d ** 2 / 2 for differences up to delta, delta * (|d| - delta / 2) for others."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return losses.huber_loss(input, target, self.reduction, self.delta)


class CrossEntropyLoss(Loss):
    """Of logits (N, C, ...) and class numbers (N, ...) or probabilities (N, C, ...). PyTorch: CrossEntropyLoss."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return losses.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index,
                                    reduction=self.reduction, label_smoothing=self.label_smoothing)


class NLLLoss(Loss):
    """-input[class] for log-probabilities. PyTorch: torch.nn.NLLLoss."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return losses.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class BCELoss(Loss):
    """The binary cross-entropy of probabilities."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)

    def forward(self, input, target):
        return losses.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Loss):
    """The binary cross-entropy of logits, stable for any size of them."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return losses.binary_cross_entropy_with_logits(input, target, self.weight, reduction=self.reduction,
                                                       pos_weight=self.pos_weight)


class KLDivLoss(Loss):
    """target * (log(target) - input) for log-probabilities `input`."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(reduction=reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return losses.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
