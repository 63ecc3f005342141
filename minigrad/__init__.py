"""minigrad: automatic differentiation that teaches, define-by-run and define-and-run on one core.

The names here are PyTorch's: `minigrad.tensor`, `minigrad.exp`, `minigrad.no_grad`, `minigrad.nn`, `minigrad.optim`.
TensorFlow 1.x's are in `minigrad.static`, TensorFlow 2's in `minigrad.tf2`. Importing minigrad loads the core, the
operations on NumPy arrays and the define-by-run engine; what `_LAZY` lists is loaded when it is first used.
"""

import warnings as _warnings
from importlib import import_module as _import_module

from minigrad.backends import Device as device  # noqa: F401
from minigrad.config import (
    default_dtype as get_default_dtype,  # noqa: F401
    set_default_dtype as set_default_dtype,
)
from minigrad.core.dtypes import (
    bool_ as bool,  # noqa: F401
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
)
from minigrad.dynamic.creation import (
    arange as arange,
    as_tensor as as_tensor,
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    from_dlpack as from_dlpack,
    from_numpy as from_numpy,
    full as full,
    full_like as full_like,
    linspace as linspace,
    logspace as logspace,
    ones as ones,
    ones_like as ones_like,
    tensor as tensor,
    zeros as zeros,
    zeros_like as zeros_like,
)
from minigrad.dynamic.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from minigrad.dynamic.parameter import Parameter as Parameter
from minigrad.dynamic.tensor import Tensor as Tensor

__version__ = "0.1.0"

# Divisions by zero, logarithms of zero, overflows: results are IEEE values (inf, nan) and say nothing, as in PyTorch.
# Only warnings from NumPy calls in these modules are silenced; the user's own NumPy code warns as ever.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.(ops|backends|dynamic|compiler)")

half = float16
float = float32
double = float64
short = int16
int = int32
long = int64

# what is loaded when it is first used: name -> module
_LAZY = {
    "autograd": "minigrad.dynamic.autograd",
    "datasets": "minigrad.datasets",
}


def __getattr__(name):
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'minigrad' has no attribute {name!r}")
    return _import_module(module)


def __dir__():
    return sorted({*globals(), *_LAZY})
