"""Pooling: values by definition, which of equal elements gets the gradient, paddings, open sizes, messages."""

import itertools

import numpy as np
import pytest

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops import pooling
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(6)
INF, NAN = np.inf, np.nan


def distinct(*shape):
    """Elements that differ by at least 0.1, in random order."""
    return RNG.permutation(np.prod(shape)).reshape(shape) * 0.1


class With:
    """A function of one tensor with fixed arguments."""

    def __init__(self, function, *args, **options):
        self.function = function
        self.args = args
        self.options = options

    def __call__(self, x):
        return self.function(x, *self.args, **self.options)


def windows_by_loops(size, kernel, stride, padding=0, dilation=1):
    """For each window along one axis: the elements that it has, padding among them."""
    starts = range(-padding, size + padding - dilation * (kernel - 1), stride)
    return [[start + p * dilation for p in range(kernel)] for start in starts]


def by_loops(x, reduce, *windows):
    """`reduce` of the elements of each window, those in the padding left out."""
    y = np.zeros((*x.shape[:2], *[len(w) for w in windows]))
    for place in np.ndindex(y.shape):
        axes = [[i for i in w[p] if 0 <= i < n] for p, w, n in zip(place[2:], windows, x.shape[2:], strict=True)]
        y[place] = reduce([x[(*place[:2], *at)] for at in itertools.product(*axes)])
    return y


SETTINGS = [(2, None, 0), (2, 1, 0), (3, 2, 1), (3, 1, 1), (2, 3, 1), (1, 1, 0), (4, 4, 2)]


# ----- values and gradients
@pytest.mark.parametrize(("kernel", "stride", "padding"), SETTINGS)
@pytest.mark.parametrize(("max_pool", "avg_pool", "size"), [
    (pooling.max_pool1d, pooling.avg_pool1d, (7,)), (pooling.max_pool2d, pooling.avg_pool2d, (6, 7)),
    (pooling.max_pool3d, pooling.avg_pool3d, (4, 5, 4)),
])
def test_pools(max_pool, avg_pool, size, kernel, stride, padding):
    x = distinct(2, 2, *size)
    windows = [windows_by_loops(n, kernel, stride or kernel, padding) for n in size]
    largest = With(max_pool, kernel, stride, padding)
    np.testing.assert_array_equal(largest(x), by_loops(x, np.max, *windows))
    means = With(avg_pool, kernel, stride, padding, count_include_pad=False)
    np.testing.assert_allclose(means(x), by_loops(x, np.mean, *windows))
    sums = With(avg_pool, kernel, stride, padding)
    np.testing.assert_allclose(sums(x) * kernel ** len(size), by_loops(x, np.sum, *windows), atol=1e-12)
    for function in (largest, means, sums):
        check_gradients(function, x[:1, :1], max_elements=9)
        engines_agree(function, x)
        np.testing.assert_allclose(function(x[0]), function(x)[0])


@pytest.mark.parametrize("dilation", [2, 3])
def test_dilated_windows(dilation):
    x = distinct(1, 2, 9, 8)
    windows = [windows_by_loops(n, 3, 2, 1, dilation) for n in (9, 8)]
    np.testing.assert_array_equal(pooling.max_pool2d(x, 3, 2, 1, dilation), by_loops(x, np.max, *windows))


def test_positions():
    x = distinct(2, 3, 6, 5)
    y, positions = pooling.max_pool2d(mg.tensor(x, requires_grad=True), 3, 2, 1, return_indices=True)
    assert positions.dtype == np.int64
    np.testing.assert_array_equal(np.take_along_axis(x.reshape(2, 3, -1), positions.numpy().reshape(2, 3, -1), 2),
                                  y.detach().numpy().reshape(2, 3, -1))
    y, positions = pooling.max_pool1d(mg.tensor([[[1.0, 3, 3, 2]]]), 2, return_indices=True)
    assert (y.tolist(), positions.tolist()) == ([[[3, 3]]], [[[1, 2]]])
    y, positions = pooling.max_pool1d(mg.tensor([[1.0, 3, 3, 2]]), 2, return_indices=True)
    assert positions.tolist() == [[1, 2]]


def gradient(function, x):
    t = mg.tensor(x, requires_grad=True)
    function(t).sum().backward()
    return t.grad.tolist()


def test_the_first_of_equal_elements_gets_the_gradient():
    assert gradient(With(pooling.max_pool1d, 2), [[[1.0, 1, 2, 2, 0, 0]]]) == [[[1, 0, 1, 0, 1, 0]]]
    assert gradient(With(pooling.max_pool2d, 2), [[[1.0, 3], [3, 3]]]) == [[[0, 1], [0, 0]]]
    overlapping = With(pooling.max_pool1d, 3, 1)
    assert gradient(overlapping, [[[0.0, 1, 1, 1, 0]]]) == [[[0, 2, 1, 0, 0]]]
    assert gradient(With(pooling.adaptive_max_pool1d, 2), [[[2.0, 2, 1, 1, 1]]]) == [[[1, 0, 1, 0, 0]]]


