"""Padding, flipping, rolling and rotating."""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import reshape_like
from minigrad.ops.joining import cat
from minigrad.ops.shaping import as_sizes, distinct_axes, expand, known_rank, ravel, transpose
from minigrad.ops.slicing import WHOLE, slice_p

__all__ = ["flip", "fliplr", "flipud", "pad", "pad_axes", "roll", "rot90"]

MODES = ("constant", "reflect", "replicate", "circular", "symmetric")


# ----- pad with a constant: `pairs` has (before, after) for each axis; a negative number takes elements away
def pad_kernel(xp, x, *, pairs, value):
    shape, inner, taken = [], [], []
    for size, (before, after) in zip(x.shape, pairs, strict=True):
        shape.append(size + before + after)
        inner.append(slice(max(before, 0), size + before + min(after, 0)))
        taken.append(slice(max(-before, 0), size - max(-after, 0)))
    y = xp.full(tuple(shape), value, dtype=x.dtype)
    y[tuple(inner)] = x[tuple(taken)]
    return y


def pad_infer(x, *, pairs, value):
    if x.shape is None:
        return Aval(tuple([Dim() for _ in pairs]), x.dtype)
    if len(pairs) != len(x.shape):
        raise ShapeError(f"pad: {len(pairs)} pairs of numbers for the {len(x.shape)} dimensions of shape"
                         f" {shape_text(x.shape)}")
    sizes = []
    for size, (before, after) in zip(x.shape, pairs, strict=True):
        if size.__class__ is Dim:
            sizes.append(Dim() if before or after else size)
            continue
        sizes.append(size + before + after)
        if sizes[-1] < 0 or size + min(before, 0) < 0 or size + min(after, 0) < 0:
            raise ShapeError(f"pad: {pairs} takes away more elements than shape {shape_text(x.shape)} has")
    return Aval(tuple(sizes), x.dtype)


def pad_vjp(g, y, x, *, pairs, value):
    return bind(pad_p, g, pairs=tuple([(-before, -after) for before, after in pairs]), value=0)


# ----- flip
def flip_kernel(xp, x, *, axes):
    key = [slice(None)] * x.ndim
    for axis in axes:
        key[axis] = slice(None, None, -1)
    return x[(*key, ...)]


def flip_infer(x, *, axes):
    return Aval(x.shape, x.dtype)


def flip_vjp(g, y, x, *, axes):
    return bind(flip_p, g, axes=axes)


# ----- roll
def roll_kernel(xp, x, *, shifts, axes):
    return xp.roll(x, shifts, axis=axes) if axes else x.copy()


def roll_infer(x, *, shifts, axes):
    return Aval(x.shape, x.dtype)


def roll_vjp(g, y, x, *, shifts, axes):
    return bind(roll_p, g, shifts=tuple([-shift for shift in shifts]), axes=axes)


pad_p = declare("pad", pad_kernel, pad_infer, vjps=(pad_vjp,), reads=((),))
flip_p = declare("flip", flip_kernel, flip_infer, vjps=(flip_vjp,), reads=((),), views=True)
roll_p = declare("roll", roll_kernel, roll_infer, vjps=(roll_vjp,), reads=((),))


