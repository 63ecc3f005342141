"""Dispatch: the type of the operands decides whether a primitive computes now, is recorded, or becomes a graph node.

`bind` knows nothing of the engines. An operand class carries its engine (its `process` method); where classes meet,
the one with the higher `level` decides.
"""

import numpy as np

from minigrad.backends import xp_of
from minigrad.backends.devices import NAMESPACES
from minigrad.core.dtypes import float32, float64, is_scalar, scalar_dtype
from minigrad.core.failures import explained


class Operand:
    """Base of everything that primitives can be applied to besides plain arrays (Tensor, graph Node)."""

    __slots__ = ()
    level = 0

    def process(self, prim, args, params):
        """Apply `prim` to `args`, at least one of which is an operand of this class."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it processes a primitive")

    def captured(self):
        """(value as a NumPy array, is it a parameter): what an engine of a higher level takes this operand for.

        A parameter becomes a variable there, with this value to start from; anything else a constant.
        """
        raise NotImplementedError(f"a {type(self).__name__} has no value that another engine could take")


def bind(prim, *args, **params):
    """Apply primitive `prim` to `args`: the one place where computing, recording and graph building part ways."""
    for a in args:
        if isinstance(a, Operand):
            return a.process(prim, args, params)
    return process_arrays(prim, args, params)


def process_arrays(prim, args, params):
    """Compute: run the kernel on plain arrays and scalars; the result is an array (a tuple of them), 0-d included.

    Only of scalars the result is a scalar again (see `weak_again`).
    """
    settled = one_float_dtype(args)  # most rules: nothing to promote, no scalar to look at
    xp = np if settled else xp_of(args)
    if not settled and xp is np:
        args = without_numpy_scalars(args)
    operands = args
    try:
        if not settled:
            if prim.promote is not None:
                args = prim.promote(prim, args)
            operands = strengthened(xp, args)
        y = prim.kernel(xp, *operands, **params)
        if operands is not args and not prim.multiple:
            return weak_again(prim, xp.asarray(y), args, params)
    except Exception as error:
        raise explained(prim, args, params, error) from error
    if prim.multiple:
        return tuple([part if part.__class__ in NAMESPACES else xp.asarray(part) for part in y])
    return y if y.__class__ in NAMESPACES else xp.asarray(y)


def one_float_dtype(args):
    """Are all operands NumPy arrays of one dtype, float32 or float64?"""
    first = args[0]
    if first.__class__ is not np.ndarray:
        return False
    dtype = first.dtype
    if dtype is not float32 and dtype is not float64:
        return False
    for a in args:
        if a.__class__ is not np.ndarray or a.dtype is not dtype:
            return False
    return True


def without_numpy_scalars(args):
    """`args` with arrays in place of NumPy's scalars, which its operators give for arrays without dimensions.

    In a gradient rule such a product is a value with a dtype, not a weak number.
    """
    for a in args:
        if isinstance(a, np.generic):
            return tuple([np.asarray(a) if isinstance(a, np.generic) else a for a in args])
    return args


def strengthened(xp, args):
    """`args` for a kernel: where nothing but scalars came, they become arrays, so that their dtype is ours."""
    for a in args:
        if not is_scalar(a):
            return args
    return tuple(xp.asarray(a, dtype=scalar_dtype(a)) for a in args)


def weak_again(prim, y, args, params):
    """The result `y` of scalars only as a Python scalar, computed in double precision.

    Gradient rules apply primitives to scalar operands (the 2 of ``2 ** x``). A Python scalar fits any gradient they
    meet then: it changes no dtype, loses no digits and is on no device.
    """
    if y.ndim > 0 or prim.random or prim.effects:
        return y
    doubles = [np.asarray(a) for a in args]
    return np.asarray(prim.kernel(np, *doubles, **params)).item()
