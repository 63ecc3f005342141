"""Samples of joining and taking apart."""

import numpy as np

from minigrad.testing.domains import whole
from minigrad.testing.samples import ALL_DTYPES, Case, row
from minigrad.testing.strategies import arrays, axes, one_of, shapes, sizes, whole_numbers


def cat_cases(draw):
    shape = draw(shapes(min_rank=1))
    axis = draw(axes(len(shape)))
    xs = []
    for _ in range(draw(whole_numbers(1, 3))):
        xs.append(draw(arrays((*shape[:axis], draw(sizes()), *shape[axis + 1:]))))
    return Case(xs, {"axis": axis})


def stack_cases(draw):
    shape = draw(shapes(max_rank=2))
    xs = [draw(arrays(shape)) for _ in range(draw(whole_numbers(1, 3)))]
    return Case(xs, {"axis": draw(whole_numbers(0, len(shape)))})


def cat_reference(*xs, axis):
    slices = []
    for x in xs:
        slices.extend([np.take(x, i, axis) for i in range(x.shape[axis])])
    return np.stack(slices, axis) if slices else xs[0]


def stack_reference(*xs, axis):
    shape = list(xs[0].shape)
    shape.insert(axis, len(xs))
    y = np.zeros(shape)
    for i, x in enumerate(xs):
        np.moveaxis(y, axis, 0)[i] = x
    return y


row("cat", cat_cases, oracle=cat_reference)
row("stack", stack_cases, oracle=stack_reference)


def drawn_split(draw):
    """(shape, sizes, axis): the sizes are numbers that add up, or None for equal shares."""
    shape = draw(shapes(min_rank=1))
    axis = draw(axes(len(shape)))
    if draw(one_of(True, True, False)):
        parts = tuple([draw(sizes()) for _ in range(draw(whole_numbers(1, 3)))])
        return (*shape[:axis], sum(parts), *shape[axis + 1:]), parts, axis
    count = draw(whole_numbers(1, 3))
    return (*shape[:axis], count * draw(sizes()), *shape[axis + 1:]), (None,) * count, axis


def split_cases(draw):
    shape, parts, axis = drawn_split(draw)
    return Case((draw(arrays(shape)),), {"sizes": parts, "axis": axis})


def unsplit_cases(draw):
    shape, parts, axis = drawn_split(draw)
    share = shape[axis] // len(parts)
    present = [draw(one_of(True, False)) for _ in parts]
    if True not in present:
        present[0] = True
    gs = []
    for size, is_there in zip(parts, present, strict=True):
        if is_there:
            gs.append(draw(arrays((*shape[:axis], share if size is None else size, *shape[axis + 1:]))))
    return Case(gs, {"present": tuple(present), "sizes": parts, "axis": axis})


def split_reference(x, *, sizes, axis):
    share = x.shape[axis] // len(sizes)
    pieces, start = [], 0
    for size in sizes:
        size = share if size is None else size
        pieces.append(np.take(x, range(start, start + size), axis))
        start += size
    return tuple(pieces)


def unsplit_reference(*gs, present, sizes, axis):
    remaining = list(gs)
    pieces = []
    for size, is_there in zip(sizes, present, strict=True):
        if is_there:
            pieces.append(remaining.pop(0))
        else:
            shape = list(gs[0].shape)
            shape[axis] = shape[axis] if size is None else size
            pieces.append(np.zeros(shape))
    return np.concatenate(pieces, axis)


def unbind_cases(draw):
    x = draw(arrays(shapes(min_rank=1, min_size=1)))
    return Case((x,), {"axis": draw(axes(x.ndim))})


def unbind_reference(x, *, axis):
    return tuple([np.take(x, i, axis) for i in range(x.shape[axis])])


row("split", split_cases, oracle=split_reference, dtypes=ALL_DTYPES)
row("unsplit", unsplit_cases, oracle=unsplit_reference)
row("unbind", unbind_cases, oracle=unbind_reference,
    unknown_dims="the size of the axis is the number of outputs, so it has to be known")


def repeat_index_cases(draw):
    repeats = draw(arrays(shapes(min_rank=1, max_rank=1), whole(0, 3)))
    return Case((repeats,), {"total": draw(one_of(None, int(repeats.sum())))})


def repeat_index_reference(repeats, *, total):
    return np.repeat(np.arange(repeats.size), repeats)


row("repeat_index", repeat_index_cases, oracle=repeat_index_reference, open_sizes="the repeats decide the size")
