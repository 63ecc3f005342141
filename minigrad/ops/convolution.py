"""Convolution in any number of dimensions, and its two gradients: three primitives that are each other's derivatives.

Windows of the input are laid out as the columns of a matrix, some rows of windows at a time so that they stay in the
cache, and the sum over all windows is a matrix product. ``convolve(x, w)`` takes x (N, C, *size) and
w (O, C / groups, *kernel), paddings by side, and a number to add for each output channel, which saves a pass over the
result.
"""

import math

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops.arithmetic import add
from minigrad.ops.broadcasting import size_of
from minigrad.ops.columns import (
    batch_last,
    equal_pads,
    full_sizes,
    is_image,
    numbers,
    open_sizes,
    out_sizes,
    places,
    spatial_sizes,
    window_view,
    windows_along,
)
from minigrad.ops.padding import pad_axes
from minigrad.ops.promotion import same_float
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import reshape, squeeze, unsqueeze

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold_columns",
           "unfold_columns"]

SLAB = 2**22  # bytes of columns that are laid out at a time on the CPU; a GPU takes them all at once


def slabs(xp, out, bytes_per_row):
    """Ranges of rows of windows whose columns fit into the cache."""
    if xp is not np:
        return [(0, out[0])]
    rows = max(1, SLAB // max(bytes_per_row, 1))
    return [(start, min(start + rows, out[0])) for start in range(0, out[0], rows)]


def matrix_of(xp, w, groups, dtype):
    """The weights as a matrix (O, C * window), or one for each group."""
    lead = () if groups == 1 else (groups,)
    return w.astype(dtype, copy=False).reshape(*lead, w.shape[0] // groups, math.prod(w.shape[1:]))


def computed_in(x):
    """The dtype of the products: half precision is multiplied and summed in single."""
    return float32 if x.dtype == float16 else x.dtype


# ----- the convolution
def convolve_kernel(xp, x, w, *bias, stride, pads, dilation, groups):
    kernel, dtype, n = w.shape[2:], computed_in(x), x.shape[0]
    out = out_sizes("conv", x, kernel, stride, pads, dilation)
    weights = matrix_of(xp, w, groups, dtype)
    view = window_view(xp, batch_last(xp, x, pads, dtype), kernel, out, stride, dilation)
    per_row = math.prod(out[1:]) * n
    rows = slabs(xp, out, x.shape[1] * math.prod(kernel) * per_row * dtype.itemsize)
    y = None if len(rows) == 1 else xp.empty((*weights.shape[:-1], out[0] * per_row), dtype=dtype)
    for start, stop in rows:
        part = view[(slice(None),) * (1 + len(kernel)) + (slice(start, stop),)]
        columns = part.reshape(*weights.shape[:-2], weights.shape[-1], (stop - start) * per_row)
        if y is None:
            y = xp.matmul(weights, columns)
        else:
            xp.matmul(weights, columns, out=y[..., start * per_row:stop * per_row])
    y = y.reshape(w.shape[0], *out, n)
    if bias:
        y += bias[0].reshape(w.shape[0], *[1] * (y.ndim - 1))
    y = xp.moveaxis(y, -1, 0)
    return y if dtype == x.dtype else y.astype(x.dtype)


def convolve_infer(x, w, *bias, stride, pads, dilation, groups):
    check_convolution("conv", x, w, groups)
    for b in bias:
        if b.shape is not None and w.shape is not None and (len(b.shape) != 1 or not may_equal(b.shape[0], w.shape[0])):
            raise ShapeError(f"conv: a bias of shape {shape_text(b.shape)} does not fit weight of shape"
                             f" {shape_text(w.shape)}; expected one number for each of its {w.shape[0]} outputs")
    rank = len(stride)
    if x.shape is None:
        channels = Dim() if w.shape is None else w.shape[0]
        return Aval((Dim(), channels, *[Dim() for _ in range(rank)]), x.dtype)
    kernel = None if w.shape is None else w.shape[2:]
    channels = Dim() if w.shape is None else w.shape[0]
    return Aval((x.shape[0], channels, *out_sizes("conv", x, kernel, stride, pads, dilation)), x.dtype)


def check_convolution(name, x, w, groups):
    """Ranks and channels fit."""
    if w.shape is not None and isinstance(w.shape[0], int) and w.shape[0] % groups:
        raise ShapeError(f"{name}: {w.shape[0]} output channels cannot be divided into {groups} groups")
    if x.shape is None or w.shape is None:
        return
    if len(x.shape) != len(w.shape):
        raise ShapeError(f"{name}: input of shape {shape_text(x.shape)} and weight of shape {shape_text(w.shape)} have"
                         " different numbers of dimensions")
    if isinstance(w.shape[1], int) and not may_equal(x.shape[1], w.shape[1] * groups):
        raise ShapeError(f"{name}: input of shape {shape_text(x.shape)} has {x.shape[1]} channels, but weight of shape"
                         f" {shape_text(w.shape)} with groups={groups} expects {w.shape[1] * groups}")


def convolve_vjp_x(g, y, x, w, *bias, stride, pads, dilation, groups):
    return input_gradient(g, w, x, stride=stride, pads=pads, dilation=dilation, groups=groups)


def convolve_vjp_w(g, y, x, w, *bias, stride, pads, dilation, groups):
    return weight_gradient(x, g, w, stride=stride, pads=pads, dilation=dilation, groups=groups)


def convolve_vjp_bias(g, y, x, w, *bias, stride, pads, dilation, groups):
    return total(g, (0, *range(2, len(stride) + 2)))


# ----- its gradient by the input, which is also the transposed convolution
def convolve_input_kernel(xp, g, w, *sizes, size, stride, pads, dilation, groups):
    size, kernel, dtype, n = full_sizes(size, sizes), w.shape[2:], computed_in(g), g.shape[0]
    channels, out = w.shape[1] * groups, g.shape[2:]
    check_windows(g, size, kernel, stride, pads, dilation)
    weights = matrix_of(xp, w, groups, dtype).swapaxes(-1, -2)
    per_row = math.prod(out[1:]) * n
    gradients = batch_last(xp, g, ((0, 0),) * len(out), dtype).reshape(*weights.shape[:-2], weights.shape[-1],
                                                                      out[0] * per_row)
    padded = [s + before + after for s, (before, after) in zip(size, pads, strict=True)]
    x = xp.zeros((channels, *padded, n), dtype=dtype)
    for start, stop in slabs(xp, out, channels * math.prod(kernel) * per_row * dtype.itemsize):
        columns = xp.matmul(weights, gradients[..., start * per_row:stop * per_row])
        part = (stop - start, *out[1:])
        columns = columns.reshape(channels, *kernel, *part, n)
        below = x[:, start * stride[0]:]
        for place, slices in places(kernel, stride, dilation, part):
            below[(slice(None), *slices)] += columns[(slice(None), *place)]
    x = x[(slice(None), *[slice(before, before + s) for s, (before, _) in zip(size, pads, strict=True)])]
    x = xp.moveaxis(x, -1, 0)
    return x if dtype == g.dtype else x.astype(g.dtype)


def check_windows(g, size, kernel, stride, pads, dilation):
    """Refuse gradients of another size than that of the windows over an image of `size`."""
    out = windows_along(size, kernel, stride, pads, dilation)
    if g.shape[2:] != out:
        raise ShapeError(f"conv: windows of {kernel} over an image of {size} with paddings {pads} are {out}, not"
                         f" {g.shape[2:]}")


def convolve_input_infer(g, w, *sizes, size, stride, pads, dilation, groups):
    n, channels = Dim() if g.shape is None else g.shape[0], Dim()
    if w.shape is not None and isinstance(w.shape[1], int):
        channels = w.shape[1] * groups
    if g.shape is not None and w.shape is not None and not may_equal(g.shape[1], w.shape[0]):
        raise ShapeError(f"conv_transpose: input of shape {shape_text(g.shape)} has {g.shape[1]} channels, weight of"
                         f" shape {shape_text(w.shape)} expects {w.shape[0]}")
    return Aval((n, channels, *open_sizes(size)), g.dtype)


def convolve_input_vjp_g(t, y, g, w, *sizes, size, stride, pads, dilation, groups):
    return bind(convolve_p, t, w, stride=stride, pads=pads, dilation=dilation, groups=groups)


def convolve_input_vjp_w(t, y, g, w, *sizes, size, stride, pads, dilation, groups):
    return weight_gradient(t, g, w, stride=stride, pads=pads, dilation=dilation, groups=groups)


def input_gradient(g, w, like, **params):
    """What arrives at an input with the spatial sizes of `like`."""
    size, sizes = spatial_sizes(like)
    return bind(convolve_input_p, g, w, *sizes, size=size, **params)


# ----- its gradient by the weight
def convolve_weight_kernel(xp, x, g, *sizes, kernel, stride, pads, dilation, groups):
    kernel, dtype, out, n = full_sizes(kernel, sizes), computed_in(x), g.shape[2:], x.shape[0]
    check_windows(g, x.shape[2:], kernel, stride, pads, dilation)
    view = window_view(xp, batch_last(xp, x, pads, dtype), kernel, out, stride, dilation)
    per_row = math.prod(out[1:]) * n
    lead = () if groups == 1 else (groups,)
    gradients = batch_last(xp, g, ((0, 0),) * len(out), dtype).reshape(*lead, g.shape[1] // groups, out[0] * per_row)
    depth = x.shape[1] // groups * math.prod(kernel)
    w = None
    for start, stop in slabs(xp, out, x.shape[1] * math.prod(kernel) * per_row * dtype.itemsize):
        part = view[(slice(None),) * (1 + len(kernel)) + (slice(start, stop),)]
        columns = part.reshape(*lead, depth, (stop - start) * per_row).swapaxes(-1, -2)
        product = xp.matmul(gradients[..., start * per_row:stop * per_row], columns)
        w = product if w is None else w + product
    return w.reshape(g.shape[1], x.shape[1] // groups, *kernel).astype(x.dtype, copy=False)


def convolve_weight_infer(x, g, *sizes, kernel, stride, pads, dilation, groups):
    channels = Dim() if x.shape is None else x.shape[1]
    per_group = channels // groups if isinstance(channels, int) else channels if groups == 1 else Dim()
    return Aval((Dim() if g.shape is None else g.shape[1], per_group, *open_sizes(kernel)), x.dtype)


def convolve_weight_vjp_x(t, y, x, g, *sizes, kernel, stride, pads, dilation, groups):
    return input_gradient(g, t, x, stride=stride, pads=pads, dilation=dilation, groups=groups)


def convolve_weight_vjp_g(t, y, x, g, *sizes, kernel, stride, pads, dilation, groups):
    return bind(convolve_p, x, t, stride=stride, pads=pads, dilation=dilation, groups=groups)


def weight_gradient(x, g, like, **params):
    """What arrives at weights with the spatial sizes of `like`."""
    kernel, sizes = spatial_sizes(like)
    return bind(convolve_weight_p, x, g, *sizes, kernel=kernel, **params)


# ----- windows as columns, as operations of their own: (N, C, *size) to (N, C * window, windows) and back
def unfold_columns_kernel(xp, x, *, kernel, stride, pads, dilation):
    out = out_sizes("unfold", x, kernel, stride, pads, dilation)
    n, c = x.shape[:2]
    view = window_view(xp, batch_last(xp, x, pads, x.dtype), kernel, out, stride, dilation)
    columns = xp.empty((n, c, *kernel, *out), dtype=x.dtype)
    columns[...] = xp.moveaxis(view, -1, 0)
    return columns.reshape(n, c * math.prod(kernel), math.prod(out))


def unfold_columns_infer(x, *, kernel, stride, pads, dilation):
    if x.shape is None:
        return Aval((Dim(), Dim(), Dim()), x.dtype)
    out = out_sizes("unfold", x, kernel, stride, pads, dilation)
    count = Dim() if any([size.__class__ is Dim for size in out]) else math.prod(out)
    rows = x.shape[1] * math.prod(kernel) if isinstance(x.shape[1], int) else Dim()
    return Aval((x.shape[0], rows, count), x.dtype)


def unfold_columns_vjp(g, y, x, *, kernel, stride, pads, dilation):
    size, sizes = spatial_sizes(x)
    return bind(fold_columns_p, g, *sizes, size=size, kernel=kernel, stride=stride, pads=pads, dilation=dilation)


def fold_columns_kernel(xp, columns, *sizes, size, kernel, stride, pads, dilation):
    size = full_sizes(size, sizes)
    out = windows_along(size, kernel, stride, pads, dilation)
    n, c = columns.shape[0], columns.shape[1] // math.prod(kernel)
    parts = columns.reshape(n, c, *kernel, *out)
    padded = [s + before + after for s, (before, after) in zip(size, pads, strict=True)]
    x = xp.zeros((n, c, *padded), dtype=computed_in(columns))
    everywhere = (slice(None), slice(None))
    for place, slices in places(kernel, stride, dilation, out):
        x[(*everywhere, *slices)] += parts[(*everywhere, *place)]
    inside = [slice(before, before + s) for s, (before, _) in zip(size, pads, strict=True)]
    return x[(*everywhere, *inside)].astype(columns.dtype, copy=False)


def fold_columns_infer(columns, *sizes, size, kernel, stride, pads, dilation):
    new = open_sizes(size)
    if columns.shape is None:
        return Aval((Dim(), Dim(), *new), columns.dtype)
    count = Dim() if None in size else math.prod(windows_along(size, kernel, stride, pads, dilation))
    window, rows = math.prod(kernel), columns.shape[1]
    if (isinstance(rows, int) and rows % window) or not may_equal(columns.shape[2], count):
        raise ShapeError(f"fold: columns of shape {shape_text(columns.shape)} do not fit windows of {kernel} over"
                         f" {size}; expected (N, C * {window}, {count})")
    return Aval((columns.shape[0], rows // window if isinstance(rows, int) else Dim(), *new), columns.dtype)


def fold_columns_vjp(g, y, columns, *sizes, size, kernel, stride, pads, dilation):
    return bind(unfold_columns_p, g, kernel=kernel, stride=stride, pads=pads, dilation=dilation)


unfold_columns_p = declare("unfold_columns", unfold_columns_kernel, unfold_columns_infer, vjps=(unfold_columns_vjp,),
                           reads=((),))
fold_columns_p = declare("fold_columns", fold_columns_kernel, fold_columns_infer, vjps=(fold_columns_vjp,),
                         reads=((),))
convolve_p = declare("convolve", convolve_kernel, convolve_infer,
                     vjps=(convolve_vjp_x, convolve_vjp_w, convolve_vjp_bias), reads=({1}, {0}, ()), promote=same_float)
convolve_input_p = declare("convolve_input", convolve_input_kernel, convolve_input_infer,
                           vjps=(convolve_input_vjp_g, convolve_input_vjp_w), reads=({1}, {0}))
convolve_weight_p = declare("convolve_weight", convolve_weight_kernel, convolve_weight_infer,
                            vjps=(convolve_weight_vjp_x, convolve_weight_vjp_g), reads=({1}, {0}))


def convolve(x, w, stride, pads, dilation, groups=1):
    """The convolution of x (N, C, *size), padded by (before, after) a dimension, with w (O, C/groups, *kernel)."""
    return bind(convolve_p, x, w, stride=tuple(stride), pads=tuple(pads), dilation=tuple(dilation), groups=groups)


def same_pads(name, w, dilation):
    """Padding that keeps the size at stride 1; of an odd number, the greater half is behind."""
    pads = []
    for k, d in zip(w.shape[2:], dilation, strict=True):
        if k.__class__ is Dim:
            raise ShapeError(f"{name}: padding='same' follows from the sizes of the weight, which are unknown in shape"
                             f" {shape_text(w.shape)}")
        surplus = d * (k - 1)
        pads.append((surplus // 2, surplus - surplus // 2))
    return tuple(pads)


# ----- PyTorch's functions
def convolution(name, rank, x, w, bias, stride, padding, dilation, groups):
    """PyTorch's convN: padding by number or name, a bias, and input without a batch dimension."""
    if not is_image(name, x, rank):
        return squeeze(convolution(name, rank, unsqueeze(x, 0), w, bias, stride, padding, dilation, groups), 0)
    stride, dilation = numbers(name, stride, rank, 1), numbers(name, dilation, rank, 1)
    check_groups(name, groups)
    if padding == "same":
        if any([s != 1 for s in stride]):
            raise ShapeError(f"{name}: padding='same' needs stride 1")
        pads = same_pads(name, w, dilation)
    elif padding == "valid":
        pads = ((0, 0),) * rank
    elif isinstance(padding, str):
        raise InvalidArgumentError(f"{name}: padding must be numbers, 'same' or 'valid', not {padding!r}")
    else:
        pads = equal_pads(numbers(name, padding, rank))
    operands = (x, w) if bias is None else (x, w, bias)
    return bind(convolve_p, *operands, stride=stride, pads=pads, dilation=dilation, groups=groups)


def check_groups(name, groups):
    if groups < 1:
        raise InvalidArgumentError(f"{name}: groups must be at least 1, not {groups}")


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """1-D convolution: input (N, C, L), weight (O, C / groups, K). PyTorch: torch.nn.functional.conv1d."""
    return convolution("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """2-D convolution: input (N, C, H, W), weight (O, C / groups, KH, KW). PyTorch: torch.nn.functional.conv2d."""
    return convolution("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """3-D convolution: input (N, C, D, H, W), weight (O, C / groups, KD, KH, KW)."""
    return convolution("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def transposed(name, rank, x, w, bias, stride, padding, output_padding, groups, dilation):
    """The gradient of a convolution by its input, as an operation of its own: weight (C, O / groups, *kernel)."""
    if not is_image(name, x, rank):
        return squeeze(transposed(name, rank, unsqueeze(x, 0), w, bias, stride, padding, output_padding, groups,
                                  dilation), 0)
    if x.dtype != w.dtype:
        raise DtypeError(f"{name} expects operands of one dtype but got {x.dtype} and {w.dtype}; cast one of them")
    check_groups(name, groups)
    stride, dilation = numbers(name, stride, rank, 1), numbers(name, dilation, rank, 1)
    padding, extra = numbers(name, padding, rank), numbers(name, output_padding, rank)
    for e, s, d in zip(extra, stride, dilation, strict=True):
        if e >= s and e >= d:
            raise ShapeError(f"{name}: output_padding {e} must be smaller than stride {s} or dilation {d}")
    template, sizes, pads, beyond = [], [], [], []
    for i, (s, p, d, e) in enumerate(zip(stride, padding, dilation, extra, strict=True)):
        # output_padding of whole strides uncovers what the padding behind had cut off, and zeros beyond that
        uncovered = e - e % s
        zeros = max(uncovered - p, 0)
        size = (size_of(x, i + 2) - 1) * s + (size_of(w, i + 2) - 1) * d + (1 + e - 2 * p - zeros)
        pads.append((p, max(p - uncovered, 0)))
        beyond.append((0, zeros))
        if isinstance(size, int):
            if size < 1:
                raise ShapeError(f"{name}: the result would have size {size} along dimension {i + 2}, for input of"
                                 f" shape {shape_text(x.shape)}")
            template.append(size)
        else:  # only the running graph knows
            template.append(None)
            sizes.append(size)
    y = bind(convolve_input_p, x, w, *sizes, size=tuple(template), stride=stride, pads=tuple(pads), dilation=dilation,
             groups=groups)
    if any([zeros for _, zeros in beyond]):
        y = pad_axes(y, ((0, 0), (0, 0), *beyond))
    if bias is None:
        return y
    if bias.dtype != y.dtype:
        raise DtypeError(f"{name}: the bias is {bias.dtype}, input and weight are {y.dtype}; cast one of them")
    return add(y, reshape(bias, (-1, *[1] * rank)))


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """1-D transposed convolution: input (N, C, L), weight (C, O / groups, K)."""
    return transposed("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """2-D transposed convolution: input (N, C, H, W), weight (C, O / groups, KH, KW)."""
    return transposed("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """3-D transposed convolution: input (N, C, D, H, W), weight (C, O / groups, KD, KH, KW)."""
    return transposed("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def unfold_columns(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images (N, C, H, W) as columns (N, C * window, windows). PyTorch: torch.nn.functional.unfold."""
    if input.ndim == 3:
        return squeeze(unfold_columns(unsqueeze(input, 0), kernel_size, dilation, padding, stride), 0)
    is_image("unfold", input, 2)
    return bind(unfold_columns_p, input, kernel=numbers("unfold", kernel_size, 2, 1),
                stride=numbers("unfold", stride, 2, 1), pads=equal_pads(numbers("unfold", padding, 2)),
                dilation=numbers("unfold", dilation, 2, 1))


def fold_columns(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns (N, C * window, windows) added up to images (N, C, *output_size). PyTorch: torch.nn.functional.fold."""
    if input.ndim == 2:
        return squeeze(fold_columns(unsqueeze(input, 0), output_size, kernel_size, dilation, padding, stride), 0)
    if input.ndim != 3:
        raise ShapeError(f"fold: expected columns (N, C * window, windows), got shape {shape_text(input.shape)}")
    return bind(fold_columns_p, input, size=numbers("fold", output_size, 2, 1),
                kernel=numbers("fold", kernel_size, 2, 1), stride=numbers("fold", stride, 2, 1),
                pads=equal_pads(numbers("fold", padding, 2)), dilation=numbers("fold", dilation, 2, 1))
