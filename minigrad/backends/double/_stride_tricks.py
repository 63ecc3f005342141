"""`xp.lib.stride_tricks`: views by shape and strides."""

import numpy as np

from minigrad.backends.double._memory import describe, host_value, raw_array, wrap

__all__ = ["as_strided", "sliding_window_view"]


def as_strided(x, shape=None, strides=None):
    """A view with any shape and strides. CuPy checks nothing; here a view that leaves the memory of `x` is refused."""
    raw = raw_array("as_strided", "x", x)
    shape = raw.shape if shape is None else tuple(host_value("as_strided", "shape", shape))
    strides = raw.strides if strides is None else tuple(host_value("as_strided", "strides", strides))
    if len(shape) != len(strides):
        raise ValueError(f"as_strided: shape {shape} and strides {strides} have different lengths")
    lowest, highest = reach(shape, strides, raw.itemsize)
    start, end = owned_range(raw)
    if lowest < start or highest > end:
        raise ValueError(f"as_strided: shape {shape} with strides {strides} reads outside the memory of the "
                         f"{describe(x)}, which a GPU does without an error")
    return wrap(np.lib.stride_tricks.as_strided(raw, shape, strides))


def reach(shape, strides, itemsize):
    """(first byte, byte after the last) of a view, from its first element; (0, 0) for an empty one."""
    lowest = highest = 0
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return 0, 0
        lowest += min(0, (size - 1) * stride)
        highest += max(0, (size - 1) * stride)
    return lowest, highest + itemsize


def owned_range(raw):
    """(first byte, byte after the last) of the memory that `raw` is part of, from its first element."""
    low, high = np.lib.array_utils.byte_bounds(owner_of(raw))
    here = raw.__array_interface__["data"][0]
    return low - here, high - here


def owner_of(raw):
    """The array that owns the memory of `raw`. NumPy's as_strided puts a holder between a view and its base."""
    owner, base = raw, raw.base
    while base is not None:
        if isinstance(base, np.ndarray):
            owner = base
        base = getattr(base, "base", None)
    return owner


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """As NumPy's; the view can be written through, but asking for that is refused."""
    if writeable:
        raise NotImplementedError("Writeable views are not supported.")
    raw = raw_array("sliding_window_view", "x", x)
    windows = np.lib.stride_tricks.sliding_window_view(raw, host_value("sliding_window_view", "window_shape",
                                                                       window_shape), axis)
    return wrap(np.lib.stride_tricks.as_strided(raw, windows.shape, windows.strides))
