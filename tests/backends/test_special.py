"""Special functions of the kernel layer against SciPy and against values of high precision."""

import math

import numpy as np
import pytest
import scipy.special as reference

from minigrad.backends import double, special

INF, NAN = math.inf, math.nan


def digamma(xp, x):
    return special.polygamma(xp, 0, x)


def trigamma(xp, x):
    return special.polygamma(xp, 1, x)


def scipy_trigamma(x):
    return reference.polygamma(1, x)


# (function, SciPy's, lowest and highest argument)
PAIRS = [
    pytest.param(special.erf, reference.erf, -6.0, 6.0, id="erf"),
    pytest.param(special.erfc, reference.erfc, -6.0, 26.0, id="erfc"),
    pytest.param(special.erfinv, reference.erfinv, -0.99999, 0.99999, id="erfinv"),
    pytest.param(special.ndtr, reference.ndtr, -37.0, 8.0, id="ndtr"),
    pytest.param(special.log_ndtr, reference.log_ndtr, -50.0, 8.0, id="log_ndtr"),
    pytest.param(special.lgamma, reference.gammaln, 1e-3, 60.0, id="lgamma"),
    pytest.param(special.lgamma, reference.gammaln, -8.95, -8.05, id="lgamma of negative numbers"),
    pytest.param(digamma, reference.digamma, 1e-3, 60.0, id="digamma"),
    pytest.param(digamma, reference.digamma, -8.95, -8.05, id="digamma of negative numbers"),
    pytest.param(trigamma, scipy_trigamma, 1e-3, 60.0, id="trigamma"),
]


@pytest.mark.parametrize(("ours", "theirs", "low", "high"), PAIRS)
def test_float64_agrees_with_scipy(ours, theirs, low, high):
    x = np.linspace(low, high, 4001)
    # SciPy's own error, and the absolute one near zeros, are in the tolerance
    np.testing.assert_allclose(ours(np, x), theirs(x), rtol=4e-14, atol=4e-15 if low > -8 else 4e-14)


