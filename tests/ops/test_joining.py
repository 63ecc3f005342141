"""Joining, taking apart, repeating, padding and rolling."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.graph import Graph
from minigrad.testing import check_gradients, engines_agree


class Call:
    """A function of some arrays; `listed` hands them on as one list."""

    def __init__(self, name, args, listed=False):
        self.function = getattr(ops, name)
        self.args = args
        self.listed = listed

    def __call__(self, *arrays):
        if self.listed:
            return self.function(list(arrays), *self.args)
        return self.function(*arrays, *self.args)


def array(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape)


# name, arrays, other arguments, expected result
LISTED = [
    ("cat", [array(2, 3), array(1, 3)], [], np.concatenate([array(2, 3), array(1, 3)])),
    ("cat", [array(2, 3), array(2, 2)], [-1], np.concatenate([array(2, 3), array(2, 2)], 1)),
    ("concat", [array(3)], [0], array(3)),
    ("concatenate", [array(0, 2), array(3, 2)], [0], array(3, 2)),
    ("stack", [array(2, 3), array(2, 3)], [1], np.stack([array(2, 3), array(2, 3)], 1)),
    ("stack", [array(), array()], [-1], np.stack([array(), array()])),
    ("hstack", [array(2), array(3)], [], np.hstack([array(2), array(3)])),
    ("hstack", [array(2, 1), array(2, 3)], [], np.hstack([array(2, 1), array(2, 3)])),
    ("vstack", [array(3), array(2, 3)], [], np.vstack([array(3), array(2, 3)])),
    ("row_stack", [array(3), array(3)], [], np.vstack([array(3), array(3)])),
    ("dstack", [array(2, 3), array(2, 3)], [], np.dstack([array(2, 3), array(2, 3)])),
    ("column_stack", [array(2), array(2, 3)], [], np.column_stack([array(2), array(2, 3)])),
]
SINGLE = [
    ("repeat", array(2, 3), [2, 1, 2], np.tile(array(2, 3), (2, 1, 2))),
    ("repeat", array(2, 3), [(1, 0)], np.zeros((2, 0))),
    ("repeat", array(), [3], np.tile(array(), 3)),
    ("tile", array(2, 3), [2], np.tile(array(2, 3), 2)),
    ("tile", array(2, 3), [(2, 1, 1)], np.tile(array(2, 3), (2, 1, 1))),
    ("repeat_interleave", array(2, 3), [2], np.repeat(array(2, 3), 2)),
    ("repeat_interleave", array(2, 3), [2, -1], np.repeat(array(2, 3), 2, 1)),
    ("repeat_interleave", array(2, 3), [np.array([2, 0, 1]), 1], np.repeat(array(2, 3), [2, 0, 1], 1)),
    ("repeat_interleave", array(2, 3), [np.array([3]), 0], np.repeat(array(2, 3), 3, 0)),
    ("pad", array(2, 3), [(1, 2)], np.pad(array(2, 3), ((0, 0), (1, 2)))),
    ("pad", array(2, 3), [(0, 1, 2, 0), "constant", 7.0], np.pad(array(2, 3), ((2, 0), (0, 1)), constant_values=7)),
    ("pad", array(2, 3), [(-1, 1)], np.pad(array(2, 3)[:, 1:], ((0, 0), (0, 1)))),
    ("pad", array(2, 3), [(2, 1), "reflect"], np.pad(array(2, 3), ((0, 0), (2, 1)), "reflect")),
    ("pad", array(2, 3), [(4, 1), "replicate"], np.pad(array(2, 3), ((0, 0), (4, 1)), "edge")),
    ("pad", array(2, 3), [(3, 2), "circular"], np.pad(array(2, 3), ((0, 0), (3, 2)), "wrap")),
    ("pad", array(2, 3), [(2, -1), "reflect"], np.pad(array(2, 3), ((0, 0), (2, 0)), "reflect")[:, :-1]),
    ("pad_axes", array(2, 3), [((2, 1), (3, 2)), "symmetric"], np.pad(array(2, 3), ((2, 1), (3, 2)), "symmetric")),
    ("flip", array(2, 3), [(0, -1)], np.flip(array(2, 3))),
    ("flip", array(2, 3), [1], np.flip(array(2, 3), 1)),
    ("fliplr", array(2, 3), [], np.fliplr(array(2, 3))),
    ("flipud", array(3), [], np.flipud(array(3))),
    ("roll", array(2, 3), [4], np.roll(array(2, 3), 4)),
    ("roll", array(2, 3), [(1, -1), (0, -1)], np.roll(array(2, 3), (1, -1), (0, 1))),
    ("roll", array(), [2], array()),
    ("rot90", array(2, 3), [], np.rot90(array(2, 3))),
    ("rot90", array(2, 3, 4), [3, (1, 2)], np.rot90(array(2, 3, 4), 3, (1, 2))),
    ("rot90", array(2, 3), [-2], np.rot90(array(2, 3), -2)),
    ("rot90", array(2, 3), [4], array(2, 3)),
]
ROWS = [(Call(name, args, True), xs, y) for name, xs, args, y in LISTED]
ROWS += [(Call(name, args), [x], y) for name, x, args, y in SINGLE]
IDS = [f"{i}-{row[0]}" for i, row in enumerate([*LISTED, *SINGLE])]


@pytest.mark.parametrize(("call", "xs", "expected"), ROWS, ids=IDS)
def test_values_on_arrays_and_tensors(call, xs, expected):
    for y in (call(*xs), call(*[mg.tensor(x) for x in xs]).numpy()):
        assert y.shape == expected.shape
        assert np.array_equal(y, expected)


@pytest.mark.parametrize(("call", "xs", "expected"), ROWS, ids=IDS)
def test_gradients(call, xs, expected):
    if expected.size:
        check_gradients(call, *xs, order=2)


@pytest.mark.parametrize(("call", "xs", "expected"), ROWS, ids=IDS)
def test_engines_agree(call, xs, expected):
    # repeats that are a vector of one number stand for a number: with unknown sizes that cannot be told
    unknown = call.function is not ops.repeat_interleave or not isinstance(call.args[0], np.ndarray)
    engines_agree(call, *xs, order=2, unknown=unknown)


# ----- cat
def test_cat_promotes():
    y = ops.cat([mg.tensor([1, 2]), mg.tensor([0.5])])
    assert y.dtype == mg.float32
    x = mg.tensor([1.0], dtype=mg.float32, requires_grad=True)
    (ops.cat([x, mg.tensor([2.0], dtype=mg.float64)]) * 3.0).sum().backward()
    assert x.grad.dtype == mg.float32
    assert x.grad.tolist() == [3.0]


def test_cat_takes_empty_vectors_beside_anything():
    empty = mg.zeros(0, requires_grad=True)
    y = ops.cat([empty, mg.ones(2, 3)], 1)
    assert y.shape == (2, 3)
    y.sum().backward()
    assert empty.grad.shape == (0,)


def test_one_tensor_many_times():
    x = mg.ones(2, requires_grad=True)
    ops.stack([x, x, x]).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_tensor_is_a_sequence_of_its_slices():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ops.cat(x).tolist() == [1, 2, 3, 4]
    assert ops.stack(x, 1).tolist() == [[1, 3], [2, 4]]


# ----- taking apart
@pytest.mark.parametrize(("name", "args", "sizes"), [
    ("split", [2], [2, 2, 1]),
    ("split", [7], [5]),
    ("split", [[1, 4]], [1, 4]),
    ("split_with_sizes", [[0, 5]], [0, 5]),
    ("chunk", [2], [3, 2]),
    ("chunk", [4], [2, 2, 1]),
    ("chunk", [9], [1, 1, 1, 1, 1]),
    ("tensor_split", [3], [2, 2, 1]),
    ("tensor_split", [7], [1, 1, 1, 1, 1, 0, 0]),
    ("tensor_split", [[1, 3]], [1, 2, 2]),
    ("tensor_split", [[3, 1]], [3, 0, 4]),
    ("tensor_split", [(-1, 9)], [4, 1, 0]),
    ("hsplit", [[2]], [2, 3]),
    ("unbind", [], None),
])
def test_pieces(name, args, sizes):
    x = mg.tensor(array(5), requires_grad=True)
    pieces = getattr(ops, name)(x, *args)
    assert isinstance(pieces, tuple)
    if sizes is None:
        assert [p.shape for p in pieces] == [()] * 5
    else:
        assert [p.shape for p in pieces] == [(n,) for n in sizes]
    for piece in pieces:
        assert piece.numpy(force=True).size == 0 or np.shares_memory(piece.numpy(force=True), x.numpy(force=True))
    (pieces[-1] * 2.0).sum().backward()
    count = 1 if sizes is None else sizes[-1]
    assert x.grad.tolist() == [0.0] * (5 - count) + [2.0] * count


def test_pieces_along_other_dimensions():
    x = array(4, 4, 2)
    assert [p.shape for p in ops.vsplit(x, 2)] == [(2, 4, 2)] * 2
    assert [p.shape for p in ops.hsplit(x, 4)] == [(4, 1, 2)] * 4
    assert [p.shape for p in ops.dsplit(x, [1])] == [(4, 4, 1)] * 2
    assert [p.shape for p in ops.unbind(x, -1)] == [(4, 4)] * 2
    assert [p.shape for p in ops.split(np.zeros((0, 3)), 2)] == [(0, 3)]
    assert [p.shape for p in ops.chunk(np.zeros((0, 3)), 2)] == [(0, 3)] * 2


def used_pieces(x):
    """The first and the last of three pieces; the middle one gets no gradient."""
    first, _, last = ops.split(x, [1, 2, 2], 1)
    return first * last


def test_unused_pieces_get_no_gradient():
    check_gradients(used_pieces, array(2, 5), order=2)
    engines_agree(used_pieces, array(2, 5), order=2)


def rows_multiplied(x):
    first, second, _ = ops.unbind(x)
    return first * second


def test_unbind_in_every_engine():
    check_gradients(rows_multiplied, array(3, 2), order=2)
    engines_agree(rows_multiplied, array(3, 2), order=2, unknown=False)


def halves(x):
    a, b = ops.chunk(x, 2, -1)
    return a * b


def test_chunks_of_an_unknown_size():
    engines_agree(halves, array(3, 4), order=2)


# ----- grids
@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_meshgrid(indexing):
    xs = [np.arange(3.0), np.arange(2.0), np.arange(4.0)]
    for count in (1, 2, 3):
        expected = np.meshgrid(*xs[:count], indexing=indexing)
        for y, wanted in zip(ops.meshgrid(*xs[:count], indexing=indexing), expected, strict=True):
            assert np.array_equal(y, wanted)
    assert ops.meshgrid([np.arange(3.0), np.array(1.0)])[1].shape == (3, 1)


def test_cartesian_prod():
    assert ops.cartesian_prod(np.array([1, 2]), np.array([3, 4])).tolist() == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert ops.cartesian_prod(np.array([1, 2])).tolist() == [1, 2]


# ----- what is refused
@pytest.mark.parametrize(("name", "args", "error", "text"), [
    ("cat", [[]], ShapeError, "at least one"),
    ("cat", [[np.ones((2, 3)), np.ones((3, 2))]], ShapeError, r"\(2, 3\), \(3, 2\)"),
    ("cat", [[np.ones(()), np.ones(())]], ShapeError, "use stack"),
    ("cat", [[np.ones(2)], 1], AxisError, "1 is out of range"),
    ("cat", [[np.ones(2), 3.0]], DtypeError, "float"),
    ("stack", [[np.ones(2), np.ones(3)]], ShapeError, r"\(2,\), \(3,\)"),
    ("stack", [[np.ones(2)], 2], AxisError, "out of range"),
    ("split", [np.ones(5), 0], ShapeError, "positive"),
    ("split", [np.ones(5), [2, 2]], ShapeError, "do not add up"),
    ("split", [np.ones(()), 1], AxisError, "without dimensions"),
    ("chunk", [np.ones(5), 0], ShapeError, "at least 1"),
    ("vsplit", [np.ones((3, 2)), 2], ShapeError, "2 equal parts"),
    ("vsplit", [np.ones(3), 3], AxisError, "2 dimensions"),
    ("repeat", [np.ones((2, 2)), 2], ShapeError, "2 dimensions"),
    ("repeat", [np.ones(2), -1], ShapeError, "negative"),
    ("repeat_interleave", [np.ones(3), np.array([1, 2]), 0], ShapeError, "one number for each"),
    ("meshgrid", [np.ones((2, 2))], ShapeError, "vectors"),
    ("pad", [np.ones((2, 3)), (1,)], ShapeError, "pairs"),
    ("pad", [np.ones((2, 3)), (3, 0), "reflect"], ShapeError, "at most 2"),
    ("pad", [np.ones((2, 3)), (0, 4), "circular"], ShapeError, "at most 3"),
    ("pad", [np.ones((2, 3)), (1, 1), "mirror"], ShapeError, "not known"),
    ("pad", [np.ones((2, 3)), (-2, -2)], ShapeError, "takes away"),
    ("flip", [np.ones((2, 3)), (0, 0)], AxisError, "twice"),
    ("fliplr", [np.ones(3)], AxisError, "2 dimensions"),
    ("roll", [np.ones((2, 3)), (1, 2), 0], ShapeError, "2 shifts for 1"),
    ("rot90", [np.ones((2, 3)), 1, (0,)], AxisError, "two dimensions"),
])
def test_refusals_teach(name, args, error, text):
    with pytest.raises(error, match=text):
        getattr(ops, name)(*args)


def test_the_number_of_pieces_must_be_known():
    x = Graph().placeholder("float32", (None, 3))
    for name, args in (("split", [1]), ("unbind", []), ("tensor_split", [2])):
        with pytest.raises(ShapeError, match="unknown"):
            getattr(ops, name)(x, *args)
    assert len(ops.chunk(x, 3)) == 3
    assert len(ops.split_with_sizes(x, [1, 2])) == 2
