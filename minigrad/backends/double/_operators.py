"""The operators of device arrays: each line says which ufunc an operator is. Anything that CuPy's ufuncs refuse as an
operand (host arrays, lists) is refused here too.
"""

import numpy as np

from minigrad.backends.double._elementwise import apply, apply_into, elementwise
from minigrad.backends.double._memory import SCALAR_TYPES, DeviceArray, fresh_all, refuse, wrap
from minigrad.backends.double._products import matmul

OPERATOR_PRIORITY = 100


def defers_to(other):
    """True where `array + other` is left to `other.__radd__`: for classes that ask for it as NumPy's rules say."""
    if isinstance(other, DeviceArray) or type(other) in SCALAR_TYPES:
        return False
    if hasattr(other, "__array_ufunc__"):
        return other.__array_ufunc__ is None
    return getattr(other, "__array_priority__", 0) > OPERATOR_PRIORITY


def is_comparable(other):
    """False for None and for plain objects, which are equal to no number; lists and host arrays are refused."""
    if isinstance(other, (np.ndarray, list, tuple)):
        refuse("comparison", "each operand", other, "a device array or a scalar")
    return isinstance(other, DeviceArray) or type(other) in SCALAR_TYPES


class Operators(DeviceArray):
    """Arithmetic, bits, comparison and matrix product; CuPy has an in-place form of all but the last."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = OPERATOR_PRIORITY

    # ---- comparison

    def __eq__(self, other):
        if defers_to(other):
            return NotImplemented
        return apply(np.equal, self, other) if is_comparable(other) else wrap(np.zeros(self._data.shape, bool))

    def __ne__(self, other):
        if defers_to(other):
            return NotImplemented
        return apply(np.not_equal, self, other) if is_comparable(other) else wrap(np.ones(self._data.shape, bool))

    def __lt__(self, other):
        return NotImplemented if defers_to(other) else apply(np.less, self, other)

    def __le__(self, other):
        return NotImplemented if defers_to(other) else apply(np.less_equal, self, other)

    def __gt__(self, other):
        return NotImplemented if defers_to(other) else apply(np.greater, self, other)

    def __ge__(self, other):
        return NotImplemented if defers_to(other) else apply(np.greater_equal, self, other)

    # ---- one operand

    def __neg__(self):
        return apply(np.negative, self)

    def __pos__(self):
        return apply(np.positive, self)

    def __abs__(self):
        return apply(np.absolute, self)

    def __invert__(self):
        return apply(np.invert, self)

    # ---- arithmetic

    def __add__(self, other):
        return NotImplemented if defers_to(other) else apply(np.add, self, other)

    def __radd__(self, other):
        return apply(np.add, other, self)

    def __iadd__(self, other):
        return apply_into(np.add, self, self, other)

    def __sub__(self, other):
        return NotImplemented if defers_to(other) else apply(np.subtract, self, other)

    def __rsub__(self, other):
        return apply(np.subtract, other, self)

    def __isub__(self, other):
        return apply_into(np.subtract, self, self, other)

    def __mul__(self, other):
        return NotImplemented if defers_to(other) else apply(np.multiply, self, other)

    def __rmul__(self, other):
        return apply(np.multiply, other, self)

    def __imul__(self, other):
        return apply_into(np.multiply, self, self, other)

    def __truediv__(self, other):
        return NotImplemented if defers_to(other) else apply(np.true_divide, self, other)

    def __rtruediv__(self, other):
        return apply(np.true_divide, other, self)

    def __itruediv__(self, other):
        return apply_into(np.true_divide, self, self, other)

    def __floordiv__(self, other):
        return NotImplemented if defers_to(other) else apply(np.floor_divide, self, other)

    def __rfloordiv__(self, other):
        return apply(np.floor_divide, other, self)

    def __ifloordiv__(self, other):
        return apply_into(np.floor_divide, self, self, other)

    def __mod__(self, other):
        return NotImplemented if defers_to(other) else apply(np.remainder, self, other)

    def __rmod__(self, other):
        return apply(np.remainder, other, self)

    def __imod__(self, other):
        return apply_into(np.remainder, self, self, other)

    def __divmod__(self, other):
        return NotImplemented if defers_to(other) else fresh_all(elementwise(np.divmod, (self, other)))

    def __rdivmod__(self, other):
        return fresh_all(elementwise(np.divmod, (other, self)))

    def __pow__(self, other, modulo=None):
        return NotImplemented if defers_to(other) else apply(np.power, self, other)

    def __rpow__(self, other, modulo=None):
        return apply(np.power, other, self)

    def __ipow__(self, other, modulo=None):
        return apply_into(np.power, self, self, other)

    def __matmul__(self, other):
        return NotImplemented if defers_to(other) else matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    # ---- bits

    def __and__(self, other):
        return NotImplemented if defers_to(other) else apply(np.bitwise_and, self, other)

    def __rand__(self, other):
        return apply(np.bitwise_and, other, self)

    def __iand__(self, other):
        return apply_into(np.bitwise_and, self, self, other)

    def __or__(self, other):
        return NotImplemented if defers_to(other) else apply(np.bitwise_or, self, other)

    def __ror__(self, other):
        return apply(np.bitwise_or, other, self)

    def __ior__(self, other):
        return apply_into(np.bitwise_or, self, self, other)

    def __xor__(self, other):
        return NotImplemented if defers_to(other) else apply(np.bitwise_xor, self, other)

    def __rxor__(self, other):
        return apply(np.bitwise_xor, other, self)

    def __ixor__(self, other):
        return apply_into(np.bitwise_xor, self, self, other)

    def __lshift__(self, other):
        return NotImplemented if defers_to(other) else apply(np.left_shift, self, other)

    def __rlshift__(self, other):
        return apply(np.left_shift, other, self)

    def __ilshift__(self, other):
        return apply_into(np.left_shift, self, self, other)

    def __rshift__(self, other):
        return NotImplemented if defers_to(other) else apply(np.right_shift, self, other)

    def __rrshift__(self, other):
        return apply(np.right_shift, other, self)

    def __irshift__(self, other):
        return apply_into(np.right_shift, self, self, other)
