"""Samples of softmax and the cross-entropies of rows."""

import numpy as np

from minigrad.testing.domains import REAL, interval
from minigrad.testing.samples import Case, elementwise_row, row
from minigrad.testing.samples.classes import label_cases
from minigrad.testing.strategies import arrays, axes, axis_sets, one_of, shapes

WEIGHT = interval(0.0, 1.0)


def row_cases(draw):
    x = draw(arrays(shapes(min_rank=1), REAL))
    return Case((x,), {"axis": draw(axes(x.ndim))})


def soft_cases(draw):
    shape = draw(shapes(min_rank=1))
    x, t = draw(arrays(shape, REAL)), draw(arrays(shape, WEIGHT, rough=True))
    return Case((x, t), {"axis": draw(axes(x.ndim)), "label_gradient": draw(one_of(True, True, False))})


def constant_label_cases(draw):
    case = soft_cases(draw)
    return Case(case.args, {**case.params, "label_gradient": True})


def reduced_cases(draw):
    x = draw(arrays(domain=REAL))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})


def weights_cases(draw):
    x = draw(arrays(domain=REAL))
    return Case((x,), {"axis": draw(axis_sets(x.ndim))})


def slope_cases(draw):
    shape = draw(shapes(min_rank=1))
    g, y = draw(arrays(shape, REAL)), draw(arrays(shape, REAL))
    return Case((g, y), {"axis": draw(axes(len(shape)))})


def row_loss_cases(draw):
    """As `label_cases`, with a row that counts where the mean is taken."""
    case = label_cases(draw)
    counts = np.any(case.args[1] != case.params["ignore_index"])
    return Case(case.args, {**case.params, "average": bool(counts) and draw(one_of(False, True))})


def softmax_reference(x, *, axis):
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax_reference(x, *, axis):
    return x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))


def logsumexp_reference(x, *, axes, keepdim):
    return np.log(np.sum(np.exp(x), axis=axes, keepdims=keepdim))


def exp_difference_reference(a, b):
    return np.exp(np.subtract(a, b))


def softmax_slope_reference(g, y, *, axis):
    return y * g - y * np.sum(y * g, axis=axis, keepdims=True)


def log_softmax_slope_reference(g, y, *, axis):
    return g - np.exp(y) * np.sum(g, axis=axis, keepdims=True)


def cross_entropy_reference(x, labels, *, axis, ignore_index, average):
    """Row by row."""
    rows = np.moveaxis(x, axis, -1)
    loss, slope = np.zeros(labels.shape), np.zeros(rows.shape)
    for place in np.ndindex(labels.shape):
        label = labels[place]
        if label != ignore_index:
            p = np.exp(rows[place]) / np.sum(np.exp(rows[place]))
            loss[place] = -np.log(p[label])
            slope[place] = p - np.eye(len(p))[label]
    slope, count = np.moveaxis(slope, -1, axis), np.sum(labels != ignore_index)
    return (np.sum(loss) / count, slope / count, count) if average else (loss, slope, count)


def soft_reference(x, t, *, axis, label_gradient):
    logp = log_softmax_reference(x, axis=axis)
    return -np.sum(t * logp, axis=axis), np.exp(logp) * np.sum(t, axis=axis, keepdims=True) - t


row("softmax", row_cases, oracle=softmax_reference)
row("log_softmax", row_cases, oracle=log_softmax_reference)
row("logsumexp", reduced_cases, oracle=logsumexp_reference)
row("logsumexp_weights", weights_cases, oracle=softmax_reference)
elementwise_row("exp_difference", REAL, REAL, oracle=exp_difference_reference)
row("softmax_slope", slope_cases, oracle=softmax_slope_reference)
row("log_softmax_slope", slope_cases, oracle=log_softmax_slope_reference)
row("cross_entropy_rows", row_loss_cases, oracle=cross_entropy_reference)
row("soft_cross_entropy_rows", soft_cases, smooth_cases=constant_label_cases, oracle=soft_reference)
