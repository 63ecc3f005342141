"""Pooling: the largest, or the mean, of each window of an image (N, C, *size)."""

import itertools
import math

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops.convolution import numbers, out_sizes, windows_along
from minigrad.ops.joining import cat
from minigrad.ops.padding import pad_axes
from minigrad.ops.reduction import amax, mean
from minigrad.ops.scatter import take_along_dim
from minigrad.ops.shaping import flatten, squeeze, unflatten, unsqueeze

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
           "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d"]


# ----- where the largest of each window is, as a flat position in the image; the first of equal ones
def pool_positions_kernel(xp, x, *, kernel, stride, dilation):
    # one pass a place in the window, over all windows at once; the first of equal ones stays, and NaN wins
    out = windows_along(x.shape[2:], kernel, stride, dilation)
    width = [math.prod(x.shape[3 + axis:]) for axis in range(len(kernel))]  # of a step along each axis, flattened
    best = positions = None
    for place, index in window_places(kernel, stride, dilation, out):
        values = x[index]
        offset = sum([p * d * w for p, d, w in zip(place, dilation, width, strict=True)])
        if best is None:
            best, positions = values, xp.zeros(values.shape, dtype=int64)
            continue
        better = xp.logical_not(values <= best)
        if x.dtype.kind == "f":
            better = xp.logical_and(better, best == best)
        best = xp.where(better, values, best)
        positions = xp.where(better, offset, positions)
    for axis, (count, s, w) in enumerate(zip(out, stride, width, strict=True)):
        starts = xp.arange(count, dtype=int64) * (s * w)
        positions = positions + starts.reshape(-1, *[1] * (len(kernel) - 1 - axis))
    return positions


def pool_positions_infer(x, *, kernel, stride, dilation):
    return Aval((*x.shape[:2], *out_sizes("max_pool", x, kernel, stride, dilation)), int64)


pool_positions_p = declare("pool_positions", pool_positions_kernel, pool_positions_infer)


# ----- the sum of each window, and its adjoint
def window_sum_kernel(xp, x, *, kernel, stride):
    out = windows_along(x.shape[2:], kernel, stride, (1,) * len(kernel))
    y = xp.zeros((*x.shape[:2], *out), dtype=x.dtype)
    for _, index in window_places(kernel, stride, (1,) * len(kernel), out):
        y += x[index]
    return y


def window_places(kernel, stride, dilation, out):
    """(place, index) for each place in a window: the slices of the image that hold it for all windows."""
    for place in itertools.product(*[range(k) for k in kernel]):
        index = [slice(p * d, p * d + s * (o - 1) + 1, s)
                 for p, s, d, o in zip(place, stride, dilation, out, strict=True)]
        yield place, (slice(None), slice(None), *index)


def window_sum_infer(x, *, kernel, stride):
    return Aval((*x.shape[:2], *out_sizes("avg_pool", x, kernel, stride, (1,) * len(kernel))), x.dtype)


def window_sum_vjp(g, y, x, *, kernel, stride):
    size = x.shape[2:]
    if any([isinstance(s, Dim) for s in size]):
        raise ShapeError("the gradient of avg_pool needs a known image size; only the batch may be left open")
    return bind(window_spread_p, g, size=size, kernel=kernel, stride=stride)


def window_spread_kernel(xp, g, *, size, kernel, stride):
    x = xp.zeros((*g.shape[:2], *size), dtype=g.dtype)
    for _, index in window_places(kernel, stride, (1,) * len(kernel), g.shape[2:]):
        x[index] += g
    return x


def window_spread_infer(g, *, size, kernel, stride):
    return Aval((*g.shape[:2], *size), g.dtype)


def window_spread_vjp(t, y, g, *, size, kernel, stride):
    return bind(window_sum_p, t, kernel=kernel, stride=stride)


window_sum_p = declare("window_sum", window_sum_kernel, window_sum_infer, vjps=(window_sum_vjp,), reads=((),))
window_spread_p = declare("window_spread", window_spread_kernel, window_spread_infer, vjps=(window_spread_vjp,),
                          reads=((),))


