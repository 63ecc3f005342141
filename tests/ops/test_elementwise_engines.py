"""Every public elementwise function gives on Tensors what it gives in graphs, and its gradients fit its values.

The primitives have checks of their own (tests/primitives); here are the functions that users call, compositions too.
"""

import inspect
import math

import numpy as np
import pytest

from minigrad.ops import (
    activations,
    arithmetic,
    comparison,
    exponential,
    rounding,
    selection,
    special_functions,
    trigonometry,
)
from minigrad.testing import check_gradients, engines_agree

MODULES = (activations, arithmetic, comparison, exponential, rounding, selection, special_functions, trigonometry)
# functions that are called with something besides tensors and have a test of their own below
WITH_ARGUMENTS = {"addcdiv", "addcmul", "celu", "clamp", "clamp_max", "clamp_min", "clip", "elu", "gelu", "glu",
                  "hardshrink", "hardtanh", "leaky_relu", "lerp", "polygamma", "prelu", "psi", "softplus",
                  "softshrink", "spherical_bessel", "threshold", "where"}
FOR_INTEGERS = {"bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
                "bitwise_xor", "gcd", "lcm"}
FOR_PYTHON = {"allclose", "equal"}  # these give a Python bool

X = np.array([[0.31, 0.72, 1.43], [0.88, 0.18, 1.91]])
Y = np.array([0.52, 1.24, 0.67])
DOMAINS = {"acos": X / 2.5, "asin": X / 2.5, "arccos": X / 2.5, "arcsin": X / 2.5, "atanh": X / 2.5,
           "arctanh": X / 2.5, "erfinv": X / 2.5, "logit": X / 2.5, "acosh": X + 1.2, "arccosh": X + 1.2}


def collected(count):
    """Public functions with `count` operands, once for each object."""
    found = {}
    for module in MODULES:
        for name in module.__all__:
            function = getattr(module, name)
            required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            if name not in WITH_ARGUMENTS | FOR_INTEGERS | FOR_PYTHON and len(required) == count:
                found.setdefault(function, name)
    return [pytest.param(function, name, id=name) for function, name in found.items()]


def is_smooth(function, *args):
    return function(*args).dtype.kind == "f"


@pytest.mark.parametrize(("function", "name"), collected(1))
def test_functions_of_one(function, name):
    x = DOMAINS.get(name, X)
    engines_agree(function, x, order=2 if is_smooth(function, x) else 0)
    engines_agree(function, x.astype("float32"), order=0)
    if is_smooth(function, x):
        check_gradients(function, x)


@pytest.mark.parametrize(("function", "name"), collected(2))
def test_functions_of_two(function, name):
    engines_agree(function, X, Y, order=2 if is_smooth(function, X, Y) else 0)
    if is_smooth(function, X, Y):
        check_gradients(function, X, Y)

        def by_number(x):
            return function(x, 1.7)

        def of_number(x):
            return function(1.7, x)

        for partial in (by_number, of_number):
            engines_agree(partial, X.astype("float32"), order=1)
            check_gradients(partial, X)


@pytest.mark.parametrize("name", sorted(FOR_INTEGERS))
def test_functions_of_integers(name):
    module = arithmetic if name in ("gcd", "lcm") else comparison
    function = getattr(module, name)
    a, b = np.array([12, 5, 7, 0]), np.array([3, 2, 1, 4])
    engines_agree(function, *((a,) if name == "bitwise_not" else (a, b)), order=0)


def celu(x):
    return activations.celu(x, 0.7)


def elu(x):
    return activations.elu(x, alpha=1.3)


def gelu_by_tanh(x):
    return activations.gelu(x, approximate="tanh")


def glu(x):
    return activations.glu(x, dim=0)


def hardshrink(x):
    return activations.hardshrink(x, 0.4)


def hardtanh(x):
    return activations.hardtanh(x, 0.5, 1.5)


def leaky_relu(x):
    return activations.leaky_relu(x - 1, 0.2)


def softplus(x):
    return activations.softplus(x, beta=2.0, threshold=2.0)


def softshrink(x):
    return activations.softshrink(x, 0.4)


def threshold(x):
    return activations.threshold(x, 0.5, 0.1)


def polygamma(x):
    return special_functions.polygamma(2, x)


def spherical_bessel(x):
    return special_functions.spherical_bessel(1, x)


def clamp(x):
    return selection.clamp(x, 0.4, 1.1)


def clamp_below(x):
    return selection.clamp(x, min=0.4)


def logit_with_eps(x):
    return exponential.logit(x / 2, eps=0.1)


def scaled_sum(x):
    return arithmetic.sub(arithmetic.add(x, 1.5, alpha=2), x, alpha=0.5)


def rounded_quotients(x):
    return arithmetic.div(x, 0.4, rounding_mode="floor") + arithmetic.div(x, 0.4, rounding_mode="trunc") * x


def some_decimals(x):
    return rounding.round(x, decimals=1) * x


def powers(x):
    total = 0
    for exponent in (0, 1, 2, 3, 4, -1, -2, 0.5, -0.5, 1.7):
        total = total + exponential.pow(x, exponent)
    return total


@pytest.mark.parametrize("function", [
    celu, elu, activations.gelu, gelu_by_tanh, glu, hardshrink, hardtanh, leaky_relu, softplus, softshrink, threshold,
    polygamma, spherical_bessel, clamp, clamp_below, logit_with_eps, scaled_sum, rounded_quotients, some_decimals,
    powers,
])
def test_functions_with_arguments(function):
    engines_agree(function, X, order=2)
    engines_agree(function, X.astype("float32"), order=1)
    check_gradients(function, X)


def chosen(x, y):
    return selection.where(x > y, x * y, 0.3)


def clamp_between(x, y):
    return selection.clamp(x, y - 0.3, y + 0.2)


def product_added(x, y):
    return arithmetic.addcmul(x, y, x, value=0.5) + arithmetic.addcdiv(x, x, y, value=-2)


def interpolated(x, y):
    return arithmetic.lerp(x, y, 0.3) + arithmetic.lerp(x, y, x)


def prelu(x, y):
    return activations.prelu(x - 0.9, y)


@pytest.mark.parametrize("function", [chosen, clamp_between, product_added, interpolated, prelu])
def test_functions_of_several(function):
    engines_agree(function, X, Y, order=1)
    # with unknown sizes a graph has nodes that sum to a size, which may be no sum, and adds gradients in another order
    engines_agree(function, X, Y, order=2, unknown=False)
    check_gradients(function, X, Y)


def test_arrays_and_tensors_agree_on_integers():
    """On plain arrays too, compositions promote as we do, not as NumPy does."""
    x = np.array([-2, 0, 3])
    for function in (activations.silu, activations.gelu, activations.mish, activations.hardswish, activations.softsign,
                     activations.tanhshrink, activations.hardsigmoid, trigonometry.sinc, trigonometry.rad2deg):
        assert function(x).dtype == np.float32
        assert math.isfinite(float(function(x).sum()))
