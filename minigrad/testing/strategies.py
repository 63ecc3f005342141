"""Hypothesis strategies for shapes, axes and arrays.

Each function returns a strategy. Hypothesis is imported when one is first asked for; without it they raise
MissingExtraError. Arrays are drawn as a shape and a seed: a failing example shrinks to a small shape with evenly
spaced values, and many examples cost little.
"""

import itertools
from contextvars import ContextVar
from functools import cache

from minigrad.errors import MissingExtraError
from minigrad.testing.domains import REAL


def hypothesis_strategies():
    """The module hypothesis.strategies, or MissingExtraError."""
    try:
        import hypothesis.strategies as st
    except ImportError as error:
        raise MissingExtraError("random samples need hypothesis; install it with: pip install 'minigrad[test]'"
                                ) from error
    return st


def one_of(*values):
    """One of `values` (a value may be anything, None included)."""
    return hypothesis_strategies().sampled_from(values)


def whole_numbers(low, high):
    """Python ints from `low` to `high`, both included."""
    return hypothesis_strategies().integers(low, high)


def drawn(function, *args, **kwargs):
    """The strategy of what ``function(draw, *args, **kwargs)`` returns."""
    return _drawing()(function, args, kwargs)


@cache
def _drawing():
    """hypothesis's composite strategy of `_call`, made once: making one takes a millisecond."""
    return hypothesis_strategies().composite(_call)


def _call(draw, function, args, kwargs):
    return function(draw, *args, **kwargs)


# ----- shapes
# what the sizes and ranks that are being drawn shall lean to; see `case_groups`
EMPHASES = ("any", "short first", "short last", "ones", "empty", "low rank")
_emphasis = ContextVar("minigrad_emphasis", default="any")


def shapes(min_rank=0, max_rank=3, min_size=0, max_size=4):
    """Tuples of sizes; size 1 often, size 0 now and then unless `min_size` forbids it."""
    return drawn(_shapes, min_rank, max_rank, min_size, max_size)


def _shapes(draw, min_rank, max_rank, min_size, max_size):
    emphasis = _emphasis.get()
    lowest = min(max(min_rank, 1), max_rank) if emphasis in ("ones", "empty") else min_rank
    usual = [rank for rank in (2, 1, 3, 2, 0, *range(4, max_rank + 1)) if lowest <= rank <= max_rank]
    rank = lowest if emphasis == "low rank" or not usual else draw(one_of(*usual))
    shape = [draw(sizes(min_size, max_size)) for _ in range(rank)]
    if emphasis == "empty" and rank and min_size == 0 and 0 not in shape:
        shape[draw(whole_numbers(0, rank - 1))] = 0
    return tuple(shape)


USUAL_SIZES = (2, 3, 1, 4, 2, 3, 1, 0)
LEANING_SIZES = {"ones": (1, 1, 1, 2, 3), "empty": (2, 1, 0, 0, 3), "short first": (2, 3, 1), "short last": (2, 3, 1)}


def sizes(min_size=0, max_size=4):
    """One size of an axis."""
    return drawn(_sizes, min_size, max_size)


def _sizes(draw, min_size, max_size):
    usual = LEANING_SIZES.get(_emphasis.get(), USUAL_SIZES)
    usual = [size for size in (*usual, *range(5, max_size + 1)) if min_size <= size <= max_size]
    return draw(one_of(*(usual or range(min_size, max_size + 1))))


def broadcastable_shapes(count, max_rank=3, min_size=0, max_size=4):
    """Tuples of `count` shapes that broadcast together; some have fewer axes, or size 1 where others have more."""
    return drawn(_broadcastable_shapes, count, max_rank, min_size, max_size)


def _broadcastable_shapes(draw, count, max_rank, min_size, max_size):
    emphasis = _emphasis.get()
    common = draw(shapes(0, max_rank, min_size, max_size))
    short = None
    if count > 1 and max_rank and emphasis in ("short first", "short last"):
        # an operand that lacks an axis along which the other has several elements
        common = (draw(one_of(2, 3)), *common[1:])
        short = 0 if emphasis == "short first" else count - 1
    result = []
    for position in range(count):
        variant = "whole"
        if short is not None:
            variant = "fewer" if position == short else "whole"
        elif count > 1 and not (emphasis == "empty" and position == 0):
            variant = draw(one_of("whole", "fewer", "ones", "scalar", "whole"))
        shape = common
        if variant == "ones":
            shape = tuple([draw(one_of(size, 1)) for size in common])
        elif variant == "fewer":
            shape = common[draw(whole_numbers(1, max(len(common), 1))):]
        elif variant == "scalar":
            shape = ()
        result.append(shape)
    return tuple(result)


