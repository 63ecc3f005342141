"""Samples of broadcasting, shapes, windows, padding and diagonals."""

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import ALL_DTYPES, NUMBERS, Case, row
from minigrad.testing.strategies import (
    arrays,
    axes,
    axis_sets,
    broadcastable_shapes,
    one_of,
    permutations,
    shapes,
    whole_numbers,
)

OPERANDS = "sizes are operands"


# ----- broadcasting
def pair_of_shapes(draw):
    """(a shape, a shape that it broadcasts to)."""
    a, b = draw(broadcastable_shapes(2))
    return a, np.broadcast_shapes(a, b)


def sum_to_cases(draw):
    small, wide = pair_of_shapes(draw)
    return Case((draw(arrays(wide)),), {"shape": small})


def sum_to_like_cases(draw):
    small, wide = pair_of_shapes(draw)
    return Case((draw(arrays(wide)), draw(arrays(small))))


def broadcast_to_cases(draw):
    small, wide = pair_of_shapes(draw)
    return Case((draw(arrays(small)),), {"shape": wide})


def broadcast_like_cases(draw):
    small, wide = pair_of_shapes(draw)
    return Case((draw(arrays(small)), draw(arrays(wide))))


def broadcast_with_cases(draw):
    a, b = draw(broadcastable_shapes(2))
    return Case((draw(arrays(a)), draw(arrays(b))))


def broadcast_by_sizes_cases(draw):
    small, wide = pair_of_shapes(draw)
    template, sizes = drawn_template(draw, small, wide)
    return Case((draw(arrays(small)), *sizes), {"shape": template})


def sum_to_reference(x, *, shape):
    y = np.zeros(shape)
    positions = np.broadcast_to(np.arange(y.size).reshape(shape), x.shape)
    flat = y.reshape(-1)
    for place, value in zip(positions.ravel().tolist(), x.ravel().tolist(), strict=True):
        flat[place] += value
    return y


def sum_to_like_reference(x, like):
    return sum_to_reference(x, shape=like.shape)


def broadcast_to_reference(x, *, shape):
    return x + np.zeros(shape)


def broadcast_like_reference(x, like):
    return x + np.zeros(like.shape)


def broadcast_with_reference(x, other):
    return x + np.zeros(other.shape)


def by_sizes(x, shape, sizes):
    remaining = iter(sizes)
    result = []
    for size in shape:
        result.append(int(next(remaining)) if size == "?" else x.shape[size[1]] if isinstance(size, tuple) else size)
    return tuple(result)


def broadcast_by_sizes_reference(x, *sizes, shape):
    return x + np.zeros(by_sizes(x, shape, sizes))


def drawn_template(draw, old, new):
    """(template, size operands) for the shape `new`, in which some sizes are operands or sizes of `old`."""
    template, sizes = [], []
    for size in new:
        kind = draw(one_of("number", "operand", "own"))
        if kind == "operand":
            template.append("?")
            sizes.append(np.asarray(size))
        elif kind == "own" and size in old:
            template.append(("size", old.index(size)))
        else:
            template.append(size)
    return tuple(template), sizes


row("sum_to", sum_to_cases, oracle=sum_to_reference)
row("sum_to_like", sum_to_like_cases, oracle=sum_to_like_reference)
row("broadcast_to", broadcast_to_cases, oracle=broadcast_to_reference)
row("broadcast_like", broadcast_like_cases, oracle=broadcast_like_reference)
row("broadcast_with", broadcast_with_cases, oracle=broadcast_with_reference)
row("broadcast_by_sizes", broadcast_by_sizes_cases, oracle=broadcast_by_sizes_reference, open_sizes=OPERANDS)


