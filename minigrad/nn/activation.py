"""Activation functions as modules."""

from minigrad.dynamic.creation import full
from minigrad.dynamic.parameter import Parameter
from minigrad.nn.module import Module
from minigrad.ops import activations, exponential, trigonometry
from minigrad.ops.softmax import log_softmax, softmax


class ReLU(Module):
    """max(input, 0). PyTorch: torch.nn.ReLU."""

    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, input):
        return activations.relu(input)


class ReLU6(ReLU):
    """min(max(input, 0), 6)."""

    def forward(self, input):
        return activations.relu6(input)


class SELU(ReLU):
    """The scaled exponential linear unit."""

    def forward(self, input):
        return activations.selu(input)


class SiLU(ReLU):
    """input * sigmoid(input)."""

    def forward(self, input):
        return activations.silu(input)


class Mish(ReLU):
    """input * tanh(softplus(input))."""

    def forward(self, input):
        return activations.mish(input)


class Hardswish(ReLU):
    """input * relu6(input + 3) / 6."""

    def forward(self, input):
        return activations.hardswish(input)


class Hardsigmoid(ReLU):
    """relu6(input + 3) / 6."""

    def forward(self, input):
        return activations.hardsigmoid(input)


class Sigmoid(Module):
    """1 / (1 + e ** -input)."""

    def forward(self, input):
        return exponential.sigmoid(input)


class LogSigmoid(Module):
    """log(sigmoid(input))."""

    def forward(self, input):
        return exponential.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return trigonometry.tanh(input)


class Tanhshrink(Module):
    """input - tanh(input)."""

    def forward(self, input):
        return activations.tanhshrink(input)


class Softsign(Module):
    """input / (1 + |input|)."""

    def forward(self, input):
        return activations.softsign(input)


class LeakyReLU(Module):
    """input where positive, negative_slope * input elsewhere."""

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input):
        return activations.leaky_relu(input, self.negative_slope)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}"


class ELU(Module):
    """input where positive, alpha * (e ** input - 1) elsewhere."""

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha

    def forward(self, input):
        return activations.elu(input, self.alpha)


class CELU(ELU):
    """input where positive, alpha * (e ** (input / alpha) - 1) elsewhere."""

    def forward(self, input):
        return activations.celu(input, self.alpha)


class GELU(Module):
    """input * P(Z <= input) for a standard normal Z."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return activations.gelu(input, self.approximate)


class Softplus(Module):
    """log(1 + e ** (beta * input)) / beta."""

    def __init__(self, beta=1, threshold=20):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return exponential.softplus(input, self.beta, self.threshold)


class Hardtanh(Module):
    """input kept between two bounds."""

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input):
        return activations.hardtanh(input, self.min_val, self.max_val)


class PReLU(Module):
    """leaky_relu with learnt slopes."""

    def __init__(self, num_parameters=1, init=0.25):
        super().__init__()
        self.weight = Parameter(full((num_parameters,), init))

    def forward(self, input):
        return activations.prelu(input, self.weight)


class GLU(Module):
    """The first half along `dim` times the sigmoid of the second half."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return activations.glu(input, self.dim)


class Softmax(Module):
    """e ** input over its sum along `dim`."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """log(softmax(input)) along `dim`."""

    def forward(self, input):
        return log_softmax(input, self.dim)