@pytest.mark.parametrize(("ours", "theirs", "low", "high"), PAIRS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_dtypes_are_as_good_as_they_can_hold(ours, theirs, low, high, dtype):
    x = np.linspace(low, high, 2001).astype(dtype)
    x = x[np.isfinite(theirs(x.astype(np.float64)))]
    y = ours(np, x)
    expected = theirs(x.astype(np.float64))
    assert y.dtype == dtype
    step = np.finfo(dtype).eps
    with np.errstate(all="ignore"):
        difference = np.abs(y.astype(np.float64) - expected.astype(dtype).astype(np.float64))
    assert np.all((difference <= 4 * step * np.abs(expected) + np.finfo(dtype).smallest_subnormal)
                  | (np.abs(expected) > np.finfo(dtype).max))


# worked out with 30 digits
EXACT = [
    (special.erf, [(1e-10, 1.1283791670955126e-10), (0.3, 0.3286267594591274), (0.84375, 0.7672256612323416),
                   (1.0, 0.8427007929497149), (1.25, 0.9229001282564583), (4.0, 0.9999999845827421)]),
    (special.erfc, [(-2.0, 1.9953222650189528), (0.1, 0.887537083981715), (0.5, 0.4795001221869535),
                    (2.0, 0.004677734981047266), (10.0, 2.088487583762545e-45), (26.0, 5.663192408856143e-296)]),
    (special.erfinv, [(1e-12, 8.86226925452758e-13), (0.25, 0.2253120550121781), (0.8, 0.9061938024368233),
                      (0.999, 2.3267537655135246), (1 - 2.0**-40, 5.05125408524939)]),
    (special.ndtr, [(-30.0, 4.906713927148187e-198), (-3.0, 0.0013498980316300946), (0.5, 0.6914624612740131)]),
    (special.log_ndtr, [(-300.0, -45006.62273211866), (-3.0, -6.607726221510349), (-0.5, -1.1759117615936185),
                        (6.0, -9.865876455243758e-10), (20.0, -2.7536241186062337e-89)]),
    (special.lgamma, [(1e-12, 27.63102111592797), (0.5, 0.5723649429247001), (1.0000001, -5.772155829918507e-08),
                      (1.9999999, -4.2278430309861296e-08), (7.5, 7.534364236758733), (1e6, 12815504.569147611),
                      (-0.5, 1.2655121234846454), (-3.7, -1.3797399049658245)]),
    (digamma, [(1e-6, -1000000.5772140201), (0.5, -1.9635100260214235), (1.4616321449683622, -9.241265521729427e-17),
               (7.5, 1.9467574842460869), (1e5, 11.512920464961896), (-3.7, -0.8450768588704194)]),
    (trigamma, [(0.001, 1000001.6425331958), (3.0, 0.39493406684822646), (-0.5, 8.934802200544679),
                (-30.25, 19.706691341963047)]),
]


@pytest.mark.parametrize(("function", "points"), EXACT, ids=[function.__name__ for function, _ in EXACT])
def test_values_of_high_precision(function, points):
    x, expected = np.array(points).T
    np.testing.assert_allclose(function(np, x), expected, rtol=1.5e-15)


@pytest.mark.parametrize(("n", "points"), [
    (2, [(0.001, -2000000002.3976321), (1.0, -2.4041138063191885), (20.0, -0.0026281224023146548),
         (-0.3, 67.63908119988317), (-30.25, 124.02404942909006)]),
    (4, [(0.5, -771.4742498266672), (3.0, -0.13626612344087824), (20.0, -4.140597772639667e-05),
         (-0.3, 9731.83495623352)]),
])
def test_higher_derivatives_of_digamma(n, points):
    x, expected = np.array(points).T
    np.testing.assert_allclose(special.polygamma(np, n, x), expected, rtol=1e-14)


@pytest.mark.parametrize(("n", "points"), [
    (0, [(0.0, 1.0), (1e-3, 0.9999998333333416), (1.0, 0.8414709848078965), (10.0, -0.05440211108893698)]),
    (1, [(0.0, 0.0), (1e-3, 0.0003333333000000012), (1.0, 0.3011686789397568), (2.5, 0.4162129892754065)]),
    (2, [(0.0, 0.0), (1e-3, 6.666666190476204e-08), (2.5, 0.26006672948890525), (10.0, 0.07794219362856245)]),
    (3, [(0.0, 0.0), (1e-3, 9.523808994709007e-12), (1.0, 0.009006581117112515), (10.0, -0.03949584498447033)]),
])
def test_spherical_bessel_functions(n, points):
    x, expected = np.array(points).T
    np.testing.assert_allclose(special.spherical_bessel(np, n, x), expected, rtol=1e-14)
    np.testing.assert_allclose(special.spherical_bessel(np, n, -x), (-1) ** n * expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("function", "points"), [
    (special.erf, [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)]),
    (special.erfc, [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (NAN, NAN)]),
    (special.erfinv, [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN)]),
    (special.ndtr, [(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (NAN, NAN)]),
    (special.log_ndtr, [(INF, -0.0), (-INF, -INF), (NAN, NAN)]),
    (special.normal_hazard, [(INF, 0.0), (-INF, INF), (NAN, NAN)]),
    (special.lgamma, [(0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-3.0, INF), (INF, INF), (-INF, INF),
                      (NAN, NAN)]),
    (digamma, [(0.0, -INF), (-0.0, INF), (-2.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)]),
    (trigamma, [(0.0, INF), (-2.0, INF), (INF, 0.0), (NAN, NAN)]),
])
def test_at_the_edges(function, points, dtype):
    x, expected = np.array(points, dtype=dtype).T
    with np.errstate(all="ignore"):
        y = function(np, x)
    np.testing.assert_array_equal(y, expected)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(y[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 3), (2, special.BLOCK)])
def test_any_shape_and_layout(shape):
    x = np.linspace(-2, 2, int(np.prod(shape)) or 1)[:int(np.prod(shape))].reshape(shape)
    y = special.erf(np, x)
    assert y.shape == shape
    np.testing.assert_array_equal(special.erf(np, x.T), y.T)
    np.testing.assert_allclose(y, reference.erf(x), rtol=1e-14)


def test_blocks_do_not_show():
    x = np.linspace(-3, 3, 2 * special.BLOCK + 17)
    pieces = [special.lgamma(np, part) for part in np.array_split(x, 7)]
    np.testing.assert_array_equal(special.lgamma(np, x), np.concatenate(pieces))


def test_arguments_are_not_written():
    for dtype in ("float64", "float32"):
        x = np.linspace(0.1, 0.9, 50).astype(dtype)
        x.flags.writeable = False
        for function, _ in EXACT:
            function(np, x)


@pytest.mark.parametrize(("function", "points"), EXACT, ids=[function.__name__ for function, _ in EXACT])
def test_on_the_double_of_cupy(function, points):
    x = np.array(points)[:, 0]
    y = function(double, double.asarray(x))
    np.testing.assert_allclose(y.get(), function(np, x), rtol=1e-15)
