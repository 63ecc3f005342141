"""Scans, differences, integrals: values, zeros in products, infinities, ties, derivatives of any order."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.errors import AxisError, ShapeError
from minigrad.ops import scans
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

INF, NAN = np.inf, np.nan


def gradient_of(function, values):
    """The gradient of the sum of ``function(x)`` at `values`, as an array."""
    x = mg.tensor(np.asarray(values, dtype=np.float64), requires_grad=True)
    function(x).sum().backward()
    return x.grad.numpy()


# ----- running sums and products
@pytest.mark.parametrize("f", [scans.cumsum, scans.cumprod])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.int64])
def test_scans_of_integers_are_int64(f, dtype):
    assert f(np.ones(3, dtype), 0).dtype == np.int64
    assert f(mg.tensor([1, 2]), 0, dtype=mg.float64).dtype == np.float64


def test_half_precision_is_summed_in_single():
    y = mg.cumsum(mg.ones(3000, dtype=mg.float16), 0)
    assert y.dtype == np.float16
    assert y[-1].item() == 3000


@pytest.mark.parametrize("f", [mg.cumsum, mg.cumprod, mg.logcumsumexp, mg.cummax, mg.cummin])
def test_0d_and_empty(f):
    y = f(mg.tensor(2.0), -1)
    assert (y[0] if isinstance(y, tuple) else y).item() == 2
    y = f(mg.zeros(0, 3), 0)
    assert (y[0] if isinstance(y, tuple) else y).shape == (0, 3)
    with pytest.raises(AxisError, match="out of range"):
        f(mg.ones(2), 1)


@pytest.mark.parametrize(("x", "expected"), [([2, 0, 3, 4], [1, 32, 0, 0]), ([0, 0, 5], [1, 0, 0]),
                                             ([1, 2, 0], [3, 1, 2]), ([7], [1])])
def test_gradient_of_cumprod_with_zeros(x, expected):
    # sums of the products of all others in every beginning
    assert gradient_of(lambda t: mg.cumprod(t, 0), x).tolist() == expected


@given(st.integers(0, 2**32 - 1))
def test_cumprod_has_exact_derivatives_with_any_zeros(seed):
    generator = np.random.default_rng(seed)
    x = generator.integers(-2, 3, size=(2, 5)).astype(float)
    # the gradient by the definition, on whole numbers
    expected = np.zeros_like(x)
    for k in range(5):
        for i in range(k, 5):
            others = [j for j in range(i + 1) if j != k]
            expected[:, k] += np.prod(x[:, others], axis=1)
    np.testing.assert_array_equal(gradient_of(lambda t: mg.cumprod(t, 1), x), expected)


@pytest.mark.parametrize("f", [mg.cumsum, mg.cumprod, mg.logcumsumexp])
def test_second_derivatives(f):
    x = np.array([[0.5, 0.0, -1.0, 2.0], [1.0, 1.0, 0.0, 0.0]])
    check_gradients(lambda t: f(t, 1), x)
    check_gradients(lambda t: f(t, 0) ** 2, x)


def test_third_derivative_of_logcumsumexp():
    x = np.random.default_rng(0).normal(size=4)
    check_gradients(slope_of_logcumsumexp, x)


def slope_of_logcumsumexp(x):
    tracked = x.requires_grad
    x = x if tracked else x.detach().requires_grad_()
    with mg.enable_grad():
        y = mg.logcumsumexp(x, 0)
    g, = mg.autograd.grad([y], [x], [mg.ones_like(y)], create_graph=True)
    return g if tracked else g.detach()


def test_logcumsumexp_of_infinities():
    x = np.array([-INF, -INF, 1.0, 2.0])
    np.testing.assert_allclose(scans.logcumsumexp(x, 0), [-INF, -INF, 1, 2.313261687518223], rtol=1e-15)
    g = gradient_of(lambda t: mg.logcumsumexp(t, 0)[2:], x)
    np.testing.assert_allclose(g, [0, 0, 1.2689414213699951, 0.7310585786300049], rtol=1e-15)
    assert scans.logcumsumexp(np.array([1.0, INF, 2.0]), 0).tolist() == [1, INF, INF]
    assert np.isnan(scans.logcumsumexp(np.array([1.0, NAN, 2.0]), 0)).tolist() == [False, True, True]
    assert scans.logcumsumexp(np.array([1000.0, 1000.0]), 0)[1] == 1000 + np.log(2)


def test_the_gradient_of_logcumsumexp_does_not_overflow():
    g = gradient_of(lambda t: mg.logcumsumexp(t, 0), [-800.0, 0.0, 800.0])
    np.testing.assert_allclose(g, [1, 1, 1], rtol=1e-15)


# ----- running extremes
def test_running_extremes_take_the_last_of_equal_ones():
    x = mg.tensor([1.0, 3.0, 3.0, 2.0], requires_grad=True)
    values, indices = mg.cummax(x, 0)
    assert values.tolist() == [1, 3, 3, 3]
    assert indices.tolist() == [0, 1, 2, 2]
    assert indices.dtype == np.int64
    values.sum().backward()
    assert x.grad.tolist() == [1, 1, 2, 0]
    assert mg.cummin(mg.tensor([[2, 1], [2, 0]]), 1).values.tolist() == [[2, 1], [2, 0]]
    assert mg.cummin(mg.tensor([[2, 1], [2, 0]]), 0).indices.tolist() == [[0, 0], [1, 1]]


def test_running_extremes_stay_nan():
    values, indices = scans.cummax(np.array([1.0, NAN, 3.0, NAN]), 0)
    assert np.isnan(values).tolist() == [False, True, True, True]
    assert indices.tolist() == [0, 1, 1, 3]


# ----- differences
def test_diff():
    x = np.array([[1, 4, 9], [16, 25, 36]])
    assert scans.diff(x).tolist() == [[3, 5], [9, 11]]
    assert scans.diff(x, 2).tolist() == [[2], [2]]
    assert scans.diff(x, dim=0).tolist() == [[15, 21, 27]]
    assert scans.diff(x, 0) is x
    assert scans.diff(x, 7).shape == (2, 0)
    assert scans.diff(x, 1, 1, prepend=np.array([[0], [9]])).tolist() == [[1, 3, 5], [7, 9, 11]]
    assert scans.diff(np.array([True, True, False])).tolist() == [False, True]
    with pytest.raises(ShapeError, match="at least one dimension"):
        scans.diff(np.array(1.0))
    with pytest.raises(ShapeError, match="n must be at least 0"):
        scans.diff(x, -1)


# ----- integrals
def test_trapezoid():
    y = np.random.default_rng(1).normal(size=(3, 4))
    x = np.sort(np.random.default_rng(2).normal(size=4))
    np.testing.assert_allclose(scans.trapezoid(y), np.trapezoid(y))
    np.testing.assert_allclose(scans.trapezoid(y, x), np.trapezoid(y, x))
    np.testing.assert_allclose(scans.trapezoid(y, dx=0.5, dim=0), np.trapezoid(y, dx=0.5, axis=0))
    np.testing.assert_allclose(scans.cumulative_trapezoid(y, x)[:, -1], np.trapezoid(y, x))
    check_gradients(scans.trapezoid, y, x)
    with pytest.raises(ShapeError, match="either x or dx"):
        scans.trapezoid(y, x, dx=1.0)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(edge_order):
    y = np.random.default_rng(3).normal(size=(4, 5))
    x = np.sort(np.random.default_rng(4).normal(size=4)), np.sort(np.random.default_rng(5).normal(size=5))
    for spacing in (1, (0.5, 2.0), x):
        given = (spacing,) if spacing == 1 else spacing
        for ours, theirs in zip(scans.gradient(y, spacing=spacing, edge_order=edge_order),
                                np.gradient(y, *given, edge_order=edge_order), strict=True):
            np.testing.assert_allclose(ours, theirs)
    assert scans.gradient(y, dim=(1, 0))[0].shape == (4, 5)
    np.testing.assert_allclose(scans.gradient(y, dim=-1)[0], np.gradient(y, axis=-1))
    with pytest.raises(ShapeError, match="needs at least"):
        scans.gradient(np.ones(edge_order), edge_order=edge_order)
    with pytest.raises(ShapeError, match="3 spacings for 2 dimensions"):
        scans.gradient(y, spacing=(1.0, 2.0, 3.0))


# ----- both engines
COMPOSED = {
    "cumsum": lambda t: mg.cumsum(t, 1),
    "cumprod": lambda t: mg.cumprod(t, 0),
    "cummax": lambda t: mg.cummax(t, 1),
    "logcumsumexp": lambda t: mg.logcumsumexp(t, 1),
    "diff": lambda t: mg.diff(t, 2),
    "trapezoid": lambda t: scans.trapezoid(t, dx=0.5),
    "cumulative_trapezoid": lambda t: scans.cumulative_trapezoid(t, dim=0),
    "gradient": lambda t: tuple(scans.gradient(t, dim=(0, 1), edge_order=2)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_engines_agree(name):
    x = np.random.default_rng(6).normal(size=(3, 4))
    engines_agree(COMPOSED[name], x, order=2)
    engines_agree(COMPOSED[name], x.astype(np.float32))
