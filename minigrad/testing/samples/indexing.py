"""Samples of slicing and of indexing with arrays."""

import numpy as np

from minigrad.testing.domains import BOOLEANS, whole
from minigrad.testing.samples import ALL_DTYPES, Case, row
from minigrad.testing.strategies import arrays, one_of, shapes, whole_numbers

DECIDED = "the values of a mask decide the size"


# ----- basic indices
def drawn_index(draw, shape):
    """A basic index for an array of `shape`."""
    first = draw(whole_numbers(0, len(shape)))
    index = items(draw, shape[:first])
    if draw(one_of(False, False, True)):
        last = draw(whole_numbers(first, len(shape)))
        index = [*index, ..., *items(draw, shape[last:])]
    return tuple(index)


def items(draw, shape):
    """An int or a slice for each axis, now and then a new axis."""
    found = []
    for size in shape:
        kind = draw(one_of("int", "slice", "slice", "whole", "new"))
        if kind == "new":
            found.append(None)
        if kind == "int" and size:
            found.append(draw(whole_numbers(-size, size - 1)))
        elif kind == "slice":
            step = draw(one_of(None, 1, 2, -1, -2))
            found.append((draw(one_of(None, 0, 1, -1, 5)), draw(one_of(None, 2, -1, 0, 9)), step))
        else:
            found.append((None, None, None))
    return found


def as_key(index, sizes=()):
    remaining = iter(sizes)
    key = []
    for item in index:
        if isinstance(item, tuple):
            key.append(slice(*[int(next(remaining)) if part == "?" else part for part in item]))
        else:
            key.append(int(next(remaining)) if isinstance(item, str) else item)
    return tuple(key)


def with_operands(draw, index):
    """(index with "?" in the place of some numbers, those numbers)."""
    result, numbers = [], []
    for item in index:
        parts = []
        for part in item if isinstance(item, tuple) else (item,):
            if isinstance(part, int) and draw(one_of(True, False)):
                numbers.append(np.asarray(part))
                part = "?"
            parts.append(part)
        result.append(tuple(parts) if isinstance(item, tuple) else parts[0])
    return tuple(result), numbers


def slice_cases(draw):
    x = draw(arrays())
    return Case((x,), {"index": drawn_index(draw, x.shape)})


def slice_by_sizes_cases(draw):
    case = slice_cases(draw)
    index, numbers = with_operands(draw, case.params["index"])
    return Case((*case.args, *numbers), {"index": index})


def unslice_cases(draw):
    case = slice_cases(draw)
    x, = case.args
    g = draw(arrays(x[as_key(case.params["index"])].shape))
    if draw(one_of(True, False)):
        return Case((g,), {**case.params, "shape": x.shape})
    return Case((g, x), {**case.params, "shape": None})


def unslice_by_sizes_cases(draw):
    case = slice_cases(draw)
    x, = case.args
    g = draw(arrays(x[as_key(case.params["index"])].shape))
    index, numbers = with_operands(draw, case.params["index"])
    if draw(one_of(True, False)):
        return Case((g, *numbers), {"index": index, "shape": x.shape})
    return Case((g, *numbers, x), {"index": index, "shape": None})


def slice_put_cases(draw):
    case = slice_cases(draw)
    x, = case.args
    shape = x[as_key(case.params["index"])].shape
    return Case((x, drawn_value(draw, shape)), case.params)


def drawn_value(draw, shape):
    """A value that broadcasts to `shape`."""
    kind = draw(one_of("whole", "whole", "ones", "number"))
    if kind == "number":
        return draw(arrays(())).item()
    return draw(arrays(tuple([draw(one_of(size, 1)) if kind == "ones" else size for size in shape])))


def slice_reference(x, *, index):
    places = np.arange(x.size).reshape(x.shape)[(*as_key(index), *[...] * (... not in index))]
    return x.reshape(-1)[places.ravel().tolist()].reshape(places.shape)


def slice_by_sizes_reference(x, *sizes, index):
    return x[as_key(index, sizes)]


def unslice_reference(g, *like, index, shape):
    y = np.zeros(like[0].shape if shape is None else shape)
    y[as_key(index)] += g
    return y


def unslice_by_sizes_reference(g, *sizes, index, shape):
    if shape is None:
        *sizes, like = sizes
        shape = like.shape
    y = np.zeros(shape)
    y[as_key(index, sizes)] += g
    return y


def slice_put_reference(x, value, *, index):
    y = x.copy()
    y[as_key(index)] = value
    return y


