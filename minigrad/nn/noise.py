"""Functions that draw as they go: dropout of whole channels, rrelu, gumbel_softmax. PyTorch: torch.nn.functional."""

import math
from typing import Any

from minigrad.core.dims import shape_text
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.nn.inplace import in_place
from minigrad.ops import activations, comparison, draws
from minigrad.ops.arithmetic import mul, sub
from minigrad.ops.exponential import log
from minigrad.ops.reduction import argmax
from minigrad.ops.scatter import scatter
from minigrad.ops.selection import where
from minigrad.ops.softmax import softmax

SELU_LOW = -activations.SELU_ALPHA * activations.SELU_SCALE  # what selu tends to on the left


def check_probability(p: float) -> None:
    """Raise unless `p` is a probability."""
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"the probability of dropout must be in [0, 1], got {p}")


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """In training each element is 0 with probability `p` and divided by 1 - p otherwise (Srivastava 2014)."""
    check_probability(p)
    if not training or p == 0:
        return input
    return in_place(draws.dropout, input, p) if inplace else draws.dropout(input, p)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps the mean and variance of selu's outputs (Klambauer 2017)."""
    check_probability(p)
    if not training or p == 0:
        return input
    return in_place(draws.alpha_dropout, input, p, True) if inplace else draws.alpha_dropout(input, p, True)


def one_of_each_channel(x: Any, name: str, unbatched: int) -> Any:
    """`x` with its dimensions after that of the channels cut to size 1; `unbatched` is the rank without a batch."""
    if x.ndim not in (unbatched, unbatched + 1):
        raise ShapeError(f"{name}: expected {unbatched} or {unbatched + 1} dimensions, got shape {shape_text(x.shape)}")
    kept = 1 if x.ndim == unbatched else 2
    return x[(slice(None),) * kept + (slice(0, 1),) * (x.ndim - kept)]


def without_channels(input: Any, name: str, unbatched: int, p: float, training: bool, inplace: bool) -> Any:
    """Dropout of whole channels."""
    check_probability(p)
    each = one_of_each_channel(input, name, unbatched)
    if not training or p == 0:
        return input
    return in_place(channels_dropped, input, each, p) if inplace else channels_dropped(input, each, p)


def channels_dropped(input: Any, each: Any, p: float) -> Any:
    """`input` with some channels 0 and the others divided by 1 - p; `each` has one element of each channel."""
    if p == 1:
        return input * 0
    kept = comparison.ge(draws.uniform_like(each, None), p)
    return where(kept, input * (1 / (1 - p)), 0.0)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, L) or (C, L) (Tompson 2014)."""
    return without_channels(input, "dropout1d", 2, p, training, inplace)


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, H, W) (Tompson 2014); three dimensions are (N, C, L), as in PyTorch."""
    return without_channels(input, "dropout2d", 2 if input.ndim == 3 else 3, p, training, inplace)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W) (Tompson 2014)."""
    return without_channels(input, "dropout3d", 4, p, training, inplace)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """`alpha_dropout` of whole channels of (N, C, ...)."""
    check_probability(p)
    if not training or p == 0:
        return input
    each = one_of_each_channel(input, "feature_alpha_dropout", input.ndim - 1)
    if inplace:
        return in_place(channels_alpha_dropped, input, each, p)
    return channels_alpha_dropped(input, each, p)


def channels_alpha_dropped(input: Any, each: Any, p: float) -> Any:
    """`input` with some channels at the low end of selu, moved and scaled so that mean and variance stay."""
    if p == 1:
        return input * 0
    scale = 1 / math.sqrt((1 - p) * (1 + p * SELU_LOW * SELU_LOW))
    kept = comparison.ge(draws.uniform_like(each, None), p)
    return where(kept, input, SELU_LOW) * scale - SELU_LOW * p * scale


def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """leaky_relu whose slope is drawn from [lower, upper] for each element in training, else their mean (Xu 2015)."""
    if not training:
        slope = (lower + upper) / 2
        return in_place(activations.leaky_relu, input, slope) if inplace else activations.leaky_relu(input, slope)
    return in_place(drawn_slopes, input, lower, upper) if inplace else drawn_slopes(input, lower, upper)


def drawn_slopes(input: Any, lower: float, upper: float) -> Any:
    """leaky_relu with slopes from [lower, upper]."""
    slopes = draws.uniform_like(input, None) * (upper - lower) + lower
    return where(comparison.gt(input, 0), input, mul(input, slopes))


def rrelu_(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """`rrelu`, written over its input."""
    return rrelu(input, lower, upper, training, True)


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """Draws from the classes of `logits`, softened so that they have a gradient (Jang 2016, Maddison 2016).

    Args:
        tau: the temperature: the smaller, the closer to a choice of one class.
        hard: choose one class (1, the others 0), with the gradient of the soft draw.
        dim: the dimension of the classes.
    """
    tiny = 1.1754944e-38  # the smallest normal float32: u is never 0
    u = draws.uniform_like(logits, None) * (1 - tiny) + tiny
    soft = softmax((sub(logits, log(-log(u)))) / tau, dim)
    if not hard:
        return soft
    if not isinstance(soft, Tensor):
        raise InvalidArgumentError("gumbel_softmax: hard=True gives a value the gradient of another one, which only"
                                   " Tensors can have")
    chosen = argmax(soft, dim, True)
    ones = scatter(soft.detach() * 0, dim, chosen, 1.0)
    return ones - soft.detach() + soft