def test_nan_and_infinities():
    y = pooling.max_pool1d(np.array([[[1, NAN, 3, -INF, 5, INF]]]), 2)
    np.testing.assert_array_equal(y, [[[NAN, 3, INF]]])
    assert gradient(With(pooling.max_pool1d, 3), [[[1.0, NAN, NAN, -INF, -INF, -INF]]]) == [[[0, 1, 0, 1, 0, 0]]]
    assert gradient(With(pooling.adaptive_max_pool1d, 1), [[[1.0, NAN, NAN]]]) == [[[0, 1, 0]]]


def test_padding_never_wins():
    assert pooling.max_pool1d(np.array([[[-5.0, -6.0]]]), 2, 1, 1).tolist() == [[[-5, -5, -6]]]


def test_integers():
    y = pooling.max_pool1d(mg.tensor([[[-300, 5, 7]]]), 2, 1, 1)
    assert y.dtype == np.int64
    assert y.tolist() == [[[-300, 5, 7, 7]]]
    for function in (pooling.avg_pool1d, pooling.adaptive_avg_pool1d):
        with pytest.raises(DtypeError, match="defined for floats"):
            function(mg.tensor([[[1, 2]]]), 2 if function is pooling.avg_pool1d else 1)
    with pytest.raises(DtypeError, match="not for bool"):
        pooling.max_pool1d(mg.tensor([[[True, False]]]), 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_stays(dtype):
    for function in (With(pooling.max_pool2d, 2), With(pooling.avg_pool2d, 3, 1, 1, count_include_pad=False),
                     With(pooling.adaptive_avg_pool2d, 3), With(pooling.adaptive_max_pool2d, 3)):
        x = mg.tensor(distinct(1, 1, 4, 5), dtype=dtype, requires_grad=True)
        y = function(x)
        y.sum().backward()
        assert (y.dtype, x.grad.dtype) == (dtype, dtype)


# ----- windows that run over the end
def test_ceil_mode():
    x = np.arange(1.0, 6).reshape(1, 1, 5)
    assert pooling.max_pool1d(x, 2).tolist() == [[[2, 4]]]
    assert pooling.max_pool1d(x, 2, ceil_mode=True).tolist() == [[[2, 4, 5]]]
    assert pooling.avg_pool1d(x, 2, ceil_mode=True).tolist() == [[[1.5, 3.5, 5]]]
    # padding counts, what is beyond it does not
    assert pooling.avg_pool1d(x, 3, 3, 1, ceil_mode=True).tolist() == [[[1, 4]]]
    assert pooling.avg_pool1d(x, 2, 2, 1, ceil_mode=True).tolist() == [[[0.5, 2.5, 4.5]]]
    assert pooling.avg_pool1d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False).tolist() == [[[1.5, 3, 4.5]]]
    # no window starts in the padding behind
    assert pooling.max_pool1d(x[..., :4], 2, 3, 1, ceil_mode=True).shape == (1, 1, 2)
    for function in (pooling.max_pool1d, pooling.avg_pool1d):
        check_gradients(With(function, 3, 2, 1, ceil_mode=True), distinct(1, 1, 6))
        engines_agree(With(function, 3, 2, 1, ceil_mode=True), distinct(2, 1, 6))


def test_divisor():
    x = distinct(1, 1, 4, 4)
    np.testing.assert_allclose(pooling.avg_pool2d(x, 2, divisor_override=3), pooling.avg_pool2d(x, 2) * 4 / 3)
    with pytest.raises(InvalidArgumentError, match="must not be 0"):
        pooling.avg_pool2d(x, 2, divisor_override=0)


