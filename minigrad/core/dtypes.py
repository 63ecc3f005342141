"""Dtypes: the supported ones, their categories, and PyTorch's promotion.

Python and NumPy scalars are weak, tensors without dimensions do not raise the dtype within a category, an integer
with a float takes the float's dtype. (PyTorch: "Tensor Attributes, torch.dtype"; NumPy differs in int64 with
float32, which is float64 there.)
"""

import numbers

import numpy as np

from minigrad.config import default_dtype
from minigrad.core.aval import Aval
from minigrad.errors import DtypeError

bool_ = np.dtype(np.bool_)
uint8 = np.dtype(np.uint8)
int8 = np.dtype(np.int8)
int16 = np.dtype(np.int16)
int32 = np.dtype(np.int32)
int64 = np.dtype(np.int64)
float16 = np.dtype(np.float16)
float32 = np.dtype(np.float32)
float64 = np.dtype(np.float64)

SUPPORTED = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64)
_BY_NAME = {str(d): d for d in SUPPORTED} | {"float": float32, "double": float64, "half": float16, "int": int32,
                                             "long": int64, "short": int16}
_BY_PYTHON_TYPE = {bool: bool_, int: int64, float: float64}
_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}


def as_dtype(dtype):
    """Any spelling of a dtype (np.dtype, NumPy type, name, Python's bool/int/float) as one supported np.dtype.

    Raises:
        DtypeError: the dtype is not supported (complex, strings, objects, uint16, ...).
    """
    found = _BY_PYTHON_TYPE.get(dtype) if isinstance(dtype, type) else None
    if found is None:
        found = _BY_NAME.get(dtype) if isinstance(dtype, str) else None
    if found is None:
        try:
            found = np.dtype(dtype)
        except TypeError:
            raise DtypeError(f"{dtype!r} is not a dtype; the supported ones are {_supported_names()}") from None
    if found not in SUPPORTED:
        raise DtypeError(f"dtype {found} is not supported; the supported ones are {_supported_names()}")
    return found


def _supported_names():
    return ", ".join(str(d) for d in SUPPORTED)


def is_float(dtype):
    """True for float16, float32 and float64."""
    return dtype.kind == "f"


def category(dtype):
    """0 for bool, 1 for integers, 2 for floats."""
    try:
        return _CATEGORY[dtype.kind]
    except KeyError:
        raise DtypeError(f"dtype {dtype} is not supported; the supported ones are {_supported_names()}") from None


def is_scalar(x):
    """True for Python and NumPy scalars: values without an array, whose dtype is weak."""
    return isinstance(x, (numbers.Real, np.generic)) and not isinstance(x, Aval)


def scalar_dtype(x):
    """The dtype that a lone scalar gets: bool, int64, or the default float dtype."""
    if isinstance(x, (bool, np.bool_)):
        return bool_
    if isinstance(x, (numbers.Integral, np.integer)):
        return int64
    if isinstance(x, (numbers.Real, np.floating)):
        return default_dtype()
    raise DtypeError(f"a {type(x).__name__} cannot be an operand; expected a number, an array or a tensor")


def promote_dtypes(a, b):
    """The dtype of a result of dtypes `a` and `b`, both of tensors with dimensions."""
    if a is b:
        return a
    category_a, category_b = category(a), category(b)
    if category_a == category_b:
        return np.promote_types(a, b)
    return a if category_a > category_b else b


def result_dtype(args):
    """The common dtype of arrays, Tensors, Nodes, Avals and scalars under the policy above."""
    with_dims = without_dims = weak = None
    for a in args:
        if hasattr(a, "dtype") and not isinstance(a, np.generic):
            if a.shape == ():
                without_dims = a.dtype if without_dims is None else promote_dtypes(without_dims, a.dtype)
            else:
                with_dims = a.dtype if with_dims is None else promote_dtypes(with_dims, a.dtype)
        else:
            dtype = scalar_dtype(a)
            weak = dtype if weak is None else promote_dtypes(weak, dtype)
    result = None
    for dtype in (with_dims, without_dims, weak):
        if dtype is None:
            continue
        if result is None or category(dtype) > category(result):
            result = dtype
    return result