def pad(input, pad, mode="constant", value=None):
    """`input` with elements added at the edges of its last dimensions. PyTorch: torch.nn.functional.pad.

    Args:
        pad: (before, after) of the last dimension, then of the one before it, and so on, in one flat sequence;
            negative numbers take elements away.
        mode: "constant" (`value`, default 0), "reflect" (mirrored, the edge not repeated), "replicate" (the edge
            repeated) or "circular".

    Raises:
        ShapeError: the numbers do not fit the shape, or the mode is unknown.
    """
    numbers = [operator.index(number) for number in as_sizes(pad)]
    rank = known_rank("pad", input)
    if len(numbers) % 2 or len(numbers) > 2 * rank:
        raise ShapeError(f"pad: expected pairs of numbers for at most the {rank} dimensions of shape"
                         f" {shape_text(input.shape)}, got {tuple(numbers)}")
    pairs = [(0, 0)] * rank
    for i in range(0, len(numbers), 2):
        pairs[-1 - i // 2] = numbers[i], numbers[i + 1]
    if mode != "constant" and value is not None and value != 0:
        raise ShapeError(f"pad: a value makes no sense in mode {mode!r}")
    return pad_axes(input, tuple(pairs), mode, 0 if value is None else value)


def pad_axes(input, pairs, mode="constant", value=0):
    """`input` padded by (before, after) for each of its dimensions in order. NumPy: pad; TensorFlow: tf.pad.

    Args:
        mode: as `pad`, and "symmetric" (mirrored, the edge repeated).
    """
    if mode not in MODES:
        raise ShapeError(f"pad: mode {mode!r} is not known; expected one of {', '.join(MODES)}")
    if mode == "constant":
        if getattr(value, "dtype", None) is not None:
            value = value.item()
        return bind(pad_p, input, pairs=tuple([(before, after) for before, after in pairs]), value=value)
    x = input
    for axis, (before, after) in enumerate(pairs):
        # taking away at one end does not change what is added at the other, except where it comes from there
        if mode == "circular":
            x = added(cropped(x, axis, before, after), axis, before, after, mode)
        else:
            x = cropped(added(x, axis, before, after, mode), axis, before, after)
    return x


def cropped(x, axis, before, after):
    """`x` without as many elements at both ends as negative numbers say."""
    if before >= 0 and after >= 0:
        return x
    return piece(x, axis, max(-before, 0), min(after, 0) or None)


def added(x, axis, before, after, mode):
    """`x` with as many elements at both ends as positive numbers say."""
    before, after = max(before, 0), max(after, 0)
    if not before and not after:
        return x
    check_source(x, axis, before, after, mode)
    parts = [edge(x, axis, before, mode, True), x, edge(x, axis, after, mode, False)]
    return cat([part for part in parts if part is not None], axis)


def check_source(x, axis, before, after, mode):
    """Raise ShapeError where an axis has too few elements to pad it with."""
    size = x.shape[axis]
    if size.__class__ is Dim:
        return
    limit = {"reflect": size - 1, "replicate": max(before, after) if size else 0}.get(mode, size)
    if max(before, after) > limit:
        raise ShapeError(f"pad: {before} and {after} elements cannot be added in mode {mode!r} to dimension {axis} of"
                         f" size {size}: at most {max(limit, 0)} are there to be taken")


def edge(x, axis, count, mode, is_before):
    """The `count` elements to put before or after `x`, None for no elements."""
    if count == 0:
        return None
    if mode == "replicate":
        sizes = [-1] * x.ndim
        sizes[axis] = count
        return expand(piece(x, axis, 0, 1) if is_before else piece(x, axis, -1, None), sizes)
    if mode == "circular":
        return piece(x, axis, -count, None) if is_before else piece(x, axis, 0, count)
    skip = 1 if mode == "reflect" else 0
    if is_before:
        return flip(piece(x, axis, skip, count + skip), (axis,))
    return flip(piece(x, axis, -count - skip, -skip or None), (axis,))


def piece(x, axis, start, stop):
    """The slice ``start:stop`` of one axis."""
    return bind(slice_p, x, index=(*[WHOLE] * axis, (start, stop, None)))


def flip(input, dims):
    """`input` with the order along `dims` (an int or a sequence) reversed; a view. PyTorch: torch.flip."""
    return bind(flip_p, input, axes=distinct_axes("flip", input, as_sizes(dims)) if input.ndim else ())


def fliplr(input):
    """The columns in reverse order."""
    if known_rank("fliplr", input) < 2:
        raise AxisError(f"fliplr: expected at least 2 dimensions, got shape {shape_text(input.shape)}")
    return flip(input, 1)


def flipud(input):
    """The rows in reverse order."""
    if known_rank("flipud", input) < 1:
        raise AxisError("flipud: expected at least 1 dimension")
    return flip(input, 0)


def roll(input, shifts, dims=None):
    """The elements shifted along `dims`, those pushed out coming in at the other end. PyTorch: torch.roll.

    Args:
        shifts: an int or a sequence, one for each of `dims`.
        dims: None rolls the flattened tensor.
    """
    shifts = tuple([operator.index(shift) for shift in as_sizes(shifts)])
    if dims is None or (dims == () and len(shifts) == 1):
        if len(shifts) != 1:
            raise ShapeError(f"roll: {len(shifts)} shifts need as many dims")
        return reshape_like(bind(roll_p, ravel(input), shifts=shifts, axes=(0,)), input)
    axes = tuple([normal_axis("roll", input, dim) for dim in as_sizes(dims)])
    if len(axes) != len(shifts):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(axes)} dimensions")
    return bind(roll_p, input, shifts=shifts, axes=axes if input.ndim else ())


def rot90(input, k=1, dims=(0, 1)):
    """`input` turned by `k` quarters in the plane of two dimensions, from the first towards the second.

    PyTorch: torch.rot90.
    """
    if len(dims) != 2:
        raise AxisError(f"rot90: expected two dimensions, got {tuple(dims)}")
    a, b = distinct_axes("rot90", input, dims)
    turns = k % 4
    if turns == 0:
        return flip(input, ())
    if turns == 2:
        return flip(input, (a, b))
    if turns == 1:
        return transpose(flip(input, b), a, b)
    return flip(transpose(input, a, b), b)