# ----- pooling with paddings by side
def max_pool_windows(x, kernel, stride, pads, dilation=None, return_indices=False):
    """The largest of each window; padding never wins. With positions in the unpadded image where asked for."""
    dilation = dilation or (1,) * len(kernel)
    padded = x
    if any([before or after for before, after in pads]):
        padded = pad_axes(x, ((0, 0), (0, 0), *pads), value=-math.inf)
    positions = bind(pool_positions_p, padded, kernel=kernel, stride=stride, dilation=dilation)
    y = take_along_dim(flatten(padded, 2), flatten(positions, 2), 2)
    y = unflatten(y, 2, positions.shape[2:]) if len(kernel) > 1 else y
    if not return_indices:
        return y
    return y, unpadded(positions, x.shape[2:], padded.shape[2:], pads)


def unpadded(positions, size, padded, pads):
    """Flat positions in the padded image as flat positions in the image."""
    flat, scale, rest = 0, 1, positions
    for axis in range(len(size) - 1, -1, -1):
        place = rest % padded[axis]
        rest = rest // padded[axis]
        flat = flat + (place - pads[axis][0]) * scale
        scale *= size[axis]
    return flat


def avg_pool_windows(x, kernel, stride, pads, count_include_pad=False, divisor=None, extra=None):
    """The mean of each window; padding counts only where asked for. `extra` is padding that never counts."""
    counted = pads
    extra = extra or ((0, 0),) * len(kernel)
    if any([before or after for before, after in (*pads, *extra)]):
        both = tuple([(b, a + e) for (b, a), (_, e) in zip(pads, extra, strict=True)])
        total = bind(window_sum_p, pad_axes(x, ((0, 0), (0, 0), *both)), kernel=kernel, stride=stride)
    else:
        total = bind(window_sum_p, x, kernel=kernel, stride=stride)
    if divisor is not None:
        return total / divisor
    if not any([before or after for before, after in (*pads, *extra)]):
        return total / math.prod(kernel)
    return total / window_counts(x, kernel, stride, counted, extra, count_include_pad)


def window_counts(x, kernel, stride, pads, extra, count_include_pad):
    """How many elements count in each window, as an array (*windows) beside x."""
    sizes = x.shape[2:]
    if any([isinstance(size, Dim) for size in sizes]):
        raise ShapeError("avg_pool with padding needs a known image size; only the batch may be left open in a graph")
    counts = np.ones((), dtype=x.dtype)
    for size, k, s, (before, after), (_, more) in zip(sizes, kernel, stride, pads, extra, strict=True):
        starts = np.arange(0, size + before + after + more - k + 1, s)
        low, high = (0, size + before + after) if count_include_pad else (before, before + size)
        along = np.minimum(starts + k, high) - np.maximum(starts, low)
        counts = np.multiply.outer(counts, along.astype(x.dtype))
    return beside(x, counts)


def beside(x, array):
    """A NumPy array as an operand beside `x`, on its device."""
    xp = getattr(x, "xp", None)
    return array if xp is None else xp.asarray(array)


