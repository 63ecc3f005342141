"""Samples of gather, scatter, embedding and order."""

import numpy as np

from minigrad.testing.domains import BOOLEANS, REAL, whole
from minigrad.testing.samples import NUMBERS, Case, row
from minigrad.testing.strategies import arrays, axes, distinct_arrays, drawn, one_of, shapes, whole_numbers


# ----- along one axis
def drawn_along(draw, repeat=True):
    """(x, index, axis): an index along an axis of `x`, which is not empty there; without `repeat` a permutation."""
    shape = draw(shapes(min_rank=1, min_size=1, max_size=3))
    axis = draw(axes(len(shape)))
    x = draw(arrays(shape))
    if not repeat:
        return x, np.argsort(draw(arrays(shape)), axis=axis), axis
    form = [draw(whole_numbers(0 if draw(one_of(False, False, True)) else 1, size)) for size in shape]
    form[axis] = draw(whole_numbers(0, 4))
    return x, draw(arrays(tuple(form), whole(0, shape[axis] - 1))), axis


def gather_cases(draw):
    unique = draw(one_of(True, False))
    x, index, axis = drawn_along(draw, repeat=not unique)
    return Case((x, index), {"axis": axis, "unique": unique})


def ungather_cases(draw):
    unique = draw(one_of(True, False))
    x, index, axis = drawn_along(draw, repeat=not unique)
    g = draw(arrays(index.shape))
    params = {"axis": axis, "unique": unique, "check": draw(one_of(True, False))}
    if draw(one_of(True, False)):
        return Case((g, index), {**params, "shape": x.shape})
    return Case((g, index, x), {**params, "shape": None})


def scatter_cases(draw):
    x, index, axis = drawn_along(draw)
    source = draw(arrays(index.shape)) if draw(one_of(True, True, False)) else draw(arrays(())).item()
    return Case((x, source, index), {"axis": axis})


def last_scatters_cases(draw):
    x, index, axis = drawn_along(draw)
    return Case((index,), {"axis": axis, "shape": x.shape})


def scatter_extremum_cases(draw):
    x, index, axis = drawn_along(draw)
    both = draw(distinct_arrays((x.size + index.size,)))
    x, source = both[:x.size].reshape(x.shape), both[x.size:].reshape(index.shape)
    return Case((x, source, index), {"axis": axis, "largest": draw(one_of(True, False)),
                                     "include_self": draw(one_of(True, False))})


def places_along(index, axis):
    """(place in x, place in the index) for each element of the index, in memory order."""
    for place in np.ndindex(index.shape):
        yield (*place[:axis], int(index[place]), *place[axis + 1:]), place


def gather_reference(x, index, *, axis, unique):
    y = np.zeros(index.shape)
    for there, here in places_along(index, axis):
        y[here] = x[there]
    return y


def ungather_reference(g, index, *like, axis, shape, unique, check):
    y = np.zeros(like[0].shape if shape is None else shape)
    for there, here in places_along(index, axis):
        y[there] += g[here]
    return y


def scatter_reference(x, source, index, *, axis):
    y = np.array(x)
    source = np.broadcast_to(source, index.shape)
    for there, here in places_along(index, axis):
        y[there] = source[here]
    return y


def last_scatters_reference(index, *, axis, shape):
    places = [there for there, _ in places_along(index, axis)]
    last = [there not in places[i + 1:] for i, there in enumerate(places)]
    return np.array(last, dtype=bool).reshape(index.shape)


def scatter_extremum_reference(x, source, index, *, axis, largest, include_self):
    found = {}
    for there, here in places_along(index, axis):
        found.setdefault(there, [x[there]] if include_self else []).append(source[here])
    y = np.array(x)
    for there, values in found.items():
        y[there] = max(values) if largest else min(values)
    return y


row("gather", gather_cases, oracle=gather_reference, dtypes=NUMBERS)
row("ungather", ungather_cases, oracle=ungather_reference)
row("scatter", scatter_cases, oracle=scatter_reference)
row("last_scatters", last_scatters_cases, oracle=last_scatters_reference)
row("scatter_extremum", scatter_extremum_cases, oracle=scatter_extremum_reference)


def broadcast_beside_cases(draw):
    a, b = [list(shape) for shape in draw(equal_rank_shapes())]
    axis = draw(axes(len(a)))
    a[axis], b[axis] = draw(whole_numbers(0, 3)), draw(whole_numbers(0, 3))
    return Case((draw(arrays(tuple(a))), draw(arrays(tuple(b)))), {"axis": axis})


def equal_rank_shapes():
    """Pairs of broadcastable shapes of one rank, which is not 0."""
    return drawn(drawn_equal_rank)


def drawn_equal_rank(draw):
    common = draw(shapes(min_rank=1))
    return [tuple([draw(one_of(size, 1)) for size in common]) for _ in range(2)]


def broadcast_beside_reference(x, other, *, axis):
    shape = list(np.broadcast_shapes(np.take(x, [], axis).shape, np.take(other, [], axis).shape))
    shape[axis] = x.shape[axis]
    return x + np.zeros(shape)


row("broadcast_beside", broadcast_beside_cases, oracle=broadcast_beside_reference)


def ranks_in_mask_cases(draw):
    return Case((draw(arrays(domain=BOOLEANS)),))


def ranks_in_mask_reference(mask):
    flat = mask.ravel().tolist()
    return np.array([max(sum(flat[:i + 1]) - 1, 0) for i in range(len(flat))], dtype=np.int64).reshape(mask.shape)


row("ranks_in_mask", ranks_in_mask_cases, oracle=ranks_in_mask_reference)