def matmul_shapes(max_batch_rank=2, min_size=0, max_size=3, vectors=True):
    """Pairs of shapes that matmul takes: matrices with broadcastable batch axes and, if `vectors`, vectors."""
    return drawn(_matmul_shapes, max_batch_rank, min_size, max_size, vectors)


def _matmul_shapes(draw, max_batch_rank, min_size, max_size, vectors):
    rows, inner, columns = [draw(sizes(min_size, max_size)) for _ in range(3)]
    if vectors:
        kind = draw(one_of("matrices", "matrices", "vector first", "vector second", "vectors"))
    else:
        kind = "matrices"
    a_batch, b_batch = draw(broadcastable_shapes(2, max_batch_rank, min_size, max_size))
    a = (inner,) if kind in ("vector first", "vectors") else (*a_batch, rows, inner)
    b = (inner,) if kind in ("vector second", "vectors") else (*b_batch, inner, columns)
    return a, b


# ----- axes
def axes(rank, negative=False):
    """One axis of an array of `rank` >= 1 dimensions; `negative` counts from the end too."""
    return whole_numbers(-rank if negative else 0, rank - 1)


def axis_sets(rank, min_axes=1, none=True):
    """Increasing tuples of axes as reductions get them, or None for all of them (always None for rank 0)."""
    sets = []
    for count in range(min_axes, rank + 1):
        sets += itertools.combinations(range(rank), count)
    if none or not sets:
        sets.append(None if none else ())
    return one_of(*sets)


def permutations(rank):
    """Orders of `rank` axes."""
    return hypothesis_strategies().permutations(range(rank)).map(tuple)


# ----- arrays
def arrays(shape=None, domain=REAL, dtype=None, rough=False):
    """Arrays with values from `domain`.

    Args:
        shape: a tuple, or a strategy of tuples; default: `shapes()`.
        dtype: a dtype other than the domain's.
        rough: strew in the ends, kinks and small whole numbers of the domain.
    """
    return drawn(_arrays, shape, domain, dtype, rough)


def _arrays(draw, shape, domain, dtype, rough):
    if shape is None:
        shape = shapes()
    if not isinstance(shape, tuple):
        shape = draw(shape)
    seed = draw(whole_numbers(0, 2**31 - 1))
    if seed == 0:
        values = domain.ramp(shape)
    elif rough and seed % 3:
        values = domain.rough(shape, seed)
    else:
        values = domain.random(shape, seed)
    return values if dtype is None else values.astype(dtype)


def distinct_arrays(shape=None, gap=0.1):
    """Float64 arrays whose elements differ by at least `gap`: no ties for max, sort, median, ..."""
    return drawn(_distinct_arrays, shape, gap)


def _distinct_arrays(draw, shape, gap):
    import numpy as np

    if shape is None:
        shape = shapes()
    if not isinstance(shape, tuple):
        shape = draw(shape)
    count = int(np.prod(shape, dtype=np.int64))
    values = (np.arange(count) - count // 2) * gap * 2
    seed = draw(whole_numbers(0, 2**31 - 1))
    if seed:
        generator = np.random.default_rng(seed)
        values = generator.permutation(values) + generator.uniform(0, gap, size=count)
    return values.reshape(shape)


def well_conditioned_matrices(size, batch=()):
    """Float64 arrays (*batch, size, size) that are far from singular."""
    return drawn(_well_conditioned_matrices, size, batch)


def _well_conditioned_matrices(draw, size, batch):
    import numpy as np

    x = draw(arrays((*batch, size, size), REAL))
    return x / 3 + 2 * np.eye(size) * max(size, 1)


def cases(samples, smooth=False, emphasis="any"):
    """Cases of a `Samples` row.

    Args:
        smooth: keep off kinks, for gradient checks.
        emphasis: one of EMPHASES: what `shapes` and `sizes` inside of the drawing function lean to.
    """
    strategy = drawn(_case, samples.smooth_cases if smooth else samples.cases, emphasis)
    if smooth and samples.kinks is not None:
        strategy = strategy.filter(_AwayFromKinks(samples.kinks))
    return strategy


def _case(draw, function, emphasis):
    token = _emphasis.set(emphasis)
    try:
        return function(draw)
    finally:
        _emphasis.reset(token)


def case_groups(samples, smooth=False):
    """Tuples of cases, one for each of EMPHASES: so even a few examples meet size 1, empty arrays and 0-d ones."""
    return hypothesis_strategies().tuples(*[cases(samples, smooth, emphasis) for emphasis in EMPHASES])


class _AwayFromKinks:
    """A filter: the case is not near a kink."""

    def __init__(self, kinks):
        self.kinks = kinks

    def __call__(self, case):
        return not self.kinks(*case.args, **case.params)
