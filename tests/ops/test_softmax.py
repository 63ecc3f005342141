"""Softmax, its logarithm and the cross-entropies of rows: size, masks, NaN, class numbers, both engines."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.compiler import interpret
from minigrad.core.dispatch import bind
from minigrad.errors import AxisError, DtypeError, ShapeError, TensorIndexError
from minigrad.graph import Graph
from minigrad.ops.classes import pick_classes_p
from minigrad.ops.softmax import cross_entropy_rows, log_softmax, soft_cross_entropy_rows, softmax, softmin
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

INF, NAN = np.inf, np.nan


def value_and_gradient(function, x):
    """``function(x)`` and the gradient of its sum, as arrays."""
    x = mg.tensor(x, requires_grad=True)
    y = function(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def weighted(function):
    """`function` with weights on its results, so that gradients do not cancel."""
    def with_weights(x):
        y = function(x)
        return y * mg.tensor(np.arange(1.0, y.numel() + 1).reshape(y.shape))

    return with_weights


# ----- softmax and log-softmax
@pytest.mark.parametrize("scale", [1e8, -1e8, 1e38, -1e38])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_big_logits(scale, dtype):
    x = np.array([[scale, scale], [scale, 0]], dtype)
    y = softmax(x, -1)
    assert y.dtype == dtype
    assert y.tolist() == [[0.5, 0.5], [1, 0] if scale > 0 else [0, 1]]
    np.testing.assert_allclose(log_softmax(x, -1)[0], np.log([0.5, 0.5]), rtol=1e-6)
    assert np.isfinite(value_and_gradient(lambda t: mg.log_softmax(t, 1), x)[1]).all()


def test_half_precision_adds_up_in_single():
    y = softmax(np.zeros((1, 5000), np.float16), 1)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.astype(np.float64), 1 / 5000, rtol=1e-3)


MASKED = np.array([[-INF, -INF, -INF], [-INF, 1.0, 1.0], [1.0, NAN, 2.0], [0.0, 0.0, -INF]])


@pytest.mark.parametrize("axis", [0, 1])
def test_masked_rows_and_nan(axis):
    x = MASKED if axis else MASKED.T
    y, g = value_and_gradient(weighted(lambda t: mg.softmax(t, axis)), x)
    y, g = (softmax(x, axis), g) if axis else (softmax(x, axis).T, g.T)
    assert y[0].tolist() == [0, 0, 0]
    assert y[1].tolist() == [0, 0.5, 0.5]
    assert np.isnan(y[2]).all()
    assert g[0].tolist() == [0, 0, 0]
    assert np.isfinite(g[[1, 3]]).all()
    assert np.isnan(g[2]).all()


def test_log_softmax_of_masked_rows():
    y, g = value_and_gradient(lambda t: mg.log_softmax(t, 1), MASKED)
    assert y[0].tolist() == [-INF] * 3
    np.testing.assert_allclose(y[1], [-INF, np.log(0.5), np.log(0.5)])
    assert g[0].tolist() == [0, 0, 0]
    assert g[1].tolist() == [1, -0.5, -0.5]
    assert np.isnan(g[2]).all()


def test_a_user_written_log_of_softmax_keeps_its_infinity():
    y = mg.log(mg.softmax(mg.tensor([1000.0, 0.0]), 0))
    assert y.tolist() == [0, -INF]


def test_positive_infinity_gives_nan_as_elsewhere():
    assert np.isnan(softmax(np.array([INF, 1.0]), 0)).all()


@pytest.mark.parametrize("f", [softmax, log_softmax, softmin])
def test_softmax_takes_any_shape(f):
    assert f(np.zeros((0, 3)), 1).shape == (0, 3)
    assert f(np.zeros((3, 0)), 1).shape == (3, 0)
    assert f(np.array(5.0), -1) == (0 if f is log_softmax else 1)
    assert f(np.array([[1, 2]]), 1).dtype == np.float32
    assert f(np.zeros((2, 2), np.float32), 0, dtype=np.float64).dtype == np.float64
    assert f(mg.zeros(2, 3), dim=-1).shape == (2, 3)
    with pytest.raises(AxisError, match=f"{f.__name__}: dimension 2 is out of range"):
        f(np.zeros((2, 2)), 2)


def test_softmax_without_dim_warns():
    with pytest.warns(UserWarning, match="softmax without dim chooses dim=1"):
        assert softmax(np.zeros((2, 4)))[0, 0] == 0.25
    with pytest.warns(UserWarning, match="dim=0"):
        log_softmax(np.zeros((2, 4, 1)))


def test_third_derivative():
    x = np.random.default_rng(0).normal(size=(2, 3))
    check_gradients(lambda t: mg.softmax(t, 1) ** 2, x)
    check_gradients(lambda t: mg.log_softmax(t, 0) ** 2, x)


# ----- cross-entropy of class numbers
def test_cross_entropy_of_big_logits():
    loss, g = value_and_gradient(lambda t: cross_entropy_rows(t, mg.tensor([0])), np.array([[1e8, 1e8]], np.float32))
    np.testing.assert_allclose(loss, [np.log(2)], rtol=1e-6)
    assert g.tolist() == [[-0.5, 0.5]]
    loss, g = value_and_gradient(lambda t: cross_entropy_rows(t, mg.tensor([1])), np.array([[1000.0, 0.0]]))
    assert loss.tolist() == [1000]
    assert g.tolist() == [[1, -1]]


def test_cross_entropy_of_masked_logits():
    x = np.array([[-INF, 0.0, 0.0], [-INF, 0.0, 0.0], [-INF, -INF, -INF], [NAN, 0.0, 0.0]])
    loss, g = value_and_gradient(lambda t: cross_entropy_rows(t, mg.tensor([1, 0, 2, 1])), x)
    np.testing.assert_allclose(loss, [np.log(2), INF, INF, NAN])
    np.testing.assert_array_equal(g[:3], [[0, -0.5, 0.5], [-1, 0.5, 0.5], [0, 0, 0]])
    assert np.isnan(g[3]).all()


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_classes_along_any_dimension(dim):
    x = np.random.default_rng(1).normal(size=(3, 4, 5))
    labels = np.random.default_rng(2).integers(0, x.shape[dim], size=np.delete(x.shape, dim))
    expected = -np.take_along_axis(log_softmax(x, dim), np.expand_dims(labels, dim), dim).squeeze(dim)
    np.testing.assert_allclose(cross_entropy_rows(x, labels, dim), expected)
    check_gradients(lambda t: cross_entropy_rows(t, mg.tensor(labels), dim) ** 2, x, max_elements=8)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
def test_labels_of_any_integer_dtype(dtype):
    assert cross_entropy_rows(np.zeros((2, 4)), np.array([0, 3], dtype)).tolist() == [np.log(4)] * 2


def test_ignored_rows_have_no_loss_and_no_gradient():
    x = np.random.default_rng(3).normal(size=(3, 4))
    for ignored in (-100, 2):
        labels = mg.tensor([1, ignored, 3])
        loss, g = value_and_gradient(lambda t, i=ignored, lab=labels: cross_entropy_rows(t, lab, ignore_index=i), x)
        assert loss[1] == 0
        assert g[1].tolist() == [0, 0, 0, 0]
        np.testing.assert_allclose(g[0], softmax(x, 1)[0] - [0, 1, 0, 0])


@pytest.mark.parametrize("label", [3, -1])
@pytest.mark.parametrize("ignore_index", [None, -100])
def test_class_numbers_out_of_range(label, ignore_index):
    message = rf"class number {label} is out of range for 3 classes.*0 to 2"
    x, labels = np.zeros((2, 3)), np.array([0, label])
    with pytest.raises(TensorIndexError, match=message):
        cross_entropy_rows(x, labels, ignore_index=ignore_index)
    with pytest.raises(TensorIndexError, match=message):
        bind(pick_classes_p, x, labels, axis=1, ignore_index=ignore_index)
    graph = Graph()
    with graph.as_default():
        node = graph.placeholder(np.int64, (2,), "labels")
        loss = cross_entropy_rows(graph.constant(x), node, ignore_index=ignore_index)
    with pytest.raises(TensorIndexError, match=message):
        interpret([loss], [], {node: labels}, {})


def test_labels_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"\(2, 3\).*need class numbers of shape \(2,\), not \(2, 1\)"):
        cross_entropy_rows(mg.zeros(2, 3), mg.zeros(2, 1, dtype=mg.int64))
    with pytest.raises(DtypeError, match="must be integers, not float32"):
        cross_entropy_rows(mg.zeros(2, 3), mg.zeros(2))
    with pytest.raises(ShapeError, match="no dimensions"):
        cross_entropy_rows(mg.tensor(1.0), mg.tensor(0))


def test_no_rows():
    loss, g = value_and_gradient(lambda t: cross_entropy_rows(t, mg.zeros(0, dtype=mg.int64)), np.zeros((0, 3)))
    assert loss.shape == (0,)
    assert g.shape == (0, 3)


# ----- cross-entropy of class probabilities
def test_soft_labels():
    x, t = np.random.default_rng(4).normal(size=(2, 3)), np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 2.0]])
    np.testing.assert_allclose(soft_cross_entropy_rows(x, t), -np.sum(t * log_softmax(x, 1), 1))
    check_gradients(lambda a, b: soft_cross_entropy_rows(a, b) ** 2, x, t)
    one_hot = np.eye(3)[[1, 2]]
    np.testing.assert_allclose(soft_cross_entropy_rows(x, one_hot), cross_entropy_rows(x, np.array([1, 2])))


def test_labels_without_a_gradient():
    x, t = mg.tensor([[1.0, 2.0]], requires_grad=True), mg.tensor([[0.5, 0.5]], requires_grad=True)
    soft_cross_entropy_rows(x, t, label_gradient=False).sum().backward()
    assert t.grad is None
    np.testing.assert_allclose(x.grad.numpy(), softmax(x.detach().numpy(), 1) - 0.5)


def test_a_masked_class_of_no_probability_costs_nothing():
    x, t = np.array([[0.0, 0.0, -INF], [-INF, -INF, -INF]]), np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    loss, g = value_and_gradient(lambda a: soft_cross_entropy_rows(a, mg.tensor(t)), x)
    np.testing.assert_allclose(loss, [np.log(2), INF])
    np.testing.assert_array_equal(g, np.zeros((2, 3)))


def test_soft_labels_must_have_the_shape_of_the_logits():
    with pytest.raises(ShapeError, match=r"\(2, 3\) and class probabilities of shape \(3,\) differ"):
        soft_cross_entropy_rows(mg.zeros(2, 3), mg.zeros(3))


# ----- both engines
COMPOSED = {
    "softmax": lambda t, labels, p: mg.softmax(t, 1),
    "log_softmax": lambda t, labels, p: mg.log_softmax(t, 0),
    "softmin": lambda t, labels, p: softmin(t, -1),
    "cross_entropy_rows": lambda t, labels, p: cross_entropy_rows(t, labels),
    "with ignored rows": lambda t, labels, p: cross_entropy_rows(t, labels, ignore_index=1),
    "soft labels": lambda t, labels, p: soft_cross_entropy_rows(t, p),
    "constant labels": lambda t, labels, p: soft_cross_entropy_rows(t, p, label_gradient=False),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_engines_agree(name):
    generator = np.random.default_rng(5)
    x, labels, p = generator.normal(size=(3, 4)), generator.integers(0, 4, size=3), generator.uniform(size=(3, 4))
    x[0, 1:3] = -INF
    x[1] = -INF
    engines_agree(COMPOSED[name], x, labels, p, order=2)
    engines_agree(COMPOSED[name], x.astype(np.float32), labels, p.astype(np.float32))
