"""engines_agree notices every kind of disagreement, and names it."""

import numpy as np
import pytest

import minigrad
from minigrad import ops
from minigrad.dynamic.tensor import Tensor
from minigrad.ops.casting import cast
from minigrad.testing import engines_agree
from minigrad.testing.engines import same_bits, unequal


def values(*shape, dtype="float64"):
    return np.random.default_rng(0).uniform(0.5, 2.0, size=shape).astype(dtype)


def mixed(x, w, n):
    return ops.tanh(ops.matmul(x, w)) / n, ops.sum(x * x, 0), ops.gt(x, 1.0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_agreement(dtype):
    engines_agree(mixed, values(2, 3, dtype=dtype), values(3, 2, dtype=dtype), 3.0, order=2)


def test_agreement_of_integers_empty_and_0_d():
    engines_agree(ops.add, np.arange(3), np.array(2))
    engines_agree(ops.mul, values(0, 3), values(), order=2)


def test_nan_and_infinities_agree():
    engines_agree(ops.log, np.array([0.0, -1.0, np.inf, np.nan]), order=2)


class Layer:
    """What a Module is for the checks: something to call that has parameters."""

    def __init__(self, dtype="float64"):
        self.weight = minigrad.Parameter(minigrad.tensor(values(3, 2, dtype=dtype)))
        self.frozen = minigrad.Parameter(minigrad.tensor(values(2, dtype=dtype)), requires_grad=False)

    def parameters(self):
        return [self.weight, self.frozen]

    def __call__(self, x):
        return ops.tanh(ops.matmul(x, self.weight)) * self.frozen


class DetachedLayer(Layer):
    def __call__(self, x):
        weight = self.weight.detach() if isinstance(x, Tensor) else self.weight
        return ops.matmul(x, weight) + ops.sum(self.weight) * 0.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_parameters_count_among_the_inputs(dtype):
    layer = Layer(dtype)
    before = layer.weight.array
    engines_agree(layer, values(4, 3, dtype=dtype), order=2)
    assert layer.weight.array is before
    assert layer.weight.grad is None
    with pytest.raises(AssertionError, match="gradient 1 of the dynamic engine"):
        engines_agree(DetachedLayer(dtype), values(4, 3, dtype=dtype))


def off_by_engine(x):
    return x * 2.0 if isinstance(x, Tensor) else x * (2.0 + 1e-15)


def test_last_bits_count():
    with pytest.raises(AssertionError, match="value 0 of the dynamic engine and of the interpreter differ"):
        engines_agree(off_by_engine, values(3))


def negative_zero_on_graphs(x):
    return x * 0.0 if isinstance(x, Tensor) else x * -0.0


def test_the_sign_of_zero_counts():
    with pytest.raises(AssertionError, match=r"0\.0\) against np.float64\(-0\.0"):
        engines_agree(negative_zero_on_graphs, values(3))


def detached_on_tensors(x):
    return x * x.detach() if isinstance(x, Tensor) else x * x


def test_gradients_count():
    engines_agree(detached_on_tensors, values(3), order=0)
    with pytest.raises(AssertionError, match="gradient 0 of the dynamic engine"):
        engines_agree(detached_on_tensors, values(3), order=1)


def once_detached(x):
    """x * x, of whose gradient the Tensor version forgets that it depends on x."""
    if not isinstance(x, Tensor):
        return x * x
    return x * (2.0 * x.detach()) - x.detach() * x.detach()


def test_second_derivatives_count():
    engines_agree(once_detached, np.array([1.0, 2.0]), order=1)
    with pytest.raises(AssertionError, match="second gradient 0 of the dynamic engine"):
        engines_agree(once_detached, np.array([1.0, 2.0]), order=2)


def narrow_on_graphs(x):
    return x if isinstance(x, Tensor) else cast(x, np.dtype(np.float32))


def test_dtypes_count():
    with pytest.raises(AssertionError, match=r"float64\(3,\) against float32\(3,\)"):
        engines_agree(narrow_on_graphs, values(3))


def test_unequal():
    assert unequal(np.array([1.0, np.nan]), np.array([1.0, np.nan])) is None
    assert "at element (1,)" in unequal(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert unequal(np.array([1.0]), np.array([1.0 + 1e-13]), fast=True) is None
    assert unequal(np.array([1.0]), np.array([1.0 + 1e-13])) is not None
    assert "against a int" in unequal(np.array([1.0]), 1)
    assert same_bits(np.array([0.0]), np.array([-0.0])).tolist() == [False]
