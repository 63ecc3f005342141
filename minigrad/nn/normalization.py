"""Layers that normalise."""

from typing import Any

from minigrad.dynamic.creation import ones, tensor, zeros
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import ShapeError
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.ops import normalization


class Affine(Module):
    """What these layers share: a weight that starts as ones and a bias that starts as zeros, or neither."""

    weight: Parameter | None
    bias: Parameter | None

    def add_affine(self, shape: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        """Register weight and bias."""
        self.register_parameter("weight", Parameter(ones(shape, dtype=dtype, device=device)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(shape, dtype=dtype, device=device)) if bias else None)

    def reset_parameters(self) -> None:
        """Start anew: the weight as ones, the bias as zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


def as_shape(normalized_shape: Any) -> tuple[int, ...]:
    """A number or several as a tuple."""
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Affine):
    """Each sample normalised over its last dimensions (Ba 2016). PyTorch: torch.nn.LayerNorm.

    Args:
        normalized_shape: the sizes of those dimensions.
        eps: added to the variance.
        elementwise_affine: whether to multiply by a weight and add a bias.
        bias: False leaves the bias out.
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps = as_shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self.add_affine(self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Any) -> Any:
        return normalization.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine},"
                f" bias={self.bias is not None}")


class RMSNorm(Affine):
    """Each sample divided by the root of its mean square (Zhang and Sennrich 2019). PyTorch: torch.nn.RMSNorm.

    Args:
        normalized_shape: the sizes of the last dimensions, over which the mean is taken.
        eps: added to the mean square; None is the smallest step of the dtype at 1.
        elementwise_affine: whether to multiply by a weight.
    """

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps = as_shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self.add_affine(self.normalized_shape, elementwise_affine, False, device, dtype)

    def forward(self, input: Any) -> Any:
        return normalization.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Affine):
    """Each sample normalised over groups of channels (Wu and He 2018). PyTorch: torch.nn.GroupNorm.

    Args:
        num_groups, num_channels: so many groups of the channels, dimension 1.
        eps: added to the variance.
        affine: whether to multiply by a weight and add a bias for each channel.
        bias: False leaves the bias out.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
                 dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ShapeError(f"num_channels={num_channels} cannot be divided into num_groups={num_groups}")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.add_affine((num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Any) -> Any:
        return normalization.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine},"
                f" bias={self.bias is not None}")


class Running(Affine):
    """What the layers share that keep running means and variances of each channel.

    Args:
        num_features: the number of channels, dimension 1.
        eps: added to the variance.
        momentum: the share of this batch in the running statistics; None: the mean over all batches.
        affine: whether to multiply by a weight and add a bias for each channel.
        track_running_stats: whether to keep statistics, for evaluation.
        bias: False leaves the bias out.
    """

    ranks: tuple[int, ...] = ()
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(self, num_features: int, eps: float, momentum: float | None, affine: bool, track_running_stats: bool,
                 device: Any, dtype: Any, bias: bool) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.add_affine((num_features,), affine, affine and bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype, device=device) if tracked else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype, device=device) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, device=device) if tracked else None)

    def reset_running_stats(self) -> None:
        """Forget the statistics."""
        with no_grad():
            if self.running_mean is not None and self.running_var is not None:
                self.running_mean.zero_()
                self.running_var.fill_(1)
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.zero_()

    def check_input(self, input: Any) -> None:
        """Raise unless the input has the rank that this layer is for."""
        if input.ndim not in self.ranks:
            raise ShapeError(f"{type(self).__name__}: expected {' or '.join(map(str, self.ranks))} dimensions, got"
                             f" shape {tuple(input.shape)}")

    def share(self) -> float:
        """Count this batch; its share in the running statistics."""
        if self.num_batches_tracked is None:
            return 0.0 if self.momentum is None else self.momentum
        with no_grad():
            self.num_batches_tracked.add_(1)
        return 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine},"
                f" bias={self.bias is not None}, track_running_stats={self.track_running_stats}")


class BatchNorm(Running):
    """What the layers share that normalise each channel over the batch (Ioffe and Szegedy 2015).

    In training by the batch's own mean and variance, which also move the running ones; in evaluation by those.
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Any) -> Any:
        self.check_input(input)
        share = self.share() if self.training and self.track_running_stats else 0.0
        use_batch = self.training or self.running_mean is None
        keep = not self.training or self.track_running_stats
        return normalization.batch_norm(input, self.running_mean if keep else None, self.running_var if keep else None,
                                        self.weight, self.bias, use_batch, share, self.eps)


class BatchNorm1d(BatchNorm):
    """Channels of (N, C) or (N, C, L) normalised over the batch. PyTorch: torch.nn.BatchNorm1d."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """Channels of (N, C, H, W) normalised over the batch. PyTorch: torch.nn.BatchNorm2d."""

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """Channels of (N, C, D, H, W) normalised over the batch. PyTorch: torch.nn.BatchNorm3d."""

    ranks = (5,)


class InstanceNorm(Running):
    """What the layers share that normalise each channel of each sample (Ulyanov 2016)."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
                 track_running_stats: bool = False, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Any) -> Any:
        self.check_input(input)
        if input.ndim == self.ranks[0]:  # one sample without a batch
            return self.normalized(input[None])[0]
        return self.normalized(input)

    def normalized(self, input: Any) -> Any:
        """The channels of each of a batch of samples, normalised."""
        use_input = self.training or not self.track_running_stats
        return normalization.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                                           use_input, self.momentum, self.eps)


class InstanceNorm1d(InstanceNorm):
    """Channels of each sample of (N, C, L) or (C, L). PyTorch: torch.nn.InstanceNorm1d."""

    ranks = (2, 3)


class InstanceNorm2d(InstanceNorm):
    """Channels of each sample of (N, C, H, W) or (C, H, W). PyTorch: torch.nn.InstanceNorm2d."""

    ranks = (3, 4)


class InstanceNorm3d(InstanceNorm):
    """Channels of each sample of (N, C, D, H, W) or (C, D, H, W). PyTorch: torch.nn.InstanceNorm3d."""

    ranks = (4, 5)


class LocalResponseNorm(Module):
    """Each element divided by a power of the squares near it among the channels (Krizhevsky 2012).

    PyTorch: torch.nn.LocalResponseNorm.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Any) -> Any:
        return normalization.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
