"""Statistics: values against NumPy, ties, NaN, degrees of freedom, messages, both engines."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import statistics
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

INF, NAN = np.inf, np.nan


def gradient_of(function, values):
    """The gradient of the sum of ``function(x)`` at `values`, as an array."""
    x = mg.tensor(np.asarray(values, dtype=np.float64), requires_grad=True)
    function(x).sum().backward()
    return x.grad.numpy()


def random_array(*shape):
    return np.random.default_rng(list(shape)).normal(size=shape)


# ----- variance
@pytest.mark.parametrize("correction", [0, 1, -1, 1.5])
@pytest.mark.parametrize("dim", [None, 0, -1, (0, 2)])
def test_variance(dim, correction):
    x = random_array(3, 4, 5)
    expected = np.var(x, axis=dim, ddof=correction)
    np.testing.assert_allclose(statistics.var(x, dim, correction=correction), expected)
    np.testing.assert_allclose(statistics.std(x, dim, correction=correction), np.sqrt(expected))
    check_gradients(lambda t: mg.std_mean(t, dim, correction=correction, keepdim=True), x, max_elements=10)


def test_spellings_of_the_correction():
    x = random_array(3, 4)
    assert statistics.var(x) == np.var(x, ddof=1) or np.isclose(statistics.var(x), np.var(x, ddof=1))
    np.testing.assert_allclose(statistics.var(x, False), np.var(x))
    np.testing.assert_allclose(statistics.var(x, 1, False), np.var(x, axis=1))
    np.testing.assert_allclose(statistics.std(x, 1, unbiased=False, keepdim=True), np.std(x, axis=1, keepdims=True))
    np.testing.assert_allclose(statistics.var_mean(x, True)[1], x.mean())
    with pytest.raises(DtypeError, match="either unbiased or correction"):
        statistics.var(x, unbiased=True, correction=1)
    with pytest.raises(DtypeError, match=r"var is defined for floats.*float32"):
        statistics.var(np.array([1, 2]))


def test_no_spread():
    assert gradient_of(mg.std, [1.0, 1.0]).tolist() == [0, 0]
    assert gradient_of(mg.var, [1.0, 1.0]).tolist() == [0, 0]
    g = gradient_of(lambda t: mg.std(t, 1, correction=0), [[2.0, 2.0], [0.0, 2.0]])
    assert g.tolist() == [[0, 0], [-0.5, 0.5]]


def test_too_few_elements_give_nan():
    assert np.isnan(statistics.var(np.array([1.0])))
    assert np.isnan(statistics.var(np.array(1.0)))
    assert np.isnan(statistics.var(np.zeros((2, 0)), 1)).all()
    assert statistics.var(np.array([1.0]), correction=0) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_variance_keeps_the_dtype(dtype):
    x = np.full(5000, 2, dtype)
    x[::2] = 4
    assert statistics.var(x, correction=0).dtype == dtype
    assert statistics.var(x, correction=0) == 1


# ----- medians
def test_median_is_the_lower_middle_element():
    x = mg.tensor([[5.0, 1.0, 3.0, 1.0], [2.0, 2.0, 2.0, 0.0]], requires_grad=True)
    assert mg.median(x).item() == 2
    values, indices = mg.median(x, 1)
    assert values.tolist() == [1, 2]
    assert indices.tolist() == [1, 0]  # the first of equal ones
    values.sum().backward()
    assert x.grad.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]


def test_full_medians_share_the_gradient():
    np.testing.assert_allclose(gradient_of(mg.median, [1.0, 2.0, 2.0, 2.0, 3.0]), [0, 1 / 3, 1 / 3, 1 / 3, 0])
    assert gradient_of(mg.nanmedian, [NAN, 1.0, 2.0, 3.0]).tolist() == [0, 0, 1, 0]


def test_medians_and_nan():
    x = np.array([[1.0, NAN, 3.0], [4.0, 5.0, 6.0], [NAN, NAN, NAN]])
    assert np.isnan(statistics.median(x))
    assert statistics.nanmedian(x) == 4
    values, indices = statistics.median(x, 1)
    np.testing.assert_array_equal(values, [NAN, 5, NAN])
    assert indices.tolist() == [1, 1, 0]
    np.testing.assert_array_equal(statistics.nanmedian(x, 1, True).values, [[1], [5], [NAN]])


@pytest.mark.parametrize("f", [statistics.median, statistics.nanmedian, statistics.mode])
def test_elements_of_empty_rows(f):
    with pytest.raises(ShapeError, match=r"dimension 1 of shape \(2, 0\)"):
        f(np.zeros((2, 0)), 1)
    assert f(np.zeros((0, 2)), 1)[0].shape == (0,)
    assert f(np.array(7), 0)[0] == 7
    if f is not statistics.mode:
        assert np.isnan(f(np.zeros(0)))
        with pytest.raises(ShapeError):
            f(np.zeros(0, np.int64))


@given(st.integers(0, 2**32 - 1))
def test_median_of_integers(seed):
    x = np.random.default_rng(seed).integers(-3, 4, size=(3, 5))
    values, indices = statistics.median(x, 0)
    assert values.dtype == x.dtype
    np.testing.assert_array_equal(values, np.median(x, axis=0))
    np.testing.assert_array_equal(np.take_along_axis(x, indices[None], 0)[0], values)


# ----- mode, kthvalue
def test_mode():
    x = mg.tensor([[3, 1, 3, 1, 2], [4, 4, 5, 5, 5]])
    values, indices = mg.mode(x)
    assert values.tolist() == [1, 5]  # the smallest of those met most often
    assert indices.tolist() == [3, 4]  # at its last place
    assert mg.mode(x, 0, True).values.tolist() == [[3, 1, 3, 1, 2]]
    assert gradient_of(lambda t: mg.mode(t).values, [2.0, 1.0, 2.0]).tolist() == [0, 0, 1]


def test_kthvalue():
    x = mg.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    assert mg.kthvalue(x, 2).values.tolist() == [2, 5]
    assert mg.kthvalue(x, 1, 0, True).indices.tolist() == [[0, 0, 0]]
    assert gradient_of(lambda t: mg.kthvalue(t, 3).values, [3.0, 1.0, 2.0]).tolist() == [1, 0, 0]
    with pytest.raises(ShapeError, match="k=4 is out of range"):
        mg.kthvalue(x, 4)
    with pytest.raises(ShapeError):
        mg.kthvalue(x, 0)


# ----- quantiles
@pytest.mark.parametrize("interpolation", statistics.INTERPOLATIONS)
@pytest.mark.parametrize("dim", [None, 0, 1])
@pytest.mark.parametrize("q", [0.0, 0.35, 1.0])
def test_quantile(interpolation, dim, q):
    x = random_array(4, 7)
    expected = np.quantile(x, q, axis=dim, method=interpolation)
    np.testing.assert_allclose(statistics.quantile(x, q, dim, interpolation=interpolation), expected)
    kept = statistics.quantile(x, q, dim, True, interpolation=interpolation)
    assert kept.shape == np.quantile(x, q, axis=dim, keepdims=True).shape


def test_several_quantiles():
    x, q = random_array(4, 7), np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(statistics.quantile(x, q, 1), np.quantile(x, q, axis=1))
    np.testing.assert_allclose(statistics.quantile(x, [0.1, 0.5, 0.9]), np.quantile(x, q))
    check_gradients(lambda t, p: mg.quantile(t, p, 1), x, np.array([0.1, 0.45, 0.9]))


def test_quantiles_and_nan():
    x = np.array([[1.0, NAN, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(statistics.quantile(x, 0.5, 1), [NAN, 5])
    np.testing.assert_array_equal(statistics.nanquantile(x, 0.5, 1), [2, 5])
    assert np.isnan(statistics.nanquantile(np.array([NAN, NAN]), 0.3))


def test_quantile_refuses():
    with pytest.raises(ShapeError, match="between 0 and 1"):
        mg.quantile(mg.ones(3), 1.5)
    with pytest.raises(DtypeError, match="linear, lower"):
        mg.quantile(mg.ones(3), 0.5, interpolation="cubic")
    with pytest.raises(DtypeError, match="defined for floats"):
        mg.quantile(mg.tensor([1, 2]), 0.5)
    with pytest.raises(ShapeError, match="no quantile of nothing"):
        mg.quantile(mg.zeros(0), 0.5)


# ----- covariance
@pytest.mark.parametrize("weights", [{}, {"correction": 0}, {"fweights": [1, 2, 3, 4, 5]},
                                     {"aweights": [0.5, 1, 1, 2, 0.1]},
                                     {"fweights": [1, 2, 1, 2, 1], "aweights": [0.5, 1, 1, 2, 0.1]}])
def test_cov(weights):
    x = random_array(3, 5)
    weights = {name: np.array(w) if isinstance(w, list) else w for name, w in weights.items()}
    theirs = {"ddof" if name == "correction" else name: w for name, w in weights.items()}
    np.testing.assert_allclose(statistics.cov(x, **weights), np.cov(x, **theirs))
    np.testing.assert_allclose(statistics.cov(x[0], **weights), np.cov(x[0], **theirs))
    check_gradients(lambda t: mg.cov(t, **weights), x)


def test_corrcoef():
    x = random_array(3, 6)
    np.testing.assert_allclose(statistics.corrcoef(x), np.corrcoef(x))
    assert statistics.corrcoef(x[0]) == 1
    with pytest.raises(ShapeError, match="at most two dimensions"):
        statistics.cov(random_array(2, 2, 2))


# ----- counts
def test_histc():
    x = np.array([0.0, 0.5, 1.0, 2.0, 5.0, NAN])
    assert statistics.histc(x, 4, 0, 2).tolist() == [1, 1, 1, 1]
    assert statistics.histc(x[:5], 5).tolist() == [2, 1, 1, 0, 1]
    assert statistics.histc(np.zeros(3), 2).tolist() == [0, 3]
    assert not mg.histc(mg.tensor([1.0], requires_grad=True)).requires_grad
    with pytest.raises(ShapeError, match="bins"):
        statistics.histc(x, 0)


def test_bincount():
    x = np.array([0, 3, 3, 1])
    assert statistics.bincount(x).tolist() == [1, 1, 0, 2]
    assert statistics.bincount(x, minlength=6).tolist() == [1, 1, 0, 2, 0, 0]
    y = statistics.bincount(x, np.array([0.5, 1, 2, 3], np.float32))
    assert y.dtype == np.float32
    assert y.tolist() == [0.5, 3, 0, 3]
    assert statistics.bincount(np.zeros(0, np.int64)).shape == (0,)
    with pytest.raises(DtypeError, match="vector of integers"):
        statistics.bincount(np.ones(3))


# ----- both engines
COMPOSED = {
    "std_mean": lambda t: mg.std_mean(t, 1),
    "var of all": lambda t: mg.var(t, correction=1.5),
    "median": lambda t: mg.median(t, 1),
    "mode": lambda t: mg.mode(t, 0),
    "kthvalue": lambda t: mg.kthvalue(t, 2, 1),
    "quantile": lambda t: mg.quantile(t, 0.3, 1),
    "nanquantile": lambda t: mg.nanquantile(t, 0.7),
    "cov": mg.cov,
    "corrcoef": mg.corrcoef,
}


@pytest.mark.parametrize("name", COMPOSED)
def test_engines_agree(name):
    x = random_array(3, 4)
    engines_agree(COMPOSED[name], x, order=2)
    engines_agree(COMPOSED[name], x.astype(np.float32))
