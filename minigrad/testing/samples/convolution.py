"""Samples of convolution: the oracles go through every product of a weight and a pixel."""

import itertools

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, one_of

IMAGES = "the sizes of images decide the sizes of the result"
DTYPES = ("float64", "float32", "float16")


def settings(draw):
    """Parameters of windows over one or two dimensions, and an image size that they fit."""
    rank = draw(one_of(1, 2))
    kernel, params, size = [], {"stride": [], "pads": [], "dilation": []}, []
    for _ in range(rank):
        k, d = draw(one_of(1, 2)), draw(one_of(1, 2))
        pads = draw(one_of((0, 0), (0, 0), (1, 0), (0, 2), (1, 1)))
        kernel.append(k)
        params["stride"].append(draw(one_of(1, 2, 3)))
        params["dilation"].append(d)
        params["pads"].append(pads)
        size.append(max(d * (k - 1) + 1 + draw(one_of(0, 1, 2)) - sum(pads), 1))
    return tuple(kernel), tuple(size), {name: tuple(value) for name, value in params.items()}


def out_size(size, kernel, stride, pads, dilation):
    return tuple([(n + before + after - d * (k - 1) - 1) // s + 1
                  for n, k, s, (before, after), d in zip(size, kernel, stride, pads, dilation, strict=True)])


def taken_apart(draw, size):
    """(parameter, operands): now and then the first size is an operand, as in a graph that does not know it."""
    if draw(one_of(False, False, True)):
        return (None, *size[1:]), (np.asarray(size[0]),)
    return size, ()


def convolve_cases(draw):
    kernel, size, params = settings(draw)
    groups, per_group = draw(one_of((1, 1), (1, 2), (2, 1)))
    x = draw(arrays((draw(one_of(0, 1, 2)), groups * per_group, *size), REAL))
    w = draw(arrays((2, per_group, *kernel), REAL))
    bias = draw(one_of((), (draw(arrays((2,), REAL)),)))
    return Case((x, w, *bias), {**params, "groups": groups})


def convolve_input_cases(draw):
    kernel, size, params = settings(draw)
    groups, per_group = draw(one_of((1, 1), (1, 2), (2, 1)))
    g = draw(arrays((draw(one_of(0, 1, 2)), 2, *out_size(size, kernel, **params)), REAL))
    w = draw(arrays((2, per_group, *kernel), REAL))
    template, operands = taken_apart(draw, size)
    return Case((g, w, *operands), {"size": template, **params, "groups": groups})


def convolve_weight_cases(draw):
    kernel, size, params = settings(draw)
    groups, per_group = draw(one_of((1, 1), (1, 2), (2, 1)))
    n = draw(one_of(0, 1, 2))
    x = draw(arrays((n, groups * per_group, *size), REAL))
    g = draw(arrays((n, 2, *out_size(size, kernel, **params)), REAL))
    template, operands = taken_apart(draw, kernel)
    return Case((x, g, *operands), {"kernel": template, **params, "groups": groups})


def terms(size, kernel, stride, pads, dilation):
    """(place in the result, place in the window, place in the image) of every product of a convolution."""
    for out in itertools.product(*[range(n) for n in out_size(size, kernel, stride, pads, dilation)]):
        for place in itertools.product(*[range(k) for k in kernel]):
            at = tuple([o * s + p * d - before
                        for o, s, p, d, (before, _) in zip(out, stride, place, dilation, pads, strict=True)])
            if all(0 <= i < n for i, n in zip(at, size, strict=True)):
                yield out, place, at


def channels(w, groups):
    """(output channel, input channel, input channel within its group) for each pair that is connected."""
    per_group = w[0] // groups
    for o in range(w[0]):
        for c in range(w[1]):
            yield o, o // per_group * w[1] + c, c


def whole(template, operands):
    """The sizes that `taken_apart` took apart."""
    rest = iter(operands)
    return tuple([int(next(rest)) if size is None else size for size in template])


def convolve_reference(x, w, *bias, groups, **params):
    kernel = w.shape[2:]
    y = np.zeros((x.shape[0], w.shape[0], *out_size(x.shape[2:], kernel, **params)))
    for out, place, at in terms(x.shape[2:], kernel, **params):
        for o, c, inner in channels(w.shape, groups):
            y[(slice(None), o, *out)] += x[(slice(None), c, *at)] * w[(o, inner, *place)]
    return y + bias[0].reshape(-1, *[1] * len(kernel)) if bias else y


def convolve_input_reference(g, w, *sizes, size, groups, **params):
    size = whole(size, sizes)
    x = np.zeros((g.shape[0], w.shape[1] * groups, *size))
    for out, place, at in terms(size, w.shape[2:], **params):
        for o, c, inner in channels(w.shape, groups):
            x[(slice(None), c, *at)] += g[(slice(None), o, *out)] * w[(o, inner, *place)]
    return x


def convolve_weight_reference(x, g, *sizes, kernel, groups, **params):
    w = np.zeros((g.shape[1], x.shape[1] // groups, *whole(kernel, sizes)))
    for out, place, at in terms(x.shape[2:], w.shape[2:], **params):
        for o, c, inner in channels(w.shape, groups):
            w[(o, inner, *place)] += np.dot(x[(slice(None), c, *at)], g[(slice(None), o, *out)])
    return w


def unfold_cases(draw):
    kernel, size, params = settings(draw)
    x = draw(arrays((draw(one_of(0, 1, 2)), 2, *size), REAL))
    return Case((x,), {"kernel": kernel, **params})


def unfold_reference(x, *, kernel, **params):
    out = out_size(x.shape[2:], kernel, **params)
    y = np.zeros((*x.shape[:2], *kernel, *out))
    for o, place, at in terms(x.shape[2:], kernel, **params):
        y[(slice(None), slice(None), *place, *o)] = x[(slice(None), slice(None), *at)]
    return y.reshape(x.shape[0], x.shape[1] * int(np.prod(kernel)), int(np.prod(out)))


def fold_cases(draw):
    kernel, size, params = settings(draw)
    count = int(np.prod(out_size(size, kernel, **params)))
    columns = draw(arrays((draw(one_of(0, 1, 2)), 2 * int(np.prod(kernel)), count), REAL))
    template, operands = taken_apart(draw, size)
    return Case((columns, *operands), {"size": template, "kernel": kernel, **params})


def fold_reference(columns, *sizes, size, kernel, **params):
    size = whole(size, sizes)
    out = out_size(size, kernel, **params)
    parts = columns.reshape(columns.shape[0], columns.shape[1] // int(np.prod(kernel)), *kernel, *out)
    x = np.zeros((columns.shape[0], parts.shape[1], *size))
    for o, place, at in terms(size, kernel, **params):
        x[(slice(None), slice(None), *at)] += parts[(slice(None), slice(None), *place, *o)]
    return x


row("convolve", convolve_cases, oracle=convolve_reference)
row("convolve_input", convolve_input_cases, oracle=convolve_input_reference, open_sizes=IMAGES)
row("convolve_weight", convolve_weight_cases, oracle=convolve_weight_reference, open_sizes=IMAGES)
row("unfold_columns", unfold_cases, oracle=unfold_reference)
row("fold_columns", fold_cases, oracle=fold_reference, open_sizes=IMAGES)
