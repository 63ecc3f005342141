"""Convolution in any number of dimensions, and its two gradients: three primitives that are each other's derivatives.

Windows of the input are laid out as columns (a strided view, copied once), so that the sum over a window is a matrix
product. ``convolve(x, w)`` takes (N, C, *size) and (O, C / groups, *kernel).
"""

import math

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops.arithmetic import add
from minigrad.ops.padding import pad_axes
from minigrad.ops.promotion import same_float
from minigrad.ops.shaping import reshape, squeeze, unsqueeze

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold_columns",
           "unfold_columns"]


# ----- windows as columns
def columns(xp, x, kernel, stride, dilation, groups):
    """The windows of x (N, C, *size) as (N, groups, C / groups * window, number of windows)."""
    n, c = x.shape[:2]
    out = windows_along(x.shape[2:], kernel, stride, dilation)
    steps = x.strides[2:]
    shape = (n, c, *kernel, *out)
    strides = (*x.strides[:2], *[s * d for s, d in zip(steps, dilation, strict=True)],
               *[s * t for s, t in zip(steps, stride, strict=True)])
    view = xp.lib.stride_tricks.as_strided(x, shape, strides)
    return view.reshape(n, groups, c // groups * math.prod(kernel), math.prod(out))


def windows_along(sizes, kernel, stride, dilation):
    """How many windows there are along each dimension."""
    return tuple([(size - d * (k - 1) - 1) // s + 1
                  for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)])


def add_columns(xp, gcolumns, shape, kernel, stride, dilation):
    """The adjoint of `columns`: each column added where its window was."""
    n, c = shape[:2]
    out = windows_along(shape[2:], kernel, stride, dilation)
    parts = gcolumns.reshape(n, c, math.prod(kernel), *out)
    x = xp.zeros(shape, dtype=gcolumns.dtype)
    for number in range(math.prod(kernel)):
        place, rest = [], number
        for k in kernel[::-1]:
            rest, position = divmod(rest, k)
            place.insert(0, position)
        index = [slice(p * d, p * d + s * (o - 1) + 1, s)
                 for p, d, s, o in zip(place, dilation, stride, out, strict=True)]
        x[(slice(None), slice(None), *index)] += parts[:, :, number]
    return x


