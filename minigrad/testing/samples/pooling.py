"""Samples of pooling: the oracles go through every element of every window."""

import itertools
import math

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, distinct_arrays, one_of

IMAGES = "the sizes of images decide the sizes of the result"
EVERYWHERE = (slice(None), slice(None))


def settings(draw, dilated=True):
    """(image size, parameters) of windows over one or two dimensions."""
    size, params = [], {"kernel": [], "stride": [], "pads": [], "dilation": []}
    for _ in range(draw(one_of(1, 2))):
        k, d = draw(one_of(1, 2, 3)), draw(one_of(1, 2)) if dilated else 1
        before, after = draw(one_of((0, 0), (0, 0), (1, 1), (0, 1), (1, 0)))
        pads = min(before, k // 2), min(after, k // 2)
        params["kernel"].append(k)
        params["stride"].append(draw(one_of(1, 2, 3)))
        params["pads"].append(pads)
        params["dilation"].append(d)
        size.append(d * (k - 1) + 1 + draw(one_of(0, 1, 2)))
    params = {name: tuple(value) for name, value in params.items()}
    params["ceil_mode"] = draw(one_of(False, False, True))
    return tuple(size), params


def windows_of(size, kernel, stride, pads, dilation, ceil_mode):
    """For each window: (its place in the result, the places of its elements in the image, in order)."""
    axes = []
    for n, k, s, (before, after), d in zip(size, kernel, stride, pads, dilation, strict=True):
        starts = list(range(-before, n + after - d * (k - 1), s))
        if ceil_mode and starts[-1] + d * (k - 1) < n + after - 1 and starts[-1] + s < n:
            starts.append(starts[-1] + s)  # elements were left over
        axes.append([[start + p * d for p in range(k) if 0 <= start + p * d < n] for start in starts])
    for out in itertools.product(*[range(len(axis)) for axis in axes]):
        yield out, list(itertools.product(*[axis[o] for axis, o in zip(axes, out, strict=True)]))


def empty_result(x, size, **params):
    *_, (last, _) = windows_of(size, **params)
    return np.zeros((*x.shape[:2], *[o + 1 for o in last]))


# ----- the largest
def image(draw, size):
    """Elements that are all different, or small whole numbers, among which there are equal ones."""
    shape = (draw(one_of(1, 2)), draw(one_of(1, 2)), *size)
    x = draw(distinct_arrays(shape))
    return x if draw(one_of(True, False)) else np.round(x)


def max_pool_cases(draw):
    size, params = settings(draw)
    return Case((image(draw, size),), params)


def smooth_max_pool_cases(draw):
    size, params = settings(draw)
    return Case((draw(distinct_arrays((1, 1, *size))),), params)


def max_pool_reference(x, **params):
    y = empty_result(x, x.shape[2:], **params)
    for out, elements in windows_of(x.shape[2:], **params):
        y[(*EVERYWHERE, *out)] = np.max([x[(*EVERYWHERE, *at)] for at in elements], axis=0)
    return y


def largest_places(x, **params):
    """For each window of each image: (index of the result, index of the first largest element)."""
    for out, elements in windows_of(x.shape[2:], **params):
        for image_index in np.ndindex(x.shape[:2]):
            values = [x[(*image_index, *at)] for at in elements]
            yield (*image_index, *out), (*image_index, *elements[int(np.argmax(values))])


def max_unpool_cases(draw):
    case = max_pool_cases(draw)
    y = max_pool_reference(*case.args, **case.params)
    return Case((draw(arrays(y.shape, REAL)), *case.args, y), case.params)


def max_unpool_reference(g, x, y, **params):
    z = np.zeros(x.shape)
    for out, at in largest_places(x, **params):
        z[at] += g[out]
    return z


def max_pick_cases(draw):
    case = max_pool_cases(draw)
    (x,) = case.args
    return Case((draw(arrays(x.shape, REAL)), x, max_pool_reference(x, **case.params)), case.params)


def max_pick_reference(t, x, y, **params):
    z = np.zeros(y.shape)
    for out, at in largest_places(x, **params):
        z[out] = t[at]
    return z


def position_cases(draw):
    case = max_pool_cases(draw)
    (x,) = case.args
    params = {**case.params, "ceil_mode": False}
    y = max_pool_reference(x, **params)
    del params["ceil_mode"]
    return Case((x, y), params)


def position_reference(x, y, **params):
    positions = np.zeros(y.shape, np.int64)
    for out, at in largest_places(x, **params, ceil_mode=False):
        positions[out] = np.ravel_multi_index(at[2:], x.shape[2:])
    return positions


# ----- sums
def window_sum_cases(draw):
    size, params = settings(draw, dilated=False)
    del params["dilation"]
    return Case((draw(arrays((draw(one_of(0, 1, 2)), 2, *size), REAL)),), params)


def undilated(params):
    return {**params, "dilation": (1,) * len(params["kernel"])}


def window_sum_reference(x, **params):
    y = empty_result(x, x.shape[2:], **undilated(params))
    for out, elements in windows_of(x.shape[2:], **undilated(params)):
        for at in elements:
            y[(*EVERYWHERE, *out)] += x[(*EVERYWHERE, *at)]
    return y


def window_spread_cases(draw):
    case = window_sum_cases(draw)
    (x,), size = case.args, case.args[0].shape[2:]
    g = draw(arrays(window_sum_reference(x, **case.params).shape, REAL))
    operands = ()
    if draw(one_of(False, False, True)):
        size, operands = (None, *size[1:]), (np.asarray(size[0]),)
    return Case((g, *operands), {"size": size, **case.params})


def window_spread_reference(g, *sizes, size, **params):
    size = (*[int(n) for n in sizes], *size[len(sizes):])
    x = np.zeros((*g.shape[:2], *size))
    for out, elements in windows_of(size, **undilated(params)):
        for at in elements:
            x[(*EVERYWHERE, *at)] += g[(*EVERYWHERE, *out)]
    return x


def window_counts_cases(draw):
    case = window_sum_cases(draw)
    return Case(case.args, {**case.params, "count_padding": draw(one_of(False, True))})


def window_counts_reference(x, *, count_padding, **params):
    ones = np.ones((1, 1, *x.shape[2:]))
    if not count_padding:
        return window_sum_reference(ones, **params)[0, 0]
    out = window_sum_reference(ones, **params).shape[2:]
    padded = np.pad(ones, ((0, 0), (0, 0), *params["pads"]), constant_values=1)
    y = window_sum_reference(padded, **{**params, "pads": ((0, 0),) * len(params["pads"])})[0, 0]
    return y[tuple([slice(n) for n in out])]


# ----- parts of an image
def part_cases(draw):
    size = tuple([draw(one_of(1, 2, 3, 5)) for _ in range(draw(one_of(1, 2)))])
    counts = tuple([draw(one_of(1, 2, 3, None)) for _ in size])
    return Case((image(draw, size),), {"counts": counts})


def part_reference(x, *, counts):
    size = x.shape[2:]
    counts = [n if count is None else count for n, count in zip(size, counts, strict=True)]
    positions = np.zeros((*x.shape[:2], *counts), np.int64)
    for place in np.ndindex(positions.shape):
        ranges = [range(math.floor(i * n / count), math.ceil((i + 1) * n / count))
                  for i, n, count in zip(place[2:], size, counts, strict=True)]
        elements = list(itertools.product(*ranges))
        best = int(np.argmax([x[(*place[:2], *at)] for at in elements]))
        positions[place] = np.ravel_multi_index(elements[best], size)
    return positions


row("max_pool", max_pool_cases, oracle=max_pool_reference, smooth_cases=smooth_max_pool_cases)
row("max_unpool", max_unpool_cases, oracle=max_unpool_reference, constants=(1, 2))
row("max_pick", max_pick_cases, oracle=max_pick_reference, constants=(1, 2))
row("pool_positions", position_cases, oracle=position_reference)
row("window_sum", window_sum_cases, oracle=window_sum_reference)
row("window_spread", window_spread_cases, oracle=window_spread_reference, open_sizes=IMAGES)
row("window_counts", window_counts_cases, oracle=window_counts_reference)
row("part_positions", part_cases, oracle=part_reference)
