"""Samples of the random draws: there is no oracle, so their results are tested for what they are distributed like.

A draw is fixed by its key, so a test that passes once passes always under a fixed profile of hypothesis; the level
is such that a right distribution fails once in a hundred million draws.
"""

import numpy as np

from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import one_of, shapes, whole_numbers

LEVEL = 1e-8
MANY = 2000
FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)


def key_for(draw):
    """A key: seed and offset."""
    return np.array([draw(whole_numbers(0, 2**40)), draw(whole_numbers(0, 1000))], dtype=np.int64)


def draw_case(draw, dtypes=(FLOAT64, FLOAT32), **params):
    """A key, a shape (its first size now and then an operand), and the parameters."""
    shape = draw(one_of((MANY,), (MANY,), None))
    if shape is None:
        shape = draw(shapes())
    sizes = ()
    if shape and draw(one_of(False, False, True)):
        sizes = (np.asarray(shape[0]),)
        shape = (None, *shape[1:])
    return Case((key_for(draw), *sizes), {"shape": shape, "dtype": draw(one_of(*dtypes)), **params})


def uniform_cases(draw):
    low, high = draw(one_of((0, 1), (-2.0, 3.0)))
    return draw_case(draw, low=low, high=high)


def normal_cases(draw):
    mean, std = draw(one_of((0, 1), (-2.0, 3.0)))
    return draw_case(draw, mean=mean, std=std)


def truncated_cases(draw):
    mean, std = draw(one_of((0, 1), (-2.0, 3.0)))
    low, high = draw(one_of((-2, 2), (-0.5, 1.5)))
    return draw_case(draw, mean=mean, std=std, low=low, high=high)


def exponential_cases(draw):
    return draw_case(draw, rate=draw(one_of(1.0, 0.25)))


def integer_cases(draw):
    low, high = draw(one_of((0, 2), (-3, 7)))
    return draw_case(draw, (np.dtype(np.int64), np.dtype(np.int32), FLOAT32), low=low, high=high)


def permutation_cases(draw):
    n = draw(whole_numbers(0, 30))
    return Case((key_for(draw),), {"shape": (n,), "dtype": draw(one_of(np.dtype(np.int64), np.dtype(np.int32)))})


# ----- what the results must look like
def uniform_check(y, *operands, low, high, shape, dtype):
    form(y, operands, shape, dtype)
    assert np.all((y >= low) & (y < high))
    follows(y, "uniform", low, high - low)


def normal_check(y, *operands, mean, std, shape, dtype):
    form(y, operands, shape, dtype)
    follows(y, "norm", mean, std)


def truncated_check(y, *operands, mean, std, low, high, shape, dtype):
    form(y, operands, shape, dtype)
    assert np.all(np.abs((y.astype(np.float64) - mean) / std - (low + high) / 2) <= (high - low) / 2 + 1e-6)
    follows(y, "truncnorm", low, high, mean, std)


def exponential_check(y, *operands, rate, shape, dtype):
    form(y, operands, shape, dtype)
    follows(y, "expon", 0, 1 / rate)


def integer_check(y, *operands, low, high, shape, dtype):
    form(y, operands, shape, dtype)
    assert np.all((y >= low) & (y < high) & (y == np.round(y)))
    if y.size >= MANY:
        from scipy.stats import chisquare

        counts = [int(np.sum(y == number)) for number in range(low, high)]
        assert chisquare(counts).pvalue > LEVEL, f"{counts} draws of the numbers from {low} up to {high}"


def permutation_check(y, *operands, shape, dtype):
    form(y, operands, shape, dtype)
    assert sorted(y.tolist()) == list(range(shape[0]))
    if shape[0] >= 20:
        assert y.tolist() != list(range(shape[0])), "the order was left as it is"


def form(y, operands, shape, dtype):
    """Shape and dtype are those asked for, and a neighbouring key would give something else."""
    sizes = iter(operands[1:])
    wanted = tuple([int(next(sizes)) if size is None else size for size in shape])
    assert (y.shape, y.dtype) == (wanted, dtype)
    if y.size >= MANY and y.dtype.kind == "f":
        assert len(np.unique(y)) > 1
        halves = y.ravel()[:y.size // 2], y.ravel()[y.size // 2:][:y.size // 2]
        assert not np.array_equal(*halves), "the second half repeats the first"


def follows(y, distribution, *parameters):
    """The Kolmogorov-Smirnov test, for the draws that are numerous enough."""
    if y.size >= MANY:
        from scipy import stats

        frozen = getattr(stats, distribution)(*parameters)
        pvalue = stats.kstest(y.ravel().astype(np.float64), frozen.cdf).pvalue
        assert pvalue > LEVEL, f"these are no draws from {distribution}{parameters}: p = {pvalue:.2g}"


for name, cases, check in (
        ("uniform", uniform_cases, uniform_check), ("normal", normal_cases, normal_check),
        ("truncated_normal", truncated_cases, truncated_check), ("exponential", exponential_cases, exponential_check),
        ("integers", integer_cases, integer_check), ("permutation", permutation_cases, permutation_check)):
    row(f"random_{name}", cases, check=check, dtypes=("int64",), open_sizes=True)
