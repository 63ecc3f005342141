"""Activation functions. PyTorch: torch.nn.functional."""

import math

from minigrad.backends import selecting
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, add, div, mul, square, sub
from minigrad.ops.axes import normal_axis
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import exp, logsigmoid, sigmoid, softplus
from minigrad.ops.joining import chunk
from minigrad.ops.promotion import to_float
from minigrad.ops.selection import clamp, where
from minigrad.ops.shaping import reshape
from minigrad.ops.special_functions import ndtr
from minigrad.ops.trigonometry import tanh

__all__ = ["celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
           "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "silu", "softplus", "softshrink", "softsign",
           "tanhshrink", "threshold"]

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


# ----- piecewise linear
def relu_kernel(xp, x):
    return selecting.positive_part(xp, x)


def relu_vjp(g, y, x):
    return where(comparison.le(y, 0), 0.0, g)


def hardtanh_kernel(xp, x, *, low, high):
    return xp.minimum(xp.maximum(x, low), high)


def hardtanh_vjp(g, y, x, *, low, high):
    return where(comparison.logical_and(comparison.gt(x, low), comparison.lt(x, high)), g, 0.0)


def leaky_relu_kernel(xp, x, *, slope):
    return selecting.chosen(xp, x > 0, x, x * slope)


def leaky_relu_vjp(g, y, x, *, slope):
    return where(comparison.gt(x, 0), g, g * slope)


# ----- exponential below 0: scale * x, and scale * alpha * (e ** (rate * x) - 1) for x <= 0
def elu_kernel(xp, x, *, alpha, scale, rate):
    below = xp.expm1(xp.minimum(x, 0) * rate) * (alpha * scale)
    return selecting.chosen(xp, x > 0, x if scale == 1 else x * scale, below)


def elu_vjp(g, y, x, *, alpha, scale, rate):
    positive = comparison.gt(x, 0)
    below = exp(where(positive, 0.0, x) * rate) * (alpha * scale * rate)
    return g * where(positive, float(scale), below)


relu_p = elementwise("relu", relu_kernel, (relu_vjp,), ({"y"},))
hardtanh_p = elementwise("hardtanh", hardtanh_kernel, (hardtanh_vjp,), ({0},))
leaky_relu_p = elementwise("leaky_relu", leaky_relu_kernel, (leaky_relu_vjp,), ({0},), promote=to_float)
elu_p = elementwise("elu", elu_kernel, (elu_vjp,), ({0},), promote=to_float)


def relu(input):
    """max(input, 0), elementwise; the derivative at 0 is 0."""
    return bind(relu_p, input)


def relu6(input):
    """min(max(input, 0), 6), elementwise; the derivatives at 0 and 6 are 0."""
    return bind(hardtanh_p, input, low=0, high=6)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """`input` kept between two bounds, elementwise; the derivatives at the bounds are 0."""
    return bind(hardtanh_p, input, low=min_val, high=max_val)


def leaky_relu(input, negative_slope=0.01):
    """input where it is positive, negative_slope * input elsewhere."""
    return bind(leaky_relu_p, input, slope=negative_slope)


def prelu(input, weight):
    """leaky_relu with learnt slopes: one, or one for each channel (dimension 1)."""
    if weight.ndim == 1 and weight.shape[0] != 1 and input.ndim > 1:
        weight = reshape(weight, (1, -1, *[1] * (input.ndim - 2)))
    return where(comparison.gt(input, 0), input, mul(input, weight))


def elu(input, alpha=1.0):
    """input where it is positive, alpha * (e ** input - 1) elsewhere (Clevert 2015)."""
    return bind(elu_p, input, alpha=alpha, scale=1.0, rate=1.0)


def selu(input):
    """The scaled exponential linear unit (Klambauer 2017)."""
    return bind(elu_p, input, alpha=SELU_ALPHA, scale=SELU_SCALE, rate=1.0)


def celu(input, alpha=1.0):
    """input where it is positive, alpha * (e ** (input / alpha) - 1) elsewhere (Barron 2017)."""
    return bind(elu_p, input, alpha=alpha, scale=1.0, rate=1.0 / alpha)


def gelu(input, approximate="none"):
    """input * P(Z <= input) for a standard normal Z (Hendrycks 2016); "tanh" is the approximation by tanh.

    Raises:
        InvalidArgumentError: `approximate` is neither "none" nor "tanh".
    """
    if approximate == "none":
        return mul(input, ndtr(input))
    if approximate != "tanh":
        raise InvalidArgumentError(f"gelu: approximate must be 'none' or 'tanh', not {approximate!r}")
    # (1 + tanh(u)) / 2 is the sigmoid of 2 u
    factor = 2 * math.sqrt(2 / math.pi)
    return mul(input, sigmoid(mul(input, add(mul(square(input), 0.044715 * factor), factor))))


def silu(input):
    """input * sigmoid(input)."""
    return mul(input, sigmoid(input))


def mish(input):
    """input * tanh(softplus(input)) (Misra 2019)."""
    return mul(input, tanh(softplus(input)))


def hardsigmoid(input):
    """relu6(input + 3) / 6."""
    return div(relu6(add(input, 3)), 6)


def hardswish(input):
    """input * relu6(input + 3) / 6."""
    return div(mul(input, relu6(add(input, 3))), 6)


def hardshrink(input, lambd=0.5):
    """input where |input| > lambd, 0 elsewhere."""
    return where(comparison.le(absolute(input), lambd), 0.0, input)


def softshrink(input, lambd=0.5):
    """input moved towards 0 by lambd, and 0 where it would cross."""
    return sub(input, clamp(input, -lambd, lambd))


def softsign(input):
    """input / (1 + |input|)."""
    return div(input, add(absolute(input), 1))


def tanhshrink(input):
    """input - tanh(input)."""
    return sub(input, tanh(input))


def threshold(input, threshold, value):
    """input where it is above `threshold`, `value` elsewhere."""
    return where(comparison.le(input, threshold), value, input)


def glu(input, dim=-1):
    """The first half along `dim` times the sigmoid of the second half (Dauphin 2016).

    Raises:
        ShapeError: the size of `dim` is odd.
    """
    axis = normal_axis("glu", input, dim)
    if input.shape is not None:
        size = input.shape[axis] if input.shape else 1
        if size.__class__ is not Dim and size % 2:
            raise ShapeError(f"glu: dimension {dim} of shape {shape_text(input.shape)} has the odd size {size};"
                             " it is taken apart into two halves")
    first, second = chunk(input, 2, axis)
    return mul(first, sigmoid(second))