# ----- rows by number
def embedding_cases(draw):
    weight = draw(arrays((draw(whole_numbers(1, 4)), draw(whole_numbers(0, 3)))))
    index = draw(arrays(shapes(max_rank=2), whole(0, weight.shape[0] - 1)))
    return Case((weight, index), {"padding": None, "scale": False})


def embedding_reference(weight, index, *, padding, scale):
    return weight[index.ravel().tolist()].reshape((*index.shape, weight.shape[1])) if index.size else np.zeros(
        (*index.shape, weight.shape[1]))


def one_hot_cases(draw):
    classes = draw(whole_numbers(1, 4))
    return Case((draw(arrays(shapes(max_rank=2), whole(0, classes - 1))),), {"classes": classes})


def one_hot_reference(index, *, classes):
    y = np.zeros((*index.shape, classes), np.int64)
    for place in np.ndindex(index.shape):
        y[(*place, index[place])] = 1
    return y


row("embedding", embedding_cases, oracle=embedding_reference)
row("one_hot", one_hot_cases, oracle=one_hot_reference)


# ----- order
def argsort_cases(draw):
    x = draw(arrays(shapes(min_rank=1), draw(one_of(REAL, whole(0, 2), BOOLEANS)), rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim)), "descending": draw(one_of(True, False))})


def topk_cases(draw):
    if draw(one_of(False, False, False, True)):  # long enough for the way that does not sort everything
        x = draw(arrays((2, 300), whole(0, 40))).astype(np.float64)
        axis = 1
    else:
        x = draw(arrays(shapes(min_rank=1), draw(one_of(REAL, whole(0, 2)))))
        axis = draw(axes(x.ndim))
    return Case((x,), {"axis": axis, "k": draw(whole_numbers(0, min(x.shape[axis], 9))),
                       "largest": draw(one_of(True, False))})


def argsort_reference(x, *, axis, descending):
    return np.apply_along_axis(stable_order, axis, x, descending) if x.size else np.zeros(x.shape, np.int64)


def stable_order(values, descending):
    numbers = values.tolist()
    return np.array(sorted(range(len(numbers)), key=numbers.__getitem__, reverse=False) if not descending else
                    sorted(range(len(numbers)), key=[-float(n) for n in numbers].__getitem__), dtype=np.int64)


def topk_reference(x, *, k, axis, largest):
    if x.size == 0:
        return np.zeros((*x.shape[:axis], k, *x.shape[axis + 1:]), np.int64)
    return np.take(argsort_reference(x, axis=axis, descending=largest), range(k), axis)


row("argsort", argsort_cases, oracle=argsort_reference, dtypes=NUMBERS)
row("topk", topk_cases, oracle=topk_reference)


def unique_cases(draw):
    x = draw(arrays(shapes(max_rank=2), whole(0, 3)))
    x = x.astype(draw(one_of(np.int64, np.float64)))
    return Case((x,), {"axis": draw(one_of(None, None, *range(x.ndim)))})


def unique_reference(x, *, axis):
    keys = slices_of(x, axis)
    return collected(x, axis, keys, sorted(set(keys)), None)


def unique_consecutive_reference(x, *, axis):
    keys = slices_of(x, axis)
    runs = [i for i in range(len(keys)) if i == 0 or keys[i] != keys[i - 1]]
    number = [len([r for r in runs if r <= i]) - 1 for i in range(len(keys))]
    return collected(x, axis, number, range(len(runs)), [keys[r] for r in runs])


def slices_of(x, axis):
    if axis is None:
        return [(n,) for n in x.ravel().tolist()]
    return [tuple(np.take(x, i, axis).ravel().tolist()) for i in range(x.shape[axis])]


def collected(x, axis, keys, found, texts):
    found = list(found)
    inverse = np.array([found.index(key) for key in keys], dtype=np.int64)
    counts = np.array([keys.count(key) for key in found], dtype=np.int64)
    rows = found if texts is None else texts
    if axis is None:
        return np.array([r[0] for r in rows], dtype=x.dtype), inverse.reshape(x.shape), counts
    shape = [n for i, n in enumerate(x.shape) if i != axis]
    values = np.array(rows, dtype=x.dtype).reshape((len(rows), *shape))
    return np.moveaxis(values, 0, axis), inverse, counts


DISTINCT = "how many different values there are decides the size"
row("unique", unique_cases, oracle=unique_reference, open_sizes=DISTINCT)
row("unique_consecutive", unique_cases, oracle=unique_consecutive_reference, open_sizes=DISTINCT)


def searchsorted_cases(draw):
    sequence = np.sort(draw(arrays(shapes(min_rank=1, max_rank=2), whole(-3, 3)))).astype(np.float64)
    shape = draw(shapes(max_rank=2)) if sequence.ndim == 1 else (*sequence.shape[:-1], draw(whole_numbers(0, 3)))
    x = draw(arrays(shape, whole(-4, 4))).astype(np.float64)
    return Case((sequence, x), {"right": draw(one_of(True, False))})


def searchsorted_reference(sequence, x, *, right):
    y = np.zeros(x.shape, np.int64)
    for place in np.ndindex(x.shape):
        numbers = sequence if sequence.ndim == 1 else sequence[place[:-1]]
        y[place] = np.sum(numbers <= x[place]) if right else np.sum(numbers < x[place])
    return y


def nonzero_cases(draw):
    return Case((draw(arrays(domain=draw(one_of(BOOLEANS, whole(0, 1), REAL)), rough=True)),))


def nonzero_reference(x):
    places = [place for place in np.ndindex(x.shape) if x[place]]
    return np.array(places, dtype=np.int64).reshape(len(places), x.ndim)


row("searchsorted", searchsorted_cases, oracle=searchsorted_reference)
row("nonzero", nonzero_cases, oracle=nonzero_reference, open_sizes="how many elements are not zero decides the size")
