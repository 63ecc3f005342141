"""Pooling: the largest, or the mean, of each window of an image (N, C, *size).

Kernels go through the places of a window, each time with one slice of the image for all windows at once; padding is
never made, its places are left out. Results have the memory order of the image.
"""

import math

import numpy as np

from minigrad.backends.selecting import chosen as selected
from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32, int64
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops.broadcasting import reshape_like
from minigrad.ops.columns import equal_pads, full_sizes, is_image, numbers, open_sizes, spatial_sizes
from minigrad.ops.joining import cat
from minigrad.ops.reduction import mean
from minigrad.ops.scatter import take_along_dim
from minigrad.ops.shaping import flatten, squeeze, unflatten, unsqueeze

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
           "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d",
           "max_pool2d", "max_pool3d"]


# ----- sizes, and where windows lie
def pooled_size(size, k, s, pads, d, ceil_mode):
    """How many windows there are along a dimension; with `ceil_mode`, one that runs over its end counts too."""
    before, after = pads
    room = size + before + after - d * (k - 1) - 1
    if room < 0 and not (ceil_mode and room > -s):
        return 0
    count = (-(-room // s) if ceil_mode else room // s) + 1
    if ceil_mode and (count - 1) * s >= size + before:
        count -= 1  # no window starts in the padding behind
    return count


def pooled_sizes(name, x, kernel, stride, pads, dilation, ceil_mode):
    """As `pooled_size` for all dimensions, unknown where the image's are; ShapeError where no window fits."""
    sizes = []
    for size, k, s, pair, d in zip(x.shape[2:], kernel, stride, pads, dilation, strict=True):
        if size.__class__ is Dim:
            sizes.append(size if k == 1 and s == 1 and pair == (0, 0) else Dim())
            continue
        count = pooled_size(size, k, s, pair, d, ceil_mode)
        if count < 1:
            raise ShapeError(f"{name}: a window of {d * (k - 1) + 1} does not fit into size {size} of shape"
                             f" {shape_text(x.shape)} with padding {pair}")
        sizes.append(count)
    return tuple(sizes)


def visits(size, out, kernel, stride, pads, dilation):
    """For each place in a window, slices: (index of the windows that have it within the image, where it is there)."""
    for number in range(math.prod(kernel)):
        windows, elements, rest = [], [], number
        for n, o, k, s, (before, _), d in zip(size[::-1], out[::-1], kernel[::-1], stride[::-1], pads[::-1],
                                              dilation[::-1], strict=True):
            rest, place = divmod(rest, k)
            first = place * d - before  # the element that window 0 has at this place
            start = max(0, -(first // s))
            stop = min(o, (n - 1 - first) // s + 1)
            if start >= stop:
                break
            windows.insert(0, slice(start, stop))
            elements.insert(0, slice(first + start * s, first + (stop - 1) * s + 1, s))
        else:
            everywhere = (slice(None), slice(None))
            yield (*everywhere, *windows), (*everywhere, *elements)


def pooled_aval(name, x, kernel, stride, pads, dilation, ceil_mode, dtype):
    """The Aval of one number for each window."""
    if x.shape is None:
        return Aval((Dim(), Dim(), *[Dim() for _ in kernel]), dtype)
    return Aval((*x.shape[:2], *pooled_sizes(name, x, kernel, stride, pads, dilation, ceil_mode)), dtype)


# ----- the largest of each window; NaN counts as larger than everything
def max_pool_kernel(xp, x, *, kernel, stride, pads, dilation, ceil_mode):
    out = pooled_sizes("max_pool", x, kernel, stride, pads, dilation, ceil_mode)
    y = xp.full_like(x, smallest(xp, x.dtype), shape=(*x.shape[:2], *out))
    for windows, elements in visits(x.shape[2:], out, kernel, stride, pads, dilation):
        xp.maximum(y[windows], x[elements], out=y[windows])
    return y


def smallest(xp, dtype):
    """What is never larger than anything."""
    if dtype.kind == "f":
        return -math.inf
    if dtype.kind == "b":
        raise DtypeError("max_pool is defined for numbers, not for bool")
    return int(xp.iinfo(dtype).min)


def max_pool_infer(x, *, kernel, stride, pads, dilation, ceil_mode):
    return pooled_aval("max_pool", x, kernel, stride, pads, dilation, ceil_mode, x.dtype)


def max_pool_vjp(g, y, x, *, kernel, stride, pads, dilation, ceil_mode):
    return bind(max_unpool_p, g, x, y, kernel=kernel, stride=stride, pads=pads, dilation=dilation, ceil_mode=ceil_mode)


# ----- its gradient: each number put where the first largest element of its window is
def max_unpool_kernel(xp, g, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    z = xp.zeros_like(x, dtype=g.dtype)
    for windows, elements, chosen in first_largest(xp, x, y, kernel, stride, pads, dilation):
        z[elements] += selected(xp, chosen, g[windows], 0)
    return z


def first_largest(xp, x, y, kernel, stride, pads, dilation):
    """For each place in a window: (the windows, the elements there, where those are the first largest)."""
    free = None  # windows whose largest was not met yet; None for all
    nan = None
    if y.dtype.kind == "f" and (xp is not np or np.isnan(np.sum(y))):  # looking first would make a GPU wait
        nan = y != y
    for windows, elements in visits(x.shape[2:], y.shape[2:], kernel, stride, pads, dilation):
        part = x[elements]
        chosen = part == y[windows]
        if nan is not None:
            chosen |= nan[windows] & (part != part)
        if free is None:
            free = xp.ones_like(y, dtype=bool)
        else:
            chosen &= free[windows]
        free[windows] ^= chosen
        yield windows, elements, chosen


def max_unpool_infer(g, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    return Aval(x.shape, g.dtype)


def max_unpool_vjp(t, z, g, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    return bind(max_pick_p, t, x, y, kernel=kernel, stride=stride, pads=pads, dilation=dilation, ceil_mode=ceil_mode)


# ----- the gradient of that: elements of another image, from where the first largest are
def max_pick_kernel(xp, t, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    z = xp.zeros_like(y, dtype=t.dtype)
    for windows, elements, chosen in first_largest(xp, x, y, kernel, stride, pads, dilation):
        z[windows] += selected(xp, chosen, t[elements], 0)
    return z


def max_pick_infer(t, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    return Aval(y.shape, t.dtype)


def max_pick_vjp(g, z, t, x, y, *, kernel, stride, pads, dilation, ceil_mode):
    return bind(max_unpool_p, g, x, y, kernel=kernel, stride=stride, pads=pads, dilation=dilation, ceil_mode=ceil_mode)


max_pool_p = declare("max_pool", max_pool_kernel, max_pool_infer, vjps=(max_pool_vjp,), reads=({"y", 0},),
                     shapes=False)
max_unpool_p = declare("max_unpool", max_unpool_kernel, max_unpool_infer, vjps=(max_unpool_vjp, None, None),
                       reads=({1, 2}, (), ()), shapes=False)
max_pick_p = declare("max_pick", max_pick_kernel, max_pick_infer, vjps=(max_pick_vjp, None, None),
                     reads=({1, 2}, (), ()), shapes=False)


# ----- where the first largest element of each window is, as a flat position in the image
def pool_positions_kernel(xp, x, y, *, kernel, stride, pads, dilation):
    positions = xp.zeros_like(y, dtype=int64)
    places = xp.arange(math.prod(x.shape[2:]), dtype=int64).reshape(1, 1, *x.shape[2:])
    for windows, elements, chosen in first_largest(xp, x, y, kernel, stride, pads, dilation):
        positions[windows] += xp.where(chosen, places[elements], 0)
    return positions


def pool_positions_infer(x, y, *, kernel, stride, pads, dilation):
    return Aval(y.shape, int64)


pool_positions_p = declare("pool_positions", pool_positions_kernel, pool_positions_infer)


# ----- the sum of each window, and its adjoint; how many elements each window has
def window_sum_kernel(xp, x, *, kernel, stride, pads, ceil_mode):
    flat = (1,) * len(kernel)
    out = pooled_sizes("avg_pool", x, kernel, stride, pads, flat, ceil_mode)
    y = xp.zeros_like(x, shape=(*x.shape[:2], *out), dtype=summed_in(x))
    for windows, elements in visits(x.shape[2:], out, kernel, stride, pads, flat):
        y[windows] += x[elements]
    return y.astype(x.dtype, copy=False)


def summed_in(x):
    """The dtype of sums: half precision is summed in single."""
    return float32 if x.dtype == float16 else x.dtype


def window_sum_infer(x, *, kernel, stride, pads, ceil_mode):
    return pooled_aval("avg_pool", x, kernel, stride, pads, (1,) * len(kernel), ceil_mode, x.dtype)


def window_sum_vjp(g, y, x, *, kernel, stride, pads, ceil_mode):
    size, sizes = spatial_sizes(x)
    return bind(window_spread_p, g, *sizes, size=size, kernel=kernel, stride=stride, pads=pads, ceil_mode=ceil_mode)


def window_spread_kernel(xp, g, *sizes, size, kernel, stride, pads, ceil_mode):
    size = full_sizes(size, sizes)
    x = xp.zeros_like(g, shape=(*g.shape[:2], *size), dtype=summed_in(g))
    for windows, elements in visits(size, g.shape[2:], kernel, stride, pads, (1,) * len(kernel)):
        x[elements] += g[windows]
    return x.astype(g.dtype, copy=False)


def window_spread_infer(g, *sizes, size, kernel, stride, pads, ceil_mode):
    return Aval((*((Dim(), Dim()) if g.shape is None else g.shape[:2]), *open_sizes(size)), g.dtype)


def window_spread_vjp(t, y, g, *sizes, size, kernel, stride, pads, ceil_mode):
    return bind(window_sum_p, t, kernel=kernel, stride=stride, pads=pads, ceil_mode=ceil_mode)


def window_counts_kernel(xp, x, *, kernel, stride, pads, ceil_mode, count_padding):
    counts = xp.ones((), dtype=x.dtype)
    for size, k, s, (before, after) in zip(x.shape[2:], kernel, stride, pads, strict=True):
        starts = xp.arange(pooled_size(size, k, s, (before, after), 1, ceil_mode)) * s - before
        low, high = (-before, size + after) if count_padding else (0, size)
        along = xp.minimum(starts + k, high) - xp.maximum(starts, low)
        counts = counts[..., None] * along.astype(x.dtype)
    return counts


def window_counts_infer(x, *, kernel, stride, pads, ceil_mode, count_padding):
    y = pooled_aval("avg_pool", x, kernel, stride, pads, (1,) * len(kernel), ceil_mode, x.dtype)
    return Aval(y.shape[2:], x.dtype)


window_sum_p = declare("window_sum", window_sum_kernel, window_sum_infer, vjps=(window_sum_vjp,), reads=((),))
window_spread_p = declare("window_spread", window_spread_kernel, window_spread_infer, vjps=(window_spread_vjp,),
                          reads=((),))
window_counts_p = declare("window_counts", window_counts_kernel, window_counts_infer)


# ----- pooling with paddings by side
def max_pool_windows(x, kernel, stride, pads, dilation=None, return_indices=False, ceil_mode=False):
    """The largest of each window; padding never wins. With flat positions in the image where asked for."""
    dilation = dilation or (1,) * len(kernel)
    y = bind(max_pool_p, x, kernel=kernel, stride=stride, pads=pads, dilation=dilation, ceil_mode=ceil_mode)
    if not return_indices:
        return y
    return y, bind(pool_positions_p, x, y, kernel=kernel, stride=stride, pads=pads, dilation=dilation)


def avg_pool_windows(x, kernel, stride, pads, count_padding=False, divisor=None, ceil_mode=False):
    """The mean of each window; padding counts only where asked for."""
    y = bind(window_sum_p, x, kernel=kernel, stride=stride, pads=pads, ceil_mode=ceil_mode)
    if divisor is not None:
        if divisor == 0:
            raise InvalidArgumentError("avg_pool: divisor_override must not be 0")
        return y / divisor
    if not ceil_mode and (count_padding or all([pair == (0, 0) for pair in pads])):
        return y / math.prod(kernel)
    return y / bind(window_counts_p, x, kernel=kernel, stride=stride, pads=pads, ceil_mode=ceil_mode,
                    count_padding=count_padding)


# ----- PyTorch's functions
def settings(name, rank, kernel_size, stride, padding):
    """(kernel, stride, paddings) as tuples."""
    kernel = numbers(name, kernel_size, rank, 1)
    stride = kernel if stride is None or stride == [] else numbers(name, stride, rank, 1)
    padding = numbers(name, padding, rank)
    for p, k in zip(padding, kernel, strict=True):
        if p > k // 2:
            raise ShapeError(f"{name}: padding {p} is more than half of the window {k}")
    return kernel, stride, equal_pads(padding)


def max_pool(name, rank, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    """`max_pool_windows` with PyTorch's arguments, on images with or without a batch dimension."""
    if not is_image(name, x, rank):
        y = max_pool(name, rank, unsqueeze(x, 0), kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        return tuple([squeeze(part, 0) for part in y]) if return_indices else squeeze(y, 0)
    kernel, stride, pads = settings(name, rank, kernel_size, stride, padding)
    return max_pool_windows(x, kernel, stride, pads, numbers(name, dilation, rank, 1), return_indices, bool(ceil_mode))


def avg_pool(name, rank, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None):
    """`avg_pool_windows` with PyTorch's arguments, on images with or without a batch dimension."""
    if not is_image(name, x, rank):
        y = avg_pool(name, rank, unsqueeze(x, 0), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor)
        return squeeze(y, 0)
    if x.dtype.kind != "f":
        raise DtypeError(f"{name} is defined for floats, not for {x.dtype}")
    kernel, stride, pads = settings(name, rank, kernel_size, stride, padding)
    return avg_pool_windows(x, kernel, stride, pads, bool(count_include_pad), divisor, bool(ceil_mode))


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, L); the first of equal ones gets the gradient.

    PyTorch: torch.nn.functional.max_pool1d.

    Args:
        stride: by default the size of the window.
        ceil_mode: windows that run over the end count, too.
        return_indices: give (y, positions), with the position in L of each largest element.
    """
    return max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, H, W); positions are flat, in H * W. See `max_pool1d`."""
    return max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, D, H, W); positions are flat, in D * H * W. See `max_pool1d`."""
    return max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of (N, C, L). PyTorch: torch.nn.functional.avg_pool1d.

    Args:
        stride: by default the size of the window.
        ceil_mode: windows that run over the end count, too; what is beyond the padding does not count in them.
        count_include_pad: padding counts as zeros.
    """
    return avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, H, W), or its sum over `divisor_override`. See `avg_pool1d`."""
    return avg_pool("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, D, H, W), or its sum over `divisor_override`. See `avg_pool1d`."""
    return avg_pool("avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


# ----- pooling to a given size: part i of n elements in count parts runs from i * n // count to (i + 1) * n / count
def wanted_sizes(name, x, rank, output_size):
    """How many parts along each dimension; None keeps a size (and is put in for a size that stays)."""
    sizes = (output_size,) * rank if not isinstance(output_size, tuple | list) else tuple(output_size)
    if len(sizes) != rank:
        raise ShapeError(f"{name}: expected a size or {rank} of them, got {output_size}")
    wanted = []
    for axis, count in enumerate(sizes):
        size = x.shape[2 + axis]
        if count is not None and count < 0:
            raise InvalidArgumentError(f"{name}: {count} in {output_size} is no size")
        if size.__class__ is Dim and count not in (None, 1):
            raise ShapeError(f"{name}: dividing a dimension into {count} parts needs its size, which is unknown in"
                             f" shape {shape_text(x.shape)}")
        wanted.append(None if count == size else count)
    return wanted


def adaptive_avg_pool(name, rank, x, output_size):
    """The means of parts, one dimension after the other."""
    if not is_image(name, x, rank):
        return squeeze(adaptive_avg_pool(name, rank, unsqueeze(x, 0), output_size), 0)
    for axis, count in enumerate(wanted_sizes(name, x, rank, output_size), 2):
        if count == 1:
            x = mean(x, axis, True)
        elif count is not None:
            x = means_of_parts(x, axis, count)
    return x


def means_of_parts(x, axis, count):
    """The mean of each of `count` parts of an axis; parts overlap where they do not divide it."""
    size = x.shape[axis]
    if count and size % count == 0:
        return mean(unflatten(x, axis, (count, size // count)), axis + 1)
    parts = []
    for i in range(count):
        index = (slice(None),) * axis + (slice(i * size // count, -(-(i + 1) * size // count)),)
        parts.append(mean(x[index], axis, True))
    return cat(parts, axis) if parts else x[(slice(None),) * axis + (slice(0, 0),)]


# ----- the flat position of the first largest element of each part
def part_positions_kernel(xp, x, *, counts):
    size = x.shape[2:]
    counts = [n if count is None else count for n, count in zip(size, counts, strict=True)]
    flat, widths = xp.zeros((1,) * (2 * len(size)), dtype=int64), []
    for axis, (n, count) in enumerate(zip(size, counts, strict=True)):
        number = xp.arange(count, dtype=int64)
        starts, stops = number * n // count, -(-(number + 1) * n // count)
        width = max([-(-(i + 1) * n // count) - i * n // count for i in range(count)], default=0)
        # a shorter part repeats its last element, which does not make it first
        elements = xp.minimum(starts[:, None] + xp.arange(width, dtype=int64), stops[:, None] - 1)
        shape = [1] * (2 * len(size))
        shape[axis], shape[len(size) + axis] = count, width
        flat = flat * n + elements.reshape(shape)
        widths.append(width)
    flat = flat.reshape(*counts, math.prod(widths))
    parts = x.reshape(*x.shape[:2], math.prod(size))[:, :, flat]
    chosen = xp.argmax(parts, axis=-1)  # NaN wins, the first one
    return xp.take_along_axis(xp.broadcast_to(flat, parts.shape), chosen[..., None], axis=-1)[..., 0]


def part_positions_infer(x, *, counts):
    lead, size = ((Dim(), Dim()), [Dim() for _ in counts]) if x.shape is None else (x.shape[:2], x.shape[2:])
    return Aval((*lead, *[n if count is None else count for n, count in zip(size, counts, strict=True)]), int64)


part_positions_p = declare("part_positions", part_positions_kernel, part_positions_infer)


def adaptive_max_pool(name, rank, x, output_size, return_indices):
    """The largest of parts; the first of equal ones gets the gradient."""
    if not is_image(name, x, rank):
        y = adaptive_max_pool(name, rank, unsqueeze(x, 0), output_size, return_indices)
        return tuple([squeeze(part, 0) for part in y]) if return_indices else squeeze(y, 0)
    counts = wanted_sizes(name, x, rank, output_size)
    positions = bind(part_positions_p, x, counts=tuple(counts))
    y = reshape_like(take_along_dim(flatten(x, 2), flatten(positions, 2), 2), positions)
    return (y, positions) if return_indices else y


def adaptive_avg_pool1d(input, output_size):
    """The means of `output_size` parts of (N, C, L). PyTorch: torch.nn.functional.adaptive_avg_pool1d."""
    return adaptive_avg_pool("adaptive_avg_pool1d", 1, input, output_size)


def adaptive_avg_pool2d(input, output_size):
    """The means of parts of (N, C, H, W), so many along each dimension; None keeps a size."""
    return adaptive_avg_pool("adaptive_avg_pool2d", 2, input, output_size)


def adaptive_avg_pool3d(input, output_size):
    """The means of parts of (N, C, D, H, W), so many along each dimension; None keeps a size."""
    return adaptive_avg_pool("adaptive_avg_pool3d", 3, input, output_size)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest of `output_size` parts of (N, C, L), and their positions where asked for."""
    return adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size, return_indices)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest of parts of (N, C, H, W), and their flat positions where asked for; None keeps a size."""
    return adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The largest of parts of (N, C, D, H, W), and their flat positions where asked for; None keeps a size."""
    return adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, return_indices)
