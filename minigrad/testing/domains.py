"""Where functions are defined: intervals of numbers for samples, with the points at which a function has a kink."""

import numpy as np

# how far from a kink a smooth sample stays: well beyond the step of the finite differences of float64
MARGIN = 0.02


class Domain:
    """Numbers from `low` to `high`, both included.

    Attributes:
        low, high: the ends.
        kinks: points at which the derivative jumps: value samples take them often, gradient checks keep off them.
        extremes: numbers outside of it for value samples only: NaN, infinities.
        whole: only whole numbers.
        dtype: the dtype of samples: float64, int64 or bool.
    """

    def __init__(self, low, high, kinks=(), extremes=(), whole=False, dtype="float64"):
        self.low = low
        self.high = high
        self.kinks = tuple(kinks)
        self.extremes = tuple(extremes)
        self.whole = whole
        self.dtype = np.dtype(dtype)

    def ramp(self, shape):
        """The simplest samples, which failing examples shrink to: evenly spaced numbers."""
        count = int(np.prod(shape, dtype=np.int64))
        if self.whole:
            values = self.low + np.arange(count) % (self.high - self.low + 1)
        else:
            values = self.low + (self.high - self.low) * (np.arange(count) + 0.5) / max(count, 1)
        return self.smoothed(values.reshape(shape))

    def random(self, shape, seed):
        """Samples drawn evenly, the same ones for the same seed (an int or a list of them), none near a kink."""
        generator = np.random.default_rng(seed)
        if self.whole:
            values = generator.integers(self.low, self.high + 1, size=shape)
        else:
            values = generator.uniform(self.low, self.high, size=shape)
        return self.smoothed(values)

    def rough(self, shape, seed):
        """As `random`, with ends, kinks, small whole numbers of the interval and the extremes strewn in."""
        values = self.random(shape, seed)
        points = [p for p in (self.low, self.high, 0, 1, -1, *self.kinks) if self.low <= p <= self.high]
        points.extend(self.extremes)
        generator = np.random.default_rng([seed, 1])
        chosen = generator.random(size=shape) < 0.4
        values = np.where(chosen, np.array(points)[generator.integers(0, len(points), size=shape)], values)
        return np.asarray(values, dtype=self.dtype)

    def smoothed(self, values):
        """`values` in this domain's dtype, those near a kink moved away from it."""
        values = np.array(values, dtype=self.dtype)
        if self.dtype.kind == "f":
            for kink in self.kinks:
                near = np.abs(values - kink) < MARGIN
                side = np.where(values >= kink, 1.0, -1.0)
                side = np.where(kink + side * 2 * MARGIN > self.high, -1.0, side)
                side = np.where(kink + side * 2 * MARGIN < self.low, 1.0, side)
                values = np.where(near, kink + side * 2 * MARGIN, values)
        return values

    def __repr__(self):
        return f"<{self.dtype} from {self.low} to {self.high}>"


def interval(low, high, kinks=(), extremes=()):
    """Floats from `low` to `high`."""
    return Domain(low, high, kinks, extremes)


def positive(low=0.1, high=3.0):
    """Floats well above zero."""
    return Domain(low, high)


def whole(low, high):
    """int64 numbers from `low` to `high`, both included."""
    return Domain(low, high, whole=True, dtype="int64")


REAL = interval(-3.0, 3.0)
EXTREMES = (np.nan, np.inf, -np.inf, -0.0)
WIDE = interval(-3.0, 3.0, extremes=EXTREMES)  # REAL, with NaN and infinities where values are checked
NONZERO = interval(-3.0, 3.0, kinks=(0.0,))  # for abs, sign, relu, ...: the kink is at zero
POSITIVE = positive()
UNIT = interval(-0.95, 0.95)  # for arcsin, atanh
PROBABILITY = interval(0.02, 0.98)  # for logit, binary cross-entropy
INTEGERS = whole(-5, 5)
BOOLEANS = Domain(0, 1, whole=True, dtype="bool")
