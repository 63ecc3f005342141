"""Gradients of elementwise operations where limits or policy decide: kinks, ties, edges, infinities."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops import activations, arithmetic, exponential, rounding, selection, special_functions, trigonometry

INF, NAN = math.inf, math.nan


def gradients(function, *values, dtype="float64", seed=None):
    """The gradients of sum(seed * function(*values)) by each of the values, as arrays."""
    tensors = [mg.tensor(np.array(v, dtype), requires_grad=True) for v in values]
    y = function(*tensors)
    y.backward(mg.tensor(np.full(y.shape, 1.0 if seed is None else seed, y.dtype)))
    return [t.grad.numpy() for t in tensors]


def second(function, *values):
    """The second derivatives by the first value."""
    tensors = [mg.tensor(np.array(v, "float64"), requires_grad=True) for v in values]
    first, = mg.autograd.grad(function(*tensors).sum(), [tensors[0]], create_graph=True)
    if not first.requires_grad:
        return np.zeros(first.shape)
    found, = mg.autograd.grad(first.sum(), [tensors[0]])
    return found.numpy()


def check(function, points, dtype="float64"):
    """`points`: pairs of an argument and the derivative there."""
    x, expected = np.array(points).T
    np.testing.assert_allclose(gradients(function, x, dtype=dtype)[0], expected, rtol=1e-6, atol=0)


# ----- kinks
@pytest.mark.parametrize(("function", "points"), [
    (activations.relu, [(-1, 0), (-0.0, 0), (0, 0), (2, 1)]),
    (activations.relu6, [(-1, 0), (0, 0), (3, 1), (6, 0), (7, 0)]),
    (activations.hardtanh, [(-1, 0), (0, 1), (1, 0)]),
    (activations.hardsigmoid, [(-3, 0), (0, 1 / 6), (3, 0)]),
    (activations.leaky_relu, [(-1, 0.01), (0, 0.01), (1, 1)]),
    (activations.elu, [(0, 1), (2, 1), (-1, math.exp(-1))]),
    (activations.hardshrink, [(-1, 1), (-0.5, 0), (0, 0), (0.5, 0), (1, 1)]),
    (activations.softshrink, [(-1, 1), (-0.5, 0), (0, 0), (0.5, 0), (1, 1)]),
    (activations.softsign, [(0, 1), (1, 0.25), (-1, 0.25)]),
    (arithmetic.abs, [(-2, -1), (-0.0, 0), (0, 0), (2, 1), (INF, 1)]),
    (arithmetic.sign, [(-2, 0), (0, 0), (2, 0)]),
    (rounding.floor, [(-0.5, 0), (1, 0)]),
    (rounding.round, [(0.5, 0), (1.2, 0)]),
    (rounding.frac, [(-0.5, 1), (1, 1)]),
])
def test_kinks(function, points):
    check(function, points)
    check(function, points, dtype="float32")


def clamp_01(x):
    return selection.clamp(x, 0, 1)


def relu_difference(x):
    return activations.relu(x) - activations.relu(-x)


def with_floor(x):
    return x + rounding.floor(x)


def clip_to_itself(x):
    return selection.clip(x, 0, x)


@pytest.mark.parametrize(("function", "points"), [
    (clamp_01, [(-1, 0), (0, 1), (0.5, 1), (1, 1), (2, 0)]),
    (relu_difference, [(0, 0), (1, 1), (-1, 1)]),
    (with_floor, [(3.8, 1)]),
    (clip_to_itself, [(5, 1)]),
])
def test_compositions_with_kinks(function, points):
    check(function, points)


def test_ties_of_maximum_and_minimum_are_shared_evenly():
    a, b = [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]
    for function, of_a in ((selection.maximum, [0, 0.5, 1]), (selection.minimum, [1, 0.5, 0])):
        found = gradients(function, a, b)
        np.testing.assert_array_equal(found[0], of_a)
        np.testing.assert_array_equal(found[1], 1 - np.array(of_a))


def test_ties_of_fmax_and_fmin_go_to_the_first_and_nan_gets_nothing():
    a, b = [1.0, 2.0, 3.0, NAN, 1.0, NAN], [2.0, 2.0, 2.0, 1.0, NAN, NAN]
    for function, of_a in ((selection.fmax, [0, 1, 1, 0, 1, 1]), (selection.fmin, [1, 1, 0, 0, 1, 1])):
        found = gradients(function, a, b)
        np.testing.assert_array_equal(found[0], of_a)
        np.testing.assert_array_equal(found[1], 1 - np.array(of_a))


def test_beside_nan_the_gradient_of_a_maximum_reaches_both():
    for function in (selection.maximum, selection.minimum):
        np.testing.assert_array_equal(gradients(function, [NAN, 1.0], [1.0, NAN]), np.ones((2, 2)))


def test_bounds_of_clamp_get_the_gradient_strictly_outside():
    x, low, high = [-2.0, -1.0, 0.0, 1.0, 2.0], [-1.0] * 5, [1.0] * 5
    found = gradients(selection.clamp, x, low, high)
    np.testing.assert_array_equal(found, [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    crossed = gradients(selection.clamp, [0.0, 1.5, 3.0], [2.0] * 3, [1.0] * 3)  # high wins
    np.testing.assert_array_equal(crossed, [[0, 0, 0], [0, 0, 0], [1, 1, 1]])


def test_nan_to_num_stops_the_gradient_where_it_replaces():
    check(selection.nan_to_num, [(1, 1), (NAN, 0), (INF, 0), (-INF, 0)])


# ----- powers
@pytest.mark.parametrize(("exponent", "points"), [
    (0, [(0, 0), (2, 0), (-2, 0), (INF, 0), (NAN, 0)]),
    (1, [(0, 1), (2, 1), (-2, 1)]),
    (2, [(0, 0), (3, 6), (-3, -6)]),
    (3, [(0, 0), (2, 12), (-2, 12)]),
    (4, [(0, 0), (-2, -32)]),
    (0.5, [(0, INF), (4, 0.25)]),
    (1.5, [(0, 0), (4, 3)]),
    (-1, [(2, -0.25), (0, -INF)]),
    (-2, [(2, -0.25)]),
    (-0.5, [(4, -1 / 16)]),
])
def test_powers_by_numbers(exponent, points):
    def power(x):
        return exponential.pow(x, exponent)

    def power_by_tensor(x):
        return exponential.pow(x, mg.tensor(np.float64(exponent)))

    check(power, points)
    check(power_by_tensor, points)


def test_gradient_of_the_exponent():
    base, exponent = [0.0, 0.0, 0.0, 2.0, 1.0, -2.0], [2.0, 0.0, -1.0, 3.0, 5.0, 2.0]
    _, found = gradients(exponential.pow, base, exponent)
    np.testing.assert_allclose(found, [0, 0, -INF, 8 * math.log(2), 0, NAN])


@pytest.mark.parametrize(("base", "points"), [(2, [(3, 8 * math.log(2)), (0, math.log(2))]),
                                              (0, [(2, 0), (0, 0), (-1, -INF)]), (1, [(7, 0)])])
def test_gradient_of_the_exponent_of_a_number(base, points):
    def power(x):
        return exponential.pow(base, x)

    check(power, points)


def test_second_derivatives_of_powers_at_zero():
    zeros = [0.0, 0.0, 0.0, 0.0]
    np.testing.assert_array_equal(second(exponential.pow, zeros, [0.0, 1.0, 2.0, 3.0]), [0, 0, 2, 0])
    for exponent, expected in ((0, 0), (1, 0), (2, 2), (3, 0), (4, 0)):
        def power(x, exponent=exponent):
            return exponential.pow(x, exponent)

        np.testing.assert_array_equal(second(power, [0.0]), [expected])


def test_mixed_second_derivative_of_a_power_with_exponent_zero():
    a = mg.tensor(np.array([2.0]), requires_grad=True)
    b = mg.tensor(np.array([0.0]), requires_grad=True)
    slope, = mg.autograd.grad(exponential.pow(a, b).sum(), [a], create_graph=True)
    mixed, = mg.autograd.grad(slope.sum(), [b])
    np.testing.assert_allclose(mixed.numpy(), [0.5])


# ----- limits
@pytest.mark.parametrize(("function", "points"), [
    (arithmetic.sqrt, [(0, INF), (4, 0.25)]),
    (exponential.logit, [(0, INF), (1, INF), (0.5, 4)]),
    (special_functions.entr, [(0, INF), (1, -1)]),
    (trigonometry.asin, [(1, INF), (0, 1)]),
    (trigonometry.sinc, [(0, 0), (1e-9, -math.pi**2 / 3 * 1e-9), (1, -1)]),
    (exponential.sigmoid, [(-800, 0), (0, 0.25), (800, 0)]),
    (exponential.logsigmoid, [(-800, 1), (0, 0.5), (800, 0)]),
    (exponential.softplus, [(-800, 0), (0, 0.5), (30, 1), (800, 1)]),
    (trigonometry.tanh, [(-800, 0), (0, 1), (800, 0)]),
    (special_functions.log_ndtr, [(-1e4, 1e4 + 1e-4), (INF, 0)]),
    (special_functions.erf, [(30, 0), (0, 2 / math.sqrt(math.pi))]),
])
def test_limits(function, points):
    check(function, points)


def test_sinc_is_smooth_at_zero_to_the_second_order():
    np.testing.assert_allclose(second(trigonometry.sinc, [0.0, 1e-6]), [-math.pi**2 / 3] * 2, rtol=1e-9)


def test_derivatives_at_the_origin_are_zero():
    for function in (arithmetic.hypot, trigonometry.atan2):
        np.testing.assert_array_equal(gradients(function, [0.0], [0.0]), [[0.0], [0.0]])


def test_angles_of_far_and_near_points():
    for scale in (1e30, 1e-30):  # their squares are beyond float32
        of_y, of_x = gradients(trigonometry.atan2, [scale], [scale], dtype="float32")
        np.testing.assert_allclose([of_y[0] * scale, of_x[0] * scale], [0.5, -0.5], rtol=1e-6)


def test_logaddexp_of_infinities():
    a, b = [-INF, -INF, INF, INF, 0.0], [-INF, 1.0, INF, 1.0, 0.0]
    of_a, of_b = gradients(exponential.logaddexp, a, b)
    np.testing.assert_array_equal(of_a, [0, 0, 0.5, 1, 0.5])
    np.testing.assert_array_equal(of_b, [0, 1, 0.5, 0, 0.5])


def test_second_derivative_of_logaddexp_at_a_tie():
    np.testing.assert_allclose(second(exponential.logaddexp, [1.0], [1.0]), [0.25])


def test_xlogy_at_zero():
    of_a, _ = gradients(exponential.xlogy, [0.0, 0.0, 0.0], [0.0, 2.0, -1.0])
    np.testing.assert_allclose(of_a, [0, math.log(2), 0])


def test_lerp_reaches_its_ends():
    start, end, weight = gradients(arithmetic.lerp, [1.0, 1.0], [3.0, 3.0], [0.25, 1.0])
    np.testing.assert_array_equal(start, [0.75, 0.0])
    np.testing.assert_array_equal(end, [0.25, 1.0])
    np.testing.assert_array_equal(weight, [2.0, 2.0])


# ----- an infinite incoming gradient stays out of places that have no slope
@pytest.mark.parametrize(("function", "x", "expected"), [
    (activations.relu, [-1.0, 1.0], [0, INF]),
    (clamp_01, [-1.0, 0.5], [0, INF]),
    (rounding.floor, [0.5], [0]),
    (arithmetic.sign, [0.5], [0]),
    (activations.hardtanh, [-2.0, 0.5], [0, INF]),
])
def test_infinite_incoming_gradients(function, x, expected):
    np.testing.assert_array_equal(gradients(function, x, seed=INF)[0], expected)


# ----- where
def unsafe(x):
    return selection.where(x < 1, x, arithmetic.sqrt(x))


def safe(x):
    inside = x < 1
    return selection.where(inside, x, arithmetic.sqrt(selection.where(inside, 1.0, x)))


def test_where_is_ieee_and_the_safe_form_is_exact():
    assert np.isnan(gradients(unsafe, [0.0])[0]).all()  # 0 * inf
    check(safe, [(0, 1), (4, 0.25)])


# ----- gradients keep the dtype of their operand
@pytest.mark.parametrize("function", [arithmetic.mul, arithmetic.div, exponential.pow, selection.maximum,
                                      arithmetic.hypot, trigonometry.atan2, exponential.xlogy, arithmetic.lerp])
@pytest.mark.parametrize("partner", ["float16", "float64", "int64", "bool"])
def test_gradients_have_their_operands_dtype(function, partner):
    for dtype in ("float32", "float16"):
        x = mg.tensor(np.array([1.5, 0.5], dtype), requires_grad=True)
        other = mg.tensor(np.array([1, 1], partner))
        args = (x, other, 0.5) if function is arithmetic.lerp else (x, other)
        function(*args).sum().backward()
        assert x.grad.numpy().dtype == dtype


def test_scalar_operands_do_not_narrow_float64():
    x = mg.tensor(np.array([0.3]), requires_grad=True)
    for function in (exponential.pow, exponential.xlogy, arithmetic.hypot, trigonometry.atan2, exponential.logaddexp):
        x.grad = None
        function(2.0, x).sum().backward()
        by_tensor = gradients(function, [2.0], [0.3])[1]
        np.testing.assert_allclose(x.grad.numpy(), by_tensor, rtol=1e-15)
