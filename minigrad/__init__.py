"""minigrad: automatic differentiation that teaches, define-by-run and define-and-run on one core.

The names here are PyTorch's: `minigrad.tensor`, `minigrad.exp`, `minigrad.no_grad`, `minigrad.nn`, `minigrad.optim`.
TensorFlow 1.x's are in `minigrad.static`, TensorFlow 2's in `minigrad.tf2`. Importing minigrad loads the core, the
operations on NumPy arrays and the define-by-run engine; what `_LAZY` lists is loaded when it is first used.
"""

import warnings as _warnings
from importlib import import_module as _import_module

# Divisions by zero, logarithms of zero, overflows: results are IEEE values (inf, nan) and say nothing, as in PyTorch.
# Only warnings from NumPy calls in these modules are silenced; the user's own NumPy code warns as ever.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.(ops|backends|dynamic|compiler)")

from minigrad.backends import Device as device  # noqa: E402
from minigrad.config import (  # noqa: E402
    default_dtype as get_default_dtype,
    set_default_dtype as set_default_dtype,
)
from minigrad.core.dtypes import (  # noqa: E402
    bool_ as bool,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
)
from minigrad.dynamic.modes import is_grad_enabled as is_grad_enabled  # noqa: E402
from minigrad.dynamic.tensor import Tensor as Tensor  # noqa: E402
from minigrad.ops import *  # noqa: E402, F403

__version__ = "0.1.0"

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
