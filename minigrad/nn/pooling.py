"""Pooling layers."""

from typing import Any

from minigrad.nn import resampling
from minigrad.nn.module import Module
from minigrad.ops import pooling
from minigrad.ops.columns import numbers


class MaxPool(Module):
    """What the max-pooling layers share.

    Args:
        kernel_size: the size of the window: a number, or one for each dimension, as are the next three.
        stride: the steps of the window, by default its size.
        padding: how much of -inf is added at each end.
        dilation: the steps inside of the window.
        return_indices: return the positions as well.
        ceil_mode: let a last window begin inside and end outside.
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 return_indices: bool = False, ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding},"
                f" dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(MaxPool):
    """The largest of each window of (N, C, L). PyTorch: torch.nn.MaxPool1d; the arguments are MaxPool's."""

    def forward(self, input: Any) -> Any:
        return pooling.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                                  self.return_indices)


class MaxPool2d(MaxPool):
    """The largest of each window of (N, C, H, W). PyTorch: torch.nn.MaxPool2d; the arguments are MaxPool's."""

    def forward(self, input: Any) -> Any:
        return pooling.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                                  self.return_indices)


class MaxPool3d(MaxPool):
    """The largest of each window of (N, C, D, H, W). PyTorch: torch.nn.MaxPool3d; the arguments are MaxPool's."""

    def forward(self, input: Any) -> Any:
        return pooling.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                                  self.return_indices)


class MaxUnpool(Module):
    """What the layers share that undo max-pooling: the largest go back to their positions, zeros to all others.

    Args:
        kernel_size, stride, padding: those of the pooling.
    """

    rank = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = numbers("kernel_size", kernel_size, self.rank, 1)
        self.stride = self.kernel_size if stride is None else numbers("stride", stride, self.rank, 1)
        self.padding = numbers("padding", padding, self.rank)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(MaxUnpool):
    """Undoes MaxPool1d, given its positions. PyTorch: torch.nn.MaxUnpool1d."""

    rank = 1

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return resampling.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(MaxUnpool):
    """Undoes MaxPool2d, given its positions. PyTorch: torch.nn.MaxUnpool2d."""

    rank = 2

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return resampling.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(MaxUnpool):
    """Undoes MaxPool3d, given its positions. PyTorch: torch.nn.MaxUnpool3d."""

    rank = 3

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return resampling.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool(Module):
    """What the average-pooling layers share.

    Args:
        kernel_size, stride, padding, ceil_mode: as MaxPool's; zeros are added.
        count_include_pad: whether the zeros that were added count.
        divisor_override: divide by this number instead.
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: int | None = None) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(AvgPool):
    """The mean of each window of (N, C, L). PyTorch: torch.nn.AvgPool1d; the arguments are AvgPool's."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True) -> None:
        steps = None if stride is None else numbers("stride", stride, 1, 1)
        super().__init__(numbers("kernel_size", kernel_size, 1, 1), steps, numbers("padding", padding, 1), ceil_mode,
                         count_include_pad)

    def forward(self, input: Any) -> Any:
        return pooling.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                  self.count_include_pad)


class AvgPool2d(AvgPool):
    """The mean of each window of (N, C, H, W). PyTorch: torch.nn.AvgPool2d; the arguments are AvgPool's."""

    def forward(self, input: Any) -> Any:
        return pooling.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                  self.count_include_pad, self.divisor_override)


class AvgPool3d(AvgPool):
    """The mean of each window of (N, C, D, H, W). PyTorch: torch.nn.AvgPool3d; the arguments are AvgPool's."""

    def forward(self, input: Any) -> Any:
        return pooling.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                  self.count_include_pad, self.divisor_override)


class LPPool(Module):
    """What the layers share that pool by a norm: (sum of x ** norm_type) ** (1 / norm_type) of each window."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def extra_repr(self) -> str:
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride},"
                f" ceil_mode={self.ceil_mode}")


class LPPool1d(LPPool):
    """The norm of each window of (N, C, L). PyTorch: torch.nn.LPPool1d."""

    def forward(self, input: Any) -> Any:
        return resampling.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPool):
    """The norm of each window of (N, C, H, W). PyTorch: torch.nn.LPPool2d."""

    def forward(self, input: Any) -> Any:
        return resampling.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(LPPool):
    """The norm of each window of (N, C, D, H, W). PyTorch: torch.nn.LPPool3d."""

    def forward(self, input: Any) -> Any:
        return resampling.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class AdaptiveAvgPool(Module):
    """What the layers share that give the means of so many parts of each dimension, whatever its size.

    Args:
        output_size: a number, or one (None: the input's size) for each dimension.
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptiveAvgPool):
    """The means of so many parts of (N, C, L). PyTorch: torch.nn.AdaptiveAvgPool1d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptiveAvgPool):
    """The means of so many parts of (N, C, H, W). PyTorch: torch.nn.AdaptiveAvgPool2d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(AdaptiveAvgPool):
    """The means of so many parts of (N, C, D, H, W). PyTorch: torch.nn.AdaptiveAvgPool3d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool(AdaptiveAvgPool):
    """What the layers share that give the largest of so many parts of each dimension.

    Args:
        output_size: as AdaptiveAvgPool's.
        return_indices: return the positions as well.
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """The largest of so many parts of (N, C, L). PyTorch: torch.nn.AdaptiveMaxPool1d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """The largest of so many parts of (N, C, H, W). PyTorch: torch.nn.AdaptiveMaxPool2d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(AdaptiveMaxPool):
    """The largest of so many parts of (N, C, D, H, W). PyTorch: torch.nn.AdaptiveMaxPool3d."""

    def forward(self, input: Any) -> Any:
        return pooling.adaptive_max_pool3d(input, self.output_size, self.return_indices)
