"""Axis numbers and the shapes of reductions."""

import operator

from minigrad.core.dims import shape_text
from minigrad.errors import AxisError


def normal_axis(name, x, dim):
    """`dim` of operation `name` on `x` as a number from 0 up; a value without dimensions counts as having one.

    Raises:
        AxisError: it is out of range.
    """
    rank = x.ndim
    if rank is None:
        if dim < 0:
            raise AxisError(f"{name}: dimension {dim} counts from the end of {x!r}, whose rank is unknown")
        return dim
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise AxisError(f"{name}: dimension {dim} is out of range for shape {shape_text(x.shape)}; it must be in"
                        f" [{-max(rank, 1)}, {max(rank, 1) - 1}]")
    return dim % max(rank, 1)


def normal_axes(name, x, dim):
    """`dim` (an int, a list or tuple, or None for all) as a sorted tuple of numbers from 0 up, or None for all.

    An empty list or tuple stands for all, too. A value without dimensions has only the axes 0 and -1.

    Raises:
        AxisError: one is out of range, or named twice.
    """
    if dim is None:
        return None
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (operator.index(dim),)
    axes = tuple(sorted([normal_axis(name, x, d) for d in dims]))
    if len(set(axes)) != len(axes):
        raise AxisError(f"{name}: a dimension is named twice in {dims} for shape {shape_text(x.shape)}")
    if x.ndim == 0 or not axes:
        return None
    return axes


def reduced_shape(shape, axes, keepdim):
    """The shape after a reduction of `shape` over `axes` (None: all)."""
    if shape is None:
        return () if axes is None and not keepdim else None
    if axes is not None and axes and axes[-1] >= len(shape):
        raise AxisError(f"axis {axes[-1]} is out of range for shape {shape_text(shape)}")
    result = []
    for axis, size in enumerate(shape):
        if axes is not None and axis not in axes:
            result.append(size)
        elif keepdim:
            result.append(1)
    return tuple(result)