# ----- the convolution
def convolve_kernel(xp, x, w, *, stride, dilation, groups):
    kernel = w.shape[2:]
    out = windows_along(x.shape[2:], kernel, stride, dilation)
    cols = columns(xp, x, kernel, stride, dilation, groups)
    y = xp.matmul(w.reshape(groups, w.shape[0] // groups, math.prod(w.shape[1:])), cols)
    return y.reshape(x.shape[0], w.shape[0], *out)


def convolve_infer(x, w, *, stride, dilation, groups):
    check_convolution("conv", x, w, groups)
    if x.shape is None or w.shape is None:
        return Aval(None, x.dtype)
    return Aval((x.shape[0], w.shape[0], *out_sizes("conv", x, w.shape[2:], stride, dilation)), x.dtype)


def check_convolution(name, x, w, groups):
    """Ranks and channels fit."""
    if x.shape is None or w.shape is None:
        return
    if len(x.shape) != len(w.shape):
        raise ShapeError(f"{name}: input of shape {shape_text(x.shape)} and weight of shape {shape_text(w.shape)} have"
                         " different numbers of dimensions")
    if isinstance(w.shape[1], int) and not may_equal(x.shape[1], w.shape[1] * groups):
        raise ShapeError(f"{name}: input of shape {shape_text(x.shape)} has {x.shape[1]} channels, but weight of shape"
                         f" {shape_text(w.shape)} with groups={groups} expects {w.shape[1] * groups}")
    if isinstance(w.shape[0], int) and w.shape[0] % groups:
        raise ShapeError(f"{name}: {w.shape[0]} output channels cannot be divided into {groups} groups")


def out_sizes(name, x, kernel, stride, dilation):
    """The sizes of the result; unknown where the input's are."""
    sizes = []
    for size, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True):
        if isinstance(size, Dim) or isinstance(k, Dim):
            sizes.append(size if k == 1 and s == 1 else Dim())
            continue
        if size < d * (k - 1) + 1:
            raise ShapeError(f"{name}: a window of {d * (k - 1) + 1} does not fit into size {size} of shape"
                             f" {shape_text(x.shape)} (padding included)")
        sizes.append((size - d * (k - 1) - 1) // s + 1)
    return tuple(sizes)


def convolve_vjp_x(g, y, x, w, *, stride, dilation, groups):
    return input_gradient(g, w, x.shape[2:], stride, dilation, groups)


def convolve_vjp_w(g, y, x, w, *, stride, dilation, groups):
    return bind(convolve_weight_p, x, g, kernel=w.shape[2:], stride=stride, dilation=dilation, groups=groups)


# ----- its gradient by the input, which is also the transposed convolution
def convolve_input_kernel(xp, g, w, *, size, stride, dilation, groups):
    n, out_channels = g.shape[:2]
    per_group = w.shape[1] * math.prod(w.shape[2:])
    w2 = w.reshape(groups, out_channels // groups, per_group)
    gcolumns = xp.matmul(w2.swapaxes(-1, -2), g.reshape(n, groups, out_channels // groups, math.prod(g.shape[2:])))
    return add_columns(xp, gcolumns, (n, w.shape[1] * groups, *size), w.shape[2:], stride, dilation)


def convolve_input_infer(g, w, *, size, stride, dilation, groups):
    return Aval((g.shape[0], w.shape[1] * groups, *size), g.dtype)


def convolve_input_vjp_g(t, y, g, w, *, size, stride, dilation, groups):
    return bind(convolve_p, t, w, stride=stride, dilation=dilation, groups=groups)


def convolve_input_vjp_w(t, y, g, w, *, size, stride, dilation, groups):
    return bind(convolve_weight_p, t, g, kernel=w.shape[2:], stride=stride, dilation=dilation, groups=groups)


def input_gradient(g, w, size, stride, dilation, groups):
    """What arrives at an input of spatial shape `size`."""
    if any([isinstance(s, Dim) for s in size]):
        raise ShapeError("the gradient of a convolution by its input needs a known image size; only the batch may be"
                         " left open in a graph")
    return bind(convolve_input_p, g, w, size=tuple(size), stride=stride, dilation=dilation, groups=groups)


# ----- its gradient by the weight
def convolve_weight_kernel(xp, x, g, *, kernel, stride, dilation, groups):
    n, out_channels = g.shape[:2]
    cols = columns(xp, x, kernel, stride, dilation, groups)
    g2 = g.reshape(n, groups, out_channels // groups, math.prod(g.shape[2:]))
    w = xp.add.reduce(xp.matmul(g2, cols.swapaxes(-1, -2)), axis=0)
    return w.reshape(out_channels, x.shape[1] // groups, *kernel)


def convolve_weight_infer(x, g, *, kernel, stride, dilation, groups):
    channels = x.shape[1]
    return Aval((g.shape[1], channels // groups if isinstance(channels, int) else Dim(), *kernel), x.dtype)


def convolve_weight_vjp_x(t, y, x, g, *, kernel, stride, dilation, groups):
    return input_gradient(g, t, x.shape[2:], stride, dilation, groups)


def convolve_weight_vjp_g(t, y, x, g, *, kernel, stride, dilation, groups):
    return bind(convolve_p, x, t, stride=stride, dilation=dilation, groups=groups)


# ----- windows as columns, as operations of their own
def unfold_columns_kernel(xp, x, *, kernel, stride, dilation):
    cols = columns(xp, x, kernel, stride, dilation, 1)
    return cols.reshape(cols.shape[0], *cols.shape[2:])


def unfold_columns_infer(x, *, kernel, stride, dilation):
    out = out_sizes("unfold", x, kernel, stride, dilation)
    count = Dim() if any([isinstance(size, Dim) for size in out]) else math.prod(out)
    return Aval((x.shape[0], x.shape[1] * math.prod(kernel), count), x.dtype)


def unfold_columns_vjp(g, y, x, *, kernel, stride, dilation):
    return bind(fold_columns_p, g, size=x.shape[2:], kernel=kernel, stride=stride, dilation=dilation)


def fold_columns_kernel(xp, cols, *, size, kernel, stride, dilation):
    shape = (cols.shape[0], cols.shape[1] // math.prod(kernel), *size)
    return add_columns(xp, cols, shape, kernel, stride, dilation)


def fold_columns_infer(cols, *, size, kernel, stride, dilation):
    count = math.prod(windows_along(size, kernel, stride, dilation))
    if (isinstance(cols.shape[1], int) and cols.shape[1] % math.prod(kernel)) or not may_equal(cols.shape[2], count):
        raise ShapeError(f"fold: columns of shape {shape_text(cols.shape)} do not fit windows of {kernel} over {size}")
    return Aval((cols.shape[0], cols.shape[1] // math.prod(kernel), *size), cols.dtype)


def fold_columns_vjp(g, y, cols, *, size, kernel, stride, dilation):
    return bind(unfold_columns_p, g, kernel=kernel, stride=stride, dilation=dilation)


unfold_columns_p = declare("unfold_columns", unfold_columns_kernel, unfold_columns_infer, vjps=(unfold_columns_vjp,),
                           reads=((),), views=True)
fold_columns_p = declare("fold_columns", fold_columns_kernel, fold_columns_infer, vjps=(fold_columns_vjp,),
                         reads=((),))
convolve_p = declare("convolve", convolve_kernel, convolve_infer, vjps=(convolve_vjp_x, convolve_vjp_w),
                     reads=({1}, {0}), promote=same_float)
convolve_input_p = declare("convolve_input", convolve_input_kernel, convolve_input_infer,
                           vjps=(convolve_input_vjp_g, convolve_input_vjp_w), reads=({1}, {0}), promote=same_float)
convolve_weight_p = declare("convolve_weight", convolve_weight_kernel, convolve_weight_infer,
                            vjps=(convolve_weight_vjp_x, convolve_weight_vjp_g), reads=({1}, {0}), promote=same_float)


def convolve(x, w, stride, pads, dilation, groups=1):
    """The convolution of x (N, C, *size), padded by (before, after) a dimension, with w (O, C/groups, *kernel)."""
    if any([before or after for before, after in pads]):
        x = pad_axes(x, ((0, 0), (0, 0), *pads))
    return bind(convolve_p, x, w, stride=tuple(stride), dilation=tuple(dilation), groups=groups)


def numbers(name, value, rank):
    """A number for each spatial dimension."""
    values = (value,) * rank if isinstance(value, int) else tuple([int(v) for v in value])
    if len(values) == 1:
        values = values * rank
    if len(values) != rank:
        raise ShapeError(f"{name}: expected a number or {rank} of them, got {value}")
    return values


def same_pads(kernel, dilation):
    """Padding that keeps the size at stride 1."""
    pads = []
    for k, d in zip(kernel, dilation, strict=True):
        total = d * (k - 1)
        pads.append((total // 2, total - total // 2))
    return tuple(pads)


def convolution(name, rank, x, w, bias, stride, padding, dilation, groups):
    """PyTorch's convN: padding by number or name, a bias, and input without a batch dimension."""
    if x.ndim == rank + 1:
        return squeeze(convolution(name, rank, unsqueeze(x, 0), w, bias, stride, padding, dilation, groups), 0)
    if x.ndim != rank + 2:
        raise ShapeError(f"{name}: expected input with {rank + 2} dimensions (or {rank + 1} without a batch), got shape"
                         f" {shape_text(x.shape)}")
    stride, dilation = numbers(name, stride, rank), numbers(name, dilation, rank)
    if padding == "same":
        if any([s != 1 for s in stride]):
            raise ShapeError(f"{name}: padding='same' needs stride 1")
        pads = same_pads(w.shape[2:], dilation)
    elif padding == "valid":
        pads = ((0, 0),) * rank
    else:
        pads = tuple([(p, p) for p in numbers(name, padding, rank)])
    y = convolve(x, w, stride, pads, dilation, groups)
    return y if bias is None else add(y, reshape(bias, (-1, *[1] * rank)))


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
    if x.ndim == rank + 1:
        return squeeze(transposed(name, rank, unsqueeze(x, 0), w, bias, stride, padding, output_padding, groups,
                                  dilation), 0)
    if x.ndim != rank + 2:
        raise ShapeError(f"{name}: expected input with {rank + 2} dimensions, got shape {shape_text(x.shape)}")
    stride, dilation = numbers(name, stride, rank), numbers(name, dilation, rank)
    padding, extra = numbers(name, padding, rank), numbers(name, output_padding, rank)
    for e, s, d in zip(extra, stride, dilation, strict=True):
        if e >= s and e >= d:
            raise ShapeError(f"{name}: output_padding {e} must be smaller than stride {s} or dilation {d}")
    sizes = []
    for size, k, s, d, e in zip(x.shape[2:], w.shape[2:], stride, dilation, extra, strict=True):
        sizes.append((size - 1) * s + d * (k - 1) + 1 + e)
    y = input_gradient(x, w, tuple(sizes), stride, dilation, groups)
    if any(padding):
        y = pad_axes(y, ((0, 0), (0, 0), *[(-p, -p) for p in padding]))
    return y if bias is None else add(y, reshape(bias, (-1, *[1] * rank)))


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
    rank = input.ndim - 2
    pads = tuple([(p, p) for p in numbers("unfold", padding, rank)])
    if any([p for p, _ in pads]):
        input = pad_axes(input, ((0, 0), (0, 0), *pads))
    return bind(unfold_columns_p, input, kernel=numbers("unfold", kernel_size, rank),
                stride=numbers("unfold", stride, rank), dilation=numbers("unfold", dilation, rank))


def fold_columns(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns (N, C * window, windows) added up to images (N, C, *output_size). PyTorch: torch.nn.functional.fold."""
    if input.ndim == 2:
        return squeeze(fold_columns(unsqueeze(input, 0), output_size, kernel_size, dilation, padding, stride), 0)
    size = numbers("fold", output_size, 2)
    padding = numbers("fold", padding, 2)
    padded = tuple([n + 2 * p for n, p in zip(size, padding, strict=True)])
    y = bind(fold_columns_p, input, size=padded, kernel=numbers("fold", kernel_size, 2),
             stride=numbers("fold", stride, 2), dilation=numbers("fold", dilation, 2))
    return pad_axes(y, ((0, 0), (0, 0), *[(-p, -p) for p in padding])) if any(padding) else y
