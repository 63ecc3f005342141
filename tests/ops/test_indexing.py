"""Indexing and writing at an index: NumPy and loops as oracles, repeated places, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad import ops
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.graph import Graph
from minigrad.ops import getitem, setitem
from minigrad.testing import check_gradients, engines_agree

X = np.random.default_rng(0).normal(size=(2, 3, 4))


class At:
    """The function that takes the elements at an index."""

    def __init__(self, index):
        self.index = index

    def __call__(self, x):
        return getitem(x, self.index)


class Put:
    """The function that writes a value at an index."""

    def __init__(self, index):
        self.index = index

    def __call__(self, x, value):
        return setitem(x, self.index, value)


INDICES = [
    0, -1, (1, 2), (1, 2, 3), slice(None), slice(1, None), (slice(None), slice(None, None, 2)), ..., (..., 1), (0, ...),
    None, (None, 0), (slice(0, 1), None, ..., None), (slice(None), slice(2, 0, -1)), (slice(5, 9),), (), (..., None),
    [0, 1, 1], [], (slice(None), [2, 0]), ([0, 1], [2, 2]), ([[0], [1]], [0, 2, 1]), ([1, 0], slice(None), [0, 3]),
    (None, [1, 1]), (..., [3, 3, 0]), ([0, 1], ..., [1, 0]), np.array([[0, 1], [-1, -2]]), np.array(1), np.int64(1),
    (slice(None), np.array([0, 1], dtype=np.uint8)), (slice(None), range(2)),
    X > 0, (X > 0)[:, :, 0], X[:, 0, 0] > 9, (slice(None), np.array([True, False, True])), (0, X[0] > 0),
    (np.array([True, False]), [1]), (np.array([True, False]), slice(1, 3)), True, False, (np.array(True), 0),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_taking_and_its_gradients(index):
    expected = X[index]
    for y in (getitem(X, index), getitem(mg.tensor(X), index).numpy(), mg.tensor(X)[index].numpy()):
        assert y.shape == expected.shape
        assert np.array_equal(y, expected)
    if expected.size:
        check_gradients(At(index), X, order=2)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_writing_and_its_gradients(index):
    value = np.random.default_rng(1).normal(size=X[index].shape)
    expected = X.copy()
    expected[index] = value
    y = setitem(X, index, value)
    assert np.array_equal(y, expected)
    assert not np.shares_memory(y, X)
    if value.size:
        check_gradients(Put(index), X, value, order=2)


@pytest.mark.parametrize("index", [0, (..., [3, 3, 0]), (slice(None), [2, 0]), X > 0, (1, [0, 0], slice(1, 3))],
                         ids=str)
def test_engines_agree(index):
    engines_agree(At(index), X, order=2)
    engines_agree(Put(index), X, np.array(2.0), order=2)


def test_ints_are_applied_before_arrays():
    # in NumPy an int counts among the arrays, and both put their axes in front
    assert X[0, :, [0, 1]].shape == (2, 3)
    assert getitem(X, (0, slice(None), [0, 1])).shape == (3, 2)
    assert np.array_equal(getitem(X, (0, slice(None), [0, 1])), X[0][:, [0, 1]])


def test_a_basic_index_gives_a_view():
    x = mg.tensor(X)
    for index in (0, (1, 2, 3), slice(1, None), (None, ..., 2), (slice(None, None, -1),), mg.tensor(1)):
        assert np.shares_memory(x[index].numpy(), x.numpy())
    for index in ([0], X > 0, mg.tensor([0, 1])):
        assert not np.shares_memory(x[index].numpy(), x.numpy())


def test_results_of_full_indices_are_views_too():
    w = mg.tensor(X, requires_grad=True)
    x = w * 1.0
    x[0, 1, 2].mul_(3.0)
    x.sum().backward()
    expected = np.ones_like(X)
    expected[0, 1, 2] = 3.0
    assert np.array_equal(w.grad.numpy(), expected)


@given(st.data())
def test_random_slices(data):
    size = data.draw(st.integers(0, 6))
    x = np.arange(float(size))
    part = data.draw(st.slices(size))
    assert np.array_equal(getitem(x, part), x[part])
    assert np.array_equal(setitem(x, part, -1.0), np.where(np.isin(x, x[part]), -1.0, x))


# ----- places that are named more than once
def test_repeated_places_add_up_in_the_gradient():
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, -3]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


def test_half_precision_gradients_do_not_stop_growing():
    x = mg.zeros(2, dtype=mg.float16, requires_grad=True)
    x[mg.zeros(4096, dtype=mg.int64)].sum().backward()
    assert x.grad.dtype == mg.float16
    assert x.grad.tolist() == [4096.0, 0.0]


def test_small_index_dtypes_reach_far_places():
    x = mg.zeros(200, 3, dtype=mg.float64, requires_grad=True)
    x[mg.tensor([150], dtype=mg.uint8)].sum().backward()
    assert x.grad.sum(1).numpy().nonzero()[0].tolist() == [150]


def test_of_repeated_writes_the_last_stays_and_gets_the_gradient():
    x = mg.zeros(5, 5, dtype=mg.float64)
    value = mg.tensor(np.arange(10.0).reshape(2, 5), requires_grad=True)
    y = setitem(x, ([2, 2], slice(None)), value)
    assert y[2].tolist() == [5, 6, 7, 8, 9]
    y.sum().backward()
    assert value.grad.tolist() == [[0] * 5, [1] * 5]
    one = mg.ones(5, dtype=mg.float64, requires_grad=True)
    setitem(x, ([2, 2], slice(None)), one).sum().backward()
    assert one.grad.tolist() == [1] * 5


@given(st.lists(st.tuples(st.integers(-3, 2), st.integers(0, 1)), min_size=1, max_size=6))
def test_writes_happen_in_order(places):
    rows, columns = zip(*places, strict=True)
    value = np.arange(1.0, len(places) + 1)
    expected = np.zeros((3, 2))
    for (i, j), v in zip(places, value, strict=True):
        expected[i, j] = v
    for x in (np.zeros((3, 2)), np.zeros((2, 3)).T):
        assert np.array_equal(setitem(x, (list(rows), list(columns)), value), expected)


def test_the_write_of_a_tensor_into_itself_uses_the_old_values():
    x = mg.tensor([1.0, 2.0, 3.0])
    assert setitem(x, slice(1, None), x[:-1]).tolist() == [1.0, 1.0, 2.0]


def test_values_are_cast_to_the_target():
    assert setitem(np.zeros(2, np.int64), 0, 2.7).tolist() == [2, 0]
    assert setitem(mg.zeros(2), 0, mg.tensor(1.5, dtype=mg.float64)).dtype == mg.float32


def test_index_put():
    x = np.zeros((3, 2))
    index = (np.array([0, 0, 2]),)
    assert ops.index_put(x, index, np.ones(2)).tolist() == [[1, 1], [0, 0], [1, 1]]
    assert ops.index_put(x, index, np.ones(2), accumulate=True).tolist() == [[2, 2], [0, 0], [1, 1]]
    assert ops.index_put(x, (None, np.array([1])), np.ones(1)).tolist() == [[0, 1]] * 3
    assert ops.index_put(x, (x == 0,), np.array(3.0), accumulate=True).tolist() == [[3, 3]] * 3
    check_gradients(Accumulated(index), X[0], np.ones((3, 4)), order=2)


class Accumulated:
    def __init__(self, index):
        self.index = index

    def __call__(self, x, value):
        return ops.index_put(x, self.index, value, accumulate=True)


# ----- one axis
class Call:
    """A function of the first arrays, with the rest of the arguments fixed."""

    def __init__(self, name, args):
        self.function = getattr(ops, name)
        self.args = args

    def __call__(self, *arrays):
        return self.function(*arrays[:1], *self.args, *arrays[1:])


ROWS = np.array([2, 0, 2])
AXIS_CASES = [
    ("narrow", [X], [1, 1, 2], X[:, 1:3]),
    ("narrow", [X], [-1, -3, 2], X[..., 1:3]),
    ("select", [X], [1, -1], X[:, -1]),
    ("index_select", [X], [1, ROWS], X[:, ROWS]),
    ("take", [X], [np.array([[0, -1], [5, 5]])], X.ravel()[[[0, -1], [5, 5]]]),
]


@pytest.mark.parametrize(("name", "arrays", "args", "expected"), AXIS_CASES, ids=str)
def test_along_one_axis(name, arrays, args, expected):
    call = Call(name, args)
    assert np.array_equal(call(*arrays), expected)
    check_gradients(call, *arrays, order=2)
    engines_agree(call, *arrays, order=2)


def test_index_add_copy_and_fill():
    x, source = X[0], np.arange(12.0).reshape(3, 4)
    added = x.copy()
    np.add.at(added, ROWS, 2.0 * source)
    assert np.allclose(ops.index_add(x, 0, ROWS, source, alpha=2), added)
    copied = x.copy()
    copied[[0, 2]] = source[1:]
    assert np.array_equal(ops.index_copy(x, 0, ROWS, source), copied)
    filled = x.copy()
    filled[:, [1, 3]] = 7.0
    assert np.array_equal(ops.index_fill(x, 1, np.array([1, -1]), 7.0), filled)
    assert ops.index_add(np.array(1.0), 0, np.array([0]), np.array([2.0])).shape == ()
    assert ops.index_select(np.array(1.0), 0, np.array([0])).shape == ()


def added_rows(x, source):
    return ops.index_add(x, 0, ROWS, source, alpha=0.5)


def copied_rows(x, source):
    return ops.index_copy(x, 0, ROWS, source)


def filled_rows(x, value):
    return ops.index_fill(x, 0, ROWS, value)


def put_flat(x, source):
    return ops.put(x, np.array([0, -1, 0]), source)


def put_added(x, source):
    return ops.put(x, np.array([0, -1, 0]), source, accumulate=True)


def selected_over(x, source):
    return ops.select_scatter(x, source, 0, -1)


def sliced_over(x, source):
    return ops.slice_scatter(x, source, 1, 0, None, 2)


@pytest.mark.parametrize(("function", "shape"), [
    (added_rows, (3, 4)), (copied_rows, (3, 4)), (filled_rows, ()), (put_flat, (3,)), (put_added, (3,)),
    (selected_over, (4,)), (sliced_over, (3, 2)),
])
def test_writing_along_one_axis(function, shape):
    source = np.random.default_rng(2).normal(size=shape)
    check_gradients(function, X[0], source, order=2)
    engines_agree(function, X[0], source, order=2)


def test_put_and_scatters_of_slices():
    x = np.zeros((2, 3))
    assert ops.put(x, np.array([0, -1, 0]), np.array([1.0, 2.0, 3.0])).tolist() == [[3, 0, 0], [0, 0, 2]]
    assert ops.put(x, np.array([0, 0]), np.array([1.0, 2.0]), True).tolist() == [[3, 0, 0], [0, 0, 0]]
    assert ops.select_scatter(x, np.ones(2), 1, 0).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert ops.slice_scatter(x, np.ones((2, 2)), 1, 0, 3, 2).tolist() == [[1, 0, 1], [1, 0, 1]]


def test_unravel_index():
    flat = np.array([0, 5, 23])
    for y, wanted in zip(ops.unravel_index(flat, (2, 3, 4)), np.unravel_index(flat, (2, 3, 4)), strict=True):
        assert np.array_equal(y, wanted)


# ----- a graph, where indices and bounds may be nodes
def at_node(x, i):
    return getitem(x, (slice(None), i))


def up_to_node(x, i):
    return getitem(x, (0, slice(i, None), slice(None, i)))


def narrowed(x, i):
    return ops.narrow(x, 2, i, i)


def written_at_node(x, value, i):
    return setitem(x, (slice(None), slice(i, None)), value)


def masked(x, mask):
    return getitem(x, mask)


@pytest.mark.parametrize(("function", "arrays"), [
    (at_node, [X, np.array(2)]), (at_node, [X, np.array([2, 2, 0])]), (up_to_node, [X, np.array(1)]),
    (narrowed, [X, np.array(2)]), (written_at_node, [X, np.ones((2, 2, 4)), np.array(1)]), (masked, [X, X > 0]),
    (masked, [X, X[0, :2, 0] > 0]), (masked, [X, np.array(True)]),
])
def test_indices_that_a_graph_computes(function, arrays):
    engines_agree(function, *arrays, order=2)


def test_shapes_in_a_graph():
    x = Graph().placeholder("float32", (None, 3))
    assert getitem(x, 0).shape == (3,)
    assert getitem(x, slice(None)).shape[0] is x.shape[0]
    assert getitem(x, (..., None)).shape == (x.shape[0], 3, 1)
    assert str(getitem(x, slice(1, None)).aval) == "float32(None, 3)"
    assert getitem(x, [0, 5, 7]).shape == (3, 3)
    assert getitem(Graph().placeholder("float32"), 0).shape is None
    with pytest.raises(TensorIndexError, match="index 3 is out of range for axis 1 of size 3"):
        getitem(x, (0, 3))


# ----- what is refused
@pytest.mark.parametrize(("index", "error", "text"), [
    (2, TensorIndexError, "index 2 is out of range for axis 0 of size 2"),
    ((0, -4), TensorIndexError, "index -4 is out of range for axis 1 of size 3"),
    ((0, 0, 0, 0), TensorIndexError, "3 axes, the index names 4"),
    (([0], [0], [0], [0]), TensorIndexError, "3 axes"),
    ((..., ...), TensorIndexError, "only one Ellipsis"),
    (1.0, TensorIndexError, "got a float"),
    ("rows", TensorIndexError, "got a str"),
    (np.array([0.5]), TensorIndexError, "float64"),
    (slice(0.5, None), TensorIndexError, "float"),
    (slice(None, None, 0), TensorIndexError, "step 0"),
    ([0, 2], TensorIndexError, "index 2 is out of bounds for axis 0 with size 2"),
    ([0, -3], TensorIndexError, "-3"),
    (np.ones((3, 3), bool), TensorIndexError, r"mask of shape \(3, 3\)"),
    (([0, 1], [0, 1, 2]), TensorIndexError, r"\(2,\), \(3,\)"),
])
def test_refusals_teach(index, error, text):
    for x in (X, mg.tensor(X, requires_grad=True)):
        with pytest.raises(error, match=text) as caught:
            getitem(x, index)
        assert isinstance(caught.value, (IndexError, ValueError))


@pytest.mark.parametrize(("call", "error", "text"), [
    (Call("narrow", [1, 2, 2]), TensorIndexError, "2 elements from 2"),
    (Call("narrow", [1, 0, -1]), TensorIndexError, "-1 elements"),
    (Call("select", [1, 3]), TensorIndexError, "index 3"),
    (Call("index_select", [1, np.array([-1])]), TensorIndexError, "index -1 is out of range for axis 1 of size 3"),
    (Call("index_select", [1, np.array([[1]])]), ShapeError, "one axis"),
    (Call("index_select", [1, np.array([1.0])]), DtypeError, "integers"),
    (Call("index_add", [1, np.array([3]), np.ones((2, 1, 4))]), TensorIndexError, "index 3"),
    (Call("index_add", [1, np.array([0, 1]), np.ones((2, 1, 4))]), ShapeError, "one slice for each"),
    (Call("index_fill", [1, np.array([0]), np.ones(2)]), ShapeError, "one number"),
    (Call("take", [np.array([24])]), TensorIndexError, "24"),
    (Call("put", [np.array([24]), np.ones(1)]), TensorIndexError, "24"),
    (Call("index_put", [(0,), 1.0, True]), TensorIndexError, "tuple of integer or bool"),
])
def test_functions_refuse(call, error, text):
    with pytest.raises(error, match=text):
        call(X)


@pytest.mark.parametrize(("index", "shape", "text"), [
    (0, (2, 4), r"\(2, 4\) does not broadcast to shape \(3, 4\)"),
    ([0, 1], (3, 3, 4), "does not broadcast"),
    (slice(0, 1), (2, 3, 4), "does not broadcast"),
])
def test_values_that_do_not_fit_are_refused(index, shape, text):
    with pytest.raises(ShapeError, match=text):
        setitem(X, index, np.ones(shape))


def test_what_is_no_value_is_refused():
    with pytest.raises(DtypeError, match="str"):
        setitem(X, 0, "zero")


# ----- on another device indices out of range would wrap silently
def test_a_device_refuses_what_it_would_wrap(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")
    x = mg.tensor(X, device="cuda")
    assert np.array_equal(x[:, [0, -1]].cpu().numpy(), X[:, [0, -1]])
    assert np.array_equal(x[mg.tensor([1, 0])].cpu().numpy(), X[[1, 0]])
    for index in ([0, 2], (slice(None), [0, -4]), (0, 0, 4)):
        with pytest.raises(TensorIndexError, match="out of range"):
            x[index]
    value = mg.tensor([[1.0], [2.0]], dtype=mg.float64, device="cuda")
    y = setitem(x, ([1, 1], 0, slice(None)), value)
    assert y[1, 0].tolist() == [2.0] * 4
