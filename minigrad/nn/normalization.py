"""Layers that normalise."""

from minigrad.dynamic.creation import ones, tensor, zeros
from minigrad.dynamic.parameter import Parameter
from minigrad.nn.module import Module
from minigrad.ops import normalization


class LayerNorm(Module):
    """Each sample normalised over its last dimensions (Ba 2016). PyTorch: torch.nn.LayerNorm."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(ones(self.normalized_shape)) if elementwise_affine else None
        self.bias = Parameter(zeros(self.normalized_shape)) if elementwise_affine and bias else None

    def forward(self, input):
        return normalization.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}"


class RMSNorm(Module):
    """Each sample divided by the root of its mean square (Zhang 2019). PyTorch: torch.nn.RMSNorm."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(ones(self.normalized_shape)) if elementwise_affine else None

    def forward(self, input):
        return normalization.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """Each sample normalised over groups of channels (Wu 2018). PyTorch: torch.nn.GroupNorm."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels={num_channels} cannot be divided into num_groups={num_groups}")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Parameter(ones((num_channels,))) if affine else None
        self.bias = Parameter(zeros((num_channels,))) if affine else None

    def forward(self, input):
        return normalization.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}"


class BatchNorm(Module):
    """What the layers share that normalise each channel over the batch (Ioffe 2015)."""

    ranks: tuple = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = Parameter(ones((num_features,))) if affine else None
        self.bias = Parameter(zeros((num_features,))) if affine else None
        self.register_buffer("running_mean", zeros((num_features,)) if track_running_stats else None)
        self.register_buffer("running_var", ones((num_features,)) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)

    def forward(self, input):
        if input.ndim not in self.ranks:
            raise ValueError(f"{type(self).__name__}: expected {' or '.join(map(str, self.ranks))} dimensions, got"
                             f" shape {tuple(input.shape)}")
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1 / self.num_batches_tracked.item()
        use_batch = self.training or self.running_mean is None
        return normalization.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, use_batch,
                                        momentum, self.eps)

    def extra_repr(self):
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(BatchNorm):
    """Channels of (N, C) or (N, C, L) normalised over the batch. PyTorch: torch.nn.BatchNorm1d."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """Channels of (N, C, H, W) normalised over the batch. PyTorch: torch.nn.BatchNorm2d."""

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """Channels of (N, C, D, H, W) normalised over the batch. PyTorch: torch.nn.BatchNorm3d."""

    ranks = (5,)


class InstanceNorm(Module):
    """What the layers share that normalise each channel of each sample (Ulyanov 2016)."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = Parameter(ones((num_features,))) if affine else None
        self.bias = Parameter(zeros((num_features,))) if affine else None
        self.register_buffer("running_mean", zeros((num_features,)) if track_running_stats else None)
        self.register_buffer("running_var", ones((num_features,)) if track_running_stats else None)

    def forward(self, input):
        use_input = self.training or self.running_mean is None
        return normalization.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                                           use_input, self.momentum, self.eps)


class InstanceNorm1d(InstanceNorm):
    """Channels of each sample of (N, C, L). PyTorch: torch.nn.InstanceNorm1d."""


class InstanceNorm2d(InstanceNorm):
    """Channels of each sample of (N, C, H, W). PyTorch: torch.nn.InstanceNorm2d."""


class LocalResponseNorm(Module):
    """Each element divided by a power of the squares near it among the channels (Krizhevsky 2012)."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return normalization.local_response_norm(input, self.size, self.alpha, self.beta, self.k)
