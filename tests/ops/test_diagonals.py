"""Diagonals, triangles and block matrices."""

import numpy as np
import pytest
import scipy.linalg

import minigrad as mg
from minigrad import ops
from minigrad.errors import AxisError, ShapeError
from minigrad.graph import Graph
from minigrad.testing import check_gradients, engines_agree

MATRIX = np.random.default_rng(0).normal(size=(3, 4))
BATCH = np.random.default_rng(1).normal(size=(2, 3, 4))
VECTOR = np.arange(1.0, 4.0)


class Call:
    """A function of arrays with the rest of the arguments fixed."""

    def __init__(self, name, *args):
        self.function = getattr(ops, name)
        self.args = args

    def __call__(self, *arrays):
        return self.function(*arrays, *self.args)


def scattered(x, values, offset):
    y = x.copy()
    for i, v in enumerate(values):
        y[i - min(offset, 0), i + max(offset, 0)] = v
    return y


ROWS = [
    (Call("diagonal"), [MATRIX], np.diagonal(MATRIX)),
    (Call("diagonal", 1, -1, 0), [BATCH], np.diagonal(BATCH, 1, -1, 0)),
    (Call("diagonal", 9), [MATRIX], np.zeros(0)),
    (Call("diag"), [VECTOR], np.diag(VECTOR)),
    (Call("diag", -2), [MATRIX], np.diag(MATRIX, -2)),
    (Call("diagflat", 1), [MATRIX[:2, :2]], np.diagflat(MATRIX[:2, :2], 1)),
    (Call("diag_embed"), [MATRIX], np.stack([np.diag(row) for row in MATRIX])),
    (Call("diag_embed", -1, 0, 2), [MATRIX], np.stack([np.diag(row, -1) for row in MATRIX], 1)),
    (Call("diagonal_scatter"), [MATRIX, VECTOR], scattered(MATRIX, VECTOR, 0)),
    (Call("diagonal_scatter", -1), [MATRIX, VECTOR[:2]], scattered(MATRIX, VECTOR[:2], -1)),
    (Call("trace"), [MATRIX], np.trace(MATRIX)),
    (Call("tril", 1), [BATCH], np.tril(BATCH, 1)),
    (Call("triu", -1), [MATRIX], np.triu(MATRIX, -1)),
    (Call("block_diag"), [MATRIX, VECTOR, np.array(2.0)], scipy.linalg.block_diag(MATRIX, VECTOR, 2.0)),
]


@pytest.mark.parametrize(("call", "xs", "expected"), ROWS)
def test_values_and_gradients(call, xs, expected):
    for y in (call(*xs), call(*[mg.tensor(x) for x in xs]).numpy()):
        assert y.shape == expected.shape
        assert np.array_equal(y, expected)
    if expected.size:
        check_gradients(call, *xs, order=2)


@pytest.mark.parametrize(("call", "xs", "expected"), ROWS)
def test_engines_agree(call, xs, expected):
    engines_agree(call, *xs, order=2, unknown=call.function is not ops.block_diag)


def test_a_diagonal_is_a_view_that_can_be_written():
    w = mg.ones(3, 3, dtype=mg.float64, requires_grad=True)
    x = w * 1.0
    x.diagonal().mul_(5.0)
    assert np.array_equal(x.numpy(force=True), np.ones((3, 3)) + 4 * np.eye(3))
    x.sum().backward()
    assert np.array_equal(w.grad.numpy(), np.ones((3, 3)) + 4 * np.eye(3))


def test_nan_stays_where_it_belongs():
    x = np.full((2, 2), np.nan)
    assert np.array_equal(ops.tril(x), [[np.nan, 0], [np.nan, np.nan]], equal_nan=True)
    y = ops.diagonal_scatter(np.zeros((2, 2)), np.array([np.nan, 1.0]))
    assert np.array_equal(y, [[np.nan, 0], [0, 1]], equal_nan=True)


def test_integers_and_booleans():
    assert ops.tril(np.ones((2, 2), bool)).tolist() == [[True, False], [True, True]]
    assert ops.diag(np.array([1, 2])).dtype == np.int64
    assert ops.trace(np.array([[1, 2], [3, 4]])) == 5


def test_shapes_in_a_graph():
    x = Graph().placeholder("float32", (None, 3))
    assert str(ops.diag_embed(x).aval) == "float32(None, 3, 3)"
    assert str(ops.diagonal(x).aval) == "float32(None,)"
    square = ops.diag_embed(Graph().placeholder("float32", (None,)))
    assert ops.diagonal(square).shape[0] is square.shape[0]


@pytest.mark.parametrize(("call", "x", "error", "text"), [
    (Call("diagonal", 0, 1, 1), MATRIX, AxisError, "two different dimensions"),
    (Call("diagonal"), VECTOR, AxisError, r"\(3,\)"),
    (Call("diag"), BATCH, ShapeError, "diag_embed"),
    (Call("diag_embed", 0, 0, 0), VECTOR, AxisError, "two different"),
    (Call("diagonal_scatter", VECTOR[:2]), MATRIX, ShapeError, r"\(2,\) for a diagonal of shape \(3,\)"),
    (Call("trace"), BATCH, ShapeError, "matrix"),
    (Call("tril"), VECTOR, ShapeError, "matrix"),
    (Call("triu"), VECTOR, ShapeError, "matrix"),
    (Call("block_diag"), BATCH, ShapeError, "at most 2"),
])
def test_refusals_teach(call, x, error, text):
    with pytest.raises(error, match=text):
        call(x)
