"""Normalisations: of layers, groups, batches and instances, by root mean squares, by lengths.

Two primitives do the numeric work in few passes over the data, forwards (`standardize`, `rms_scale`) and backwards
(`standardize_slope`); the affine maps after them are ordinary arithmetic.
"""

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float64
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.arithmetic import rsqrt, sqrt
from minigrad.ops.axes import reduced_shape
from minigrad.ops.broadcasting import broadcast_like
from minigrad.ops.casting import cast
from minigrad.ops.exponential import pow as power
from minigrad.ops.padding import pad
from minigrad.ops.reduction import count_of, dot_over, mean, sum as total, vector_norm, widened
from minigrad.ops.scans import along
from minigrad.ops.selection import clamp_min
from minigrad.ops.shaping import reshape, reshape_as, squeeze, unsqueeze
from minigrad.ops.statistics import count_in

__all__ = ["batch_norm", "batch_norm_with_stats", "group_norm", "instance_norm", "layer_norm", "local_response_norm",
           "normalize", "rms_norm"]


# ----- what the kernels share
def in_dtype(arrays, dtype):
    """Arrays in the dtype of the operand, which is another one only for half precision."""
    return tuple([a if a.dtype == dtype else a.astype(dtype) for a in arrays])


def check_float(name, x):
    """Raises DtypeError unless `x` holds floats."""
    if x.dtype.kind != "f":
        raise DtypeError(f"{name} is defined for floats, not for {x.dtype}; cast it first, for example to float32")


# ----- (h, mean, variance): h = (x - mean) / sqrt(variance + eps), each row over `axes` with mean 0 and variance 1
def standardize_kernel(xp, x, *, axes, eps):
    wide = widened(x)
    count = count_in(x.shape, axes)
    average = xp.true_divide(wide.sum(axis=axes, keepdims=True), count)
    h = wide - average
    variance = xp.true_divide(dot_over(xp, h, h, axes), count)
    h *= xp.reciprocal(xp.sqrt(variance + eps))
    return in_dtype((h, average, variance), x.dtype)


def standardize_infer(x, *, axes, eps):
    check_float("standardize", x)
    rows = Aval(reduced_shape(x.shape, axes, True), x.dtype)
    return Aval(x.shape, x.dtype), rows, rows


def standardize_joint(g, y, x, *, needed, axes, eps):
    g_h, g_mean, g_variance = g
    h, _, variance = y
    result = None
    if g_h is not None:
        result = bind(standardize_slope_p, g_h, h, rsqrt(variance + eps), axes=axes, centre=True)
    if g_mean is not None:
        part = broadcast_like(g_mean / count_of(x, axes), x)
        result = part if result is None else result + part
    if g_variance is not None:
        part = g_variance * sqrt(variance + eps) * h * 2 / count_of(x, axes)
        result = part if result is None else result + part
    return (result,)


standardize_p = declare("standardize", standardize_kernel, standardize_infer, joint=standardize_joint, reads={"y"},
                        multiple=True)


# ----- (h, mean square): h = x / sqrt(mean square + eps)
def rms_scale_kernel(xp, x, *, axes, eps):
    wide = widened(x)
    square = xp.true_divide(dot_over(xp, wide, wide, axes), count_in(x.shape, axes))
    return in_dtype((wide * xp.reciprocal(xp.sqrt(square + eps)), square), x.dtype)


def rms_scale_infer(x, *, axes, eps):
    check_float("rms_scale", x)
    return Aval(x.shape, x.dtype), Aval(reduced_shape(x.shape, axes, True), x.dtype)


def rms_scale_joint(g, y, x, *, needed, axes, eps):
    g_h, g_square = g
    h, square = y
    result = None
    if g_h is not None:
        result = bind(standardize_slope_p, g_h, h, rsqrt(square + eps), axes=axes, centre=False)
    if g_square is not None:
        part = g_square * sqrt(square + eps) * h * 2 / count_of(x, axes)
        result = part if result is None else result + part
    return (result,)


