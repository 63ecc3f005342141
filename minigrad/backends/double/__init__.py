"""A strict stand-in for CuPy on the CPU: the namespace `xp` that a GPU would give, on NumPy memory.

It proves that code would run on a GPU, without one. It has only names that CuPy has, with CuPy's parameters, and
behaves as CuPy does where that differs from NumPy:

- results are device arrays, 0-d for a full reduction; the host reads them by `get`, `item`, `float` and the like;
- host arrays and lists are refused as operands, implicit conversion (`np.asarray(x)`) raises;
- ufuncs have no `where`, reductions no `where` and no `initial`;
- integer-array indices out of range wrap around silently; of repeated places the winner is not the last;
- `add.at` and its few relatives scatter, for the dtypes that CuPy's atomic operations have;
- uninitialised memory is filled with NaN, the largest int, or True;
- computed results are in C order, broadcast views can be written through, a singular matrix gives NaN.

Where CuPy leaves a result undefined, the double gives one that shows. It does not model what only hardware does:
rounding of float32 functions, flushed denormals, the order of atomic additions, casts of NaN to integers.

`MINIGRAD_DEVICE=double` makes "cuda" mean this module. Sources: CuPy 14.2's documentation and source text.
"""

from minigrad.backends.double import (
    _creation,
    _products,
    _reductions,
    _selection,
    _shaping,
    _surface,
    _ufuncs,
    fft as fft,
    lib as lib,
    linalg as linalg,
)
from minigrad.backends.double._array import ndarray as ndarray

__version__ = "14.2.0+double"

FAMILIES = (_ufuncs, _creation, _shaping, _reductions, _selection, _products)


def __getattr__(name):
    """A name that is met for the first time: from its family, from NumPy, or an error that says who has it."""
    for family in FAMILIES:
        if name in family.__all__:
            value = getattr(family, name)
            break
    else:
        value = _surface.from_numpy(name)
    globals()[name] = value
    return value


def __dir__():
    """All of CuPy's names that are here."""
    names = {"fft", "lib", "linalg", "ndarray", *_surface.FROM_NUMPY}
    for family in FAMILIES:
        names.update(family.__all__)
    return sorted(names)
