"""Order: stable sorts, NaN, ties, and where values would be put."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad import ops
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.graph import Graph
from minigrad.testing import check_gradients, engines_agree

X = np.random.default_rng(0).normal(size=(3, 5))
NAN = float("nan")


def sorted_values(x):
    return ops.sort(x, 0, descending=True)


def largest_values(x):
    return ops.topk(x, 3, -1)


def smallest_values(x):
    return ops.topk(x, 2, 0, largest=False)


@pytest.mark.parametrize("function", [sorted_values, largest_values, smallest_values, ops.msort, ops.argsort])
def test_engines_and_gradients(function):
    engines_agree(function, X, order=2)
    if function is not ops.argsort:
        check_gradients(function, X, order=2)


@given(st.lists(st.integers(-2, 2), max_size=9), st.booleans())
def test_sorts_are_stable(numbers, descending):
    values, indices = ops.sort(np.array(numbers, dtype=np.float64), descending=descending)
    order = sorted(range(len(numbers)), key=numbers.__getitem__, reverse=descending)
    assert indices.tolist() == order  # Python's sort is stable in both directions
    assert values.tolist() == [numbers[i] for i in order]


def test_nan_is_the_largest_number():
    x = np.array([1.0, NAN, 0.0, NAN])
    assert ops.argsort(x).tolist() == [2, 0, 1, 3]
    assert ops.argsort(x, descending=True).tolist() == [1, 3, 0, 2]
    assert ops.topk(x, 2).indices.tolist() == [1, 3]
    assert ops.topk(x, 3, largest=False).indices.tolist() == [2, 0, 1]


def test_values_and_indices_by_name():
    result = ops.sort(mg.tensor([3.0, 1.0], requires_grad=True))
    assert result.values.tolist() == [1.0, 3.0]
    assert result.indices.tolist() == [1, 0]
    assert result.indices.dtype == mg.int64
    values, _ = result
    (values * mg.tensor([1.0, 10.0])).sum().backward()


def test_without_dimensions():
    assert ops.sort(np.array(2.0)).values.shape == ()
    assert ops.topk(np.array(2.0), 1).indices == 0
    assert ops.sort(np.array([True, False])).values.tolist() == [False, True]


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.booleans(), st.booleans())
def test_the_quick_way_of_topk_is_a_stable_sort(seed, k, largest, some_nan):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 60, size=(2, 300)).astype(np.float64)
    if some_nan:
        x[generator.random(size=x.shape) < 0.05] = NAN
    values, indices = ops.topk(x, k, 1, largest)
    expected = ops.sort(x, 1, descending=largest)
    assert np.array_equal(indices, expected.indices[:, :k])
    assert np.array_equal(values, expected.values[:, :k], equal_nan=True)
    assert np.array_equal(ops.topk(x.T, k, 0, largest).indices, indices.T)


# ----- unique
def test_unique():
    x = np.array([[3, 1], [1, 2]])
    values, inverse, counts = ops.unique(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert inverse.tolist() == [[2, 0], [0, 1]]
    assert counts.tolist() == [2, 1, 1]
    assert ops.unique(np.array([[1, 2], [1, 2], [0, 5]]), dim=0).tolist() == [[0, 5], [1, 2]]
    assert len(ops.unique(np.array([NAN, NAN]))) == 2
    assert not ops.unique(mg.tensor([1.0, 1.0], requires_grad=True)).requires_grad


def test_unique_consecutive():
    values, inverse, counts = ops.unique_consecutive(np.array([1, 1, 2, 2, 1]), True, True)
    assert values.tolist() == [1, 2, 1]
    assert inverse.tolist() == [0, 0, 1, 1, 2]
    assert counts.tolist() == [2, 2, 1]
    assert ops.unique_consecutive(np.zeros(0)).shape == (0,)


# ----- places
def test_searchsorted_and_bucketize():
    edges, x = np.array([1.0, 3.0, 3.0, 5.0]), np.array([[0.0, 3.0], [4.0, 6.0]])
    assert ops.searchsorted(edges, x).tolist() == [[0, 1], [3, 4]]
    assert ops.searchsorted(edges, x, right=True).tolist() == [[0, 3], [3, 4]]
    assert ops.searchsorted(edges, x, side="right").tolist() == [[0, 3], [3, 4]]
    assert ops.bucketize(x, edges).tolist() == [[0, 1], [3, 4]]
    assert ops.searchsorted(np.stack([edges, edges + 2]), x).tolist() == [[0, 1], [1, 3]]
    assert ops.searchsorted(edges, 3.0) == 1
    assert ops.searchsorted(edges, x, out_int32=True).dtype == np.int32
    assert ops.searchsorted(edges[::-1], x, sorter=np.array([3, 2, 1, 0])).tolist() == [[0, 1], [3, 4]]
    assert ops.searchsorted(np.array([1, 3]), np.array([2.5])).tolist() == [1]


def test_isin():
    x = np.array([1, 2, 3])
    assert ops.isin(x, np.array([3, 1, 9])).tolist() == [True, False, True]
    assert ops.isin(x, np.array([2]), invert=True).tolist() == [True, False, True]
    assert ops.isin(x, np.zeros(0, np.int64)).tolist() == [False] * 3
    assert ops.isin(x, 2).tolist() == [False, True, False]
    assert ops.isin(np.array([NAN]), np.array([NAN])).tolist() == [False]


def test_nonzero():
    x = np.array([[0, 1], [2, 0]])
    assert ops.nonzero(x).tolist() == [[0, 1], [1, 0]]
    assert ops.argwhere(mg.tensor(x)).tolist() == [[0, 1], [1, 0]]
    rows, columns = ops.nonzero(mg.tensor(x), as_tuple=True)
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]
    assert ops.nonzero(np.array(3)).shape == (1, 0)
    assert len(ops.nonzero(np.array(3), as_tuple=True)) == 1
    node = Graph().placeholder("float32", (2, 3))
    assert [str(part.aval) for part in ops.nonzero(node, as_tuple=True)] == ["int64(None,)"] * 2


def test_what_is_found_indexes_what_was_searched():
    x = mg.tensor(X, requires_grad=True)
    x[ops.nonzero(x > 0, as_tuple=True)].sum().backward()
    assert np.array_equal(x.grad.numpy(), (X > 0).astype(float))


# ----- what is refused
@pytest.mark.parametrize(("name", "args", "error", "text"), [
    ("topk", [X, 6], ShapeError, r"6 elements were asked for, but dimension 1 of shape \(3, 5\) has 5"),
    ("topk", [X, -1], ShapeError, "negative"),
    ("sort", [X, 2], AxisError, "2 is out of range"),
    ("searchsorted", [X, np.ones((2, 5))], ShapeError, r"\(2, 5\) do not fit sequences of shape \(3, 5\)"),
])
def test_refusals_teach(name, args, error, text):
    with pytest.raises(error, match=text):
        getattr(ops, name)(*args)


def test_sides_must_not_contradict():
    with pytest.raises(DtypeError, match="contradicts"):
        ops.searchsorted(X[0], X[0], right=True, side="left")
    with pytest.raises(DtypeError, match="middle"):
        ops.searchsorted(X[0], X[0], side="middle")
