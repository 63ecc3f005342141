"""Samples of scans."""

import numpy as np

from minigrad.testing.domains import REAL, interval
from minigrad.testing.samples import ALL_DTYPES, NUMBERS, Case, row
from minigrad.testing.strategies import arrays, axes, one_of, shapes


def scan_cases(draw):
    x = draw(arrays(shapes(min_rank=1), REAL, rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim))})


def cumsum_cases(draw):
    case = scan_cases(draw)
    return Case(case.args, {**case.params, "reverse": draw(one_of(False, True))})


def tied_cases(draw):
    x = draw(arrays(shapes(min_rank=1), interval(-1.0, 1.0), rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim))})


def cumsum_reference(x, *, axis, reverse):
    if reverse:
        return np.flip(cumsum_reference(np.flip(x, axis), axis=axis, reverse=False), axis)
    return np.add.accumulate(x, axis=axis, dtype=np.float64 if x.dtype.kind == "f" else np.int64)


def cumprod_reference(x, *, axis):
    return np.multiply.accumulate(x, axis=axis, dtype=np.float64 if x.dtype.kind == "f" else np.int64)


def logcumsumexp_reference(x, *, axis):
    return np.logaddexp.accumulate(x, axis=axis)


def cummax_reference(x, *, axis):
    return last_of(x, axis, np.max)


def cummin_reference(x, *, axis):
    return last_of(x, axis, np.min)


def last_of(x, axis, extreme):
    """The last position of the extreme of each beginning."""
    y = np.zeros(x.shape, np.int64)
    for place in np.ndindex(x.shape):
        before = x[(*place[:axis], slice(place[axis] + 1), *place[axis + 1:])]
        y[place] = np.flatnonzero(before == extreme(before))[-1]
    return y


row("cumsum", cumsum_cases, oracle=cumsum_reference, dtypes=NUMBERS)
row("cumprod", scan_cases, oracle=cumprod_reference, dtypes=NUMBERS)
row("logcumsumexp", scan_cases, oracle=logcumsumexp_reference)
row("cummax_indices", tied_cases, oracle=cummax_reference, dtypes=ALL_DTYPES)
row("cummin_indices", tied_cases, oracle=cummin_reference, dtypes=ALL_DTYPES)
