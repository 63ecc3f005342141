"""Padding, flipping, rolling."""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops.axes import normal_axes, normal_axis

__all__ = ["flip", "fliplr", "flipud", "pad", "roll", "rot90"]


# ----- pad with a constant; a negative number of elements takes some away
def pad_kernel(xp, x, *, pairs, value):
    shape = tuple([size + before + after for size, (before, after) in zip(x.shape, pairs, strict=True)])
    y = xp.full(shape, value, dtype=x.dtype)
    into, taken = [], []
    for size, (before, after) in zip(x.shape, pairs, strict=True):
        into.append(slice(max(before, 0), max(before, 0) + size + min(before, 0) + min(after, 0)))
        taken.append(slice(max(-before, 0), size - max(-after, 0)))
    y[tuple(into)] = x[tuple(taken)]
    return y


def pad_infer(x, *, pairs, value):
    if x.shape is None:
        return Aval(None, x.dtype)
    if len(pairs) != len(x.shape):
        raise ShapeError(f"pad: {len(pairs)} pairs for the {len(x.shape)} dimensions of shape {shape_text(x.shape)}")
    sizes = []
    for size, (before, after) in zip(x.shape, pairs, strict=True):
        if size.__class__ is Dim:
            sizes.append(size if before == after == 0 else Dim())
        else:
            sizes.append(size + before + after)
            if sizes[-1] < 0:
                raise ShapeError(f"pad: {pairs} takes more away than shape {shape_text(x.shape)} has")
    return Aval(tuple(sizes), x.dtype)


def pad_vjp(g, y, x, *, pairs, value):
    return bind(pad_p, g, pairs=tuple([(-before, -after) for before, after in pairs]), value=0)


# ----- pad with the operand's own elements: `index` of the source for each place, axis by axis
def pad_source(size, before, after, mode):
    """The source positions of a padded axis: reflect (without the edge), symmetric (with it), replicate, circular."""
    positions = list(range(-before, size + after))
    if mode == "replicate":
        return [min(max(p, 0), size - 1) for p in positions]
    if mode == "circular":
        return [p % size for p in positions]
    if mode == "symmetric":
        return [p if 0 <= p < size else (-p - 1 if p < 0 else 2 * size - p - 1) for p in positions]
    return [p if 0 <= p < size else (-p if p < 0 else 2 * size - p - 2) for p in positions]


pad_p = declare("pad", pad_kernel, pad_infer, vjps=(pad_vjp,), reads=((),))


# ----- flip
def flip_kernel(xp, x, *, axes):
    return xp.flip(x, axes)


def flip_infer(x, *, axes):
    return Aval(x.shape, x.dtype)


def flip_vjp(g, y, x, *, axes):
    return bind(flip_p, g, axes=axes)


flip_p = declare("flip", flip_kernel, flip_infer, vjps=(flip_vjp,), reads=((),))


# ----- roll
def roll_kernel(xp, x, *, shifts, axes):
    return xp.roll(x, shifts, axes)


def roll_infer(x, *, shifts, axes):
    return Aval(x.shape, x.dtype)


def roll_vjp(g, y, x, *, shifts, axes):
    return bind(roll_p, g, shifts=tuple([-s for s in shifts]), axes=axes)


roll_p = declare("roll", roll_kernel, roll_infer, vjps=(roll_vjp,), reads=((),))


def pad(input, pad, mode="constant", value=None):  # noqa: A002  PyTorch's argument names
    """`input` with elements added at its edges. PyTorch: torch.nn.functional.pad.

    Args:
        pad: (before, after) of the last dimension, then of the one before it, and so on; negative takes away.
        mode: "constant" (`value`, default 0), "reflect" (without the edge), "replicate", "circular".
    """
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ShapeError(f"pad: {tuple(pad)} must be pairs for at most the {input.ndim} dimensions of shape"
                         f" {shape_text(input.shape)}")
    given = [(int(pad[i]), int(pad[i + 1])) for i in range(0, len(pad), 2)]
    pairs = ((0, 0),) * (input.ndim - len(given)) + tuple(given[::-1])
    return pad_pairs(input, pairs, mode, 0 if value is None else value)


def pad_pairs(x, pairs, mode="constant", value=0):
    """`x` padded by (before, after) for each dimension in order."""
    if mode == "constant":
        return bind(pad_p, x, pairs=pairs, value=value)
    if mode not in ("reflect", "symmetric", "replicate", "circular"):
        raise ShapeError(f"pad: mode {mode!r} is not known; use constant, reflect, symmetric, replicate or circular")
    from minigrad.ops.indexing import take_positions

    for axis, (before, after) in enumerate(pairs):
        size = x.shape[axis]
        if before == after == 0:
            continue
        limit = size - 1 if mode == "reflect" else size
        if mode != "replicate" and max(before, after) > limit:
            raise ShapeError(f"pad: {mode} padding {(before, after)} is too big for size {size} of dimension {axis}")
        inner = pad_source(size + min(before, 0) + min(after, 0), max(before, 0), max(after, 0), mode)
        x = take_positions(x, [p + max(-before, 0) for p in inner], axis)
    return x


def flip(input, dims):  # noqa: A002
    """The order of the elements reversed along `dims`."""
    axes = normal_axes("flip", input, dims)
    return bind(flip_p, input, axes=axes if axes is not None and dims != () else ())


def fliplr(input):  # noqa: A002
    """The columns in reverse order."""
    return flip(input, (1,))


def flipud(input):  # noqa: A002
    """The rows in reverse order."""
    return flip(input, (0,))


def roll(input, shifts, dims=None):  # noqa: A002
    """The elements shifted along `dims`, those that fall off coming in at the other end; flattened without `dims`."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None:
        from minigrad.ops.shaping import ravel, reshape_as

        return reshape_as(bind(roll_p, ravel(input), shifts=shifts, axes=(0,)), input)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(dims) != len(shifts):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(dims)} dimensions")
    axes = tuple([normal_axis("roll", input, d) for d in dims])
    if input.ndim == 0:
        return input * 1
    return bind(roll_p, input, shifts=shifts, axes=axes)


def rot90(input, k=1, dims=(0, 1)):  # noqa: A002
    """Rotated by k quarter turns in the plane of two dimensions, from the first towards the second."""
    from minigrad.ops.shaping import transpose

    a, b = dims
    turns = k % 4
    if turns == 0:
        return input * 1 if input.dtype.kind != "b" else input
    if turns == 2:
        return flip(flip(input, (a,)), (b,))
    if turns == 1:
        return flip(transpose(input, a, b), (a,))
    return transpose(flip(input, (a,)), a, b)
