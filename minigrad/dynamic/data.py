"""Reading what users make tensors from: numbers, nested lists, arrays of any library; sizes; single numbers."""

import warnings

import numpy as np

from minigrad.backends import to_numpy
from minigrad.config import default_dtype
from minigrad.core.dispatch import Operand
from minigrad.core.dtypes import SUPPORTED, as_dtype, bool_, int64, scalar_dtype
from minigrad.errors import DtypeError, ShapeError

PYTHON_NUMBERS = {bool: bool_, int: int64}  # and float: the default float dtype


def host_array(data, dtype=None):
    """`data` as a NumPy array (no copy of one) in `dtype`, or in the dtype that its numbers have in PyTorch."""
    wanted = None if dtype is None else as_dtype(dtype)
    kind = data.__class__
    if kind is np.ndarray:
        found = data.dtype
    elif kind is float or kind is int or kind is bool:
        found = scalar_dtype(data)
    elif isinstance(data, np.generic):
        found = data.dtype
    elif isinstance(data, (list, tuple, range)):
        dtypes = []
        data = plain_rows(data, dtypes, ())
        found = common_dtype(dtypes)
    else:
        data = foreign_array(data)
        found = data.dtype
    supported(found)
    try:
        return np.asarray(data, dtype=found if wanted is None else wanted)
    except ValueError as error:
        if isinstance(data, list):
            raise ragged(data) from None
        raise DtypeError(f"tensor: {error}") from None
    except OverflowError as error:
        raise DtypeError(f"tensor: a number does not fit {found if wanted is None else wanted}: {error}") from None


def plain_rows(rows, dtypes, place):
    """`rows` as lists of numbers and arrays; the dtypes found in it are added to `dtypes`.

    `place` is the index of `rows` in the data, for messages.
    """
    kinds = set(map(type, rows))
    if kinds <= {float, int, bool}:
        for kind in kinds:
            dtypes.append(PYTHON_NUMBERS[kind] if kind is not float else default_dtype())
        return list(rows)
    result = []
    for i, item in enumerate(rows):
        if isinstance(item, (list, tuple, range)):
            item = plain_rows(item, dtypes, (*place, i))
        elif hasattr(item, "record"):
            if item.requires_grad:
                warnings.warn("a tensor that requires grad became a plain number inside minigrad.tensor([...]): its"
                              " gradient stops here. Use minigrad.stack([...]) to keep it, or detach() to say that"
                              " this is meant", UserWarning, stacklevel=4 + len(place))
            item = to_numpy(item.array)
            dtypes.append(item.dtype)
        elif item.__class__ in (float, int, bool):
            dtypes.append(scalar_dtype(item))
        else:
            item = foreign_array(item, (*place, i))
            dtypes.append(item.dtype)
        result.append(item)
    return result


def common_dtype(dtypes):
    """The dtype of a tensor made from numbers of `dtypes`: the highest category, and the widest in it."""
    if not dtypes:
        return default_dtype()
    for kinds in ("f", "iu", "b"):
        found = [d for d in dtypes if d.kind in kinds]
        if found:
            return np.result_type(*found)
    return dtypes[0]


def foreign_array(data, place=()):
    """Something else that is array-like (an array of another library, a buffer, a NumPy scalar) as a NumPy array."""
    where = f" at [{']['.join(map(str, place))}]" if place else ""
    if isinstance(data, Operand):
        raise DtypeError(f"tensor: a {type(data).__name__} has no value yet{where}; it cannot be made into a Tensor")
    if data is None or isinstance(data, (str, bytes, dict, set, complex)):
        raise DtypeError(f"tensor: expected a number or an array{where}, got {data!r}")
    array = np.asarray(data)
    if array.dtype.kind not in "biuf":
        what = "complex numbers are not supported" if array.dtype.kind == "c" else f"got a {type(data).__name__}"
        raise DtypeError(f"tensor: expected a number or an array{where}; {what}")
    return array


def supported(dtype):
    """Raise DtypeError unless `dtype` is one that tensors can have."""
    if dtype not in SUPPORTED:
        raise DtypeError(f"tensor: dtype {dtype} is not supported; the supported ones are"
                         f" {', '.join(map(str, SUPPORTED))}. Cast the array first")


def ragged(rows):
    """The error for nested lists that do not make a rectangular array: says which row is the odd one."""
    shape = []
    first = rows
    while isinstance(first, list) and first:
        shape.append(len(first))
        first = first[0]
    shape.extend(getattr(first, "shape", ()))
    place, length = odd_row(rows, shape, ())
    at = f"[{']['.join(map(str, place))}]"
    if length is None:
        return ShapeError(f"tensor: expected a row of length {shape[len(place)]} at {at}, got a number")
    if len(place) >= len(shape):
        return ShapeError(f"tensor: expected a number at {at}, got a row of length {length}")
    return ShapeError(f"tensor: expected a row of length {shape[len(place)]} at {at}, got one of length {length}:"
                      " all rows must have one length (pad them, or keep a list of tensors)")


def odd_row(rows, shape, place):
    """(place, length) of the first row whose length is not that of the first rows; length None for a number."""
    length = len(rows) if isinstance(rows, list) or getattr(rows, "shape", ()) else None
    depth = len(place)
    if (length is None) != (depth >= len(shape)) or (length is not None and length != shape[depth]):
        return place, length
    if length is not None:
        for i in range(length):
            found = odd_row(rows[i], shape, (*place, i))
            if found is not None:
                return found
    return None


def size_of_arguments(size):
    """The shape from ``zeros(2, 3)``, ``zeros((2, 3))`` or ``zeros([2, 3])``."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    try:
        shape = tuple([n.__index__() for n in size])
    except (AttributeError, TypeError):
        raise ShapeError(f"sizes must be integers, got {size!r}") from None
    for n in shape:
        if n < 0:
            raise ShapeError(f"sizes must not be negative, got {shape}")
    return shape


def plain_number(value, name):
    """A Python number from a number or a tensor with one element."""
    if hasattr(value, "record"):
        return value.item()
    if isinstance(value, (bool, int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, (bool, int, float)):
            return number
    raise DtypeError(f"{name}: expected a number, got a {type(value).__name__}")
