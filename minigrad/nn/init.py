"""Initial values of parameters, in place. PyTorch: torch.nn.init.

Draws come from the given generator, by default from the one that `minigrad.manual_seed` sets. They are the same on
every device.
"""

import math
from collections.abc import Callable
from typing import Any

from minigrad.backends import to_device
from minigrad.core.dims import shape_text
from minigrad.core.generator import Generator, default_generator
from minigrad.dynamic.creation import tensor as new_tensor
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import draws, linalg

GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0, "conv_transpose2d": 1.0,
         "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights before a non-linearity are scaled to keep the variance.

    Args:
        nonlinearity: "linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", ...
        param: the slope of leaky_relu, by default 0.01.
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"no gain is known for {nonlinearity!r}; there is one for leaky_relu, {', '.join(GAINS)}")
    return GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """(inputs, outputs) of a weight (out, in, ...)."""
    if tensor.ndim < 2:
        raise ShapeError(f"the numbers of inputs and outputs of a weight are those of its first two dimensions, but its"
                         f" shape is {shape_text(tensor.shape)}: use uniform_, normal_ or zeros_ for a vector")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def written(tensor: Tensor, values: Any) -> Tensor:
    """`tensor` with these values (an array of the host) in place."""
    with no_grad():
        tensor.copy_(wrap(to_device(values, tensor.device)))
    return tensor


def filled(tensor: Tensor, draw: Callable[..., Any], generator: Generator | None, **params: Any) -> Tensor:
    """`tensor` with drawn values in place."""
    if tensor.dtype.kind != "f":
        raise DtypeError(f"random real numbers cannot be written into a tensor of {tensor.dtype}")
    key = (default_generator if generator is None else generator).next_key()
    return written(tensor, draw(key, tensor.shape, tensor.dtype, **params))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform draws from [a, b)."""
    return filled(tensor, draws.uniform_draw, generator, low=a, high=b)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal draws."""
    return filled(tensor, draws.normal_draw, generator, mean=mean, std=std)


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Generator | None = None) -> Tensor:
    """Normal draws within [a, b]."""
    return filled(tensor, draws.truncated_normal_draw, generator, mean=mean, std=std, low=(a - mean) / std,
                  high=(b - mean) / std)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The number `val` everywhere."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere: the layer passes its input on."""
    if tensor.ndim != 2:
        raise ShapeError(f"eye_: expected a matrix, got shape {shape_text(tensor.shape)}")
    with no_grad():
        return tensor.zero_().fill_diagonal_(1)


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution's weight (out, in, ...) that passes as many channels on as there can be.

    Args:
        groups: the groups of the convolution; each passes its own channels on.
    """
    if tensor.ndim not in (3, 4, 5) or tensor.shape[0] % groups:
        raise ShapeError(f"dirac_: expected the weight of a convolution whose first size is a multiple of {groups}, got"
                         f" shape {shape_text(tensor.shape)}")
    outputs = tensor.shape[0] // groups
    centre = tuple([size // 2 for size in tensor.shape[2:]])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.shape[1])):
                tensor[(group * outputs + channel, channel, *centre)] = 1
    return tensor


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform with variance gain^2 * 2 / (fan in + fan out) (Glorot and Bengio 2010)."""
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with variance gain^2 * 2 / (fan in + fan out) (Glorot and Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fans(tensor))), generator)


def kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation gain / sqrt(fan)."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f'mode must be "fan_in" or "fan_out", not {mode!r}')
    fan_in, fan_out = fans(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan_in if mode == "fan_in" else fan_out)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:
    """Uniform with variance gain^2 / fan (He 2015).

    Args:
        a: the slope, where the non-linearity is leaky_relu.
        mode: "fan_in" keeps the variance forwards, "fan_out" backwards.
    """
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:
    """Normal with variance gain^2 / fan (He 2015); the arguments are those of kaiming_uniform_."""
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0.0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Rows (or columns, if there are more rows) that are orthogonal and of length `gain` (Saxe 2013).

    Dimensions after the first count as one.
    """
    if tensor.ndim < 2:
        raise ShapeError(f"orthogonal_: expected at least two dimensions, got shape {shape_text(tensor.shape)}")
    if 0 in tensor.shape:
        return tensor
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    key = (default_generator if generator is None else generator).next_key()
    matrix = draws.normal_draw(key, (max(rows, columns), min(rows, columns)), "float64")
    q, r = linalg.qr(matrix)
    q = q * ((r.diagonal() >= 0) * 2.0 - 1.0)  # with the signs of r every orthogonal matrix is as likely as another
    q = q.T if rows < columns else q
    return written(tensor, (q * gain).astype(tensor.dtype).reshape(tensor.shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal draws in a matrix, with the part `sparsity` of each column set to zero (Martens 2010)."""
    if tensor.ndim != 2:
        raise ShapeError(f"sparse_: expected a matrix, got shape {shape_text(tensor.shape)}")
    rows, columns = tensor.shape
    normal_(tensor, 0.0, std, generator)
    with no_grad():
        for column in range(columns):
            key = (default_generator if generator is None else generator).next_key()
            order = draws.permutation_draw(key, rows)
            tensor[new_tensor(order[:math.ceil(sparsity * rows)], device=tensor.device), column] = 0
    return tensor
