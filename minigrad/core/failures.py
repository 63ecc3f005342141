"""Turn a kernel's exception into one that teaches: the operation, the operands' shapes and dtypes, what is wrong."""

import numpy as np

from minigrad.backends import backend_of
from minigrad.core.aval import Aval
from minigrad.core.dims import shape_text
from minigrad.errors import DeviceError, DtypeError, MinigradError, ShapeError, TensorIndexError

_OURS = ((IndexError, TensorIndexError), (TypeError, DtypeError), (ValueError, ShapeError))


def explained(prim, args, params, error):
    """The exception to raise in place of `error`, which came up while `prim` was applied to `args`.

    The shape rule speaks first, because it words its complaints for people; what it lets pass keeps the kernel's
    own text. Errors that are neither about shapes, dtypes nor indices come back unchanged, with a note.
    """
    if isinstance(error, MinigradError):
        return error
    text = operands_text(args)
    devices = sorted({backend_of(getattr(a, "array", a)).device_type for a in args if hasattr(a, "dtype")})
    if len(devices) > 1:
        return DeviceError(f"{prim.name}({text}): the operands are on different devices, {' and '.join(devices)}; move"
                           " one of them with .to(device)")
    if isinstance(error, (ValueError, TypeError, IndexError)):
        try:
            prim.infer(*(_aval(a) for a in args), **params)
        except MinigradError as complaint:
            return complaint
        except Exception:
            text = operands_text(args)
        for theirs, ours in _OURS:
            if isinstance(error, theirs):
                return ours(f"{prim.name}({text}): {error}")
    error.add_note(f"while computing {prim.name}({text})")
    return error


def _aval(x):
    shape = getattr(x, "shape", ())
    dtype = getattr(x, "dtype", None)
    return Aval(shape, np.result_type(x) if dtype is None else dtype)


def operands_text(args):
    """The operands as text for a message: ``float32(2, 3), 0.5``."""
    parts = []
    for a in args:
        if hasattr(a, "dtype") and hasattr(a, "shape"):
            parts.append(f"{a.dtype}{shape_text(a.shape)}")
        else:
            parts.append(repr(a) if isinstance(a, (bool, int, float)) else type(a).__name__)
    return ", ".join(parts)