rms_scale_p = declare("rms_scale", rms_scale_kernel, rms_scale_infer, joint=rms_scale_joint, reads={"y"},
                      multiple=True)


# ----- r * (g - mean(g) - h * mean(g * h)), mean(g) left out unless `centre`: linear in g, and symmetric but for r
def standardize_slope_kernel(xp, g, h, r, *, axes, centre):
    wide, h = widened(g), widened(h)
    count = count_in(g.shape, axes)
    y = h * xp.true_divide(-dot_over(xp, wide, h, axes), count)
    y += wide
    if centre:
        y -= xp.true_divide(wide.sum(axis=axes, keepdims=True), count)
    y *= r
    return y if y.dtype == g.dtype else y.astype(g.dtype)


def standardize_slope_infer(g, h, r, *, axes, centre):
    shape = h.shape if g.shape is None else g.shape
    reduced_shape(shape, axes, True)
    return Aval(shape, g.dtype)


def standardize_slope_vjp_g(t, y, g, h, r, *, axes, centre):
    return bind(standardize_slope_p, t, h, r, axes=axes, centre=centre)


def standardize_slope_vjp_h(t, y, g, h, r, *, axes, centre):
    t = t * r
    sums = t * total(g * h, axes, True) + g * total(t * h, axes, True)
    return -sums / count_of(h, axes)


def standardize_slope_vjp_r(t, y, g, h, r, *, axes, centre):
    return total(t * y, axes, True) / r


standardize_slope_p = declare("standardize_slope", standardize_slope_kernel, standardize_slope_infer,
                              vjps=(standardize_slope_vjp_g, standardize_slope_vjp_h, standardize_slope_vjp_r),
                              reads=({1, 2}, {0, 1, 2}, {"y", 2}))


# ----- affine maps
def scaled(x, weight, bias):
    """x * weight + bias, either of which may be None."""
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def on_channels(vector, x):
    """A vector with an element for each channel (axis 1) of `x`, so that it broadcasts; None stays."""
    if vector is None:
        return None
    for _ in range(x.ndim - channel_axis(x) - 1):
        vector = unsqueeze(vector, -1)
    return vector


def channel_axis(x):
    """The axis of the channels: 1, or 0 for a vector."""
    return min(1, x.ndim - 1)


def check_channels(name, x, **vectors):
    """Refuse vectors that do not have an element for each channel.

    Raises:
        ShapeError: one of them does not fit, or `x` has no channels.
        DtypeError: `x` does not hold floats.
    """
    if x.ndim == 0:
        raise ShapeError(f"{name}: expected an input of shape (batch, channels, ...), not ()")
    check_float(name, x)
    channels = x.shape[channel_axis(x)]
    for what, vector in vectors.items():
        if vector is not None and vector.shape is not None:
            if len(vector.shape) != 1 or not may_equal(vector.shape[0], channels):
                raise ShapeError(f"{name}: {what} must have one element for each of the {channels} channels of an input"
                                 f" of shape {shape_text(x.shape)}, but has shape {shape_text(vector.shape)}")


