"""Activation functions. PyTorch: torch.nn.functional."""

import math

from minigrad.core.dispatch import bind
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, sign
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import expm1, logsigmoid, sigmoid, softplus
from minigrad.ops.joining import chunk
from minigrad.ops.selection import minimum, where
from minigrad.ops.shaping import reshape
from minigrad.ops.special_functions import erf
from minigrad.ops.trigonometry import tanh

__all__ = ["celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
           "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "silu", "softplus", "softshrink", "softsign",
           "tanhshrink", "threshold"]

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def relu_kernel(xp, x):
    return xp.maximum(x, 0)


def relu_vjp(g, y, x):
    return where(comparison.gt(y, 0), g, 0.0)


def hardtanh_kernel(xp, x, *, low, high):
    return xp.minimum(xp.maximum(x, low), high)


def hardtanh_vjp(g, y, x, *, low, high):
    inside = comparison.logical_and(comparison.gt(x, low), comparison.lt(x, high))
    return where(inside, g, 0.0)


relu_p = elementwise("relu", relu_kernel, (relu_vjp,), ({"y"},))
hardtanh_p = elementwise("hardtanh", hardtanh_kernel, (hardtanh_vjp,), ({0},))


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
    return where(comparison.gt(input, 0), input, input * negative_slope)


def prelu(input, weight):
    """leaky_relu with learnt slopes: one, or one for each channel (dimension 1)."""
    if weight.ndim == 1 and weight.shape[0] != 1 and input.ndim > 1:
        weight = reshape(weight, (1, -1, *[1] * (input.ndim - 2)))
    return where(comparison.gt(input, 0), input, input * weight)


def elu(input, alpha=1.0):
    """input where it is positive, alpha * (e ** input - 1) elsewhere."""
    return where(comparison.gt(input, 0), input, expm1(minimum(input, 0.0)) * alpha)


def selu(input):
    """The scaled exponential linear unit (Klambauer 2017)."""
    return elu(input, SELU_ALPHA) * SELU_SCALE


def celu(input, alpha=1.0):
    """input where it is positive, alpha * (e ** (input / alpha) - 1) elsewhere."""
    return where(comparison.gt(input, 0), input, expm1(minimum(input, 0.0) / alpha) * alpha)


def gelu(input, approximate="none"):
    """input * P(Z <= input) for a standard normal Z (Hendrycks 2016); "tanh" is the approximation by tanh."""
    if approximate == "tanh":
        inner = (input + input * input * input * 0.044715) * math.sqrt(2 / math.pi)
        return input * 0.5 * (tanh(inner) + 1)
    if approximate != "none":
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', not {approximate!r}")
    return input * 0.5 * (erf(input * math.sqrt(0.5)) + 1)


def silu(input):
    """input * sigmoid(input)."""
    return input * sigmoid(input)


def mish(input):
    """input * tanh(softplus(input))."""
    return input * tanh(softplus(input))


def hardsigmoid(input):
    """relu6(input + 3) / 6."""
    return relu6(input + 3) / 6


def hardswish(input):
    """input * relu6(input + 3) / 6."""
    return input * relu6(input + 3) / 6


def hardshrink(input, lambd=0.5):
    """input where |input| > lambd, 0 elsewhere."""
    return where(comparison.gt(absolute(input), lambd), input, 0.0)


def softshrink(input, lambd=0.5):
    """input moved towards 0 by lambd, and 0 where it would cross."""
    return where(comparison.gt(absolute(input), lambd), input - sign(input) * lambd, input * 0)


def softsign(input):
    """input / (1 + |input|)."""
    return input / (absolute(input) + 1)


def tanhshrink(input):
    """input - tanh(input)."""
    return input - tanh(input)


def threshold(input, threshold, value):
    """input where it is above `threshold`, `value` elsewhere."""
    return where(comparison.gt(input, threshold), input, value)


def glu(input, dim=-1):
    """The first half along `dim` times the sigmoid of the second half."""
    a, b = chunk(input, 2, dim)
    return a * sigmoid(b)
