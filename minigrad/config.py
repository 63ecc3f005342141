"""Few switches, each scoped and restored: context variables nest, survive exceptions and start fresh in threads."""

import os
from contextvars import ContextVar

import numpy as np

FLOAT32 = np.dtype(np.float32)
_default_dtype = ContextVar("minigrad_default_dtype", default=FLOAT32)


def default_dtype():
    """The dtype of tensors made from Python floats (float32 unless `set_default_dtype` said otherwise)."""
    return _default_dtype.get()


def set_default_dtype(dtype):
    """Set the dtype of tensors made from Python floats, in this context. PyTorch: torch.set_default_dtype.

    Raises:
        TypeError: `dtype` is not a float dtype.
    """
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise TypeError(f"the default dtype must be a float dtype, not {dtype}")
    _default_dtype.set(dtype)


def cuda_means():
    """What device "cuda" stands for: "cupy", or "double", the strict stand-in, when MINIGRAD_DEVICE=double."""
    return "double" if os.environ.get("MINIGRAD_DEVICE") == "double" else "cupy"
