"""Pooling layers."""

from minigrad.nn.module import Module
from minigrad.ops import pooling


class MaxPool(Module):
    """What the max-pooling layers share."""

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def pooled(self, function, input):
        """`function` with the layer's settings."""
        return function(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                        self.return_indices)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool1d(MaxPool):
    """The largest of each window of (N, C, L). PyTorch: torch.nn.MaxPool1d."""

    def forward(self, input):
        return self.pooled(pooling.max_pool1d, input)


class MaxPool2d(MaxPool):
    """The largest of each window of (N, C, H, W). PyTorch: torch.nn.MaxPool2d."""

    def forward(self, input):
        return self.pooled(pooling.max_pool2d, input)


class MaxPool3d(MaxPool):
    """The largest of each window of (N, C, D, H, W). PyTorch: torch.nn.MaxPool3d."""

    def forward(self, input):
        return self.pooled(pooling.max_pool3d, input)


class AvgPool(Module):
    """What the average-pooling layers share."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad

    def pooled(self, function, input):
        """`function` with the layer's settings."""
        return function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(AvgPool):
    """The mean of each window of (N, C, L). PyTorch: torch.nn.AvgPool1d."""

    def forward(self, input):
        return self.pooled(pooling.avg_pool1d, input)


class AvgPool2d(AvgPool):
    """The mean of each window of (N, C, H, W). PyTorch: torch.nn.AvgPool2d."""

    def forward(self, input):
        return self.pooled(pooling.avg_pool2d, input)


class AvgPool3d(AvgPool):
    """The mean of each window of (N, C, D, H, W). PyTorch: torch.nn.AvgPool3d."""

    def forward(self, input):
        return self.pooled(pooling.avg_pool3d, input)


class AdaptivePool(Module):
    """What the layers share that pool to a given size."""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePool):
    """The means of so many parts of (N, C, L). PyTorch: torch.nn.AdaptiveAvgPool1d."""

    def forward(self, input):
        return pooling.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptivePool):
    """The means of so many parts of (N, C, H, W). PyTorch: torch.nn.AdaptiveAvgPool2d."""

    def forward(self, input):
        return pooling.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool1d(AdaptivePool):
    """The largest of so many parts of (N, C, L). PyTorch: torch.nn.AdaptiveMaxPool1d."""

    def forward(self, input):
        return pooling.adaptive_max_pool1d(input, self.output_size)


class AdaptiveMaxPool2d(AdaptivePool):
    """The largest of so many parts of (N, C, H, W). PyTorch: torch.nn.AdaptiveMaxPool2d."""

    def forward(self, input):
        return pooling.adaptive_max_pool2d(input, self.output_size)
