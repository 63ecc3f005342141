"""Sliding windows over images: their sizes and checks, and images in memory with the batch last.

Images are (N, C, *size). Kernels that multiply windows keep them in memory as (C, *size, N): a window's row over the
whole batch is then one contiguous run, several times faster to copy and to add than rows of single images. Results
come as views of such memory; elementwise operations keep the order, so that a network converts its images once.
"""

import math
import operator

from minigrad.core.dims import Dim, shape_text
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.ops.broadcasting import size_of

NO_PADS = (0, 0)


# ----- settings as users write them
def numbers(name, value, rank, least=0):
    """A number for each spatial dimension, from one number or from several."""
    values = (operator.index(value),) * rank if hasattr(value, "__index__") else tuple([int(v) for v in value])
    if len(values) == 1:
        values = values * rank
    if len(values) != rank:
        raise ShapeError(f"{name}: expected a number or {rank} of them, got {value}")
    if min(values) < least:
        raise InvalidArgumentError(f"{name}: expected numbers of at least {least}, got {value}")
    return values


def equal_pads(padding):
    """(before, after) for each spatial dimension, from numbers."""
    return tuple([(p, p) for p in padding])


def is_image(name, x, rank):
    """True for images with a batch dimension, False without one; a ShapeError for any other rank."""
    if x.ndim == rank + 2:
        return True
    if x.ndim == rank + 1:
        return False
    raise ShapeError(f"{name}: expected input with {rank + 2} dimensions (or {rank + 1} without a batch), got shape"
                     f" {shape_text(x.shape)}")


# ----- sizes
def windows_along(sizes, kernel, stride, pads, dilation):
    """How many windows there are along each dimension."""
    return tuple([(size + before + after - d * (k - 1) - 1) // s + 1
                  for size, k, s, (before, after), d in zip(sizes, kernel, stride, pads, dilation, strict=True)])


def out_sizes(name, x, kernel, stride, pads, dilation):
    """As `windows_along` of an image's sizes, unknown where they are; ShapeError where a window does not fit.

    `kernel` is of sizes, or None where its sizes are not known.
    """
    sizes = []
    for i, (size, s, (before, after), d) in enumerate(zip(x.shape[2:], stride, pads, dilation, strict=True)):
        k = Dim() if kernel is None else kernel[i]
        if size.__class__ is Dim or k.__class__ is Dim:
            sizes.append(size if k == 1 and s == 1 and before == after == 0 else Dim())
            continue
        window = d * (k - 1) + 1
        if size + before + after < window:
            raise ShapeError(f"{name}: a window of {window} does not fit into size {size} of shape"
                             f" {shape_text(x.shape)} with padding {(before, after)}")
        sizes.append((size + before + after - window) // s + 1)
    return tuple(sizes)


def spatial_sizes(x):
    """(template, operands) of an image's sizes: None in the template stands for the next operand, a graph's size."""
    template, operands = [], []
    for axis in range(2, x.ndim):
        size = size_of(x, axis)
        template.append(size if isinstance(size, int) else None)
        if not isinstance(size, int):
            operands.append(size)
    return tuple(template), operands


def full_sizes(template, operands):
    """The sizes that `spatial_sizes` took apart, put together again at run time."""
    remaining = iter(operands)
    return tuple([int(next(remaining)) if size is None else size for size in template])


def open_sizes(template):
    """The sizes of a template for a shape rule, with a new unknown one for each operand."""
    return tuple([Dim() if size is None else size for size in template])


# ----- images in memory with the batch last
def batch_last(xp, x, pads, dtype):
    """Images (N, C, *size), padded with zeros, as contiguous memory (C, *size, N)."""
    x = xp.moveaxis(x, 0, -1)
    if all([pair == NO_PADS for pair in pads]):
        return xp.ascontiguousarray(x, dtype=dtype)
    sizes = [size + before + after for size, (before, after) in zip(x.shape[1:-1], pads, strict=True)]
    y = xp.zeros((x.shape[0], *sizes, x.shape[-1]), dtype=dtype)
    inside = [slice(before, before + size) for size, (before, _) in zip(x.shape[1:-1], pads, strict=True)]
    y[(slice(None), *inside)] = x
    return y


def window_view(xp, x, kernel, out, stride, dilation):
    """The windows of contiguous images (C, *size, N) as a view (C, *kernel, *out, N)."""
    channels, *along, batch = x.strides
    strides = (channels, *[step * d for step, d in zip(along, dilation, strict=True)],
               *[step * s for step, s in zip(along, stride, strict=True)], batch)
    return xp.lib.stride_tricks.as_strided(x, (x.shape[0], *kernel, *out, x.shape[-1]), strides)


def places(kernel, stride, dilation, out):
    """For each place in a window: (its index, the slices of the image's sizes that hold it for all windows)."""
    for number in range(math.prod(kernel)):
        place, slices, rest = [], [], number
        for k, s, d, o in zip(kernel[::-1], stride[::-1], dilation[::-1], out[::-1], strict=True):
            rest, position = divmod(rest, k)
            place.insert(0, position)
            slices.insert(0, slice(position * d, position * d + s * (o - 1) + 1, s))
        yield tuple(place), tuple(slices)
