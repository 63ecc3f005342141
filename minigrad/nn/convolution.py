"""Convolutional layers, and those that take windows apart and put them together."""

import math
from typing import Any

from minigrad.dynamic.creation import empty
from minigrad.dynamic.parameter import Parameter
from minigrad.errors import ShapeError
from minigrad.nn.linear import uniform_within
from minigrad.nn.module import Module
from minigrad.ops import convolution
from minigrad.ops.columns import numbers
from minigrad.ops.padding import pad

# PyTorch's names of padding modes -> those of ops.padding
MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class Convolution(Module):
    """What the convolutional layers share: options, weight and bias (at first uniform within 1 / sqrt(fan in) of 0)."""

    rank = 0
    is_transposed = False
    bias: Parameter | None
    padding: str | tuple[int, ...]

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
                 output_padding: Any, groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any) -> None:
        super().__init__()
        name, rank = type(self).__name__, self.rank
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(f"{name}: groups={groups} must divide in_channels={in_channels} and"
                             f" out_channels={out_channels}")
        if padding_mode not in MODES or (self.is_transposed and padding_mode != "zeros"):
            offered = ["zeros"] if self.is_transposed else list(MODES)
            raise ValueError(f"{name}: padding_mode must be one of {', '.join(offered)}, not {padding_mode!r}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = numbers("kernel_size", kernel_size, rank, 1)
        self.stride = numbers("stride", stride, rank, 1)
        self.dilation = numbers("dilation", dilation, rank, 1)
        self.output_padding = numbers("output_padding", output_padding, rank)
        if isinstance(padding, str) and not self.is_transposed:
            if padding not in ("same", "valid"):
                raise ValueError(f'{name}: padding must be numbers, "same" or "valid", not {padding!r}')
            if padding == "same" and any([s != 1 for s in self.stride]):
                raise ValueError(f'{name}: padding="same" is for a stride of 1, not {self.stride}')
            self.padding = padding
        else:
            self.padding = numbers("padding", padding, rank)
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self.is_transposed else (out_channels, in_channels)
        self.weight = Parameter(empty((first, second // groups, *self.kernel_size), dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(empty((out_channels,), dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        fan_in = self.weight.shape[1] * math.prod(self.kernel_size)
        uniform_within(1 / math.sqrt(fan_in) if fan_in else 0.0, self.weight, self.bias)

    def padded(self, input: Any) -> tuple[Any, Any]:
        """(input, the padding that is left to do): other padding than with zeros is done here."""
        if self.padding_mode == "zeros" or self.padding == "valid":
            return input, self.padding
        widths: list[int] = []
        for axis in reversed(range(self.rank)):
            if isinstance(self.padding, str):
                both = self.dilation[axis] * (self.kernel_size[axis] - 1)
                widths += [both // 2, both - both // 2]
            else:
                widths += [self.padding[axis], self.padding[axis]]
        return pad(input, tuple(widths), MODES[self.padding_mode]), 0

    def extra_repr(self) -> str:
        none, one = (0,) * self.rank, (1,) * self.rank
        text = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size},"
                f" stride={self.stride}")
        if self.padding != none:
            text += f", padding={self.padding}"
        if self.dilation != one:
            text += f", dilation={self.dilation}"
        if self.output_padding != none:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"


class PlainConvolution(Convolution):
    """The arguments of the layers that are not transposed.

    Args:
        in_channels, out_channels: numbers of channels of input and output.
        kernel_size: the size of the window: a number, or one for each dimension, as are stride, padding and dilation.
        stride: the steps of the window.
        padding: how much is added at each end; "same" for an output of the input's size, "valid" for none.
        dilation: the steps inside of the window.
        groups: so many groups of channels that are independent.
        bias: whether to add a bias.
        padding_mode: what is added: "zeros", "reflect", "replicate" or "circular".

    Attributes:
        weight: (out_channels, in_channels / groups, *kernel_size).
        bias: (out_channels,) or None.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias,
                         padding_mode, device, dtype)


class Conv1d(PlainConvolution):
    """1-D convolution of (N, C, L). PyTorch: torch.nn.Conv1d; the arguments are PlainConvolution's."""

    rank = 1

    def forward(self, input: Any) -> Any:
        input, padding = self.padded(input)
        return convolution.conv1d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(PlainConvolution):
    """2-D convolution of (N, C, H, W). PyTorch: torch.nn.Conv2d; the arguments are PlainConvolution's."""

    rank = 2

    def forward(self, input: Any) -> Any:
        input, padding = self.padded(input)
        return convolution.conv2d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(PlainConvolution):
    """3-D convolution of (N, C, D, H, W). PyTorch: torch.nn.Conv3d; the arguments are PlainConvolution's."""

    rank = 3

    def forward(self, input: Any) -> Any:
        input, padding = self.padded(input)
        return convolution.conv3d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class TransposedConvolution(Convolution):
    """The arguments of the transposed layers, which are the gradients of convolutions by their inputs.

    Args:
        in_channels, out_channels: numbers of channels of input and output.
        kernel_size, stride, padding, dilation, groups, bias: those of the convolution.
        output_padding: how much the output is longer, at its end, than the shortest that fits.

    Attributes:
        weight: (in_channels, out_channels / groups, *kernel_size).
        bias: (out_channels,) or None.
    """

    is_transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups,
                         bias, padding_mode, device, dtype)

    def output_padding_for(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """The output_padding with which the output has the given size (of its last dimensions)."""
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-self.rank:]
        extra = []
        for axis, size in enumerate(wanted):
            shortest = ((input.shape[axis - self.rank] - 1) * self.stride[axis] - 2 * int(self.padding[axis])
                        + self.dilation[axis] * (self.kernel_size[axis] - 1) + 1)
            if not shortest <= size < shortest + max(self.stride[axis], self.dilation[axis]):
                longest = shortest + max(self.stride[axis], self.dilation[axis]) - 1
                raise ShapeError(f"{type(self).__name__}: output_size {wanted} cannot be: dimension {axis} can be"
                                 f" {shortest} to {longest} for an input of shape {tuple(input.shape)}")
            extra.append(size - shortest)
        return tuple(extra)


class ConvTranspose1d(TransposedConvolution):
    """1-D transposed convolution of (N, C, L). PyTorch: ConvTranspose1d; the arguments are TransposedConvolution's."""

    rank = 1

    def forward(self, input: Any, output_size: Any = None) -> Any:
        extra = self.output_padding_for(input, output_size)
        return convolution.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, extra,
                                            self.groups, self.dilation)


class ConvTranspose2d(TransposedConvolution):
    """2-D transposed convolution of (N, C, H, W). PyTorch: ConvTranspose2d; see TransposedConvolution."""

    rank = 2

    def forward(self, input: Any, output_size: Any = None) -> Any:
        extra = self.output_padding_for(input, output_size)
        return convolution.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, extra,
                                            self.groups, self.dilation)


class ConvTranspose3d(TransposedConvolution):
    """3-D transposed convolution of (N, C, D, H, W). PyTorch: ConvTranspose3d; see TransposedConvolution."""

    rank = 3

    def forward(self, input: Any, output_size: Any = None) -> Any:
        extra = self.output_padding_for(input, output_size)
        return convolution.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, extra,
                                            self.groups, self.dilation)


class Unfold(Module):
    """The windows of images (N, C, H, W) as columns (N, C * window, windows). PyTorch: torch.nn.Unfold."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Any) -> Any:
        return convolution.unfold_columns(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding},"
                f" stride={self.stride}")


class Fold(Unfold):
    """Columns (N, C * window, windows) added up to images (N, C, *output_size). PyTorch: torch.nn.Fold."""

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
                 stride: Any = 1) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        return convolution.fold_columns(input, self.output_size, self.kernel_size, self.dilation, self.padding,
                                        self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