# ----- reshape
def two_shapes(draw):
    """Two shapes with the same number of elements."""
    old = draw(shapes())
    count = int(np.prod(old))
    first = draw(one_of(*[n for n in range(1, 9) if count % n == 0]))
    new = draw(one_of((count,), (first, count // first), (count // first, 1, first), old[::-1], (1, *old)))
    return old, new


def reshape_cases(draw):
    old, new = two_shapes(draw)
    if new and 0 not in new and draw(one_of(False, True)):
        at = draw(axes(len(new)))
        new = (*new[:at], -1, *new[at + 1:])
    return Case((draw(arrays(old)),), {"shape": new})


def reshape_like_cases(draw):
    old, new = two_shapes(draw)
    return Case((draw(arrays(old)), draw(arrays(new))))


def reshape_by_sizes_cases(draw):
    old, new = two_shapes(draw)
    template, sizes = drawn_template(draw, old, new)
    return Case((draw(arrays(old)), *sizes), {"shape": template})


def reshape_reference(x, *, shape):
    others = int(np.prod([size for size in shape if size != -1], dtype=int))
    y = np.empty([x.size // others if size == -1 else size for size in shape], dtype=x.dtype)
    for place, element in zip(np.ndindex(y.shape), x.ravel().tolist(), strict=True):
        y[place] = element
    return y


def reshape_like_reference(x, like):
    return reshape_reference(x, shape=like.shape)


def reshape_by_sizes_reference(x, *sizes, shape):
    return reshape_reference(x, shape=by_sizes(x, shape, sizes))


def size_of_cases(draw):
    x = draw(arrays(shapes(min_rank=1)))
    return Case((x,), {"axis": draw(axes(x.ndim, negative=True))})


def size_of_reference(x, *, axis):
    return np.asarray(np.moveaxis(x, axis, 0).shape[0])


row("reshape", reshape_cases, oracle=reshape_reference, dtypes=ALL_DTYPES)
row("reshape_like", reshape_like_cases, oracle=reshape_like_reference)
row("reshape_by_sizes", reshape_by_sizes_cases, oracle=reshape_by_sizes_reference, open_sizes=OPERANDS)
row("size_of", size_of_cases, oracle=size_of_reference)


# ----- axes
def unsqueeze_cases(draw):
    x = draw(arrays())
    return Case((x,), {"axis": draw(whole_numbers(0, x.ndim))})


def squeeze_cases(draw):
    x = draw(arrays())
    ones = [i for i, size in enumerate(x.shape) if size == 1]
    kept = [i for i in ones if draw(one_of(True, True, False))]
    return Case((x,), {"axes": draw(one_of(tuple(kept), None))})


def permute_cases(draw):
    x = draw(arrays())
    return Case((x,), {"axes": draw(permutations(x.ndim))})


def unsqueeze_reference(x, *, axis):
    return x.reshape((*x.shape[:axis], 1, *x.shape[axis:]))


def squeeze_reference(x, *, axes):
    return x.reshape([n for i, n in enumerate(x.shape) if not (n == 1 if axes is None else i in axes)])


def permute_reference(x, *, axes):
    y = np.zeros([x.shape[axis] for axis in axes])
    for place in np.ndindex(x.shape):
        y[tuple(place[axis] for axis in axes)] = x[place]
    return y


row("unsqueeze", unsqueeze_cases, oracle=unsqueeze_reference, dtypes=ALL_DTYPES)
row("squeeze", squeeze_cases, oracle=squeeze_reference, dtypes=ALL_DTYPES)
row("permute", permute_cases, oracle=permute_reference, dtypes=ALL_DTYPES)


# ----- windows
def unfold_cases(draw):
    x = draw(arrays(shapes(min_rank=1, max_size=6)))
    axis = draw(axes(x.ndim))
    return Case((x,), {"axis": axis, "size": draw(whole_numbers(0, x.shape[axis])), "step": draw(one_of(1, 2, 3))})


def add_windows_cases(draw):
    case = unfold_cases(draw)
    x, = case.args
    g = np.zeros(unfold_reference(x, **case.params).shape)
    g = draw(arrays(g.shape))
    if draw(one_of(True, False)):
        return Case((g,), {**case.params, "shape": x.shape})
    return Case((g, x), {**case.params, "shape": None})


def unfold_reference(x, *, axis, size, step):
    count = (x.shape[axis] - size) // step + 1
    windows = []
    for i in range(count):
        windows.append(np.moveaxis(np.take(x, range(i * step, i * step + size), axis), axis, -1))
    return np.stack(windows, axis)


def add_windows_reference(g, *like, axis, size, step, shape):
    shape = like[0].shape if shape is None else shape
    y = np.zeros(shape)
    places = unfold_reference(np.arange(y.size).reshape(shape), axis=axis, size=size, step=step)
    np.add.at(y.reshape(-1), places, g)
    return y


row("unfold", unfold_cases, oracle=unfold_reference)
row("add_windows", add_windows_cases, oracle=add_windows_reference)


# ----- padding
def pad_cases(draw):
    x = draw(arrays())
    pairs = []
    for size in x.shape:
        before = draw(whole_numbers(-min(size, 1), 2))
        pairs.append((before, draw(whole_numbers(-min(size + min(before, 0), 1), 2))))
    return Case((x,), {"pairs": tuple(pairs), "value": draw(one_of(0, 1, 2))})


def pad_reference(x, *, pairs, value):
    wide = np.pad(x, [(max(b, 0), max(a, 0)) for b, a in pairs] or 0, constant_values=value)
    for axis, (before, after) in enumerate(pairs):
        wide = np.take(wide, range(max(-before, 0), wide.shape[axis] - max(-after, 0)), axis)
    return wide


def flip_cases(draw):
    x = draw(arrays())
    return Case((x,), {"axes": draw(axis_sets(x.ndim, none=False, min_axes=min(x.ndim, 1)))})


def flip_reference(x, *, axes):
    return np.flip(x, axes) if axes else x


def roll_cases(draw):
    x = draw(arrays())
    order = draw(permutations(x.ndim))[:draw(whole_numbers(0, x.ndim))]
    return Case((x,), {"shifts": tuple([draw(whole_numbers(-5, 5)) for _ in order]), "axes": order})


def roll_reference(x, *, shifts, axes):
    for shift, axis in zip(shifts, axes, strict=True):
        size = x.shape[axis]
        x = np.take(x, [(i - shift) % size for i in range(size)], axis)
    return x


row("pad", pad_cases, oracle=pad_reference, dtypes=NUMBERS)
row("flip", flip_cases, oracle=flip_reference, dtypes=ALL_DTYPES)
row("roll", roll_cases, oracle=roll_reference, dtypes=ALL_DTYPES)


# ----- diagonals and triangles
def diagonal_cases(draw):
    x = draw(arrays(shapes(min_rank=2)))
    return Case((x,), {"offset": draw(whole_numbers(-3, 3)), "axes": draw(permutations(x.ndim))[:2]})


def undiagonal_cases(draw):
    case = diagonal_cases(draw)
    x, = case.args
    g = draw(arrays(np.diagonal(x, case.params["offset"], *case.params["axes"]).shape))
    if draw(one_of(True, False)):
        return Case((g,), {**case.params, "shape": x.shape})
    return Case((g, x), {**case.params, "shape": None})


def diag_embed_cases(draw):
    x = draw(arrays(shapes(min_rank=1, max_rank=2)))
    return Case((x,), {"offset": draw(whole_numbers(-2, 2)), "axes": draw(permutations(x.ndim + 1))[:2]})


def diagonal_reference(x, *, offset, axes):
    return np.diagonal(x, offset, *axes)


def undiagonal_reference(g, *like, offset, axes, shape):
    y = np.zeros(like[0].shape if shape is None else shape)
    rows = np.moveaxis(y, axes, (-2, -1))
    for place in np.ndindex(g.shape):
        i = place[-1]
        rows[(*place[:-1], i - min(offset, 0), i + max(offset, 0))] = g[place]
    return y


def diag_embed_reference(x, *, offset, axes):
    size = x.shape[-1] + abs(offset)
    y = np.zeros((*x.shape[:-1], size, size))
    y = undiagonal_reference(x, offset=offset, axes=(x.ndim - 1, x.ndim), shape=y.shape)
    return np.moveaxis(y, (-2, -1), axes)


def triangle_cases(draw):
    return Case((draw(arrays(shapes(min_rank=2), REAL, rough=True)),), {"offset": draw(whole_numbers(-3, 3))})


def tril_reference(x, *, offset):
    return x * np.tri(*x.shape[-2:], offset)


def triu_reference(x, *, offset):
    return x * (1 - np.tri(*x.shape[-2:], offset - 1))


row("diagonal", diagonal_cases, oracle=diagonal_reference, dtypes=ALL_DTYPES)
row("undiagonal", undiagonal_cases, oracle=undiagonal_reference)
row("diag_embed", diag_embed_cases, oracle=diag_embed_reference)
row("tril", triangle_cases, oracle=tril_reference, dtypes=NUMBERS)
row("triu", triangle_cases, oracle=triu_reference, dtypes=NUMBERS)