row("slice", slice_cases, oracle=slice_reference, dtypes=ALL_DTYPES)
row("slice_by_sizes", slice_by_sizes_cases, oracle=slice_by_sizes_reference, open_sizes="bounds are operands")
row("unslice", unslice_cases, oracle=unslice_reference)
row("unslice_by_sizes", unslice_by_sizes_cases, oracle=unslice_by_sizes_reference)
row("slice_put", slice_put_cases, oracle=slice_put_reference)


# ----- arrays as indices
def drawn_arrays(draw, shape, masks=True):
    """(index arrays, their axes) for an array of `shape`, which has at least one axis."""
    if masks and draw(one_of(False, False, True)):
        rank = draw(whole_numbers(1, len(shape)))
        axis = draw(whole_numbers(0, len(shape) - rank))
        return [draw(arrays(shape[axis:axis + rank], BOOLEANS))], (axis,)
    common = draw(shapes(max_rank=2, max_size=3))
    found, places = [], []
    for axis, size in enumerate(shape):
        if draw(one_of(True, False)) or (not found and axis == len(shape) - 1):
            form = tuple([draw(one_of(n, n, 1)) for n in common])
            if size == 0:
                form = (0,)
                common = (0,)
            index = draw(arrays(form, whole(-size, max(size - 1, 0))))
            found.append(index)
            places.append(axis)
    if any([a.shape == (0,) for a in found]):
        found = [np.zeros((0,), np.int64) for _ in found]
    return found, tuple(places)


def array_key(rank, axes, indices):
    key = []
    for axis, a in zip(axes, indices, strict=True):
        while len(key) < axis:
            key.append(slice(None))
        key.append(a)
    return tuple(key)


def index_cases(draw):
    x = draw(arrays(shapes(min_rank=1)))
    indices, places = drawn_arrays(draw, x.shape)
    return Case((x, *indices), {"axes": places, "bounds": draw(one_of("wrap", "sure"))})


def unindex_cases(draw):
    case = index_cases(draw)
    x, *indices = case.args
    g = draw(arrays(x[array_key(x.ndim, case.params["axes"], indices)].shape))
    if draw(one_of(True, False)):
        return Case((g, *indices), {**case.params, "shape": x.shape})
    return Case((g, *indices, x), {**case.params, "shape": None})


def index_put_cases(draw):
    case = index_cases(draw)
    x, *indices = case.args
    value = drawn_value(draw, x[array_key(x.ndim, case.params["axes"], indices)].shape)
    return Case((x, value, *indices), case.params)


def last_writes_cases(draw):
    case = index_cases(draw)
    x, *indices = case.args
    return Case(indices, {"axes": case.params["axes"], "shape": x.shape})


def index_reference(x, *indices, axes, bounds):
    return x[array_key(x.ndim, axes, indices)]


def unindex_reference(g, *indices, axes, shape, bounds):
    if shape is None:
        *indices, like = indices
        shape = like.shape
    y = np.zeros(shape)
    np.add.at(y, array_key(y.ndim, axes, indices), g)
    return y


def index_put_reference(x, value, *indices, axes, bounds):
    places = np.arange(x.size).reshape(x.shape)[array_key(x.ndim, axes, indices)]
    values = np.broadcast_to(value, places.shape)
    y = x.copy().reshape(-1)
    for place, v in zip(places.ravel().tolist(), values.ravel().tolist(), strict=True):
        y[place] = v
    return y.reshape(x.shape)


def last_writes_reference(*indices, axes, shape):
    """On an array with one place along each axis that is not indexed."""
    covered = [axis + i for axis, a in zip(axes, indices, strict=True) for i in range(a.ndim if a.dtype == bool else 1)]
    form = tuple([size if axis in covered else 1 for axis, size in enumerate(shape)])
    key = array_key(len(form), axes, indices)
    places = np.arange(int(np.prod(form))).reshape(form)[key]
    flat = places.ravel().tolist()
    last = np.array([place not in flat[i + 1:] for i, place in enumerate(flat)], dtype=bool).reshape(places.shape)
    before = covered[0] if covered[-1] - covered[0] == len(covered) - 1 else 0
    return last.reshape(last.shape[before:])


row("index", index_cases, oracle=index_reference, open_sizes=DECIDED)
row("unindex", unindex_cases, oracle=unindex_reference)
row("index_put", index_put_cases, oracle=index_put_reference)
row("last_writes", last_writes_cases, oracle=last_writes_reference, open_sizes=DECIDED)
