"""Operators against PyTorch's own samples: values and gradients that PyTorch 2.13 recorded, in float64.

`data/operators.npz` holds arrays by name and, under ``__cases__``, a list of applications as JSON: the operator's
name, encoded arguments, names of the expected outputs, of the cotangents that were sent back, and of the gradients.
"""

import importlib
import json
import operator
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
import minigrad.linalg
import minigrad.nn.functional

DATA = Path(__file__).parent / "data" / "operators.npz"

# factors that are determined up to signs only; their gradients are tested with the primitives
SIGN_FREE = {"linalg.qr", "linalg.svd", "linalg.eigh"}

# operators with samples that are not met, and why
NOT_MET = {
    "linalg.pinv": "samples that are given as two factors",
    "linalg.svd": "vectors without a singular value are not determined",
}

REFLECTED = {"__radd__": operator.add, "__rmul__": operator.mul, "__rsub__": operator.sub,
             "__rdiv__": operator.truediv, "__rpow__": operator.pow, "__rmod__": operator.mod,
             "__rmatmul__": operator.matmul}


@cache
def recorded():
    """(arrays by name, {operator: its cases})."""
    with np.load(DATA) as file:
        arrays = {name: file[name] for name in file.files}
    by_name = {}
    for case in json.loads(bytes(arrays["__cases__"]).decode()):
        by_name.setdefault(case["op"], []).append(case)
    return arrays, by_name


NAMES = sorted(recorded()[1])


def decoded(value, arrays, inputs):
    """An encoded argument; tensors that take gradients are also put into `inputs`."""
    if not isinstance(value, dict):
        return value
    (kind, content), *rest = value.items()
    if kind == "T":
        tensor = mg.tensor(arrays[content], requires_grad=bool(dict(rest)["g"]))
        if tensor.requires_grad:
            inputs.append(tensor)
        return tensor
    if kind == "D":
        return getattr(mg, content)
    if kind == "E":
        return Ellipsis
    if kind == "F":
        return float(content)
    parts = [decoded(part, arrays, inputs) for part in content]
    return slice(*parts) if kind == "S" else tuple(parts) if kind == "t" else parts


def apply(name, arguments, keywords):
    """The operator of that name on the arguments in the order in which they were recorded."""
    if name == "__getitem__":
        return arguments[0][arguments[1]]
    if name in REFLECTED:
        return REFLECTED[name](arguments[1], arguments[0])
    if name == "einsum":
        return mg.einsum(arguments[1], *arguments[0])
    if name == "where":
        return mg.where(arguments[1], arguments[0], arguments[2])
    if name == "nn.functional.embedding":
        return mg.nn.functional.embedding(arguments[1], arguments[0], **keywords)
    if name in ("H", "mT", "T"):
        return getattr(arguments[0], name)
    module, _, function = name.rpartition(".")
    where = importlib.import_module(f"minigrad.{module}") if module else mg
    if hasattr(where, function):
        return getattr(where, function)(*arguments, **keywords)
    return getattr(arguments[0], function)(*arguments[1:], **keywords)


def tensors_in(value):
    """The results of an operator as a list of tensors."""
    if isinstance(value, mg.Tensor):
        return [value]
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in tensors_in(part)]
    return [mg.tensor(value)]


def check(case, arrays):
    """Run one recorded application and compare values, kinds of dtype, and gradients."""
    inputs = []
    arguments = [decoded(value, arrays, inputs) for value in case["args"]["t"]]
    keywords = {key: decoded(value, arrays, inputs) for key, value in case["kwargs"].items()}
    outputs = tensors_in(apply(case["op"], arguments, keywords))
    assert len(outputs) == len(case["outs"])
    for output, name in zip(outputs, case["outs"], strict=True):
        result, expected = output.detach().numpy(), arrays[name]
        if case["op"] in SIGN_FREE:
            result, expected = np.abs(result), np.abs(expected)
        assert result.shape == expected.shape
        assert (result.dtype.kind in "iub") == (expected.dtype.kind in "iub")
        np.testing.assert_allclose(result.astype(float), expected.astype(float), rtol=1e-6, atol=1e-8)
    if case["op"] in SIGN_FREE or all([name is None for name in case["grads"]]):
        return
    sent = [(y * mg.tensor(arrays[k])).sum() for y, k in zip(outputs, case["cots"], strict=True) if k is not None]
    sum(sent[1:], sent[0]).backward()
    for tensor, name in zip(inputs, case["grads"], strict=False):
        if name is not None:
            np.testing.assert_allclose(tensor.grad.numpy(), arrays[name], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_MET])
def test_operator(name):
    arrays, cases = recorded()
    for case in cases[name]:
        if case["kwargs"].get("dropout_p"):
            continue  # it draws random numbers
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's deprecated arguments are part of its samples
            check(case, arrays)


def test_what_is_not_met_is_named_only_while_it_is_not():
    assert set(NOT_MET) <= set(NAMES)
    assert len(NAMES) - len(NOT_MET) >= 296
