"""Samples of losses."""

import numpy as np

from minigrad.testing.domains import PROBABILITY, REAL, interval
from minigrad.testing.samples import elementwise_row


def binary_cross_entropy_reference(x, t):
    return -(t * np.log(x) + (1 - t) * np.log(1 - x))


def bce_with_logits_reference(x, t):
    return t * np.log(1 + np.exp(-np.asarray(x))) + (1 - t) * np.log(1 + np.exp(x))


def bce_slope_reference(x, t):
    return 1 / (1 + np.exp(-np.asarray(x))) - t


WEIGHT = interval(0.0, 1.0)

elementwise_row("binary_cross_entropy", PROBABILITY, WEIGHT, oracle=binary_cross_entropy_reference, scalars=False)
elementwise_row("bce_with_logits", REAL, WEIGHT, oracle=bce_with_logits_reference, scalars=False)
elementwise_row("bce_slope", REAL, WEIGHT, oracle=bce_slope_reference, scalars=False)
elementwise_row("kept_above", interval(0.5, 3.0), interval(-1.0, 0.4), oracle="numpy.maximum", constants=(1,),
                scalars=False)
