"""Gather, scatter, masks and embedding: loops as oracles, ties, repeated places, and what is refused."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.graph import Graph
from minigrad.testing import check_gradients, engines_agree

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(3, 4))
SOURCE = GENERATOR.normal(size=(2, 3))
INDEX = np.array([[0, 1, 0], [2, 1, 2]])


class Call:
    """A function of float arrays: the index, the dimension and options are fixed."""

    def __init__(self, name, dim, index, **options):
        self.function = getattr(ops, name)
        self.dim = dim
        self.index = index
        self.options = options

    def __call__(self, x, *source):
        return self.function(x, self.dim, self.index, *source, **self.options)


def combined(x, source, dim, index, start, step):
    """A scatter by a loop: `start(own)` begins a place, `step` takes in one element."""
    found = {}
    for place in np.ndindex(index.shape):
        there = (*place[:dim], int(index[place]), *place[dim + 1:])
        found.setdefault(there, start(x[there])).append(source[place])
    y = x.copy()
    for there, values in found.items():
        y[there] = step(values)
    return y


def with_own(own):
    return [own]


def without_own(own):
    return []


# ----- gather
@pytest.mark.parametrize(("dim", "index"), [(0, INDEX), (-1, INDEX), (1, np.array([[3], [0], [3]])),
                                            (0, np.zeros((0, 4), np.int64)), (1, np.zeros((2, 0), np.int64))])
def test_gather(dim, index):
    expected = np.zeros(index.shape)
    for place in np.ndindex(index.shape):
        there = list(place)
        there[dim] = index[place]
        expected[place] = X[tuple(there)]
    call = Call("gather", dim, index)
    assert np.array_equal(call(X), expected)
    assert np.array_equal(call(mg.tensor(X)).numpy(), expected)
    engines_agree(call, X, order=2)
    if index.size:
        check_gradients(call, X, order=2)


def test_gather_without_dimensions():
    assert ops.gather(np.array(2.0), 0, np.array(0)).shape == ()
    assert ops.gather(np.array(2.0), 0, np.array([0, 0])).tolist() == [2.0, 2.0]
    assert ops.gather(np.array([1.0, 5.0]), 0, np.array(1)) == 5.0


def along_rows(x, index):
    return ops.take_along_dim(x, index, 1)


@pytest.mark.parametrize("index", [np.array([[0, 3]]), np.array([[1], [0], [2]]), np.argsort(X, 1)])
def test_take_along_dim(index):
    expected = np.take_along_axis(X, np.broadcast_to(index, (3, index.shape[1])), 1)
    assert np.array_equal(along_rows(X, index), expected)
    check_gradients(along_rows, X, index, order=2)
    engines_agree(along_rows, X, index, order=2)
    assert ops.take_along_dim(X, np.array([11, 0])).tolist() == [X[2, 3], X[0, 0]]


# ----- scatter
def test_scatter_writes_in_order_and_the_last_write_gets_the_gradient():
    x = mg.tensor(X, requires_grad=True)
    source = mg.tensor(SOURCE, requires_grad=True)
    y = ops.scatter(x, 0, INDEX, source)
    expected = X.copy()
    expected[[0, 1, 0], [0, 1, 2]] = SOURCE[0]
    expected[[2, 1, 2], [0, 1, 2]] = SOURCE[1]
    assert np.array_equal(y.numpy(force=True), expected)
    y.sum().backward()
    assert source.grad.tolist() == [[1, 0, 1], [1, 1, 1]]
    assert x.grad.tolist() == [[0, 1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize("call", [
    Call("scatter", 0, INDEX), Call("scatter_add", 0, INDEX), Call("scatter", 0, INDEX, reduce="add"),
    Call("scatter", 0, INDEX, reduce="multiply"), Call("scatter", 1, INDEX),
])
def test_scatter_gradients(call):
    check_gradients(call, X, SOURCE, order=2)
    engines_agree(call, X, SOURCE, order=2, unknown=call.options != {"reduce": "multiply"})


def test_scatter_of_a_number_and_of_more_than_the_index():
    assert ops.scatter(np.zeros((2, 2)), 1, np.array([[0], [1]]), 3.0).tolist() == [[3, 0], [0, 3]]
    assert ops.scatter(np.zeros((2, 2)), 1, np.array([[0], [1]]), value=3.0, reduce="add").tolist() == [[3, 0], [0, 3]]
    big = mg.ones(3, 5, dtype=mg.float64, requires_grad=True)
    ops.scatter_add(mg.zeros(3, 4, dtype=mg.float64), 0, INDEX, big).sum().backward()
    assert big.grad.numpy().sum() == INDEX.size
    assert np.array_equal(big.grad.numpy()[:2, :3], np.ones((2, 3)))


REDUCTIONS = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_scatter_reduce(reduce, include_self):
    call = Call("scatter_reduce", 0, INDEX, reduce=reduce, include_self=include_self)

    def function(x, source):
        return ops.scatter_reduce(x, 0, INDEX, source, reduce, include_self=include_self)

    expected = combined(X, SOURCE, 0, INDEX, with_own if include_self else without_own, REDUCTIONS[reduce])
    assert np.allclose(function(X, SOURCE), expected, rtol=1e-14)
    check_gradients(function, X, SOURCE, order=2)
    engines_agree(function, X, SOURCE, order=2, unknown=reduce != "prod")
    assert call.options["reduce"] == reduce


def test_scattered_products_with_zeros_have_exact_derivatives():
    def function(x, source):
        return ops.scatter_reduce(x, 0, np.array([0, 0, 1]), source, "prod")

    check_gradients(function, np.array([2.0, 0.0]), np.array([0.0, 3.0, 0.0]), order=2)


def test_equal_extremes_share_the_gradient():
    x = mg.tensor([1.0, 0.0], requires_grad=True)
    source = mg.tensor([1.0, 1.0, 5.0, 5.0], requires_grad=True)
    y = ops.scatter_reduce(x, 0, mg.tensor([0, 0, 1, 1]), source, "amax")
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), [1 / 3, 0])
    assert np.allclose(source.grad.numpy(), [1 / 3, 1 / 3, 0.5, 0.5])


def test_nan_wins_among_extremes():
    source = np.array([np.nan, 1.0, 2.0])
    for reduce, expected in (("amax", [np.nan, 2.0]), ("amin", [np.nan, 0.0])):
        y = ops.scatter_reduce(np.zeros(2), 0, np.array([0, 0, 1]), source, reduce)
        assert np.array_equal(y, expected, equal_nan=True)


def test_integers_are_reduced_too():
    x, index = np.array([3, 4]), np.array([0, 0])
    assert ops.scatter_reduce(x, 0, index, np.array([1, 1]), "mean").tolist() == [1, 4]
    assert ops.scatter_reduce(x, 0, index, np.array([7, 1]), "amax").tolist() == [7, 4]
    assert ops.scatter_reduce(x, 0, index, np.array([7, 2]), "prod", include_self=False).tolist() == [14, 4]


def reduced_rows(x, source):
    return ops.index_reduce(x, 0, np.array([1, 1, 0]), source, "mean", include_self=False)


def test_index_reduce():
    source = np.arange(12.0).reshape(3, 4)
    y = reduced_rows(X, source)
    assert np.allclose(y, [source[2], source[:2].mean(0), X[2]])
    check_gradients(reduced_rows, X, source, order=2)
    engines_agree(reduced_rows, X, source, order=2)


# ----- masks
def filled(x, mask):
    return ops.masked_fill(x, mask, 0.5)


def selected(x, mask):
    return ops.masked_select(x, mask)


def scattered(x, mask, source):
    return ops.masked_scatter(x, mask, source)


@pytest.mark.parametrize("mask", [X > 0, np.array([True, False, False, True]), np.array([[True], [False], [True]]),
                                  np.zeros((3, 4), bool)])
def test_masks(mask):
    wide = np.broadcast_to(mask, X.shape)
    source = np.arange(100.0, 112.0)
    assert np.array_equal(filled(X, mask), np.where(mask, 0.5, X))
    assert np.array_equal(selected(X, mask), X[wide])
    expected = X.copy()
    expected[wide] = source[:wide.sum()]
    assert np.array_equal(scattered(X, mask, source), expected)
    for function, operands in ((filled, [X, mask]), (selected, [X, mask]), (scattered, [X, mask, source])):
        check_gradients(function, *operands, order=2)
        engines_agree(function, *operands, order=2)


def test_masks_keep_the_dtype():
    assert ops.masked_fill(np.array([1, 2]), np.array([True, False]), 7.0).tolist() == [7, 2]
    assert ops.masked_fill(np.array([1, 2]), np.array([True, False]), 7.0).dtype == np.int64
    assert ops.masked_fill(mg.ones(2), mg.tensor([True, False]), float("-inf")).dtype == mg.float32
    assert ops.masked_select(np.array(3.0), np.array(True)).tolist() == [3.0]
    assert ops.masked_scatter(np.ones(2), np.zeros(2, bool), np.zeros(0)).tolist() == [1.0, 1.0]


# ----- rows by number
def test_embedding_counts_repeated_rows():
    weight = mg.tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
    y = ops.embedding(mg.tensor([0, 0, 1]), weight)
    assert y.tolist() == [[0, 1], [0, 1], [2, 3]]
    y.sum().backward()
    assert weight.grad[:, 0].tolist() == [2, 1, 0]


def test_the_padding_row_gets_no_gradient():
    for padding in (1, -2):
        weight = mg.ones(3, 2, requires_grad=True)
        ops.embedding(mg.tensor([0, 1, 1]), weight, padding_idx=padding).sum().backward()
        assert weight.grad.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_gradients_can_be_scaled_by_how_often_a_row_was_used():
    weight = mg.ones(3, 2, requires_grad=True)
    ops.embedding(mg.tensor([0, 0, 1]), weight, scale_grad_by_freq=True).sum().backward()
    assert weight.grad[:, 0].tolist() == [1, 1, 0]


def looked_up(index, weight):
    return ops.embedding(index, weight, padding_idx=0, scale_grad_by_freq=True)


def plainly_looked_up(index, weight):
    return ops.embedding(index, weight)


def test_embedding_in_every_engine():
    index = np.array([[1, 2], [1, 0]])
    engines_agree(looked_up, index, X, order=2)
    engines_agree(plainly_looked_up, index, X, order=2)
    check_gradients(plainly_looked_up, index, X, order=2)


def test_one_hot():
    assert ops.one_hot(np.array([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert ops.one_hot(mg.tensor([[1]]), 2).tolist() == [[[0, 1]]]
    assert ops.one_hot(np.array(1), 3).tolist() == [0, 1, 0]
    assert ops.one_hot(np.array([1])).dtype == np.int64
    node = Graph().placeholder("int64", (None,))
    assert ops.one_hot(node, 3).shape == (node.shape[0], 3)
    with pytest.raises(ShapeError, match="num_classes must be given"):
        ops.one_hot(node)


# ----- what is refused
@pytest.mark.parametrize(("name", "args", "error", "text"), [
    ("gather", [X, 0, np.array([[3, 0]])], TensorIndexError, "index 3 is out of range for axis 0 of size 3"),
    ("gather", [X, 0, np.array([[-1, 0]])], TensorIndexError, "index -1 is out of range"),
    ("gather", [X, 0, np.array([0])], ShapeError, "as many dimensions"),
    ("gather", [X, 0, np.zeros((1, 5), np.int64)], ShapeError, r"\(1, 5\) does not fit shape \(3, 4\)"),
    ("gather", [X, 0, np.array([[0.0]])], DtypeError, "integers"),
    ("take_along_dim", [X, np.zeros((2, 1), np.int64), 1], ShapeError, "do not broadcast"),
    ("scatter_add", [X, 0, np.zeros((1, 5), np.int64), np.ones((1, 5))], ShapeError, r"\(1, 5\) does not fit"),
    ("scatter", [X, 0, np.array([[3]]), 1.0], TensorIndexError, "index 3"),
    ("scatter", [X, 0, INDEX, SOURCE[:1]], ShapeError, "no element for some"),
    ("scatter", [X, 0, INDEX, SOURCE[0]], ShapeError, "as many dimensions"),
    ("scatter_add", [X, 0, np.array([[-1]]), SOURCE], TensorIndexError, "-1"),
    ("scatter_reduce", [X, 0, INDEX, SOURCE, "median"], DtypeError, "median"),
    ("scatter_reduce", [X, 0, np.array([[9]]), SOURCE, "amax"], TensorIndexError, "9"),
    ("masked_fill", [X, X, 1.0], DtypeError, "mask != 0"),
    ("masked_fill", [X, X > 0, np.ones(4)], ShapeError, "one number"),
    ("masked_select", [X, np.ones(4)], DtypeError, "bool"),
    ("masked_scatter", [X, X < 9, np.ones(5)], TensorIndexError, "out of"),
    ("embedding", [np.array([3]), X], TensorIndexError, "index 3 is out of range for axis 0 of size 3"),
    ("embedding", [np.array([-1]), X], TensorIndexError, "-1"),
    ("embedding", [np.array([0.0]), X], DtypeError, "integers"),
    ("embedding", [np.array([0]), X, 3], TensorIndexError, "padding_idx 3"),
    ("embedding", [np.array([0]), X, None, 1.0], DtypeError, "max_norm"),
    ("one_hot", [np.array([3]), 3], TensorIndexError, "index 3"),
    ("one_hot", [np.array([-1])], TensorIndexError, "-1"),
    ("one_hot", [np.zeros(0, np.int64)], ShapeError, "num_classes"),
    ("one_hot", [np.array([1.0])], DtypeError, "integers"),
])
def test_refusals_teach(name, args, error, text):
    with pytest.raises(error, match=text):
        getattr(ops, name)(*args)


def test_a_device_refuses_what_it_would_wrap(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")
    weight = mg.tensor(X, device="cuda")
    for index in ([3], [-1]):
        with pytest.raises(TensorIndexError, match="embedding"):
            ops.embedding(mg.tensor(index, device="cuda"), weight)
    source = mg.tensor(SOURCE, device="cuda", requires_grad=True)
    y = ops.scatter(weight, 0, mg.tensor(INDEX, device="cuda"), source)
    assert np.array_equal(y.detach().cpu().numpy(), ops.scatter(X, 0, INDEX, SOURCE))
    y.sum().backward()
    assert source.grad.tolist() == [[1, 0, 1], [1, 1, 1]]
