"""Reductions: values, dtypes, ties, empty and 0-d operands, messages, sizes that only a running graph knows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.ops import reduction
from minigrad.ops.softmax import logsumexp
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

INF, NAN = np.inf, np.nan


def gradient_of(function, values):
    """The gradient of the sum of ``function(x)`` at `values`, as an array."""
    x = mg.tensor(np.asarray(values, dtype=np.float64), requires_grad=True)
    function(x).sum().backward()
    return x.grad.numpy()


# ----- sums and means
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64])
def test_sums_of_integers_are_int64(dtype):
    x = np.ones((3, 4), dtype=dtype)
    for y in (reduction.sum(x), reduction.sum(x, 0), reduction.prod(x), reduction.prod(x, 1)):
        assert y.dtype == np.int64
    assert reduction.sum(np.full(300, 200, np.uint8)) == 60_000


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    x = mg.tensor(np.ones((3, 4), dtype=dtype), requires_grad=True)
    for f in (mg.sum, mg.mean, mg.prod, mg.amax, mg.amin, mg.norm, mg.nansum, mg.nanmean):
        y = f(x)
        assert y.dtype == dtype
        y.backward()
        assert x.grad.dtype == dtype


def test_half_precision_is_summed_in_single():
    assert mg.sum(mg.ones(5000, dtype=mg.float16)).item() == 5000
    assert mg.mean(mg.full((40_000,), 4.0, dtype=mg.float16)).item() == 4


def test_sum_takes_a_dtype():
    y = mg.sum(mg.tensor([1, 2, 3]), dtype=mg.float64)
    assert y.dtype == np.float64
    assert y.item() == 6
    assert mg.mean(mg.tensor([1, 2]), dtype=mg.float32).item() == 1.5


@pytest.mark.parametrize("values", [[1, 2], [True, False]])
def test_mean_of_integers_says_what_to_do(values):
    with pytest.raises(DtypeError, match=r"mean is defined for floats.*dtype="):
        mg.mean(mg.tensor(values))


def test_empty_reductions():
    x = mg.zeros(0, 3)
    assert mg.sum(x).item() == 0
    assert mg.prod(x).item() == 1
    assert np.isnan(mg.mean(x).item())
    assert mg.sum(x, 0).tolist() == [0, 0, 0]
    assert mg.all(x).item() is True
    assert mg.any(x).item() is False
    assert mg.logsumexp(x, 0).tolist() == [-INF] * 3
    assert mg.norm(x).item() == 0


@pytest.mark.parametrize("f", [mg.amax, mg.amin, mg.max, mg.min, mg.argmax, mg.argmin])
def test_extremes_of_nothing_name_the_shape(f):
    with pytest.raises(ShapeError, match=r"\(0, 3\)"):
        f(mg.zeros(0, 3))
    with pytest.raises(ShapeError, match="dimension 0 of shape"):
        f(mg.zeros(0, 3), 0)
    assert np.shape(f(mg.zeros(0, 3), 1)[0] if f in (mg.max, mg.min) else f(mg.zeros(0, 3), 1)) == (0,)


@pytest.mark.parametrize("dim", [0, -1, (0,), None])
@pytest.mark.parametrize("keepdim", [False, True])
def test_values_without_dimensions_have_axes_0_and_minus_1(dim, keepdim):
    x = mg.tensor(2.5, requires_grad=True)
    for f in (mg.sum, mg.mean, mg.amax, mg.prod, mg.logsumexp, mg.norm):
        y = f(x, dim=dim, keepdim=keepdim)
        assert y.shape == ()
        assert y.item() == 2.5
    assert mg.argmax(x, None if isinstance(dim, tuple) else dim).item() == 0
    values, indices = mg.max(x, 0, keepdim)
    assert (values.item(), indices.item()) == (2.5, 0)


@pytest.mark.parametrize(("dim", "shape"), [((0, 2), (3,)), ((-1, 0), (3,)), ([1], (2, 4)), ((), ())])
def test_several_dims(dim, shape):
    x = mg.ones(2, 3, 4)
    assert mg.sum(x, dim).shape == shape
    assert mg.sum(x, dim, True).ndim == 3
    assert mg.mean(x, dim=dim).shape == shape


def test_bad_dims():
    x = mg.ones(2, 3)
    with pytest.raises(AxisError, match=r"sum: dimension 2 is out of range for shape \(2, 3\).*\[-2, 1\]"):
        mg.sum(x, 2)
    with pytest.raises(AxisError, match="named twice"):
        mg.sum(x, (0, -2))
    with pytest.raises(AxisError):
        mg.sum(mg.tensor(1.0), 1)
    with pytest.raises(TypeError):
        mg.sum(x, 1.5)


@given(st.integers(0, 2**32 - 1))
def test_nan_counts_for_nothing(seed):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(3, 4))
    x[generator.random(size=x.shape) < 0.3] = NAN
    np.testing.assert_allclose(reduction.nansum(x, 1), np.nansum(x, axis=1))
    if not np.isnan(x).all(axis=0).any():
        np.testing.assert_allclose(reduction.nanmean(x, 0), np.nanmean(x, axis=0))
    g = gradient_of(mg.nansum, x)
    np.testing.assert_array_equal(g, np.where(np.isnan(x), 0, 1))


# ----- products
@pytest.mark.parametrize(("x", "expected"), [([2, 0, 3, 4], [0, 24, 0, 0]), ([0, 2, 3], [6, 0, 0]),
                                             ([0, 0, 3], [0, 0, 0]), ([5], [1]), ([0], [1])])
def test_gradient_of_prod_with_zeros(x, expected):
    assert gradient_of(mg.prod, x).tolist() == expected


def test_hessian_of_prod_with_zeros():
    x = mg.tensor([2.0, 3.0, 0.0, 0.0], requires_grad=True)
    for _ in range(2):  # the same on repetition
        g, = mg.autograd.grad(mg.prod(x), [x], create_graph=True)
        rows = [mg.autograd.grad(g[i], [x], retain_graph=True)[0].tolist() for i in range(4)]
        assert rows == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 6], [0, 0, 6, 0]]


def test_third_derivative_of_prod():
    check_gradients(third_power_of_prod, np.array([[1.5, 0.0, -2.0], [0.5, 2.0, 1.0]]))


def third_power_of_prod(x):
    return mg.prod(x, 1) * mg.prod(x, (0, 1))


# ----- extremes
def test_full_extremes_share_the_gradient_evenly():
    x = [[3.0, 1.0], [3.0, 3.0]]
    third = 1 / 3
    np.testing.assert_allclose(gradient_of(mg.max, x), [[third, 0], [third, third]])
    np.testing.assert_allclose(gradient_of(mg.amax, x), [[third, 0], [third, third]])
    assert gradient_of(mg.min, x).tolist() == [[0, 1], [0, 0]]
    np.testing.assert_allclose(gradient_of(lambda t: mg.amax(t, 1), x), [[1, 0], [0.5, 0.5]])


def test_extremes_along_a_dim_take_the_first():
    x = [[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]]
    values, indices = mg.max(mg.tensor(x), 1)
    assert values.tolist() == [3, 2]
    assert indices.tolist() == [1, 0]
    assert indices.dtype == np.int64
    assert gradient_of(lambda t: mg.max(t, 1).values, x).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert mg.min(mg.tensor(x), -1, True).indices.tolist() == [[0], [2]]
    assert mg.argmax(mg.tensor(x)).item() == 1
    assert mg.argmin(mg.tensor(x), 0, True).tolist() == [[0, 1, 1]]
    assert mg.argmax(mg.tensor(x), keepdim=True).shape == (1, 1)


def test_max_of_two_tensors():
    a, b = mg.tensor([1.0, 5.0]), mg.tensor([3.0, 2.0])
    assert mg.max(a, b).tolist() == [3, 5]
    assert mg.min(a, other=b).tolist() == [1, 2]
    assert a.max(b).tolist() == [3, 5]


def test_nan_wins_and_stays_in_its_row():
    x = np.array([[1.0, NAN, 3.0], [4.0, 5.0, 6.0]])
    assert np.isnan(reduction.amax(x))
    values, indices = reduction.max(x, 1)
    assert np.isnan(values[0])
    assert values[1] == 6
    assert indices.tolist() == [1, 2]
    assert gradient_of(lambda t: mg.amin(t, 1), x)[1].tolist() == [1, 0, 0]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32])
def test_extremes_of_integers(dtype):
    x = np.array([[0, 1], [1, 1]], dtype=dtype)
    assert reduction.max(x).dtype == dtype
    assert reduction.amin(x, 0).tolist() == [0, 1]
    assert reduction.max(x, 0).values.dtype == dtype
    assert reduction.max(np.array(True), 0).values.dtype == np.bool_


# ----- logic
def test_logic():
    x = mg.tensor([[1.0, 0.0], [2.0, NAN]])
    assert mg.all(x, 1).tolist() == [False, True]
    assert mg.any(x, 0).tolist() == [True, True]
    assert mg.all(mg.tensor([1, 2], dtype=mg.uint8)).dtype == np.uint8
    assert mg.count_nonzero(x).item() == 3
    assert mg.count_nonzero(x, 0).dtype == np.int64
    assert not mg.all(mg.tensor([1.0], requires_grad=True)).requires_grad


# ----- logsumexp
def test_logsumexp_of_infinities():
    x = [[1.0, 2.0], [-INF, -INF], [-INF, 1.0], [INF, 1.0]]
    y = mg.logsumexp(mg.tensor(x, dtype=mg.float64), 1).numpy()
    np.testing.assert_allclose(y, [2.313261687518223, -INF, 1, INF], rtol=1e-15)
    g = gradient_of(lambda t: mg.logsumexp(t, 1), x)
    np.testing.assert_allclose(g, [[0.2689414213699951, 0.7310585786300049], [0, 0], [0, 1], [1, 0]], rtol=1e-15)
    assert np.isnan(logsumexp(np.array([[1.0, NAN], [1.0, 1.0]]), 1)).tolist() == [True, False]


@pytest.mark.parametrize("scale", [1e8, -1e8, 3e38])
def test_logsumexp_of_big_numbers(scale):
    x = mg.tensor([scale, scale], requires_grad=True)
    y = mg.logsumexp(x, 0)
    y.backward()
    assert y.item() == np.float32(scale + np.log(2))
    assert x.grad.tolist() == [0.5, 0.5]


def test_logsumexp_over_several_dims():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    np.testing.assert_allclose(logsumexp(x, (0, 2)), np.log(np.exp(x).sum((0, 2))))
    assert logsumexp(np.array([1, 2]), 0).dtype == np.float32


# ----- norms
@pytest.mark.parametrize("order", [0, 0.5, 1, 1.5, 2, 3, -1, -2, INF, -INF])
def test_norms(order):
    x = np.random.default_rng(1).normal(size=(3, 4))
    np.testing.assert_allclose(reduction.vector_norm(x, order), np.linalg.norm(x.ravel(), order))
    np.testing.assert_allclose(reduction.norm(x, order, 1, True), np.linalg.norm(x, order, axis=1, keepdims=True))
    check_gradients(lambda t: mg.norm(t, order, 1), x)


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2, 3, -1, -2])
def test_the_gradient_of_a_norm_at_zero_is_zero(order):
    assert gradient_of(lambda t: mg.norm(t, order), [0, 0, 0]).tolist() == [0, 0, 0]
    if order < 0:
        assert reduction.norm(np.array([0.0, 2.0]), order) == 0
        return
    g = gradient_of(lambda t: mg.norm(t, order, 1), [[0.0, 0.0], [0.0, 2.0]])
    np.testing.assert_allclose(g, [[0, 0], [0, 1]], rtol=1e-15)
    assert gradient_of(lambda t: mg.norm(t) ** 2, [0, 0]).tolist() == [0, 0]


def test_the_composed_norm_keeps_its_nan():
    assert np.isnan(gradient_of(lambda t: mg.sqrt(mg.sum(t * t)), [0, 0])).all()


def test_a_norm_of_negative_order_of_nothing():
    with pytest.raises(ShapeError, match="vector_norm of order -1"):
        mg.norm(mg.zeros(3, 0), -1, 1)
    with pytest.raises(DtypeError, match="vector_norm is defined for floats"):
        mg.norm(mg.tensor([1, 2]))


def test_dist_broadcasts():
    assert mg.dist(mg.ones(2, 2), mg.zeros(2)).item() == 2
    assert gradient_of(lambda t: mg.dist(t, t), [1.0, 2.0]).tolist() == [0, 0]


# ----- both engines
COMPOSED = {
    "mean": lambda t: mg.mean(t, 1),
    "mean of all": mg.mean,
    "mean of several": lambda t: mg.mean(t, (0, -1), True),
    "nanmean": lambda t: mg.nanmean(t, 0),
    "prod": lambda t: mg.prod(t, (0, 1)),
    "max": lambda t: mg.max(t, 1),
    "min": lambda t: mg.min(t, 0, True).values,
    "norm": lambda t: mg.norm(t, 2, 1),
    "norm of order 3": lambda t: mg.norm(t, 3, 1),
    "logsumexp": lambda t: mg.logsumexp(t, (0, 1)),
    "dist": lambda t: mg.dist(t, t * 2),
}


@pytest.mark.parametrize("name", COMPOSED)
@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (2, 1)])
def test_engines_agree(name, shape):
    x = np.random.default_rng(2).normal(size=shape)
    engines_agree(COMPOSED[name], x, order=2)
    engines_agree(COMPOSED[name], x.astype(np.float32))


def test_an_unknown_rank_is_enough():
    from minigrad.compiler import interpret
    from minigrad.graph import Graph, gradients

    graph = Graph()
    with graph.as_default():
        x = graph.placeholder(np.float64, None, "x")
        y = mg.mean(x) + mg.sum(x, 1)[0] + mg.amax(x) + mg.logsumexp(x, 0)[0]
        g, = gradients([y], [x])
    value = np.random.default_rng(3).normal(size=(2, 3))
    (y_value, g_value), _ = interpret([y, g], [], {x: value}, {})
    t = mg.tensor(value, requires_grad=True)
    expected = mg.mean(t) + mg.sum(t, 1)[0] + mg.amax(t) + mg.logsumexp(t, 0)[0]
    expected.backward()
    assert y_value == expected.item()
    np.testing.assert_array_equal(g_value, t.grad.numpy())