# ----- PyTorch's functions
def settings(name, x, rank, kernel_size, stride, padding, ceil_mode, dilation=1):
    """(kernel, stride, paddings, extra padding for ceil_mode, dilation) as tuples, and checks."""
    kernel = numbers(name, kernel_size, rank)
    stride = kernel if stride is None or stride == [] else numbers(name, stride, rank)
    padding, dilation = numbers(name, padding, rank), numbers(name, dilation, rank)
    for p, k in zip(padding, kernel, strict=True):
        if p > k // 2:
            raise ShapeError(f"{name}: padding {p} is more than half of the window {k}")
    extra = [(0, 0)] * rank
    if ceil_mode:
        for axis, (k, s, p, d) in enumerate(zip(kernel, stride, padding, dilation, strict=True)):
            size = x.shape[2 + axis] + 2 * p
            window = d * (k - 1) + 1
            count = -(-(size - window) // s) + 1
            if (count - 1) * s >= x.shape[2 + axis] + p:
                count -= 1  # a window may not start in the padding behind
            extra[axis] = (0, max((count - 1) * s + window - size, 0))
    return kernel, stride, tuple([(p, p) for p in padding]), tuple(extra), dilation


def batched(name, rank, x, function, *arguments):
    """`function` on an input with or without a batch dimension."""
    if x.ndim == rank + 1:
        y = function(unsqueeze(x, 0), *arguments)
        return tuple([squeeze(part, 0) for part in y]) if isinstance(y, tuple) else squeeze(y, 0)
    if x.ndim != rank + 2:
        raise ShapeError(f"{name}: expected input with {rank + 2} dimensions (or {rank + 1} without a batch), got shape"
                         f" {shape_text(x.shape)}")
    return function(x, *arguments)


def max_pool(x, rank, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    kernel, stride, pads, extra, dilation = settings("max_pool", x, rank, kernel_size, stride, padding, ceil_mode,
                                                     dilation)
    pads = tuple([(b, a + e) for (b, a), (_, e) in zip(pads, extra, strict=True)])
    return max_pool_windows(x, kernel, stride, pads, dilation, return_indices)


def avg_pool(x, rank, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor):
    kernel, stride, pads, extra, _ = settings("avg_pool", x, rank, kernel_size, stride, padding, ceil_mode)
    return avg_pool_windows(x, kernel, stride, pads, count_include_pad, divisor, extra)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, L); the first of equal ones gets the gradient."""
    return batched("max_pool1d", 1, input, max_pool, 1, kernel_size, stride, padding, dilation, ceil_mode,
                   return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, H, W); the first of equal ones gets the gradient."""
    return batched("max_pool2d", 2, input, max_pool, 2, kernel_size, stride, padding, dilation, ceil_mode,
                   return_indices)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, D, H, W); the first of equal ones gets the gradient."""
    return batched("max_pool3d", 3, input, max_pool, 3, kernel_size, stride, padding, dilation, ceil_mode,
                   return_indices)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of (N, C, L)."""
    return batched("avg_pool1d", 1, input, avg_pool, 1, kernel_size, stride, padding, ceil_mode, count_include_pad,
                   None)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, H, W)."""
    return batched("avg_pool2d", 2, input, avg_pool, 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                   divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, D, H, W)."""
    return batched("avg_pool3d", 3, input, avg_pool, 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
                   divisor_override)


# ----- pooling to a given size
def adaptive(x, rank, output_size, reduce):
    """`reduce` of the windows that divide each dimension into the given number of parts, axis by axis."""
    sizes = (output_size,) * rank if isinstance(output_size, int) else tuple(output_size)
    for axis, count in enumerate(sizes):
        if count is not None and count != x.shape[2 + axis]:
            x = parts_along(x, 2 + axis, count, reduce)
    return x


def parts_along(x, axis, count, reduce):
    """`reduce` of each of `count` parts of an axis; parts overlap where they do not divide it."""
    size = x.shape[axis]
    if size % count == 0:
        split = unflatten(x, axis, (count, size // count))
        return reduce(split, axis + 1)
    parts = []
    for i in range(count):
        index = (slice(None),) * axis + (slice(i * size // count, -(-(i + 1) * size // count)),)
        parts.append(unsqueeze(reduce(x[index], axis), axis))
    return cat(parts, axis)


def largest(x, axis):
    return amax(x, axis)


def average(x, axis):
    return mean(x, axis)


def adaptive_avg_pool1d(input, output_size):
    """The means of `output_size` parts of (N, C, L)."""
    return batched("adaptive_avg_pool1d", 1, input, adaptive, 1, output_size, average)


def adaptive_avg_pool2d(input, output_size):
    """The means of parts of (N, C, H, W), so many along each dimension; None keeps a size."""
    return batched("adaptive_avg_pool2d", 2, input, adaptive, 2, output_size, average)


def adaptive_avg_pool3d(input, output_size):
    """The means of parts of (N, C, D, H, W), so many along each dimension; None keeps a size."""
    return batched("adaptive_avg_pool3d", 3, input, adaptive, 3, output_size, average)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest of `output_size` parts of (N, C, L)."""
    refuse_indices("adaptive_max_pool1d", return_indices)
    return batched("adaptive_max_pool1d", 1, input, adaptive, 1, output_size, largest)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest of parts of (N, C, H, W), so many along each dimension; None keeps a size."""
    refuse_indices("adaptive_max_pool2d", return_indices)
    return batched("adaptive_max_pool2d", 2, input, adaptive, 2, output_size, largest)


def refuse_indices(name, return_indices):
    """The places of the largest are not kept here."""
    if return_indices:
        raise NotImplementedError(f"{name}: return_indices is not offered; max_pool gives the places of the largest")