def last_axes(name, x, normalized_shape, **tensors):
    """The axes that `normalized_shape`, an int or the last sizes of `x`, stands for.

    Raises:
        ShapeError: `x`, or a tensor among the others, does not fit.
        DtypeError: `x` does not hold floats.
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    own = x.shape[x.ndim - len(shape):] if len(shape) <= x.ndim else ()
    if not shape or len(own) != len(shape) or not all(map(may_equal, own, shape)):
        raise ShapeError(f"{name}: normalized_shape {shape_text(shape)} must be the last sizes of the input, which has"
                         f" shape {shape_text(x.shape)}")
    check_float(name, x)
    for what, tensor in tensors.items():
        if tensor is not None and tensor.shape is not None and tensor.shape != shape:
            raise ShapeError(f"{name}: {what} must have normalized_shape {shape_text(shape)}, not"
                             f" {shape_text(tensor.shape)}")
    return tuple(range(x.ndim - len(shape), x.ndim))


# ----- what users call
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """`input` with mean 0 and variance 1 over its last dimensions, times `weight` plus `bias` (Ba, Kiros, Hinton 2016).

    Args:
        normalized_shape: the sizes of those dimensions; weight and bias have this shape.
        eps: added to the variance.

    Raises:
        ShapeError: shapes do not fit.
        DtypeError: not a float tensor.
    """
    axes = last_axes("layer_norm", input, normalized_shape, weight=weight, bias=bias)
    return scaled(bind(standardize_p, input, axes=axes, eps=eps)[0], weight, bias)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """`input` over the root of the mean of its squares over its last dimensions, times `weight` (Zhang, Sennrich 2019).

    Args:
        normalized_shape: the sizes of those dimensions; the weight has this shape.
        eps: added to the mean square; None is the smallest step of the dtype at 1.

    Raises:
        ShapeError: shapes do not fit.
        DtypeError: not a float tensor.
    """
    axes = last_axes("rms_norm", input, normalized_shape, weight=weight)
    eps = float(np.finfo(input.dtype).eps) if eps is None else eps
    return scaled(bind(rms_scale_p, input, axes=axes, eps=eps)[0], weight, None)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """`input` (N, C, ...) with mean 0 and variance 1 in each group of channels, times `weight` plus `bias`.

    Wu, He: Group Normalization, 2018. Weight and bias have one element for each channel.

    Raises:
        ShapeError: the channels do not make `num_groups` equal groups, or weight or bias do not fit.
        DtypeError: not a float tensor.
    """
    check_channels("group_norm", input, weight=weight, bias=bias)
    if input.ndim < 2 or (isinstance(input.shape[1], int) and input.shape[1] % num_groups):
        raise ShapeError(f"group_norm: the channels (dimension 1) of shape {shape_text(input.shape)} cannot be divided"
                         f" into {num_groups} groups")
    if 0 in input.shape:
        return scaled(input, on_channels(weight, input), on_channels(bias, input))  # nothing to normalise
    groups = reshape(input, (input.shape[0], num_groups, -1))
    h = reshape_as(bind(standardize_p, groups, axes=(2,), eps=eps)[0], input)
    return scaled(h, on_channels(weight, input), on_channels(bias, input))


def batch_norm_with_stats(input, weight=None, bias=None, eps=1e-5):
    """(y, mean, variance): `input` (N, C, ...) with mean 0 and variance 1 in each channel, times `weight` plus `bias`.

    `mean` and `variance` are those of the batch, one for each channel; the variance is the biased one, divided by the
    number of elements.

    Raises: as `batch_norm`.
    """
    check_channels("batch_norm", input, weight=weight, bias=bias)
    axes = tuple([axis for axis in range(input.ndim) if axis != channel_axis(input)])
    if count_of(input, axes) == 1 and 0 not in input.shape:
        raise ShapeError(f"batch_norm: more than one value for each channel is needed in training, but the input has"
                         f" shape {shape_text(input.shape)}; use a bigger batch, or evaluation mode")
    h, average, variance = bind(standardize_p, input, axes=axes, eps=eps)
    y = scaled(h, on_channels(weight, input), on_channels(bias, input))
    return y, without_axes(average, axes), without_axes(variance, axes)


def without_axes(x, axes):
    """`x` without the axes of size 1 at which it was reduced."""
    return squeeze(x, axes)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """`input` (N, C, ...) normalised in each channel, times `weight` plus `bias` (Ioffe, Szegedy 2015).

    Args:
        running_mean, running_var: of each channel; used for the normalisation unless `training`, and updated in place
            if `training` and they can be written (Tensors); None keeps no account.
        training: normalise by the mean and (biased) variance of this batch.
        momentum: the share of this batch's mean and (unbiased) variance in the updated running ones.
        eps: added to the variance.

    Raises:
        ShapeError: a vector does not fit the channels, or a channel has only one value in training.
        DtypeError: not a float tensor.
    """
    check_channels("batch_norm", input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training and running_mean is not None and running_var is not None:
        return by_running_stats(input, running_mean, running_var, weight, bias, eps)
    y, average, variance = batch_norm_with_stats(input, weight, bias, eps)
    if training:
        count = count_of(input, tuple([axis for axis in range(input.ndim) if axis != channel_axis(input)]))
        update_running(running_mean, average, momentum)
        update_running(running_var, unbiased(variance, count), momentum)
    return y


def unbiased(variance, count):
    """A variance divided by `count` elements as one divided by one less."""
    if isinstance(count, int):
        return variance * (count / max(count - 1, 1))
    count = cast(count, float64)
    return variance * (count / clamp_min(count - 1, 1.0))


def by_running_stats(x, running_mean, running_var, weight, bias, eps):
    """(x - running_mean) / sqrt(running_var + eps) * weight + bias as one product and one sum over the data."""
    scale = rsqrt(running_var + eps)
    if weight is not None:
        scale = scale * weight
    shift = -running_mean * scale
    if bias is not None:
        shift = shift + bias
    return x * on_channels(scale, x) + on_channels(shift, x)


def update_running(running, new, momentum):
    """Move `running` towards `new` in place, where it can be written; graph nodes and arrays are left alone."""
    if running is None or not hasattr(running, "copy_"):
        return
    running = running.detach()
    running.copy_(running * (1 - momentum) + new.detach() * momentum)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):
    """`input` (N, C, ...) with mean 0 and variance 1 in each channel of each example, times `weight` plus `bias`.

    Ulyanov, Vedaldi, Lempitsky: Instance Normalization, 2016.

    Args:
        running_mean, running_var: as in `batch_norm`, of the means over the batch.
        use_input_stats: False normalises by the running mean and variance.

    Raises:
        ShapeError: a vector does not fit the channels, or a channel of an example has only one value.
        DtypeError: not a float tensor.
    """
    check_channels("instance_norm", input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ShapeError("instance_norm: running_mean and running_var are needed where use_input_stats is False")
        return by_running_stats(input, running_mean, running_var, weight, bias, eps)
    axes = tuple(range(2, input.ndim))
    count = count_of(input, axes)
    if count == 1:
        raise ShapeError(f"instance_norm: more than one value for each channel of an example is needed, but the input"
                         f" has shape {shape_text(input.shape)}")
    h, average, variance = bind(standardize_p, input, axes=axes, eps=eps)
    if running_mean is not None:
        update_running(running_mean, mean(without_axes(average, axes), 0), momentum)
    if running_var is not None:
        update_running(running_var, mean(without_axes(unbiased(variance, count), axes), 0), momentum)
    return scaled(h, on_channels(weight, input), on_channels(bias, input))


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """`input` (N, C, ...) / (k + alpha * a) ** beta, a the mean of squares over `size` channels around each, zeros
    beyond the ends (Krizhevsky, Sutskever, Hinton 2012).

    Raises:
        ShapeError: fewer than three dimensions.
    """
    if input.ndim < 3:
        raise ShapeError(f"local_response_norm: expected an input of shape (batch, channels, ...) with at least three"
                         f" dimensions, not {shape_text(input.shape)}")
    padded = pad(input * input, (0, 0) * (input.ndim - 2) + (size // 2, (size - 1) // 2))
    squares = along(padded, 1, slice(0, 1 - size or None))
    for i in range(1, size):
        squares = squares + along(padded, 1, slice(i, i + 1 - size or None))
    return input / power(squares * (alpha / size) + k, beta)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """`input` over its `p`-norm along `dim`, which counts as `eps` at least. PyTorch: torch.nn.functional.normalize."""
    return input / clamp_min(vector_norm(input, p, dim, True), eps)
