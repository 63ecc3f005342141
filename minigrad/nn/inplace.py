"""Activation functions with PyTorch's argument `inplace`, and their forms with an underscore.

In place means that the result is written over the input, if that is a Tensor; a graph's nodes are never written.
"""

from collections.abc import Callable
from typing import Any

from minigrad.dynamic.tensor import Tensor
from minigrad.dynamic.writing import before_write, write
from minigrad.ops import activations


def in_place(function: Callable[..., Any], input: Any, *args: Any) -> Any:
    """``function(input, *args)``, written over `input`."""
    if not isinstance(input, Tensor):
        return function(input, *args)
    return write(input, function(before_write(input), *args), f"{function.__name__}_")


def relu(input: Any, inplace: bool = False) -> Any:
    """max(input, 0), elementwise; the derivative at 0 is 0."""
    return in_place(activations.relu, input) if inplace else activations.relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """min(max(input, 0), 6), elementwise; the derivatives at 0 and 6 are 0."""
    return in_place(activations.relu6, input) if inplace else activations.relu6(input)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """`input` kept between two bounds, elementwise; the derivatives at the bounds are 0."""
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val {min_val} must not be above max_val {max_val}")
    if inplace:
        return in_place(activations.hardtanh, input, min_val, max_val)
    return activations.hardtanh(input, min_val, max_val)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """input where it is positive, negative_slope * input elsewhere."""
    if inplace:
        return in_place(activations.leaky_relu, input, negative_slope)
    return activations.leaky_relu(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """input where it is positive, alpha * (e ** input - 1) elsewhere (Clevert 2015)."""
    return in_place(activations.elu, input, alpha) if inplace else activations.elu(input, alpha)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """input where it is positive, alpha * (e ** (input / alpha) - 1) elsewhere (Barron 2017)."""
    return in_place(activations.celu, input, alpha) if inplace else activations.celu(input, alpha)


def selu(input: Any, inplace: bool = False) -> Any:
    """The scaled exponential linear unit (Klambauer 2017)."""
    return in_place(activations.selu, input) if inplace else activations.selu(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """input * sigmoid(input)."""
    return in_place(activations.silu, input) if inplace else activations.silu(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """input * tanh(softplus(input)) (Misra 2019)."""
    return in_place(activations.mish, input) if inplace else activations.mish(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """relu6(input + 3) / 6."""
    return in_place(activations.hardsigmoid, input) if inplace else activations.hardsigmoid(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """input * relu6(input + 3) / 6."""
    return in_place(activations.hardswish, input) if inplace else activations.hardswish(input)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """input where it is above `threshold`, `value` elsewhere."""
    if inplace:
        return in_place(activations.threshold, input, threshold, value)
    return activations.threshold(input, threshold, value)


# ----- the forms with an underscore
def relu_(input: Any) -> Any:
    """`relu`, written over its input."""
    return relu(input, True)


def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """`hardtanh`, written over its input."""
    return hardtanh(input, min_val, max_val, True)


def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """`leaky_relu`, written over its input."""
    return leaky_relu(input, negative_slope, True)


def elu_(input: Any, alpha: float = 1.0) -> Any:
    """`elu`, written over its input."""
    return elu(input, alpha, True)


def celu_(input: Any, alpha: float = 1.0) -> Any:
    """`celu`, written over its input."""
    return celu(input, alpha, True)


def selu_(input: Any) -> Any:
    """`selu`, written over its input."""
    return selu(input, True)


def threshold_(input: Any, threshold: float, value: float) -> Any:
    """`threshold`, written over its input."""
    return in_place(activations.threshold, input, threshold, value)
