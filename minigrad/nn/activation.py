"""Activation functions as modules."""

import warnings
from typing import Any

from minigrad.dynamic.creation import full
from minigrad.dynamic.parameter import Parameter
from minigrad.errors import ShapeError
from minigrad.nn import inplace as functions, noise
from minigrad.nn.module import Module
from minigrad.ops import activations, exponential, trigonometry
from minigrad.ops.softmax import log_softmax, softmax


# ----- without options
class Sigmoid(Module):
    """1 / (1 + e ** -input). PyTorch: torch.nn.Sigmoid."""

    def forward(self, input: Any) -> Any:
        return exponential.sigmoid(input)


class LogSigmoid(Module):
    """log(sigmoid(input)). PyTorch: torch.nn.LogSigmoid."""

    def forward(self, input: Any) -> Any:
        return exponential.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent. PyTorch: torch.nn.Tanh."""

    def forward(self, input: Any) -> Any:
        return trigonometry.tanh(input)


class Tanhshrink(Module):
    """input - tanh(input). PyTorch: torch.nn.Tanhshrink."""

    def forward(self, input: Any) -> Any:
        return activations.tanhshrink(input)


class Softsign(Module):
    """input / (1 + |input|). PyTorch: torch.nn.Softsign."""

    def forward(self, input: Any) -> Any:
        return activations.softsign(input)


# ----- that may be computed in place
class InPlace(Module):
    """What these share: with ``inplace=True`` the result is written over the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""

    def with_inplace(self, text: str) -> str:
        """The options in `text`, and inplace where it is set."""
        return text + (", inplace=True" if self.inplace else "")


class ReLU(InPlace):
    """max(input, 0). PyTorch: torch.nn.ReLU."""

    def forward(self, input: Any) -> Any:
        return functions.relu(input, self.inplace)


class ReLU6(InPlace):
    """min(max(input, 0), 6). PyTorch: torch.nn.ReLU6."""

    def forward(self, input: Any) -> Any:
        return functions.relu6(input, self.inplace)


class SELU(InPlace):
    """The scaled exponential linear unit (Klambauer 2017). PyTorch: torch.nn.SELU."""

    def forward(self, input: Any) -> Any:
        return functions.selu(input, self.inplace)


class SiLU(InPlace):
    """input * sigmoid(input). PyTorch: torch.nn.SiLU."""

    def forward(self, input: Any) -> Any:
        return functions.silu(input, self.inplace)


class Mish(InPlace):
    """input * tanh(softplus(input)) (Misra 2019). PyTorch: torch.nn.Mish."""

    def forward(self, input: Any) -> Any:
        return functions.mish(input, self.inplace)


class Hardswish(InPlace):
    """input * relu6(input + 3) / 6. PyTorch: torch.nn.Hardswish."""

    def forward(self, input: Any) -> Any:
        return functions.hardswish(input, self.inplace)


class Hardsigmoid(InPlace):
    """relu6(input + 3) / 6. PyTorch: torch.nn.Hardsigmoid."""

    def forward(self, input: Any) -> Any:
        return functions.hardsigmoid(input, self.inplace)


class LeakyReLU(InPlace):
    """input where positive, negative_slope * input elsewhere. PyTorch: torch.nn.LeakyReLU."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Any) -> Any:
        return functions.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return self.with_inplace(f"negative_slope={self.negative_slope}")


class RReLU(InPlace):
    """leaky_relu with drawn slopes in training, and their mean in evaluation (Xu 2015). PyTorch: torch.nn.RReLU."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower, self.upper = lower, upper

    def forward(self, input: Any) -> Any:
        return noise.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return self.with_inplace(f"lower={self.lower}, upper={self.upper}")


class ELU(InPlace):
    """input where positive, alpha * (e ** input - 1) elsewhere (Clevert 2015). PyTorch: torch.nn.ELU."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Any) -> Any:
        return functions.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return self.with_inplace(f"alpha={self.alpha}")


class CELU(ELU):
    """input where positive, alpha * (e ** (input / alpha) - 1) elsewhere (Barron 2017). PyTorch: torch.nn.CELU."""

    def forward(self, input: Any) -> Any:
        return functions.celu(input, self.alpha, self.inplace)


class Hardtanh(InPlace):
    """input kept between two bounds. PyTorch: torch.nn.Hardtanh."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        if min_val >= max_val:
            raise ValueError(f"min_val {min_val} must be below max_val {max_val}")
        self.min_val, self.max_val = min_val, max_val

    def forward(self, input: Any) -> Any:
        return functions.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return self.with_inplace(f"min_val={self.min_val}, max_val={self.max_val}")


class Threshold(InPlace):
    """input where it is above `threshold`, `value` elsewhere. PyTorch: torch.nn.Threshold."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input: Any) -> Any:
        return functions.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return self.with_inplace(f"threshold={self.threshold}, value={self.value}")


# ----- with options
class GELU(Module):
    """input * P(Z <= input) for a standard normal Z (Hendrycks 2016). PyTorch: torch.nn.GELU."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        return activations.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """log(1 + e ** (beta * input)) / beta. PyTorch: torch.nn.Softplus."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Any) -> Any:
        return exponential.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Hardshrink(Module):
    """input where |input| > lambd, 0 elsewhere. PyTorch: torch.nn.Hardshrink."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Any) -> Any:
        return activations.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """input moved towards 0 by lambd, and 0 where it would cross. PyTorch: torch.nn.Softshrink."""

    def forward(self, input: Any) -> Any:
        return activations.softshrink(input, self.lambd)


class PReLU(Module):
    """leaky_relu with learnt slopes: one, or one for each channel (He 2015). PyTorch: torch.nn.PReLU."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), float(init), dtype=dtype, device=device))

    def forward(self, input: Any) -> Any:
        return activations.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half along `dim` times the sigmoid of the second half (Dauphin 2016). PyTorch: torch.nn.GLU."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return activations.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


# ----- over a dimension
def chosen_dim(name: str, dim: int | None, input: Any) -> int:
    """`dim`, or the one that PyTorch takes where none is given, with a warning."""
    if dim is not None:
        return dim
    chosen = 0 if input.ndim in (0, 1, 3) else 1
    warnings.warn(f"{name} without dim takes dimension {chosen} of an input of {input.ndim}: say which one is meant,"
                  f" {name}(dim={chosen})", UserWarning, stacklevel=4)
    return chosen


class Softmax(Module):
    """e ** input over its sum along `dim`. PyTorch: torch.nn.Softmax."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return softmax(input, chosen_dim("Softmax", self.dim, input))

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(Softmax):
    """The softmax of -input. PyTorch: torch.nn.Softmin."""

    def forward(self, input: Any) -> Any:
        return softmax(-input, chosen_dim("Softmin", self.dim, input))


class LogSoftmax(Softmax):
    """log(softmax(input)) along `dim`. PyTorch: torch.nn.LogSoftmax."""

    def forward(self, input: Any) -> Any:
        return log_softmax(input, chosen_dim("LogSoftmax", self.dim, input))


class Softmax2d(Module):
    """The softmax over the channels at each place of (N, C, H, W) or (C, H, W). PyTorch: torch.nn.Softmax2d."""

    def forward(self, input: Any) -> Any:
        if input.ndim not in (3, 4):
            raise ShapeError(f"Softmax2d: expected an input of 3 or 4 dimensions, got shape {tuple(input.shape)}")
        return softmax(input, -3)
