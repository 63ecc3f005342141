"""Samples of convolution and pooling."""

import itertools

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, distinct_arrays, one_of


def settings(draw):
    """(kernel, stride, dilation, groups, image size) of one or two dimensions."""
    rank = draw(one_of(1, 2))
    kernel, stride, dilation, size = [], [], [], []
    for _ in range(rank):
        k, s, d = draw(one_of(1, 2)), draw(one_of(1, 2)), draw(one_of(1, 2))
        kernel.append(k)
        stride.append(s)
        dilation.append(d)
        size.append(d * (k - 1) + 1 + draw(one_of(0, 1, 2)))
    return tuple(kernel), tuple(stride), tuple(dilation), draw(one_of(1, 2)), tuple(size)


def out_size(size, kernel, stride, dilation):
    return tuple([(n - d * (k - 1) - 1) // s + 1
                  for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)])


def convolve_cases(draw):
    kernel, stride, dilation, groups, size = settings(draw)
    x = draw(arrays((draw(one_of(0, 1, 2)), groups, *size), REAL))
    w = draw(arrays((groups, 1, *kernel), REAL))
    return Case((x, w), {"stride": stride, "dilation": dilation, "groups": groups})


def convolve_input_cases(draw):
    kernel, stride, dilation, groups, size = settings(draw)
    g = draw(arrays((draw(one_of(0, 1, 2)), groups, *out_size(size, kernel, stride, dilation)), REAL))
    w = draw(arrays((groups, 1, *kernel), REAL))
    return Case((g, w), {"size": size, "stride": stride, "dilation": dilation, "groups": groups})


def convolve_weight_cases(draw):
    kernel, stride, dilation, groups, size = settings(draw)
    n = draw(one_of(0, 1, 2))
    x = draw(arrays((n, groups, *size), REAL))
    g = draw(arrays((n, groups, *out_size(size, kernel, stride, dilation)), REAL))
    return Case((x, g), {"kernel": kernel, "stride": stride, "dilation": dilation, "groups": groups})


def terms(size, kernel, stride, dilation):
    """(place in the result, place in the window, place in the image) of every product of a convolution."""
    for out in itertools.product(*[range(n) for n in out_size(size, kernel, stride, dilation)]):
        for place in itertools.product(*[range(k) for k in kernel]):
            at = tuple([o * s + p * d for o, s, p, d in zip(out, stride, place, dilation, strict=True)])
            yield out, place, at


def channels(w, groups):
    """(output channel, input channel, input channel within its group) for each pair that is connected."""
    per_group = w[0] // groups
    for o in range(w[0]):
        for c in range(w[1]):
            yield o, o // per_group * w[1] + c, c


def convolve_reference(x, w, *, stride, dilation, groups):
    y = np.zeros((x.shape[0], w.shape[0], *out_size(x.shape[2:], w.shape[2:], stride, dilation)))
    for out, place, at in terms(x.shape[2:], w.shape[2:], stride, dilation):
        for o, c, inner in channels(w.shape, groups):
            y[(slice(None), o, *out)] += x[(slice(None), c, *at)] * w[(o, inner, *place)]
    return y


def convolve_input_reference(g, w, *, size, stride, dilation, groups):
    x = np.zeros((g.shape[0], w.shape[1] * groups, *size))
    for out, place, at in terms(size, w.shape[2:], stride, dilation):
        for o, c, inner in channels(w.shape, groups):
            x[(slice(None), c, *at)] += g[(slice(None), o, *out)] * w[(o, inner, *place)]
    return x


