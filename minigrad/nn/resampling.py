"""Functions that change the sizes of images, made of others: lp_pool, max_unpool, channel_shuffle, upsample.

PyTorch: torch.nn.functional.
"""

import math
from typing import Any

from minigrad.core.dims import shape_text
from minigrad.errors import ShapeError
from minigrad.nn.zeros import zeros_beside
from minigrad.ops import pooling
from minigrad.ops.activations import relu
from minigrad.ops.arithmetic import abs as absolute, mul, sign
from minigrad.ops.columns import numbers
from minigrad.ops.exponential import pow as power
from minigrad.ops.resizing import interpolate
from minigrad.ops.scatter import scatter
from minigrad.ops.shaping import reshape, transpose


# ----- pooling by a norm
def lp_pool(mean_of_windows: Any, input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool,
            rank: int) -> Any:
    """(sum of x ** norm_type over each window) ** (1 / norm_type); where the sum is negative, 0, as in PyTorch."""
    size = math.prod(numbers("kernel_size", kernel_size, rank, 1))
    means = mean_of_windows(power(input, norm_type), kernel_size, stride, 0, ceil_mode)
    sums = mul(relu(mul(sign(means), absolute(means))), size)
    return power(sums, 1 / norm_type)


def lp_pool1d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window of (N, C, L)."""
    return lp_pool(pooling.avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window of (N, C, H, W)."""
    return lp_pool(pooling.avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode, 2)


def lp_pool3d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window of (N, C, D, H, W)."""
    return lp_pool(pooling.avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode, 3)


# ----- undoing max-pooling
def max_unpool(name: str, rank: int, input: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any,
               output_size: Any) -> Any:
    """The values of `input` at the positions `indices` of images that are zero elsewhere."""
    kernel = numbers("kernel_size", kernel_size, rank, 1)
    steps = kernel if stride is None else numbers("stride", stride, rank, 1)
    pads = numbers("padding", padding, rank)
    if input.ndim not in (rank + 1, rank + 2) or tuple(indices.shape) != tuple(input.shape):
        raise ShapeError(f"{name}: expected an input of {rank + 1} or {rank + 2} dimensions and positions of its shape,"
                         f" got shapes {shape_text(input.shape)} and {shape_text(indices.shape)}")
    lead, sizes = tuple(input.shape[:-rank]), input.shape[-rank:]
    usual = tuple([(n - 1) * s - 2 * p + k for n, s, p, k in zip(sizes, steps, pads, kernel, strict=True)])
    size = usual if output_size is None else tuple(output_size)[-rank:]
    for wanted, known, s in zip(size, usual, steps, strict=True):
        if not known - s < wanted < known + s:
            raise ShapeError(f"{name}: output_size {size} is too far from {usual}, which follows from the pooling")
    flat = reshape(input, (*lead, -1))
    zeros = zeros_beside(flat, math.prod(size))
    return reshape(scatter(zeros, -1, reshape(indices, (*lead, -1)), flat), (*lead, *size))


def max_unpool1d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Undoes max_pool1d, given its positions."""
    return max_unpool("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Undoes max_pool2d, given its positions."""
    return max_unpool("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Undoes max_pool3d, given its positions."""
    return max_unpool("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


# ----- channels and sizes
def channel_shuffle(input: Any, groups: int) -> Any:
    """(N, C, ...) with channel i of each of `groups` groups next to those of the others (Zhang 2017)."""
    if input.ndim < 3 or input.shape[1] % groups:
        raise ShapeError(f"channel_shuffle: the channels (dimension 1) of shape {shape_text(input.shape)} cannot be"
                         f" divided into {groups} groups")
    n, c, *rest = input.shape
    return reshape(transpose(reshape(input, (n, groups, c // groups, *rest)), 1, 2), (n, c, *rest))


def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Any:
    """PyTorch's older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
