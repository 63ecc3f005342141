"""The operators and named operations that Tensors and graph Nodes share: one explicit line each."""

from minigrad.core.dispatch import Operand
from minigrad.ops.arithmetic import add, div, mul, neg, sub
from minigrad.ops.reduction import mean as reduce_mean, sum as reduce_sum


class OperandMethods(Operand):
    """Operators and methods of everything that primitives apply to."""

    __slots__ = ()

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

    def __neg__(self):
        return neg(self)

    def sum(self, dim=None, keepdim=False, *, dtype=None):
        return reduce_sum(self, dim, keepdim, dtype=dtype)

    def mean(self, dim=None, keepdim=False, *, dtype=None):
        return reduce_mean(self, dim, keepdim, dtype=dtype)