def convolve_weight_reference(x, g, *, kernel, stride, dilation, groups):
    w = np.zeros((g.shape[1], x.shape[1] // groups, *kernel))
    for out, place, at in terms(x.shape[2:], kernel, stride, dilation):
        for o, c, inner in channels(w.shape, groups):
            w[(o, inner, *place)] += np.dot(x[(slice(None), c, *at)], g[(slice(None), o, *out)])
    return w


def unfold_cases(draw):
    kernel, stride, dilation, _, size = settings(draw)
    x = draw(arrays((draw(one_of(0, 1, 2)), 2, *size), REAL))
    return Case((x,), {"kernel": kernel, "stride": stride, "dilation": dilation})


def unfold_reference(x, *, kernel, stride, dilation):
    out = out_size(x.shape[2:], kernel, stride, dilation)
    y = np.zeros((*x.shape[:2], *kernel, *out))
    for o, place, at in terms(x.shape[2:], kernel, stride, dilation):
        y[(slice(None), slice(None), *place, *o)] = x[(slice(None), slice(None), *at)]
    return y.reshape(x.shape[0], x.shape[1] * int(np.prod(kernel)), int(np.prod(out)))


def fold_cases(draw):
    kernel, stride, dilation, _, size = settings(draw)
    count = int(np.prod(out_size(size, kernel, stride, dilation)))
    columns = draw(arrays((draw(one_of(0, 1, 2)), int(np.prod(kernel)), count), REAL))
    return Case((columns,), {"size": size, "kernel": kernel, "stride": stride, "dilation": dilation})


def fold_reference(columns, *, size, kernel, stride, dilation):
    out = out_size(size, kernel, stride, dilation)
    parts = columns.reshape(columns.shape[0], columns.shape[1] // int(np.prod(kernel)), *kernel, *out)
    x = np.zeros((columns.shape[0], parts.shape[1], *size))
    for o, place, at in terms(size, kernel, stride, dilation):
        x[(slice(None), slice(None), *at)] += parts[(slice(None), slice(None), *place, *o)]
    return x


def position_cases(draw):
    kernel, stride, dilation, _, size = settings(draw)
    x = draw(distinct_arrays((draw(one_of(1, 2)), 1, *size)))
    return Case((x,), {"kernel": kernel, "stride": stride, "dilation": dilation})


def position_reference(x, *, kernel, stride, dilation):
    size = x.shape[2:]
    y = np.zeros((*x.shape[:2], *out_size(size, kernel, stride, dilation)), np.int64)
    best = np.full(y.shape, -np.inf)
    for out, _, at in terms(size, kernel, stride, dilation):
        here = (slice(None), slice(None), *out)
        value = x[(slice(None), slice(None), *at)]
        y[here] = np.where(value > best[here], np.ravel_multi_index(at, size), y[here])
        best[here] = np.maximum(best[here], value)
    return y


def window_cases(draw):
    kernel, stride, _, _, size = settings(draw)
    size = tuple([max(n, k) for n, k in zip(size, kernel, strict=True)])
    x = draw(arrays((draw(one_of(0, 1, 2)), 2, *size), REAL))
    return Case((x,), {"kernel": kernel, "stride": stride})


def window_sum_reference(x, *, kernel, stride):
    flat = (1,) * len(kernel)
    y = np.zeros((*x.shape[:2], *out_size(x.shape[2:], kernel, stride, flat)))
    for out, _, at in terms(x.shape[2:], kernel, stride, flat):
        y[(slice(None), slice(None), *out)] += x[(slice(None), slice(None), *at)]
    return y


def spread_cases(draw):
    case = window_cases(draw)
    (x,), params = case.args, case.params
    size = x.shape[2:]
    g = draw(arrays((*x.shape[:2], *out_size(size, params["kernel"], params["stride"], (1,) * len(size))), REAL))
    return Case((g,), {"size": size, **params})


def window_spread_reference(g, *, size, kernel, stride):
    x = np.zeros((*g.shape[:2], *size))
    for out, _, at in terms(size, kernel, stride, (1,) * len(kernel)):
        x[(slice(None), slice(None), *at)] += g[(slice(None), slice(None), *out)]
    return x


IMAGES = "only the batch of images may be of unknown size"

row("convolve", convolve_cases, oracle=convolve_reference, unknown_dims=IMAGES)
row("convolve_input", convolve_input_cases, oracle=convolve_input_reference, unknown_dims=IMAGES)
row("convolve_weight", convolve_weight_cases, oracle=convolve_weight_reference, unknown_dims=IMAGES)
row("unfold_columns", unfold_cases, oracle=unfold_reference, unknown_dims=IMAGES)
row("fold_columns", fold_cases, oracle=fold_reference, unknown_dims=IMAGES)
row("pool_positions", position_cases, oracle=position_reference, unknown_dims=IMAGES)
row("window_sum", window_cases, oracle=window_sum_reference, unknown_dims=IMAGES)
row("window_spread", spread_cases, oracle=window_spread_reference, unknown_dims=IMAGES)
