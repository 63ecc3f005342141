"""Making tensors: from numbers and arrays, filled, counted, and like another tensor.

Names, arguments and dtypes are PyTorch's: Python floats give the default float dtype (float32), ints give int64,
NumPy arrays and NumPy scalars keep their dtype.
"""

import math

import numpy as np

from minigrad.backends import to_device
from minigrad.backends.devices import backend_for, backend_of
from minigrad.config import default_dtype
from minigrad.core.dtypes import as_dtype, int64, scalar_dtype
from minigrad.dynamic.data import host_array, plain_number, size_of_arguments, supported
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import DtypeError, ShapeError

__all__ = ["arange", "as_tensor", "asarray", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "full",
           "full_like", "linspace", "logspace", "ones", "ones_like", "tensor", "zeros", "zeros_like"]


# ----- from data
def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor with a copy of `data`. PyTorch: torch.tensor.

    Args:
        data: a number, an array, a Tensor, or nested lists and tuples of them, all rows of one length.
        dtype: default: the array's own; for Python numbers bool, int64 or the default float dtype.
        device: "cpu" (default) or "cuda".
        requires_grad: record operations on it, so that backward() fills its `.grad`.

    Raises:
        ShapeError: rows of unequal length; the message says where.
        DtypeError: something in it is not a number, or its dtype is not supported (complex, strings, objects).
        GradDtypeError: it requires gradients and is not of a float dtype.
    """
    if isinstance(data, Tensor):
        array = data.array.astype(data.dtype if dtype is None else as_dtype(dtype))  # a copy
        if device is not None:
            array = to_device(array, device)
    else:
        array = to_device(np.array(host_array(data, dtype), order="C"), device)
    out = wrap(array)
    return out.requires_grad_() if requires_grad else out


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, without a copy where it is one already or is a NumPy array. PyTorch: torch.as_tensor."""
    if isinstance(data, Tensor):
        return data if dtype is None and device is None else data.to(dtype=dtype, device=device)
    if backend_of(data).array_type is data.__class__:
        array = data if dtype is None else data.astype(as_dtype(dtype), copy=False)
        supported(array.dtype)
    else:
        array = host_array(data, dtype)
    return wrap(array if device is None else to_device(array, device))


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor; `copy` True forces a copy. PyTorch: torch.asarray."""
    if copy:
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    out = as_tensor(obj, dtype=dtype, device=device)
    return out.requires_grad_() if requires_grad else out


def from_numpy(ndarray):
    """A tensor that shares memory with a NumPy array: writes to one are seen in the other. PyTorch: torch.from_numpy.

    Raises:
        DtypeError: not a NumPy array, or its dtype is not supported.
    """
    if not isinstance(ndarray, np.ndarray):
        raise DtypeError(f"from_numpy expects a NumPy array, not a {type(ndarray).__name__}; use minigrad.tensor")
    supported(ndarray.dtype)
    return wrap(ndarray.view(np.ndarray))


def from_dlpack(ext_tensor):
    """A tensor that shares memory with an array of another library. PyTorch: torch.from_dlpack."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()
    kind = int(ext_tensor.__dlpack_device__()[0])
    xp = backend_for("cpu" if kind in (1, 3) else "cuda").xp
    array = xp.from_dlpack(ext_tensor)
    supported(array.dtype)
    return wrap(array)


# ----- filled
def made(array, requires_grad):
    """The Tensor around a new array."""
    out = wrap(array)
    return out.requires_grad_() if requires_grad else out


def float_or(dtype):
    """`dtype`, by default the default float dtype."""
    return default_dtype() if dtype is None else as_dtype(dtype)


