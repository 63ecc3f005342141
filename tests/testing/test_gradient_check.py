"""check_gradients: what it accepts, what it refuses, and what its report says."""

import itertools

import numpy as np
import pytest

import minigrad
from minigrad import ops
from minigrad.errors import DtypeError, GradientCheckError
from minigrad.testing import check_gradients

ENGINES = ["dynamic", "interpreter", "unoptimised", "exact", "fast"]


def values(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.5, 2.0, size=shape)


def cubic(x):
    return x * x * x


def product_and_quotient(a, b):
    return a * b, a / b


@pytest.mark.parametrize("engine", ENGINES)
def test_right_gradients_pass_in_every_engine(engine):
    check_gradients(cubic, values(2, 3), engine=engine)
    check_gradients(product_and_quotient, values(2, 3), values(3, seed=1), engine=engine)


def test_tensors_are_taken_too_and_stay_as_they_were():
    x = minigrad.tensor(values(3)).requires_grad_()
    before = x.detach().numpy().copy()
    check_gradients(cubic, x)
    assert x.grad is None
    assert np.array_equal(x.detach().numpy(), before)


def test_arrays_are_left_as_they_were():
    x = values(3)
    x.flags.writeable = False
    check_gradients(cubic, x)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_without_dimensions_empty_and_size_1(shape):
    check_gradients(cubic, values(*shape))


def first_of_two(a, b):
    return a * 1.0


def test_unused_input_has_zero_gradient():
    check_gradients(first_of_two, values(3), values(2))


def test_one_object_given_twice_counts_as_one_input():
    x = values(3)
    check_gradients(product_and_quotient, x, x)
    t = minigrad.tensor(x)
    check_gradients(product_and_quotient, t, t)


def scaled_by_mask(x, mask, factor):
    return ops.where(mask, x * factor, 0.0)


def test_other_arrays_and_numbers_are_handed_on():
    check_gradients(scaled_by_mask, values(3), np.array([True, False, True]), 2.5)
    check_gradients(scaled_by_mask, values(3), np.array([True, False, True]), 2.5, engine="exact")


def with_integers(x):
    return x * 2.0, ops.gt(x, 1.0)


def test_outputs_without_gradient_are_left_out():
    check_gradients(with_integers, values(3))


def test_float32_is_refused_unless_cast():
    x = values(3).astype(np.float32)
    with pytest.raises(DtypeError, match=r"input 0 is float32.*cast=True"):
        check_gradients(cubic, x)
    check_gradients(cubic, x, cast=True)
    check_gradients(product_and_quotient, x, x, cast=True)


def test_something_must_be_differentiable():
    with pytest.raises(DtypeError, match="none of the inputs"):
        check_gradients(cubic, np.arange(3))
    with pytest.raises(GradientCheckError, match="nothing to check"):
        check_gradients(above_one, values(3))


def above_one(x):
    return ops.gt(x, 1.0)


@pytest.mark.parametrize(("keyword", "value"), [("order", 3), ("engine", "quantum")])
def test_unknown_options_are_refused(keyword, value):
    with pytest.raises(ValueError, match=keyword):
        check_gradients(cubic, values(3), **{keyword: value})


def test_function_must_return_tensors():
    with pytest.raises(TypeError, match="must return a Tensor or a tuple of them, not a ndarray"):
        check_gradients(as_array, values(3))


def as_array(x):
    return x.detach().numpy()


class Scaled:
    """What a Module is for the check: something to call that has parameters."""

    def __init__(self, dtype):
        self.scale = minigrad.Parameter(minigrad.tensor(values(3).astype(dtype)))

    def parameters(self):
        return [self.scale]

    def __call__(self, x):
        return x * self.scale * self.scale


class HalfScaled(Scaled):
    def __call__(self, x):
        return x * self.scale * self.scale.detach()


@pytest.mark.parametrize("engine", ENGINES)
def test_parameters_are_checked_too(engine):
    module = Scaled("float64")
    before = module.scale.array
    check_gradients(module, values(2, 3), engine=engine)
    assert module.scale.array is before
    with pytest.raises(GradientCheckError, match="gradient of parameter 0"):
        check_gradients(HalfScaled("float64"), values(2, 3))


def test_float32_parameters_are_refused_unless_cast():
    module = Scaled("float32")
    with pytest.raises(DtypeError, match="parameter 0 is float32"):
        check_gradients(module, values(2, 3))
    check_gradients(module, values(2, 3), cast=True)
    assert module.scale.dtype == np.float32


# ----- what is caught
def half_detached(x):
    return x * x.detach()


def test_report_tells_input_element_numbers_and_step():
    with pytest.raises(GradientCheckError) as caught:
        check_gradients(half_detached, np.array([[1.0, 2.0]]), seed=3)
    text = str(caught.value)
    assert "gradient of input 0, element (0, 0) of shape (1, 2), value 1.0" in text
    assert "computed" in text
    assert "finite differences give" in text
    assert "with step 6.06e-06" in text


def test_it_is_an_assertion_error():
    with pytest.raises(AssertionError):
        check_gradients(half_detached, values(2))


class OnceDifferentiable(minigrad.autograd.Function):
    """x * x, whose first derivative is right and whose second one lacks a term."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.detach() * 2.0


def test_fault_in_second_order_only():
    check_gradients(OnceDifferentiable.apply, values(3), order=1)
    with pytest.raises(GradientCheckError, match="second gradient of input 0"):
        check_gradients(OnceDifferentiable.apply, values(3), order=2)


calls = itertools.count(1)


def noisy(x):
    return x * float(next(calls))


def test_random_functions_are_noticed():
    with pytest.raises(GradientCheckError, match="not deterministic: output 0"):
        check_gradients(noisy, values(3))


# ----- kinks
def test_declared_kinks_are_left_out():
    x = np.array([-1.0, 0.0, 2.0])
    with pytest.raises(GradientCheckError, match="element \\(1,\\)"):
        check_gradients(ops.abs, x)
    check_gradients(ops.abs, x, kinks=[0.0])


def test_nothing_left_is_an_error():
    with pytest.raises(GradientCheckError, match="all 2 elements lie near a declared kink"):
        check_gradients(ops.abs, np.zeros(2), kinks=[0.0], order=1)


def test_many_elements_are_sampled_the_same_way_each_time():
    check_gradients(cubic, values(20, 20), max_elements=5)
    with pytest.raises(GradientCheckError) as first:
        check_gradients(half_detached, values(20, 20), max_elements=5)
    with pytest.raises(GradientCheckError) as again:
        check_gradients(half_detached, values(20, 20), max_elements=5)
    assert str(first.value) == str(again.value)
