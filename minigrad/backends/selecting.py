"""Choosing between values element by element, on the CPU without a branch for each element.

`numpy.where` and its like decide element by element, and where a mask is irregular the processor guesses wrong half of
the time: 4 ns an element. Multiplying the bits of a float by its mask, 0 or 1, chooses as exactly (NaN, infinities and
signed zeros included) in a fraction of that. Other libraries have no such branches, so theirs is used as it is.
"""

import math

import numpy as np

# for fewer elements numpy.where is as fast
MANY = 1024
BITS = {np.dtype(np.float16): np.dtype(np.int16), np.dtype(np.float32): np.dtype(np.int32),
        np.dtype(np.float64): np.dtype(np.int64)}


def chosen(xp, condition, a, b):
    """xp.where(condition, a, b) for operands of one dtype; at most one of `a` and `b` may be a Python scalar."""
    if xp is np and condition.size >= MANY:
        model = a if isinstance(a, np.ndarray) else b
        bits = BITS.get(model.dtype)
        if bits is not None and fits(a, condition) and fits(b, condition):
            return chosen_by_bits(condition, a, b, model, bits)
    return xp.where(condition, a, b)


def fits(operand, condition):
    return not isinstance(operand, np.ndarray) or operand.shape == condition.shape


def chosen_by_bits(condition, a, b, model, bits):
    """`chosen` where all arrays have one shape; the result has the memory layout of `model`, one of the operands."""
    result = np.empty_like(model)
    into = result.view(bits)
    if is_plain_zero(a):
        np.multiply(np.logical_not(condition), bits_of(b, model, bits), out=into)
        return result
    np.multiply(condition, bits_of(a, model, bits), out=into)
    if not is_plain_zero(b):
        into |= np.multiply(np.logical_not(condition), bits_of(b, model, bits))
    return result


def is_plain_zero(operand):
    return not isinstance(operand, np.ndarray) and operand == 0 and math.copysign(1.0, operand) > 0


def bits_of(operand, model, bits):
    """The bits of an array, or of a Python scalar in the dtype of `model`, as integers."""
    if isinstance(operand, np.ndarray):
        return operand.view(bits)
    return np.asarray(operand, model.dtype).view(bits)[()]


def positive_part(xp, x):
    """xp.maximum(x, 0), by the loop for two arrays, which is several times faster than the one for a scalar."""
    if xp is np and x.size >= MANY and x.dtype.kind == "f":
        return np.maximum(x, np.zeros(x.shape, x.dtype))
    return xp.maximum(x, 0)