def zeros(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of zeros. PyTorch: torch.zeros."""
    return made(backend_for(device).xp.zeros(size_of_arguments(size), float_or(dtype)), requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of ones. PyTorch: torch.ones."""
    return made(backend_for(device).xp.ones(size_of_arguments(size), float_or(dtype)), requires_grad)


def empty(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of whatever was in its memory. PyTorch: torch.empty."""
    return made(backend_for(device).xp.empty(size_of_arguments(size), float_or(dtype)), requires_grad)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of one number; its dtype follows the number. PyTorch: torch.full."""
    number = plain_number(fill_value, "full")
    dtype = scalar_dtype(number) if dtype is None else as_dtype(dtype)
    size = size if isinstance(size, (tuple, list)) else (size,)
    return made(backend_for(device).xp.full(size_of_arguments((size,)), number, dtype), requires_grad)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The n × m matrix with ones on its diagonal (m defaults to n). PyTorch: torch.eye."""
    return made(backend_for(device).xp.eye(n, n if m is None else m, dtype=float_or(dtype)), requires_grad)


# ----- counted
def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """start, start + step, ... up to but without `end`; ``arange(n)`` counts from 0. PyTorch: torch.arange.

    The dtype is int64 when all three are ints, else the default float dtype.

    Raises:
        ShapeError: step is 0, or leads away from `end`.
    """
    if end is None:
        start, end = 0, start
    start, end, step = (plain_number(v, "arange") for v in (start, end, step))
    if step == 0 or (end - start) * (1 if step > 0 else -1) < 0:
        raise ShapeError(f"arange: a step of {step} does not lead from {start} to {end}")
    if dtype is None:
        whole = not any(isinstance(v, float) for v in (start, end, step))
        dtype = int64 if whole else default_dtype()
    dtype = as_dtype(dtype)
    count = max(0, math.ceil((end - start) / step))
    xp = backend_for(device).xp
    return made((start + xp.arange(count, dtype=np.int64) * step).astype(dtype), requires_grad)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` numbers at equal distances from `start` to `end`, both included. PyTorch: torch.linspace."""
    return made(spaced(start, end, steps, "linspace", device).astype(float_or(dtype)), requires_grad)


def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False):
    """`base` to the power of `steps` numbers at equal distances from `start` to `end`. PyTorch: torch.logspace."""
    exponents = spaced(start, end, steps, "logspace", device)
    return made((float(base) ** exponents).astype(float_or(dtype)), requires_grad)


def spaced(start, end, steps, name, device):
    """`steps` float64 numbers from `start` to `end`; the halves are counted from their own ends, as PyTorch does."""
    start, end = float(plain_number(start, name)), float(plain_number(end, name))
    steps = int(steps)
    if steps < 0:
        raise ShapeError(f"{name}: the number of steps must not be negative, got {steps}")
    xp = backend_for(device).xp
    if steps < 2:
        return xp.full((steps,), start)
    i = xp.arange(steps, dtype=np.int64)
    step = (end - start) / (steps - 1)
    return xp.where(i < steps // 2, start + i * step, end - (steps - 1 - i) * step)


# ----- like another
def zeros_like(input, *, dtype=None, device=None, requires_grad=False):
    """Zeros of the shape, dtype and device of `input`. PyTorch: torch.zeros_like."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def ones_like(input, *, dtype=None, device=None, requires_grad=False):
    """Ones of the shape, dtype and device of `input`. PyTorch: torch.ones_like."""
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """One number in the shape, dtype and device of `input`. PyTorch: torch.full_like."""
    shape, dtype, device = model_of(input, dtype, device)
    number = plain_number(fill_value, "full_like")
    return made(backend_for(device).xp.full(shape, number, dtype), requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False):
    """A tensor of the shape, dtype and device of `input`, of whatever was in its memory. PyTorch: torch.empty_like."""
    shape, dtype, device = model_of(input, dtype, device)
    return made(backend_for(device).xp.empty(shape, dtype), requires_grad)


def model_of(input, dtype, device):
    """(shape, dtype, device) of a tensor like `input`."""
    if not isinstance(input, Tensor):
        raise DtypeError(f"expected a Tensor to take the shape from, got a {type(input).__name__}")
    return (input.shape, input.dtype if dtype is None else as_dtype(dtype),
            input.device if device is None else device)
