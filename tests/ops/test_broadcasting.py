"""Broadcasting and its undoing: gradients have exactly the shape of what was broadcast."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.dims import Dim
from minigrad.errors import AxisError, ShapeError
from minigrad.graph import Graph
from minigrad.ops import broadcast_like, broadcast_to, reshape_like, size_of, sum_to, sum_to_like
from minigrad.testing import engines_agree


def leaf(shape):
    return mg.ones(shape, dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize(("shapes", "expected"), [
    (((4, 4), (4,)), (1.0, 4.0)),
    (((3, 4), (1, 4)), (1.0, 3.0)),
    (((4, 1), (1, 4)), (4.0, 4.0)),
    (((5, 1, 3), (7, 1)), (7.0, 15.0)),
    (((), (2,)), (2.0, 1.0)),
    (((0, 3), (3,)), (None, 0.0)),
    (((2, 0), (2, 1)), (None, 0.0)),
    (((1, 1), ()), (1.0, 1.0)),
])
def test_gradients_of_a_sum_have_the_operands_shapes(shapes, expected):
    a, b = leaf(shapes[0]), leaf(shapes[1])
    (a + b).sum().backward()
    for x, value in zip((a, b), expected, strict=True):
        assert x.grad.shape == x.shape
        assert np.array_equal(x.grad.numpy(), np.full(x.shape, value if value is not None else 0.0))


def test_half_precision_sums_do_not_stop_growing():
    x = np.ones((4096, 2), np.float16)
    assert sum_to(x, (2,)).tolist() == [4096.0, 4096.0]
    assert sum_to(x, (2,)).dtype == np.float16


def test_what_needs_no_change_is_handed_on():
    x = np.ones((2, 3))
    assert sum_to(x, (2, 3)) is x
    assert broadcast_to(x, (2, 3)) is x
    assert broadcast_like(x, np.zeros((2, 3))) is x
    assert sum_to_like(x, np.zeros((2, 3))) is x
    assert reshape_like(x, np.zeros((2, 3))) is x


def test_broadcast_to_keeps_a_size_for_minus_one():
    x = np.arange(3.0).reshape(3, 1)
    assert broadcast_to(x, (2, -1, 4)).shape == (2, 3, 4)
    with pytest.raises(ShapeError, match="new axis"):
        broadcast_to(x, (-1, 3, 4))


@pytest.mark.parametrize(("x", "shape"), [((3,), (2,)), ((2, 3), (3,)), ((2, 1), (3, 3)), ((0,), (3,))])
def test_shapes_that_do_not_broadcast_are_named(x, shape):
    with pytest.raises(ShapeError) as caught:
        broadcast_to(np.zeros(x), shape)
    assert str(x) in str(caught.value)
    assert str(shape) in str(caught.value)


def test_sizes_are_ints_where_they_are_known():
    assert size_of(np.zeros((2, 3)), -1) == 3
    with pytest.raises(AxisError, match=r"\(2, 3\)"):
        size_of(np.zeros((2, 3)), 2)
    node = Graph().placeholder("float32", (None, 3))
    assert size_of(node, 1) == 3
    assert size_of(node, 0).dtype == np.int64
    assert size_of(node, 0).shape == ()


def test_shapes_of_a_graph_stay_as_known_as_they_can_be():
    graph = Graph()
    wide = graph.placeholder("float32", (None, 3))
    small = graph.placeholder("float32", (3,))
    assert broadcast_like(small, wide).shape == wide.shape
    assert sum_to_like(wide, small).shape == (3,)
    assert reshape_like(graph.placeholder("float32", (None,)), wide).shape == wide.shape
    unknown = graph.placeholder("float32")
    assert broadcast_like(small, unknown).shape is None


def like_of(function):
    """A function of two operands of which the second only gives the shape."""
    def applied(x, like):
        return function(x, like) * 2.0

    return applied


@pytest.mark.parametrize(("function", "shapes"), [
    (broadcast_like, ((3, 1), (2, 3, 4))),
    (sum_to_like, ((2, 3, 4), (3, 1))),
    (sum_to_like, ((2, 3), ())),
    (reshape_like, ((2, 6), (4, 3))),
])
def test_engines_agree_on_shapes_known_at_run_time(function, shapes):
    generator = np.random.default_rng(0)
    engines_agree(like_of(function), *[generator.normal(size=shape) for shape in shapes], order=2)


def test_equal_unknown_sizes_need_no_work():
    graph = Graph()
    size = Dim()
    node = graph.placeholder("float32", (None, 3))
    assert sum_to_like(node * 2.0, node) is not node
    assert sum_to_like(node, node) is node
    assert may_share(size)


def may_share(size):
    """A symbol is equal to itself only."""
    return size == size and size != Dim()
