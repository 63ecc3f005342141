"""The operators and methods that Tensors and graph Nodes share: explicit, and true to the functions they name."""

import ast
import inspect
import operator
import textwrap

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.core.dispatch import Operand
from minigrad.dynamic.inplace_forms import InplaceForms
from minigrad.graph.node import Node
from minigrad.ops.methods import OperandMethods
from minigrad.ops.methods_numbers import NumberMethods
from minigrad.ops.methods_reductions import ReductionMethods
from minigrad.ops.methods_shapes import ShapeMethods

MIXINS = [NumberMethods, ReductionMethods, ShapeMethods]


def methods_of(cls):
    """(name, function) of the methods that a class itself defines, properties as their getters."""
    found = []
    for name, value in vars(cls).items():
        value = value.fget if isinstance(value, property) else value
        if inspect.isfunction(value) and not name.startswith("__"):
            found.append((name, value))
    return found


SHARED = [pytest.param(name, method, id=name) for cls in MIXINS for name, method in methods_of(cls)]
FORMS = [pytest.param(name, method, id=name) for name, method in methods_of(InplaceForms)]


def called_name(method):
    """The function that the one statement of a method returns a call of."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(method)).replace("@property\n", "")).body
    (statement,) = function.body
    assert isinstance(statement, ast.Return)
    assert isinstance(statement.value, ast.Call)
    target = statement.value.func
    return target.attr if isinstance(target, ast.Attribute) else target.id


@pytest.mark.parametrize(("name", "method"), SHARED)
def test_a_method_calls_the_function_of_its_name(name, method):
    if name in ("where", "polygamma"):
        return  # not a plain pass-through: see below
    assert called_name(method) == name
    function = getattr(ops, name)
    theirs = list(inspect.signature(function).parameters.values())[1:]
    ours = list(inspect.signature(method).parameters.values())[1:]
    if any([p.kind is p.VAR_POSITIONAL for p in ours]):
        return  # sizes as several arguments
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


def test_methods_that_are_no_plain_pass_through():
    x, y = mg.tensor([0.5, 1.5]), mg.tensor([10.0, 20.0])
    assert x.where(x > 1, y).tolist() == [10, 1.5]
    np.testing.assert_array_equal(x.polygamma(1).numpy(), mg.polygamma(1, x).numpy())
    np.testing.assert_array_equal(x.clone().polygamma_(1).numpy(), mg.polygamma(1, x).numpy())


@pytest.mark.parametrize(("name", "method"), FORMS)
def test_an_in_place_form_takes_what_its_function_takes(name, method):
    if name == "polygamma_":
        return
    function = getattr(ops, name[:-1])
    theirs = list(inspect.signature(function).parameters.values())[1:]
    ours = list(inspect.signature(method).parameters.values())[1:]
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


def test_tensors_and_nodes_have_the_same_methods():
    assert issubclass(mg.Tensor, OperandMethods)
    assert issubclass(Node, OperandMethods)
    assert issubclass(OperandMethods, Operand)
    assert vars(OperandMethods).get("__dict__") is None  # the mixins add no attributes to an instance


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("function", BINARY, ids=[f.__name__ for f in BINARY])
def test_operators_agree_with_numpy_whatever_stands_on_the_other_side(function):
    a, b = np.array([1.5, 2.0, 7.0]), np.array([2.0, 2.0, 0.5])
    x, y = mg.tensor(a), mg.tensor(b)
    expected = function(a, b)
    for result in (function(x, y), function(x, b), function(a, y)):
        assert isinstance(result, mg.Tensor)
        np.testing.assert_allclose(result.numpy(), expected)
    for number in (2, 2.0, np.float64(2), np.float32(2), np.int64(2)):
        np.testing.assert_allclose(function(x, number).numpy(), function(a, 2.0))
        np.testing.assert_allclose(function(number, x).numpy(), function(2.0, a))


BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("function", BITS, ids=[f.__name__ for f in BITS])
def test_operators_on_bits(function):
    a, b = np.array([1, 6, 12]), np.array([3, 2, 1])
    x, y = mg.tensor(a), mg.tensor(b)
    for result in (function(x, y), function(x, b), function(a, y)):
        np.testing.assert_array_equal(result.numpy(), function(a, b))
    np.testing.assert_array_equal(function(2, x).numpy(), function(2, a))


def test_operators_with_one_operand():
    x = mg.tensor([-1.25, 2.0])
    assert (-x).tolist() == [1.25, -2]
    assert (+x).tolist() == [-1.25, 2]
    assert abs(x).tolist() == [1.25, 2]
    assert round(x, 1).tolist() == pytest.approx([-1.2, 2])
    assert round(x).tolist() == [-1, 2]
    assert (~mg.tensor([True, False])).tolist() == [False, True]
    assert (~mg.tensor([0, 5])).tolist() == [-1, -6]
    quotient, rest = divmod(mg.tensor([7.0, -7.0]), 2)
    assert quotient.tolist() == [3, -4]
    assert rest.tolist() == [1, 1]
    quotient, rest = divmod(7, mg.tensor([2.0]))
    assert (quotient.item(), rest.item()) == (3, 1)


def test_matmul_operator_from_both_sides():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for result in (mg.tensor(a) @ mg.tensor(b), a @ mg.tensor(b), mg.tensor(a) @ b):
        np.testing.assert_array_equal(result.numpy(), a @ b)


def test_sizes_as_several_arguments_or_one_sequence():
    x = mg.zeros(2, 3)
    for shape in ((3, 2), ((3, 2),), ([3, 2],)):
        assert x.reshape(*shape).shape == (3, 2)
        assert x.view(*shape).shape == (3, 2)
    assert x.permute(1, 0).shape == x.permute((1, 0)).shape == (3, 2)
    assert x.expand(4, 2, 3).shape == x.expand((4, -1, -1)).shape == (4, 2, 3)
    assert x.T.shape == x.mT.shape == (3, 2)


def test_foreign_operands_are_refused_by_name():
    with pytest.raises(TypeError, match=r"add.*list"):
        mg.ones(2).__add__([1, 2])
    with pytest.raises(TypeError, match=r"mul.*str"):
        mg.ones(2) * "a"
