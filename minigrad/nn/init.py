"""Initial values of parameters, in place. PyTorch: torch.nn.init."""

import math

from minigrad.core.generator import default_generator
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.tensor import wrap
from minigrad.errors import ShapeError
from minigrad.ops import draws


def calculate_gain(nonlinearity, param=None):
    """The factor by which weights before a non-linearity are scaled to keep the variance."""
    if nonlinearity == "tanh":
        return 5 / 3
    if nonlinearity == "relu":
        return math.sqrt(2)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3 / 4
    return 1


def fans(tensor):
    """(inputs, outputs) of a weight (out, in, ...)."""
    if tensor.ndim < 2:
        raise ShapeError(f"the fan of a weight needs at least two dimensions, got shape {tensor.shape}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def filled(tensor, draw, generator, **params):
    """`tensor` with drawn values in place."""
    key = (generator or default_generator).next_key()
    with no_grad():
        return tensor.copy_(wrap(draw(key, tensor.shape, tensor.dtype, **params)))


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform draws from [a, b)."""
    return filled(tensor, draws.uniform_draw, generator, low=a, high=b)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal draws."""
    return filled(tensor, draws.normal_draw, generator, mean=mean, std=std)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal draws within [a, b]."""
    return filled(tensor, draws.truncated_normal_draw, generator, mean=mean, std=std, low=(a - mean) / std,
                  high=(b - mean) / std)


def constant_(tensor, val):
    """The number `val` everywhere."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor):
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor):
    """Ones."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform with variance gain^2 * 2 / (fan in + fan out) (Glorot 2010)."""
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with variance gain^2 * 2 / (fan in + fan out) (Glorot 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fans(tensor))), generator)


def kaiming_std(tensor, a, mode, nonlinearity):
    fan_in, fan_out = fans(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan_in if mode == "fan_in" else fan_out)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with variance gain^2 / fan (He 2015)."""
    bound = math.sqrt(3) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with variance gain^2 / fan (He 2015)."""
    return normal_(tensor, 0.0, kaiming_std(tensor, a, mode, nonlinearity), generator)
