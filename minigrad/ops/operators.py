"""Python's operators on Tensors and graph Nodes: one explicit line each."""

from minigrad.core.dispatch import Operand
from minigrad.core.dtypes import is_scalar
from minigrad.ops.arithmetic import abs, add, div, floor_divide, mul, neg, remainder, sub
from minigrad.ops.comparison import (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    eq,
    ge,
    gt,
    le,
    lt,
    ne,
)
from minigrad.ops.exponential import pow
from minigrad.ops.indexing import getitem
from minigrad.ops.matmul import matmul
from minigrad.ops.rounding import round


class Operators(Operand):
    """The operators. Reflected ones also get NumPy arrays and numbers on their left."""

    __slots__ = ()

    # ----- arithmetic
    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __sub__(self, other):
        return sub(self, other)

    def __rsub__(self, other):
        return sub(other, self)

    def __mul__(self, other):
        return mul(self, other)

    def __rmul__(self, other):
        return mul(other, self)

    def __truediv__(self, other):
        return div(self, other)

    def __rtruediv__(self, other):
        return div(other, self)

    def __floordiv__(self, other):
        return floor_divide(self, other)

    def __rfloordiv__(self, other):
        return floor_divide(other, self)

    def __mod__(self, other):
        return remainder(self, other)

    def __rmod__(self, other):
        return remainder(other, self)

    def __divmod__(self, other):
        return floor_divide(self, other), remainder(self, other)

    def __rdivmod__(self, other):
        return floor_divide(other, self), remainder(other, self)

    def __pow__(self, exponent):
        return pow(self, exponent)

    def __rpow__(self, base):
        return pow(base, self)

    def __matmul__(self, other):
        return matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    def __neg__(self):
        return neg(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return abs(self)

    def __round__(self, ndigits=None):
        return round(self) if ndigits is None else round(self, decimals=ndigits)

    # ----- indexing
    def __getitem__(self, index):
        return getitem(self, index)

    # ----- bits
    def __invert__(self):
        return bitwise_not(self)

    def __and__(self, other):
        return bitwise_and(self, other)

    def __rand__(self, other):
        return bitwise_and(other, self)

    def __or__(self, other):
        return bitwise_or(self, other)

    def __ror__(self, other):
        return bitwise_or(other, self)

    def __xor__(self, other):
        return bitwise_xor(self, other)

    def __rxor__(self, other):
        return bitwise_xor(other, self)

    def __lshift__(self, other):
        return bitwise_left_shift(self, other)

    def __rlshift__(self, other):
        return bitwise_left_shift(other, self)

    def __rshift__(self, other):
        return bitwise_right_shift(self, other)

    def __rrshift__(self, other):
        return bitwise_right_shift(other, self)

    # ----- comparisons
    def __lt__(self, other):
        return lt(self, other)

    def __le__(self, other):
        return le(self, other)

    def __gt__(self, other):
        return gt(self, other)

    def __ge__(self, other):
        return ge(self, other)

    def __eq__(self, other):
        return eq(self, other) if is_comparable(other) else NotImplemented

    def __ne__(self, other):
        return ne(self, other) if is_comparable(other) else NotImplemented

    __hash__ = object.__hash__  # by identity, although `==` compares elements


def is_comparable(other):
    """True for what elements can be compared with; for anything else (None, text) `==` is Python's False."""
    return isinstance(other, Operand) or is_scalar(other) or hasattr(other, "dtype")
