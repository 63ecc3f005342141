"""Shapes: values and gradients of what is composed, unknown sizes, views, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad import ops
from minigrad.core.dims import Dim
from minigrad.errors import AxisError, ShapeError
from minigrad.graph import Graph
from minigrad.testing import check_gradients, engines_agree


class Call:
    """A function of the float arrays among some arguments, for the checks."""

    def __init__(self, name, args, options):
        self.function = getattr(ops, name)
        self.args = args
        self.options = options

    def __call__(self, *arrays):
        return self.function(*arrays, *self.args, **self.options)


def array(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape)


# name, array, other arguments, expected result
ROWS = [
    ("reshape", array(2, 6), [(3, -1)], np.reshape(array(2, 6), (3, 4))),
    ("reshape", array(2, 6), [4, 3], np.reshape(array(2, 6), (4, 3))),
    ("view", array(4), [-1, 2], np.reshape(array(4), (2, 2))),
    ("reshape", array(1), [()], np.reshape(array(1), ())),
    ("ravel", array(2, 3), [], np.ravel(array(2, 3))),
    ("flatten", array(2, 3, 4), [1], np.reshape(array(2, 3, 4), (2, 12))),
    ("flatten", array(2, 3, 4), [-3, -2], np.reshape(array(2, 3, 4), (6, 4))),
    ("flatten", array(), [], np.reshape(array(), (1,))),
    ("unflatten", array(2, 6), [1, (2, -1)], np.reshape(array(2, 6), (2, 2, 3))),
    ("unflatten", array(2, 6), [-1, (3, 2)], np.reshape(array(2, 6), (2, 3, 2))),
    ("squeeze", array(1, 3, 1), [], np.squeeze(array(1, 3, 1))),
    ("squeeze", array(1, 3, 1), [(0, 1)], np.reshape(array(1, 3, 1), (3, 1))),
    ("squeeze", array(), [0], array()),
    ("unsqueeze", array(2, 3), [-1], array(2, 3)[..., None]),
    ("unsqueeze", array(2, 3), [-3], array(2, 3)[None]),
    ("permute", array(2, 3, 4), [(2, 0, 1)], np.transpose(array(2, 3, 4), (2, 0, 1))),
    ("permute", array(2, 3, 4), [-1, 0, 1], np.transpose(array(2, 3, 4), (2, 0, 1))),
    ("transpose", array(2, 3, 4), [0, -1], np.swapaxes(array(2, 3, 4), 0, 2)),
    ("swapaxes", array(2, 3), [0, 1], array(2, 3).T),
    ("t", array(2, 3), [], array(2, 3).T),
    ("t", array(3), [], array(3)),
    ("T", array(2, 3, 4), [], array(2, 3, 4).T),
    ("H", array(2, 3), [], array(2, 3).T),
    ("mT", array(2, 3, 4), [], np.swapaxes(array(2, 3, 4), -1, -2)),
    ("adjoint", array(2, 3, 4), [], np.swapaxes(array(2, 3, 4), -1, -2)),
    ("movedim", array(2, 3, 4), [(0, 1), (-1, 0)], np.moveaxis(array(2, 3, 4), (0, 1), (-1, 0))),
    ("moveaxis", array(2, 3, 4), [2, 0], np.moveaxis(array(2, 3, 4), 2, 0)),
    ("expand", array(3, 1), [2, -1, 4], np.broadcast_to(array(3, 1), (2, 3, 4))),
    ("expand", array(1), [(0,)], np.zeros((0,))),
    ("sum_to_size", array(2, 3), [(1, 3)], np.sum(array(2, 3), 0, keepdims=True)),
    ("atleast_1d", array(), [], array().reshape(1)),
    ("atleast_2d", array(3), [], array(3)[None]),
    ("atleast_3d", array(3), [], array(3)[None, :, None]),
    ("atleast_3d", array(2, 3), [], array(2, 3)[..., None]),
    ("unfold", array(2, 5), [1, 3, 2], np.stack([array(2, 5)[:, 0:3], array(2, 5)[:, 2:5]], 1)),
]
IDS = [f"{i}-{row[0]}" for i, row in enumerate(ROWS)]


@pytest.mark.parametrize(("name", "x", "args", "expected"), ROWS, ids=IDS)
def test_values_on_arrays_and_tensors(name, x, args, expected):
    call = Call(name, args, {})
    for y in (call(x), call(mg.tensor(x)).numpy()):
        assert y.shape == expected.shape
        assert np.array_equal(y, expected)


@pytest.mark.parametrize(("name", "x", "args", "expected"), ROWS, ids=IDS)
def test_gradients(name, x, args, expected):
    if expected.size:
        check_gradients(Call(name, args, {}), x, order=2)


@pytest.mark.parametrize(("name", "x", "args", "expected"), ROWS, ids=IDS)
def test_engines_agree(name, x, args, expected):
    # an unknown size that is named in squeeze has to be 1
    engines_agree(Call(name, args, {}), x, order=2, unknown=(name, args) != ("squeeze", [(0, 1)]))


def test_reshape_as_and_expand_as():
    x, like = mg.ones(2, 3), mg.ones(3, 2)
    assert ops.reshape_as(x, like).shape == (3, 2)
    assert ops.view_as(x, like).shape == (3, 2)
    assert ops.expand_as(mg.ones(3), x).shape == (2, 3)


def test_broadcast_tensors():
    a, b, c = ops.broadcast_tensors(np.ones((3, 1)), np.ones(4), np.ones(()))
    assert a.shape == b.shape == c.shape == (3, 4)
    with pytest.raises(ShapeError, match=r"\(2,\) and \(3,\)"):
        ops.broadcast_tensors(np.ones(2), np.ones(3))


def test_several_at_once():
    a, b = ops.atleast_2d(np.ones(3), np.ones(()))
    assert a.shape == (1, 3)
    assert b.shape == (1, 1)


# ----- a graph with unknown sizes
def test_sizes_of_the_operand_can_be_given_as_they_are():
    x = Graph().placeholder("float32", (None, 3, 4))
    assert str(ops.reshape(x, (x.shape[0], -1)).aval) == "float32(None, 12)"
    assert ops.reshape(x, (x.shape[0], -1)).shape[0] is x.shape[0]
    assert ops.flatten(x, 1).shape[0] is x.shape[0]
    assert str(ops.flatten(x).aval) == "float32(None,)"
    assert ops.expand(ops.unsqueeze(x, 0), (2, -1, -1, -1)).shape == (2, x.shape[0], 3, 4)
    assert str(ops.reshape(x, (ops.size_of(x, 0), 12)).aval) == "float32(None, 12)"


def test_a_size_of_something_else_needs_size_of():
    graph = Graph()
    x, y = graph.placeholder("float32", (None, 4)), graph.placeholder("float32", (None,))
    with pytest.raises(TypeError, match="size_of"):
        ops.reshape(x, (y.shape[0], -1))
    assert str(ops.reshape(x, (ops.size_of(y, 0), -1)).aval) == "float32(None, None)"


def as_given(x, shape):
    return ops.reshape(x, shape)


def test_a_shape_can_be_a_vector():
    x = array(2, 6)
    assert ops.reshape(x, np.array([3, 4])).shape == (3, 4)
    assert ops.reshape(mg.tensor(x), mg.tensor([3, 4])).shape == (3, 4)
    engines_agree(as_given, x, np.array([3, 4]), order=2, unknown=False)


def test_unknown_ranks():
    x = Graph().placeholder("float32")
    assert ops.unsqueeze(x, 0).shape is None
    assert ops.squeeze(x).shape is None
    assert len(ops.reshape(x, (-1, 2)).shape) == 2
    assert len(ops.permute(x, (1, 0)).shape) == 2
    with pytest.raises(ShapeError, match="rank"):
        ops.transpose(x, 0, 1)
    with pytest.raises(ShapeError, match="rank"):
        ops.flatten(x)


def test_an_unknown_size_named_in_squeeze_must_be_one():
    x = Graph().placeholder("float32", (None, 3))
    assert ops.squeeze(x, 0).shape == (3,)
    assert ops.squeeze(x, 1) is not None
    assert ops.squeeze(x, 1).shape == x.shape
    assert ops.squeeze(x).shape is None


def test_reshape_tells_what_can_be_told():
    size = Dim()
    assert ops.broadcasting.reshaped_shape("reshape", (size, 4), (2, 2, -1)) == (2, 2, size)
    assert ops.broadcasting.reshaped_shape("reshape", (size, 4), (size, 2, 2)) == (size, 2, 2)
    assert ops.broadcasting.reshaped_shape("reshape", (size, 6), (size, 2, -1)) == (size, 2, 3)


@given(st.lists(st.integers(1, 4), max_size=4), st.randoms(use_true_random=False))
def test_reshape_finds_the_open_size(sizes, random):
    x = np.arange(float(np.prod(sizes))).reshape(sizes)
    new = list(sizes)
    random.shuffle(new)
    expected = x.reshape(new)
    if new:
        new[random.randrange(len(new))] = -1
    assert np.array_equal(ops.reshape(x, tuple(new)), expected)


# ----- memory
@pytest.mark.parametrize("name", ["T", "ravel", "squeeze", "flatten"])
def test_results_share_memory(name):
    x = mg.ones(2, 1, 3)
    assert np.shares_memory(getattr(ops, name)(x).numpy(), x.numpy())


def test_a_reshape_that_cannot_be_a_view_copies():
    x = mg.ones(2, 3)
    assert not np.shares_memory(ops.reshape(x.T, (6,)).numpy(), x.numpy())


def test_writing_into_a_view_changes_the_base_and_its_gradient():
    w = mg.ones(2, 3, dtype=mg.float64, requires_grad=True)
    x = w * 1.0
    x.reshape(6)[1:3] *= 5.0
    x.sum().backward()
    assert w.grad.tolist() == [[1, 5, 5], [1, 1, 1]]


# ----- what is refused
@pytest.mark.parametrize(("name", "shape", "args", "error", "text"), [
    ("reshape", (2, 3), [(4, -1)], ShapeError, "6 is not a multiple of 4"),
    ("reshape", (2, 3), [(5,)], ShapeError, r"\(2, 3\) has 6 elements"),
    ("reshape", (2, 3), [(-1, -1)], ShapeError, "only one size"),
    ("reshape", (2, 3), [(-2, 3)], ShapeError, "-2"),
    ("reshape", (0, 3), [(0, -1)], ShapeError, "could be any size"),
    ("view", (2, 3), [(4, 4)], ShapeError, r"\(4, 4\)"),
    ("permute", (2, 3), [(0, 0)], AxisError, "twice"),
    ("permute", (2, 3), [(0,)], AxisError, "1 axes"),
    ("transpose", (2, 3), [0, 2], AxisError, "2 is out of range"),
    ("movedim", (2, 3), [(0, 1), (0,)], AxisError, "cannot be moved"),
    ("squeeze", (2, 3), [2], AxisError, "out of range"),
    ("unsqueeze", (2, 3), [3], AxisError, r"\[-3, 2\]"),
    ("flatten", (2, 3), [1, 0], AxisError, "comes after"),
    ("unflatten", (2, 3), [1, (2, 2)], ShapeError, "cannot be split"),
    ("t", (2, 3, 4), [], ShapeError, "at most 2"),
    ("mT", (2,), [], ShapeError, "matrix"),
    ("H", (2, 3, 4), [], ShapeError, "mH"),
    ("expand", (2, 3), [2, 4], ShapeError, "does not broadcast"),
    ("expand", (3,), [-1, 3], ShapeError, "new axis"),
    ("sum_to_size", (2, 3), [(2,)], ShapeError, "does not broadcast"),
    ("unfold", (2, 3), [1, 4, 1], ShapeError, "do not fit"),
    ("unfold", (2, 3), [1, 2, 0], ShapeError, "step must be positive"),
])
def test_refusals_teach(name, shape, args, error, text):
    for x in (np.ones(shape), mg.ones(shape, requires_grad=True), Graph().placeholder("float32", shape)):
        with pytest.raises(error, match=text):
            getattr(ops, name)(x, *args)
