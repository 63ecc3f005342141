"""Images in other sizes: pixel shuffling and interpolation.

Interpolation goes along one axis at a time: every element of the result is a sum of one, two or four neighbours, each
times a weight (`neighbours`). The adjoint adds them back where they came from.
"""

import math

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops.broadcasting import size_of
from minigrad.ops.pooling import adaptive_avg_pool
from minigrad.ops.shaping import permute, reshape

__all__ = ["interpolate", "pixel_shuffle", "pixel_unshuffle", "upsample"]


# ----- channels and pixels
def pixel_shuffle(input, upscale_factor):
    """(..., C * r * r, H, W) to (..., C, H * r, W * r): channels become pixels. Shi et al. (2016)."""
    r, (lead, c, h, w) = upscale_factor, image_sizes("pixel_shuffle", input)
    if r < 1 or (isinstance(c, int) and c % (r * r)):
        raise ShapeError(f"pixel_shuffle: {c} channels of shape {shape_text(input.shape)} cannot be divided by"
                         f" {r} * {r}")
    n = len(lead)
    x = reshape(input, (*lead, c // (r * r), r, r, h, w))
    x = permute(x, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(x, (*lead, c // (r * r), h * r, w * r))


def pixel_unshuffle(input, downscale_factor):
    """(..., C, H * r, W * r) to (..., C * r * r, H, W): the inverse of pixel_shuffle."""
    r, (lead, c, h, w) = downscale_factor, image_sizes("pixel_unshuffle", input)
    if r < 1 or any([isinstance(size, int) and size % r for size in (h, w)]):
        raise ShapeError(f"pixel_unshuffle: the last two sizes of shape {shape_text(input.shape)} cannot be divided by"
                         f" {r}")
    n = len(lead)
    x = reshape(input, (*lead, c, h // r, r, w // r, r))
    x = permute(x, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(x, (*lead, c * (r * r), h // r, w // r))


def image_sizes(name, x):
    """(leading sizes, channels, height, width), as graph nodes where they are unknown."""
    if x.ndim is None or x.ndim < 3:
        raise ShapeError(f"{name}: expected (..., channels, height, width), got shape {shape_text(x.shape)}")
    *lead, c, h, w = [size_of(x, axis) for axis in range(x.ndim)]
    return lead, c, h, w


# ----- where an element comes from
def neighbours(old, new, factor, mode, align_corners):
    """[(places, weights), ...]: element i of the result is the sum of x[places[i]] * weights[i] over the pairs.

    The weights are None for "nearest", which takes one element as it is.
    """
    scale = 1 / factor if factor else old / max(new, 1)
    number = np.arange(new)
    if mode in ("nearest", "nearest-exact"):
        # in single precision, as PyTorch rounds it
        shift = np.float32(0.5 if mode == "nearest-exact" else 0.0)
        places = np.floor((number.astype(np.float32) + shift) * np.float32(scale))
        return [(np.minimum(places, old - 1).astype(np.int64), None)]
    if align_corners:
        source = number * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        source = (number + 0.5) * scale - 0.5
    if mode == "linear":
        source = np.maximum(source, 0.0)
    low = np.floor(source)
    part = source - low
    shifts, weights = ((0, 1), (1 - part, part)) if mode == "linear" else ((-1, 0, 1, 2), cubic_weights(part))
    return [(np.clip(low + shift, 0, old - 1).astype(np.int64), w) for shift, w in zip(shifts, weights, strict=True)]


def cubic_weights(t, a=-0.75):
    """The weights of the four neighbours of a place `t` after the second. Keys (1981)."""
    near, far = t, 1 - t
    return (a * ((near + 1) ** 3 - 5 * (near + 1) ** 2 + 8 * (near + 1) - 4),
            (a + 2) * near**3 - (a + 3) * near**2 + 1,
            (a + 2) * far**3 - (a + 3) * far**2 + 1,
            a * ((far + 1) ** 3 - 5 * (far + 1) ** 2 + 8 * (far + 1) - 4))


def resized(old, size, factor):
    """The new size of an axis: given, or the old one times a factor."""
    return size if size is not None else math.floor(old * factor)


# ----- interpolation along an axis, and its adjoint
def resample_kernel(xp, x, *, axis, size, factor, scale_by, mode, align_corners):
    old = x.shape[axis]
    y, shape = None, [1] * x.ndim
    wide = x.astype(float32) if x.dtype == float16 else x
    for places, weights in neighbours(old, resized(old, size, factor), scale_by, mode, align_corners):
        term = xp.take(wide, xp.asarray(places), axis=axis)
        if weights is not None:
            shape[axis] = len(weights)
            term = term * xp.asarray(weights.astype(wide.dtype)).reshape(shape)
        y = term if y is None else y + term
    return y.astype(x.dtype, copy=False)


def resample_infer(x, *, axis, size, factor, scale_by, mode, align_corners):
    if x.shape is None:
        return Aval(None, x.dtype)
    old = x.shape[axis]
    new = size if size is not None else Dim() if old.__class__ is Dim else resized(old, size, factor)
    return Aval((*x.shape[:axis], new, *x.shape[axis + 1:]), x.dtype)


def resample_vjp(g, y, x, *, axis, size, factor, scale_by, mode, align_corners):
    old = size_of(x, axis)
    sizes = () if isinstance(old, int) else (old,)
    return bind(resample_adjoint_p, g, *sizes, axis=axis, old=None if sizes else old, size=size, factor=factor,
                scale_by=scale_by, mode=mode, align_corners=align_corners)


def resample_adjoint_kernel(xp, g, *sizes, axis, old, size, factor, scale_by, mode, align_corners):
    old = int(sizes[0]) if sizes else old
    dtype = float32 if g.dtype == float16 else g.dtype
    x = xp.zeros((*g.shape[:axis], old, *g.shape[axis + 1:]), dtype=dtype)
    before, shape = (slice(None),) * axis, [1] * g.ndim
    for places, weights in neighbours(old, g.shape[axis], scale_by, mode, align_corners):
        for chosen in without_repeats(places):
            part = g[(*before, xp.asarray(chosen))]
            if weights is not None:
                shape[axis] = len(chosen)
                part = part * xp.asarray(weights[chosen].astype(dtype)).reshape(shape)
            x[(*before, xp.asarray(places[chosen]))] += part
    return x.astype(g.dtype, copy=False)


def without_repeats(places):
    """Indices into the ascending `places`, in as many arrays as it takes for no place to be in one of them twice."""
    first = np.searchsorted(places, places)
    rank = np.arange(len(places)) - first
    return [np.nonzero(rank == r)[0] for r in range(int(rank.max(initial=-1)) + 1)]


def resample_adjoint_infer(g, *sizes, axis, old, size, factor, scale_by, mode, align_corners):
    if g.shape is None:
        return Aval(None, g.dtype)
    return Aval((*g.shape[:axis], Dim() if old is None else old, *g.shape[axis + 1:]), g.dtype)


def resample_adjoint_vjp(t, y, g, *sizes, axis, old, size, factor, scale_by, mode, align_corners):
    return bind(resample_p, t, axis=axis, size=size, factor=factor, scale_by=scale_by, mode=mode,
                align_corners=align_corners)


resample_p = declare("resample", resample_kernel, resample_infer, vjps=(resample_vjp,), reads=((),))
resample_adjoint_p = declare("resample_adjoint", resample_adjoint_kernel, resample_adjoint_infer,
                             vjps=(resample_adjoint_vjp,), reads=((),))


# ----- PyTorch's functions
ALONG_AXES = {"nearest": "nearest", "nearest-exact": "nearest-exact", "linear": "linear", "bilinear": "linear",
              "trilinear": "linear", "bicubic": "cubic"}
RANK = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """Images (N, C, *size) in another size. PyTorch: torch.nn.functional.interpolate.

    Args:
        size: of the result, a number or one for each dimension; or
        scale_factor: result over input, a number or one for each dimension.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area".
        align_corners: the centres of the corner pixels stay where they are, not the edges (linear and cubic modes).
        recompute_scale_factor: places follow from the sizes that come out, not from `scale_factor`.
        antialias: not offered.

    Raises:
        ShapeError: the mode is for another number of dimensions, or a size would be 0.
    """
    if input.ndim is None or input.ndim < 3:
        raise ShapeError(f"interpolate: expected images (N, C, *size), got shape {shape_text(input.shape)}")
    if input.dtype.kind != "f" and mode not in ("nearest", "nearest-exact"):
        raise DtypeError(f"interpolate: mode {mode!r} is defined for floats, not for {input.dtype}")
    rank = input.ndim - 2
    if mode != "area" and mode not in ALONG_AXES:
        raise InvalidArgumentError(f"interpolate: there is no mode {mode!r}; use one of {', '.join(ALONG_AXES)}, area")
    if RANK.get(mode, rank) != rank:
        raise ShapeError(f"interpolate: mode {mode!r} is for {RANK[mode]} dimensions besides batch and channels, but"
                         f" the input has shape {shape_text(input.shape)}")
    if align_corners is not None and mode not in RANK:
        raise InvalidArgumentError(f"interpolate: align_corners has no meaning for mode {mode!r}")
    if antialias:
        raise InvalidArgumentError("interpolate: antialias is not offered")
    sizes, factors = new_sizes(input, rank, size, scale_factor)
    if mode == "area":
        known = [resized(input.shape[2 + i], s, f) for i, (s, f) in enumerate(zip(sizes, factors, strict=True))]
        return adaptive_avg_pool("interpolate", rank, input, tuple(known))
    x = input
    for i, (new, factor) in enumerate(zip(sizes, factors, strict=True)):
        x = bind(resample_p, x, axis=2 + i, size=new, factor=factor, mode=ALONG_AXES[mode],
                 scale_by=None if recompute_scale_factor else factor, align_corners=bool(align_corners))
    return x


def new_sizes(x, rank, size, scale_factor):
    """(sizes, factors) for each dimension; one of the two is None in each place."""
    if (size is None) == (scale_factor is None):
        raise InvalidArgumentError("interpolate: give either size or scale_factor")
    given = size if scale_factor is None else scale_factor
    given = list(given) if isinstance(given, tuple | list) else [given] * rank
    if len(given) != rank:
        raise ShapeError(f"interpolate: expected a number or {rank} of them, got {given}")
    for old, number in zip(x.shape[2:], given, strict=True):
        if number <= 0 or (size is None and old.__class__ is not Dim and resized(old, None, number) < 1):
            raise ShapeError(f"interpolate: {number} leaves nothing of a size of {old} in shape {shape_text(x.shape)}")
    if size is None:
        return [None] * rank, [float(f) for f in given]
    return [int(n) for n in given], [None] * rank


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Another name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
