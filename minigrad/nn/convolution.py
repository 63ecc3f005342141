"""Convolutional layers."""

import math

from minigrad.dynamic.creation import empty
from minigrad.dynamic.parameter import Parameter
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.ops import convolution
from minigrad.ops.columns import numbers
from minigrad.ops.padding import pad


class Convolution(Module):
    """What the convolutional layers share: weight, bias, and how they start (uniform within 1 / sqrt(fan in))."""

    rank = 0
    is_transposed = False

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", output_padding=0, device=None, dtype=None):
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"groups={groups} must divide in_channels={in_channels} and out_channels={out_channels}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = numbers("kernel_size", kernel_size, self.rank)
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.padding_mode, self.output_padding = padding_mode, output_padding
        first, second = (in_channels, out_channels) if self.is_transposed else (out_channels, in_channels)
        self.weight = Parameter(empty((first, second // groups, *self.kernel_size), dtype=dtype, device=device))
        self.bias = Parameter(empty((out_channels,), dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the initial values anew."""
        bound = 1 / math.sqrt(self.weight.shape[1] * math.prod(self.kernel_size))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def padded(self, input):
        """(input, the padding that is left to do): other padding than zeros is done here."""
        if self.padding_mode == "zeros" or isinstance(self.padding, str):
            return input, self.padding
        widths = []
        for p in numbers("padding", self.padding, self.rank)[::-1]:
            widths += [p, p]
        return pad(input, tuple(widths), self.padding_mode), 0

    def extra_repr(self):
        return (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride},"
                f" padding={self.padding}")


class Conv1d(Convolution):
    """1-D convolution of (N, C, L). PyTorch: torch.nn.Conv1d."""

    rank = 1

    def forward(self, input):
        input, padding = self.padded(input)
        return convolution.conv1d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(Convolution):
    """2-D convolution of (N, C, H, W). PyTorch: torch.nn.Conv2d."""

    rank = 2

    def forward(self, input):
        input, padding = self.padded(input)
        return convolution.conv2d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(Convolution):
    """3-D convolution of (N, C, D, H, W). PyTorch: torch.nn.Conv3d."""

    rank = 3

    def forward(self, input):
        input, padding = self.padded(input)
        return convolution.conv3d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class ConvTranspose(Convolution):
    """What the transposed layers share."""

    is_transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                         output_padding, device, dtype)

    def transposed(self, function, input):
        """`function` with the layer's settings."""
        return function(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups,
                        self.dilation)


class ConvTranspose1d(ConvTranspose):
    """1-D transposed convolution of (N, C, L). PyTorch: torch.nn.ConvTranspose1d."""

    rank = 1

    def forward(self, input):
        return self.transposed(convolution.conv_transpose1d, input)


class ConvTranspose2d(ConvTranspose):
    """2-D transposed convolution of (N, C, H, W). PyTorch: torch.nn.ConvTranspose2d."""

    rank = 2

    def forward(self, input):
        return self.transposed(convolution.conv_transpose2d, input)


class ConvTranspose3d(ConvTranspose):
    """3-D transposed convolution of (N, C, D, H, W). PyTorch: torch.nn.ConvTranspose3d."""

    rank = 3

    def forward(self, input):
        return self.transposed(convolution.conv_transpose3d, input)
