"""The names of the package itself: dtypes, lazy modules, warnings."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops


@pytest.mark.parametrize(("name", "dtype"), [
    ("float", "float32"), ("float32", "float32"), ("double", "float64"), ("float64", "float64"), ("half", "float16"),
    ("float16", "float16"), ("int", "int32"), ("int32", "int32"), ("long", "int64"), ("int64", "int64"),
    ("short", "int16"), ("int16", "int16"), ("int8", "int8"), ("uint8", "uint8"), ("bool", "bool"),
])
def test_dtypes_have_pytorchs_names(name, dtype):
    assert getattr(mg, name) == np.dtype(dtype)
    assert mg.zeros(1, dtype=getattr(mg, name)).dtype == np.dtype(dtype)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="'minigrad' has no attribute 'nonsense'"):
        mg.nonsense  # noqa: B018


def test_lazy_modules_can_be_had_in_every_way():
    for name in mg._LAZY:
        module = getattr(mg, name)
        assert module is importlib.import_module(module.__name__)
        assert name in dir(mg)


def test_operations_are_those_of_ops():
    for name in ("exp", "sum", "matmul", "where", "softmax", "reshape", "stack"):
        assert getattr(mg, name) is getattr(ops, name)


def test_floating_point_exceptions_are_silent_here_and_only_here():
    code = ("import warnings; import numpy as np; warnings.simplefilter('error'); import minigrad as mg\n"
            "x = mg.tensor([0.0, -1.0], requires_grad=True)\n"
            "y = (1 / x).log() + x.sqrt()\n"
            "y.sum().backward()\n"
            "try:\n    np.log(np.zeros(1))\nexcept RuntimeWarning:\n    print('numpy warns')\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "numpy warns"
    assert done.stderr == ""
