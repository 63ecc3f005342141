"""Images in other sizes: pixel shuffling and interpolation."""

import math

import numpy as np

from minigrad.core.dims import shape_text
from minigrad.errors import ShapeError
from minigrad.ops.indexing import index_select
from minigrad.ops.pooling import adaptive_avg_pool
from minigrad.ops.shaping import permute, reshape

__all__ = ["interpolate", "pixel_shuffle", "pixel_unshuffle"]


def pixel_shuffle(input, upscale_factor):
    """(..., C * r * r, H, W) to (..., C, H * r, W * r): channels become pixels (Shi 2016)."""
    r = upscale_factor
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise ShapeError(f"pixel_shuffle: {c} channels of shape {shape_text(input.shape)} cannot be divided by {r * r}")
    n = len(lead)
    x = reshape(input, (*lead, c // (r * r), r, r, h, w))
    x = permute(x, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(x, (*lead, c // (r * r), h * r, w * r))


def pixel_unshuffle(input, downscale_factor):
    """(..., C, H * r, W * r) to (..., C * r * r, H, W): the inverse of pixel_shuffle."""
    r = downscale_factor
    *lead, c, h, w = input.shape
    if h % r or w % r:
        raise ShapeError(f"pixel_unshuffle: sizes {h} and {w} of shape {shape_text(input.shape)} cannot be divided by"
                         f" {r}")
    n = len(lead)
    x = reshape(input, (*lead, c, h // r, r, w // r, r))
    x = permute(x, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(x, (*lead, c * r * r, h // r, w // r))


# ----- interpolation: along one axis at a time, as a weighted sum of picked slices
MODES = {"nearest": 0, "nearest-exact": 0, "linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2, "area": 0}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """Images (N, C, *size) in another size. PyTorch: torch.nn.functional.interpolate.

    Args:
        size: of the result, a number or one for each dimension; or
        scale_factor: result over input, a number or one for each dimension.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area".
        align_corners: the centres of the corner pixels stay where they are, not the edges (linear and cubic modes).
    """
    rank = input.ndim - 2
    if mode not in MODES or (MODES[mode] and MODES[mode] != rank):
        raise ShapeError(f"interpolate: mode {mode!r} does not fit an input of shape {shape_text(input.shape)}")
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate: give either size or scale_factor")
    if antialias:
        raise ShapeError("interpolate: antialias is not offered")
    old = input.shape[2:]
    factors = [None] * rank
    if scale_factor is not None:
        given = [scale_factor] * rank if isinstance(scale_factor, int | float) else list(scale_factor)
        new = [math.floor(n * f) for n, f in zip(old, given, strict=True)]
        if not recompute_scale_factor:
            factors = given
    else:
        new = [size] * rank if isinstance(size, int) else list(size)
    if mode == "area":
        return adaptive_avg_pool("interpolate", rank, input, tuple(new))
    x = input
    for axis in range(rank):
        x = along_axis(x, 2 + axis, new[axis], factors[axis], mode, bool(align_corners))
    return x


def along_axis(x, axis, new, factor, mode, align_corners):
    """One axis in another size."""
    old = x.shape[axis]
    scale = 1 / factor if factor else old / new
    places = np.arange(new)
    if mode == "nearest":
        return picked(x, axis, np.minimum(np.floor(places * scale), old - 1))
    if mode == "nearest-exact":
        return picked(x, axis, np.minimum(np.floor((places + 0.5) * scale), old - 1))
    if align_corners:
        source = places * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        source = (places + 0.5) * scale - 0.5
    if mode != "bicubic":
        source = np.maximum(source, 0)
        low = np.minimum(np.floor(source), old - 1)
        part = source - low
        high = np.minimum(low + 1, old - 1)
        return blended(x, axis, [(low, 1 - part), (high, part)])
    low = np.floor(source)
    part = source - low
    weights = cubic_weights(part)
    return blended(x, axis, [(np.clip(low + shift, 0, old - 1), w) for shift, w in zip((-1, 0, 1, 2), weights,
                                                                                       strict=True)])


def cubic_weights(t, a=-0.75):
    """The weights of the four neighbours of a place `t` after the second (Keys 1981)."""
    near, far = t, 1 - t
    return (a * ((near + 1) ** 3 - 5 * (near + 1) ** 2 + 8 * (near + 1) - 4),
            (a + 2) * near**3 - (a + 3) * near**2 + 1,
            (a + 2) * far**3 - (a + 3) * far**2 + 1,
            a * ((far + 1) ** 3 - 5 * (far + 1) ** 2 + 8 * (far + 1) - 4))


def picked(x, axis, places):
    """The slices at `places` along an axis."""
    return index_select(x, axis, beside(x, places.astype(np.int64)))


def blended(x, axis, terms):
    """The sum of slices picked along an axis, times weights along it."""
    result = None
    for places, weights in terms:
        shape = [1] * x.ndim
        shape[axis] = len(weights)
        term = picked(x, axis, places) * beside(x, weights.astype(x.dtype).reshape(shape))
        result = term if result is None else result + term
    return result


def beside(x, array):
    """A NumPy array as an operand beside `x`, on its device."""
    xp = getattr(x, "xp", None)
    return array if xp is None else xp.asarray(array)
