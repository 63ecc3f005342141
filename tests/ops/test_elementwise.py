"""Values and dtypes of elementwise operations: promotion, integers, edges, and what is refused."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops import activations, arithmetic, comparison, exponential, rounding, selection, special_functions
from minigrad.ops.casting import cast

INF, NAN = math.inf, math.nan


def array(values, dtype="float32"):
    return np.array(values, dtype)


def check(y, expected, dtype):
    assert y.dtype == dtype
    np.testing.assert_allclose(np.asarray(y, "float64"), np.asarray(expected, "float64"), rtol=1e-6)


# ----- dtypes
@pytest.mark.parametrize(("a", "b", "expected"), [
    ("float32", 2.5, "float32"), ("float16", 2.5, "float16"), ("float64", 2.5, "float64"), ("int64", 2.5, "float32"),
    ("uint8", 2, "uint8"), ("int32", True, "int32"), ("bool", 2, "int64"), ("bool", 2.5, "float32"),
    ("float32", "int64", "float32"), ("float16", "int64", "float16"), ("float32", "float64", "float64"),
    ("float16", "float32", "float32"), ("uint8", "int8", "int16"), ("int32", "int64", "int64"),
    ("bool", "int8", "int8"),
])
@pytest.mark.parametrize("function", [ops.add, ops.mul, ops.maximum])
def test_common_dtypes(function, a, b, expected):
    other = array([1, 2], b) if isinstance(b, str) else b
    assert function(array([1, 0], a), other).dtype == expected
    assert function(other, array([1, 0], a)).dtype == expected


def test_tensors_without_dimensions_do_not_widen():
    assert ops.add(array([1.0]), np.array(1.0)).dtype == "float32"
    assert ops.add(array([1], "int32"), np.array(1, "int64")).dtype == "int32"
    assert ops.add(array([1], "int64"), np.array(1.5)).dtype == "float64"


@pytest.mark.parametrize("function", [ops.exp, ops.sqrt, ops.sigmoid, ops.sin, ops.tanh, ops.log1p, ops.rsqrt,
                                      ops.reciprocal, ops.sinc, ops.deg2rad, special_functions.erf,
                                      special_functions.lgamma, activations.elu, activations.leaky_relu])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64"])
def test_integers_become_floats(function, dtype):
    assert function(array([1, 1], dtype)).dtype == "float32"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("function", [ops.exp, ops.sigmoid, special_functions.erf, special_functions.ndtr,
                                      activations.gelu, activations.silu, activations.selu, activations.mish,
                                      activations.hardswish, activations.softsign, ops.sinc, ops.logit, ops.frac,
                                      ops.nan_to_num, ops.square])
def test_floats_keep_their_dtype(function, dtype):
    assert function(array([0.25, 0.5], dtype)).dtype == dtype
    assert function(np.array(0.5, dtype)).shape == ()


def test_scalars_only():
    assert ops.add(2, 3) == 5
    assert ops.exp(0.0) == 1.0
    assert ops.where(True, 1.0, 2.0) == 1.0


# ----- division and remainders
A = [7, -7, 7, -7, 6, 0]
B = [3, 3, -3, -3, -3, 5]


@pytest.mark.parametrize("dtype", ["int64", "int8", "float32", "float64"])
@pytest.mark.parametrize(("function", "expected"), [
    (ops.floor_divide, [2, -3, -3, 2, -2, 0]),
    (ops.remainder, [1, 2, -2, -1, 0, 0]),
    (ops.fmod, [1, -1, 1, -1, 0, 0]),
])
def test_quotients_and_remainders(function, expected, dtype):
    check(function(array(A, dtype), array(B, dtype)), expected, dtype)


@pytest.mark.parametrize(("mode", "expected"), [("floor", [2, -3, -3, 2, -2, 0]), ("trunc", [2, -2, -2, 2, -2, 0])])
def test_rounding_modes(mode, expected):
    for dtype in ("int64", "float32"):
        check(ops.div(array(A, dtype), array(B, dtype), rounding_mode=mode), expected, dtype)
    check(ops.div(array([7, -7], "int64"), 2.5, rounding_mode=mode), np.array([2, -3 if mode == "floor" else -2]),
          "float32")
    with pytest.raises(InvalidArgumentError, match="rounding_mode"):
        ops.div(1, array([2]), rounding_mode="up")


def test_integer_division_by_zero_is_zero_and_true_division_is_not():
    zero, one = array([0], "int64"), array([1], "int64")
    for function in (ops.floor_divide, ops.remainder, ops.fmod):
        check(function(one, zero), [0], "int64")
    check(ops.div(one, zero, rounding_mode="trunc"), [0], "int64")
    check(ops.div(one, zero), [INF], "float32")


def test_smallest_integer_by_minus_one():
    low = array([np.iinfo(np.int32).min], "int32")
    for function in (ops.floor_divide, ops.remainder):
        assert function(low, array([-1], "int32")).dtype == "int32"


def test_alpha():
    x, y = array([1.0]), array([10.0])
    check(ops.add(x, y, alpha=2), [21], "float32")
    check(ops.sub(x, y, alpha=2), [-19], "float32")
    check(ops.rsub(x, y, alpha=2), [8], "float32")
    check(ops.add(array([1], "int64"), 3, alpha=2), [7], "int64")


def test_composites_of_products():
    a, b, c = array([1.0]), array([2.0]), array([4.0])
    check(ops.addcmul(a, b, c, value=0.5), [5], "float32")
    check(ops.addcdiv(a, c, b, value=3), [7], "float32")


def test_lerp_is_exact_at_both_ends():
    a, b = array([0.1, 1e8]), array([0.3, 1.7])
    np.testing.assert_array_equal(ops.lerp(a, b, 0.0), a)
    np.testing.assert_array_equal(ops.lerp(a, b, 1.0), b)
    np.testing.assert_array_equal(ops.lerp(a, b, array([1.0, 0.0])), [b[0], a[1]])


def test_signs():
    x = array([-2.0, -0.0, 0.0, 3.0, NAN])
    np.testing.assert_array_equal(ops.sign(x), [-1, 0, 0, 1, NAN])
    np.testing.assert_array_equal(ops.signbit(x), [True, True, False, False, False])
    np.testing.assert_array_equal(ops.copysign(array([1.0, 1.0, -1.0]), array([-0.0, 2.0, 2.0])), [-1, 1, 1])
    np.testing.assert_array_equal(ops.heaviside(x, 0.5), [0, 0.5, 0.5, 1, NAN])
    check(ops.heaviside(array([-1, 0, 2], "int64"), 7), [0, 7, 1], "int64")
    check(ops.sign(array([True, False], "bool")), [1, 0], "bool")


def test_common_divisors_and_multiples():
    a, b = array([12, -12, 0, 7], "int64"), array([18, 18, 5, 0], "int64")
    check(ops.gcd(a, b), [6, 6, 5, 7], "int64")
    check(ops.lcm(a, b), [36, 36, 0, 0], "int64")
    with pytest.raises(DtypeError, match="gcd"):
        ops.gcd(array([1.0]), 2)


# ----- powers
def test_integer_powers():
    check(ops.pow(array([-3, 2], "int64"), 3), [-27, 8], "int64")
    check(ops.pow(array([2, 2, 1, -1, -1, 0], "int64"), array([3, -1, -5, -3, -2, -1], "int64")),
          [8, 0, 1, -1, 1, 0], "int64")
    check(ops.pow(2, array([0, 1, 5], "int64")), [1, 2, 32], "int64")
    check(ops.pow(array([2], "int64"), 0.5), [math.sqrt(2)], "float32")
    check(ops.pow(array([4], "uint8"), array([2], "uint8")), [16], "uint8")
    with pytest.raises(DtypeError, match="negative power -1"):
        ops.pow(array([2], "int64"), -1)
    with pytest.raises(DtypeError, match="bool"):
        ops.pow(array([True], "bool"), array([True], "bool"))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, -1, -2, -3, 0.5, -0.5, 1.5, 2.5, -1.7])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_powers_by_numbers(exponent, dtype):
    x = array([0.3, 1.0, 2.7, 1e3], dtype)
    y = ops.pow(x, exponent)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, x.astype("float64") ** exponent, rtol=4e-16 if dtype == "float64" else 4e-7)


def test_special_powers():
    x = array([0.0, -0.0, INF, -INF, NAN, -2.0], "float64")
    np.testing.assert_array_equal(ops.pow(x, 0), np.ones(6))
    np.testing.assert_array_equal(ops.pow(x, 3), [0, -0.0, INF, -INF, NAN, -8])
    np.testing.assert_array_equal(ops.pow(x, 1.5), [0, 0, INF, INF, NAN, NAN])
    check(ops.float_power(array([2], "int64"), 3), [8], "float64")
    check(ops.float_power(array([2.0]), array([0.5])), [math.sqrt(2)], "float64")


# ----- exponentials at any size
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_nothing_overflows_on_the_way(dtype):
    big = float(np.finfo(dtype).max) / 4
    x = array([-INF, -big, -30, 0, 30, big, INF], dtype)
    ends = array([0, 0, math.exp(-30), 0.5, 1, 1, 1], dtype)
    np.testing.assert_allclose(ops.sigmoid(x).astype("float64"), ends.astype("float64"), rtol=2e-3)
    np.testing.assert_allclose(ops.logsigmoid(x)[:3], x[:3], rtol=1e-3)
    np.testing.assert_allclose(activations.softplus(x)[4:], x[4:], rtol=1e-3)
    assert not np.isnan(ops.tanh(x)).any()
    assert not np.isnan(activations.elu(x)).any()


def test_small_results_of_sigmoid_are_exact():
    x = array([-40.0, -100.0])
    np.testing.assert_allclose(ops.sigmoid(x), np.exp(x.astype("float64")), rtol=0.02)  # the second is subnormal
    np.testing.assert_allclose(ops.sigmoid(array([-700.0], "float64")), [math.exp(-700)], rtol=1e-15)


def test_softplus_is_linear_beyond_its_threshold():
    x = array([-1.0, 0.5, 1.5], "float64")
    y = activations.softplus(x, beta=2, threshold=2)
    np.testing.assert_allclose(y, [math.log1p(math.exp(-2)) / 2, math.log1p(math.exp(1)) / 2, 1.5])


def test_logaddexp_of_infinities():
    np.testing.assert_array_equal(ops.logaddexp(array([-INF, INF, -INF]), array([-INF, INF, 0])), [-INF, INF, 0])


def test_products_with_logarithms_at_zero():
    x = array([0, 0, 0, 0, 2], "float64")
    y = array([0, INF, NAN, -1, 3], "float64")
    np.testing.assert_allclose(ops.xlogy(x, y), [0, 0, NAN, 0, 2 * math.log(3)])
    np.testing.assert_allclose(exponential.xlog1py(x, y), [0, 0, NAN, 0, 2 * math.log(4)])
    np.testing.assert_allclose(special_functions.entr(array([0, 1, -1, NAN], "float64")), [0, 0, -INF, NAN])


def test_logit():
    x = array([0, 0.25, 1, 1.5], "float64")
    np.testing.assert_allclose(ops.logit(x), [-INF, math.log(1 / 3), INF, NAN])
    np.testing.assert_allclose(ops.logit(x, eps=0.25), [math.log(1 / 3), math.log(1 / 3), math.log(3), math.log(3)])


# ----- rounding
def test_rounding():
    x = array([-1.5, -0.5, 0.5, 1.5, 2.5, INF, NAN], "float64")
    np.testing.assert_array_equal(ops.round(x), [-2, -0.0, 0, 2, 2, INF, NAN])
    np.testing.assert_array_equal(ops.trunc(x), [-1, -0.0, 0, 1, 2, INF, NAN])
    np.testing.assert_array_equal(ops.fix(x), ops.trunc(x))
    np.testing.assert_allclose(ops.frac(array([-1.75, 2.25])), [-0.75, 0.25])
    np.testing.assert_allclose(ops.round(array([1.25, 123.456], "float64"), decimals=1), [1.2, 123.5])
    np.testing.assert_allclose(ops.round(array([1250.0], "float64"), decimals=-2), [1200.0])


@pytest.mark.parametrize("function", [rounding.floor, rounding.ceil, rounding.trunc, rounding.round])
def test_integers_are_round_already(function):
    x = array([3, -4], "int32")
    y = function(x)
    check(y, x, "int32")
    assert not np.may_share_memory(x, y)


# ----- choosing
def test_nan_in_maximum_and_fmax():
    a, b = array([1, NAN, NAN]), array([NAN, 1, NAN])
    assert np.isnan(ops.maximum(a, b)).all()
    assert np.isnan(ops.minimum(a, b)).all()
    np.testing.assert_array_equal(ops.fmax(a, b), [1, 1, NAN])
    np.testing.assert_array_equal(ops.fmin(a, b), [1, 1, NAN])


def test_where_takes_scalars_tensors_and_keeps_dtypes():
    condition = array([True, False], "bool")
    check(ops.where(condition, array([1.0, 2.0]), 0.0), [1, 0], "float32")
    check(ops.where(condition, 1.0, array([1.0, 2.0], "float16")), [1, 2], "float16")
    check(ops.where(condition, 1.0, 2.0), [1, 2], "float32")
    check(ops.where(condition, 1, 2), [1, 2], "int64")
    check(ops.where(condition, array([1, 2], "int64"), 0.5), [1, 0.5], "float32")
    check(ops.where(condition, True, False), [1, 0], "bool")
    check(ops.where(True, array([1.0]), array([2.0, 3.0])), [1, 1], "float32")
    assert ops.where(array([[True], [False]], "bool"), array([1.0, 2.0, 3.0]), 0).shape == (2, 3)


@pytest.mark.parametrize("condition", [array([1, 0], "int64"), array([1.0, 0.0]), mg.tensor([1.0, 0.0])])
def test_where_refuses_conditions_that_are_no_bools(condition):
    with pytest.raises(DtypeError, match=r"condition must be bool.*c != 0"):
        selection.where(condition, array([1.0, 2.0]), array([1.0, 2.0]))


def test_clamp():
    x = array([-2, 0, 2])
    np.testing.assert_array_equal(ops.clamp(x, -1, 1), [-1, 0, 1])
    np.testing.assert_array_equal(ops.clamp(x, min=1), [1, 1, 2])
    np.testing.assert_array_equal(ops.clamp(x, max=array([-3, 1, 1])), [-3, 0, 1])
    np.testing.assert_array_equal(ops.clamp(x, 1, -1), [-1, -1, -1])
    np.testing.assert_array_equal(ops.clip(x, -1, 1), ops.clamp(x, -1, 1))
    assert np.isnan(ops.clamp(array([NAN]), 0, 1)).all()
    check(ops.clamp(array([1, 5], "int64"), 2, 4), [2, 4], "int64")
    check(ops.clamp(array([1, 5], "int64"), 1.5), [1.5, 5], "float32")
    with pytest.raises(InvalidArgumentError, match="at least one"):
        ops.clamp(x)


def test_nan_to_num():
    x = array([NAN, INF, -INF, 1], "float16")
    np.testing.assert_array_equal(ops.nan_to_num(x), [0, 65504, -65504, 1])
    np.testing.assert_array_equal(ops.nan_to_num(x, nan=5, posinf=6, neginf=7), [5, 6, 7, 1])
    check(ops.nan_to_num(array([1], "int64")), [1], "int64")


# ----- comparisons and bits
def test_comparisons_give_bools_that_are_not_tracked():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for function in (ops.eq, ops.ne, ops.lt, ops.le, ops.gt, ops.ge, ops.logical_and, ops.logical_or, ops.logical_xor):
        y = function(x, 1.5)
        assert y.dtype == "bool"
        assert not y.requires_grad
    assert not ops.isnan(x).requires_grad


def test_comparisons_of_unlike_dtypes():
    np.testing.assert_array_equal(ops.lt(array([1, 2], "int64"), 1.5), [True, False])
    np.testing.assert_array_equal(ops.lt(array([1, 2], "uint8"), -1), [False, False])
    np.testing.assert_array_equal(ops.eq(array([True, False], "bool"), array([1, 0], "int64")), [True, True])
    np.testing.assert_array_equal(ops.eq(array([NAN]), array([NAN])), [False])


def test_kinds_of_numbers():
    x = array([NAN, INF, -INF, 1])
    np.testing.assert_array_equal(ops.isposinf(x), [False, True, False, False])
    np.testing.assert_array_equal(ops.isneginf(x), [False, False, True, False])
    np.testing.assert_array_equal(ops.isfinite(x), [False, False, False, True])
    for function in (ops.isnan, ops.isinf, ops.isposinf):
        np.testing.assert_array_equal(function(array([1, 0], "int64")), [False, False])


def test_closeness():
    a, b = array([1.0, INF, INF, NAN, 0.0]), array([1.0 + 1e-6, INF, -INF, NAN, 1e-9])
    np.testing.assert_array_equal(ops.isclose(a, b), [True, True, False, False, True])
    np.testing.assert_array_equal(ops.isclose(a, b, equal_nan=True), [True, True, False, True, True])
    np.testing.assert_array_equal(ops.isclose(array([True], "bool"), array([False], "bool")), [False])
    np.testing.assert_array_equal(ops.isclose(array([100], "int64"), array([101], "int64"), rtol=0.1), [True])
    assert ops.allclose(a[:2], b[:2])
    assert not ops.allclose(a, b)
    assert comparison.equal(a[:2], a[:2])
    assert not comparison.equal(a[:2], a[:1])


def test_bits():
    a, b = array([12, -1], "int64"), array([10, 3], "int64")
    check(ops.bitwise_and(a, b), [8, 3], "int64")
    check(ops.bitwise_or(a, b), [14, -1], "int64")
    check(ops.bitwise_xor(a, b), [6, -4], "int64")
    check(ops.bitwise_not(a), [-13, 0], "int64")
    check(ops.bitwise_left_shift(a, 2), [48, -4], "int64")
    check(ops.bitwise_right_shift(a, 2), [3, -1], "int64")
    check(ops.bitwise_not(array([True, False], "bool")), [False, True], "bool")
    for function in (ops.bitwise_and, ops.bitwise_left_shift):
        with pytest.raises(DtypeError, match="integer"):
            function(array([1.0]), 1)
    with pytest.raises(DtypeError, match="bool"):
        ops.bitwise_left_shift(array([True], "bool"), array([True], "bool"))


# ----- refusals teach
def test_bools_have_no_difference():
    with pytest.raises(DtypeError, match="logical_xor"):
        arithmetic.sub(array([True], "bool"), array([False], "bool"))
    with pytest.raises(DtypeError, match="neg"):
        arithmetic.neg(mg.tensor([True]))


@pytest.mark.parametrize("function", [ops.add, ops.pow, ops.maximum, ops.lt, ops.logaddexp, ops.floor_divide])
def test_shapes_that_do_not_broadcast_are_named(function):
    with pytest.raises(ShapeError, match=r"\(2, 3\) and \(2, 2\)"):
        function(mg.ones((2, 3)), mg.ones((2, 2)))


def test_other_refusals():
    with pytest.raises(InvalidArgumentError, match="approximate"):
        activations.gelu(array([1.0]), approximate="erf")
    with pytest.raises(ShapeError, match="odd size 3"):
        activations.glu(mg.ones((2, 3)))
    with pytest.raises(InvalidArgumentError, match="polygamma"):
        special_functions.polygamma(-1, array([1.0]))


# ----- activations
def test_activation_values():
    x = array([-4, -1, 0, 1, 4], "float64")
    expected = {
        activations.relu6: [0, 0, 0, 1, 4], activations.hardtanh: [-1, -1, 0, 1, 1],
        activations.hardsigmoid: [0, 1 / 3, 0.5, 2 / 3, 1], activations.hardswish: [0, -1 / 3, 0, 2 / 3, 4],
        activations.hardshrink: [-4, -1, 0, 1, 4], activations.softshrink: [-3.5, -0.5, 0, 0.5, 3.5],
        activations.softsign: [-0.8, -0.5, 0, 0.5, 0.8], activations.leaky_relu: [-0.04, -0.01, 0, 1, 4],
        activations.elu: [math.expm1(-4), math.expm1(-1), 0, 1, 4],
        activations.gelu: [-4 * 3.1671241833119924e-05, -0.15865525393145705, 0, 0.8413447460685429,
                           4 * (1 - 3.1671241833119924e-05)],
        activations.silu: [-4 / (1 + math.exp(4)), -1 / (1 + math.e), 0, math.e / (1 + math.e), 4 / (1 + math.exp(-4))],
    }
    for function, values in expected.items():
        np.testing.assert_allclose(function(x), values, rtol=1e-14, err_msg=function.__name__)
    np.testing.assert_array_equal(activations.threshold(x, 0.5, 9.0), [9, 9, 9, 1, 4])
    np.testing.assert_allclose(activations.celu(x, 2.0)[:2], [2 * math.expm1(-2), 2 * math.expm1(-0.5)])
    np.testing.assert_allclose(activations.gelu(x, "tanh"), activations.gelu(x), atol=1e-3)
    np.testing.assert_array_equal(activations.prelu(x, array([0.5], "float64")), [-2, -0.5, 0, 1, 4])


def test_prelu_has_a_slope_for_each_channel():
    x = -np.ones((2, 3, 4), "float32")
    y = activations.prelu(x, array([1, 2, 3]))
    np.testing.assert_array_equal(y, -np.broadcast_to(array([1, 2, 3])[:, None], (2, 3, 4)))


def test_gelu_keeps_its_small_values():
    x = array([-10.0], "float64")
    np.testing.assert_allclose(activations.gelu(x), [-10 * 7.619853024160525e-24], rtol=1e-13)


def test_cast_is_itself_where_nothing_changes():
    x = mg.tensor([1.0])
    assert cast(x, "float32") is x
    assert cast(x, "float64").dtype == "float64"