# ----- parts of a given number
@pytest.mark.parametrize("output", [1, 2, 3, 4, 5, 7])
def test_adaptive_pools(output):
    x = distinct(1, 2, 6, 5)
    windows = [[range(i * n // output, -(-(i + 1) * n // output)) for i in range(output)] for n in (6, 5)]
    means, largest = With(pooling.adaptive_avg_pool2d, output), With(pooling.adaptive_max_pool2d, output)
    np.testing.assert_allclose(means(x), by_loops(x, np.mean, *windows), rtol=1e-12)
    np.testing.assert_array_equal(largest(x), by_loops(x, np.max, *windows))
    for function in (means, largest):
        check_gradients(function, x[:, :1], max_elements=9)
        engines_agree(function, x, unknown=False)
        np.testing.assert_allclose(function(x[0]), function(x)[0])
    y, positions = pooling.adaptive_max_pool2d(x, output, return_indices=True)
    np.testing.assert_array_equal(np.take_along_axis(x.reshape(1, 2, -1), positions.reshape(1, 2, -1), 2).ravel(),
                                  y.ravel())


def test_adaptive_pools_of_other_ranks():
    x = distinct(1, 2, 4, 6, 5)
    assert pooling.adaptive_avg_pool3d(x, (2, None, 3)).shape == (1, 2, 2, 6, 3)
    assert pooling.adaptive_max_pool3d(x, (2, None, 3)).shape == (1, 2, 2, 6, 3)
    np.testing.assert_allclose(pooling.adaptive_avg_pool3d(x, 1).ravel(), x.mean((2, 3, 4)).ravel())
    rows = x[0, :, 0]
    parts = [rows[..., :2].max(-1), rows[..., 1:4].max(-1), rows[..., 3:].max(-1)]
    np.testing.assert_array_equal(pooling.adaptive_max_pool1d(rows, 3), np.stack(parts, -1))
    np.testing.assert_allclose(pooling.adaptive_avg_pool1d(x[0, :, 0], 5), x[0, :, 0])
    assert pooling.adaptive_avg_pool2d(x[0], 0).shape == (2, 4, 0, 0)


# ----- graphs
@pytest.mark.parametrize("known", [(None, 2, 6, 7), (None, 2, None, None), (None, None, None, None)])
@pytest.mark.parametrize("function", [
    With(pooling.max_pool2d, 2), With(pooling.max_pool2d, 3, 2, 1, ceil_mode=True), With(pooling.avg_pool2d, 2),
    With(pooling.avg_pool2d, 3, 2, 1, count_include_pad=False), With(pooling.avg_pool2d, 2, ceil_mode=True),
    With(pooling.adaptive_avg_pool2d, 1), With(pooling.adaptive_max_pool2d, 1),
])
def test_open_sizes(known, function):
    x = distinct(2, 2, 6, 7)
    t = mg.tensor(x, requires_grad=True)
    y = function(t)
    (y * y).sum().backward()
    with tf.Graph().as_default(), tf.Session() as session:
        node = tf.placeholder("float64", known)
        z = function(node)
        got = session.run([z, *tf.gradients(z * z, [node])], {node: x})
    np.testing.assert_allclose(got[0], y.detach().numpy())
    np.testing.assert_allclose(got[1], t.grad.numpy())


def test_shapes_that_a_graph_knows():
    with tf.Graph().as_default():
        x = tf.placeholder("float32", [None, 3, 28, 28])
        batch = x.shape[0]
        assert pooling.max_pool2d(x, 2).shape == (batch, 3, 14, 14)
        assert pooling.avg_pool2d(x, 3, 2, 1).shape == (batch, 3, 14, 14)
        assert pooling.adaptive_avg_pool2d(x, (7, 1)).shape == (batch, 3, 7, 1)
        assert pooling.adaptive_max_pool2d(x, (7, 1)).shape == (batch, 3, 7, 1)
        with pytest.raises(ShapeError, match="needs its size, which is unknown"):
            pooling.adaptive_avg_pool2d(tf.placeholder("float32", [None, 3, None, 28]), 7)


def test_results_have_the_memory_order_of_the_image():
    x = distinct(2, 3, 4, 5)
    for order in ((0, 1, 2, 3), (1, 2, 3, 0), (0, 2, 3, 1)):
        same = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
        for function in (With(pooling.max_pool2d, 2), With(pooling.avg_pool2d, 2)):
            y = function(same)
            np.testing.assert_array_equal(y, function(x))
            assert y.transpose(order).flags.c_contiguous


def test_empty_batches():
    x = mg.zeros(0, 2, 4, 4, requires_grad=True)
    for function in (With(pooling.max_pool2d, 2), With(pooling.avg_pool2d, 2), With(pooling.adaptive_avg_pool2d, 3),
                     With(pooling.adaptive_max_pool2d, 3)):
        y = function(x)
        assert y.shape[0] == 0
        y.sum().backward()


# ----- messages
def test_messages():
    x = mg.ones(1, 2, 4, 4)
    with pytest.raises(ShapeError, match="a window of 5 does not fit into size 4"):
        pooling.max_pool2d(x, 5)
    with pytest.raises(ShapeError, match="avg_pool: a window of 5 does not fit into size 4"):
        pooling.avg_pool2d(x, 5)
    with pytest.raises(ShapeError, match="padding 2 is more than half of the window 3"):
        pooling.max_pool2d(x, 3, padding=2)
    with pytest.raises(ShapeError, match=r"expected input with 4 dimensions \(or 3 without a batch\)"):
        pooling.max_pool2d(mg.ones(4, 4), 2)
    with pytest.raises(ShapeError, match="expected a number or 2 of them"):
        pooling.avg_pool2d(x, (2, 2, 2))
    with pytest.raises(InvalidArgumentError, match="at least 1"):
        pooling.max_pool2d(x, 0)
    with pytest.raises(ShapeError, match="expected a size or 2 of them"):
        pooling.adaptive_avg_pool2d(x, (1, 2, 3))
    with pytest.raises(InvalidArgumentError, match="is no size"):
        pooling.adaptive_max_pool2d(x, -1)
