"""The strategies give what they promise, and lean where they are told to."""

import sys

import numpy as np
import pytest
from hypothesis import given

from minigrad.errors import MissingExtraError
from minigrad.testing import strategies
from minigrad.testing.domains import BOOLEANS, MARGIN, NONZERO, REAL, WIDE, Domain, interval, whole
from minigrad.testing.samples import Case, Samples
from minigrad.testing.strategies import (
    arrays,
    axes,
    axis_sets,
    broadcastable_shapes,
    case_groups,
    distinct_arrays,
    drawn,
    matmul_shapes,
    permutations,
    shapes,
    well_conditioned_matrices,
)


@given(shapes(min_rank=1, max_rank=2, min_size=1, max_size=5))
def test_shapes_keep_their_bounds(shape):
    assert 1 <= len(shape) <= 2
    assert all(1 <= size <= 5 for size in shape)


@given(broadcastable_shapes(3))
def test_broadcastable_shapes_broadcast(group):
    assert len(group) == 3
    np.broadcast_shapes(*group)


@given(matmul_shapes())
def test_matmul_shapes_multiply(pair):
    a, b = pair
    np.matmul(np.zeros(a), np.zeros(b))


@given(drawn(lambda draw: (draw(axes(3)), draw(axes(2, negative=True)), draw(axis_sets(3)), draw(permutations(3)))))
def test_axes(chosen):
    axis, negative, some, order = chosen
    assert 0 <= axis < 3
    assert -2 <= negative < 2
    assert some is None or (list(some) == sorted(set(some)) and set(some) <= {0, 1, 2})
    assert sorted(order) == [0, 1, 2]


@given(axis_sets(0))
def test_rank_0_has_all_axes_only(chosen):
    assert chosen is None


@given(arrays(shapes(), interval(-1.0, 2.0), rough=True))
def test_arrays_stay_in_their_domain(x):
    assert x.dtype == np.float64
    assert np.all((x >= -1.0) & (x <= 2.0))


@given(arrays(domain=NONZERO))
def test_smooth_arrays_keep_off_kinks(x):
    assert np.all(np.abs(x) >= MARGIN)


@given(arrays((30,), WIDE))
def test_extremes_are_for_rough_arrays_only(x):
    assert np.all(np.isfinite(x))


def test_rough_samples_meet_kinks_and_extremes():
    x = NONZERO.rough((200,), 1)
    assert np.any(x == 0)
    assert np.any(np.isnan(WIDE.rough((200,), 1)))


@pytest.mark.parametrize(("domain", "dtype"), [(whole(-2, 2), "int64"), (BOOLEANS, "bool"), (REAL, "float64")])
def test_dtypes_of_domains(domain, dtype):
    for x in (domain.ramp((7,)), domain.random((7,), 3), domain.rough((7,), 3)):
        assert x.dtype == dtype


def test_a_kink_at_the_end_pushes_inwards():
    domain = Domain(0.0, 1.0, kinks=(0.0, 1.0))
    x = domain.smoothed(np.array([0.0, 1.0]))
    assert np.all((x > 0) & (x < 1))


@given(distinct_arrays())
def test_distinct_arrays_have_no_ties(x):
    ordered = np.sort(x.ravel())
    assert np.all(np.diff(ordered) >= 0.1 - 1e-12)


@given(well_conditioned_matrices(3, (2,)))
def test_matrices_are_far_from_singular(x):
    assert np.linalg.cond(x).max() < 30


def pair_cases(draw):
    a, b = draw(broadcastable_shapes(2))
    return Case((draw(arrays(a)), draw(arrays(b))))


@given(case_groups(Samples("pair", pair_cases, oracle="numpy.add")))
def test_groups_lean_to_the_forms_that_break_things(group):
    by_emphasis = dict(zip(strategies.EMPHASES, group, strict=True))
    a, b = by_emphasis["short first"].args
    assert a.ndim < b.ndim
    assert b.shape[0] > 1
    a, b = by_emphasis["short last"].args
    assert b.ndim < a.ndim
    assert any(x.size == 0 for x in by_emphasis["empty"].args)
    assert all(x.ndim == 0 for x in by_emphasis["low rank"].args)


def never_near(*args, **params):
    return bool(args[0].size and args[0].flat[0] > 0)


@given(case_groups(Samples("pair", pair_cases, oracle="numpy.add", kinks=never_near), smooth=True))
def test_smooth_cases_are_away_from_declared_kinks(group):
    assert not any(never_near(*case.args) for case in group)


def test_without_hypothesis_the_error_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name == "hypothesis" or name.startswith("hypothesis.")]:
        monkeypatch.setitem(sys.modules, name, None)
    strategies._drawing.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'minigrad\[test\]'"):
        shapes()
