"""Samples of what class numbers choose."""

import numpy as np

from minigrad.testing.domains import REAL, whole
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, axes, one_of, shapes


def label_cases(draw):
    """Logits, class numbers, and a class number to be ignored."""
    shape = draw(shapes(min_rank=1))
    axis = draw(axes(len(shape)))
    classes = max(shape[axis], 1)
    shape = (*shape[:axis], classes, *shape[axis + 1:])
    x = draw(arrays(shape, REAL))
    labels = draw(arrays((*shape[:axis], *shape[axis + 1:]), whole(0, classes - 1)))
    ignore_index = draw(one_of(None, -100, 0, classes - 1))
    if ignore_index == -100:
        labels = np.where(labels == draw(one_of(0, classes - 1)), -100, labels)
    return Case((x, labels), {"axis": axis, "ignore_index": ignore_index})


def put_cases(draw):
    case = label_cases(draw)
    x, labels = case.args
    return Case((draw(arrays(labels.shape, REAL)), labels), {**case.params, "shape": x.shape})


def marks_cases(draw):
    case = label_cases(draw)
    return Case(case.args[::-1], {"axis": case.params["axis"]})


def pick_reference(x, labels, *, axis, ignore_index):
    rows, picked = np.moveaxis(x, axis, -1), np.zeros(labels.shape)
    for place in np.ndindex(labels.shape):
        if labels[place] != ignore_index:
            picked[place] = rows[place][labels[place]]
    return picked, np.sum(labels != ignore_index)


def put_reference(g, labels, *, axis, ignore_index, shape):
    y = np.zeros(shape)
    rows = np.moveaxis(y, axis, -1)
    for place in np.ndindex(labels.shape):
        if labels[place] != ignore_index:
            rows[place][labels[place]] = g[place]
    return y


def marks_reference(labels, like, *, axis):
    y = np.zeros(like.shape)
    for i in range(like.shape[axis]):
        y[(slice(None),) * axis + (i,)] = labels == i
    return y


row("pick_classes", label_cases, oracle=pick_reference)
row("put_classes", put_cases, oracle=put_reference)
row("label_marks", marks_cases, oracle=marks_reference)
