"""Jacobians, Hessians and their products, against closed forms."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg
from minigrad.autograd import functional as F
from minigrad.errors import BackwardError, ShapeError

VECTORS = hnp.arrays(np.float64, 3, elements=st.floats(-2, 2))
A = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])


def double(array):
    return mg.tensor(array, dtype=mg.float64)


def linear(x):
    return mg.tensor(A) @ x


def cubes(x):
    return (x * x * x).sum()


@given(VECTORS, VECTORS)
def test_linear_function(x, v):
    np.testing.assert_allclose(F.jacobian(linear, double(x)).numpy(), A)
    value, tangent = F.jvp(linear, double(x), double(v))
    np.testing.assert_allclose(value.numpy(), A @ x, atol=1e-12)
    np.testing.assert_allclose(tangent.numpy(), A @ v, atol=1e-12)
    _, cotangent = F.vjp(linear, double(x), double(v[:2]))
    np.testing.assert_allclose(cotangent.numpy(), A.T @ v[:2], atol=1e-12)


@given(VECTORS, VECTORS)
def test_hessian_of_cubes(x, v):
    np.testing.assert_allclose(F.hessian(cubes, double(x)).numpy(), np.diag(6 * x), atol=1e-12)
    for product in (F.hvp, F.vhp):
        value, result = product(cubes, double(x), double(v))
        np.testing.assert_allclose(value.item(), (x ** 3).sum(), atol=1e-12)
        np.testing.assert_allclose(result.numpy(), 6 * x * v, atol=1e-12)


def test_tuples_of_inputs_and_outputs():
    def function(a, b):
        return a * b, a.sum()

    a, b = double([1.0, 2.0]), double([3.0, 4.0])
    (aa, ab), (sa, sb) = F.jacobian(function, (a, b))
    np.testing.assert_array_equal(aa.numpy(), np.diag([3, 4]))
    np.testing.assert_array_equal(ab.numpy(), np.diag([1, 2]))
    np.testing.assert_array_equal(sa.numpy(), [1, 1])
    np.testing.assert_array_equal(sb.numpy(), [0, 0])
    (haa, hab), (hba, hbb) = F.hessian(lambda a, b: (a * a * b).sum(), (a, b))
    np.testing.assert_array_equal(haa.numpy(), np.diag([6, 8]))
    np.testing.assert_array_equal(hab.numpy(), np.diag([2, 4]))
    np.testing.assert_array_equal(hba.numpy(), np.diag([2, 4]))
    np.testing.assert_array_equal(hbb.numpy(), np.zeros((2, 2)))


def test_results_can_be_differentiated():
    x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    F.jacobian(lambda x: x * x, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [2, 2]
    assert not F.jacobian(lambda x: x * x, x).requires_grad


def test_a_function_that_does_not_depend_on_its_input():
    np.testing.assert_array_equal(F.jacobian(lambda x: mg.ones(2), double([1.0])).numpy(), np.zeros((2, 1)))


def test_errors():
    with pytest.raises(ShapeError, match="one number"):
        F.hessian(linear, double(np.ones(3)))
    with pytest.raises(ShapeError, match="shapes of the inputs"):
        F.jvp(linear, double(np.ones(3)), double(np.ones(2)))
    with pytest.raises(ShapeError, match="needs a v"):
        F.jvp(linear, double(np.ones(3)))
    with pytest.raises(BackwardError, match="float"):
        F.jacobian(lambda x: 3.0, double([1.0]))
