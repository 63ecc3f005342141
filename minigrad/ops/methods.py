from minigrad.core.dispatch import Operand, bind
from minigrad.ops.arithmetic import add, mul
from minigrad.core.primitive import declare
from minigrad.core.aval import Aval
from minigrad.ops.broadcasting import broadcast_to
def sum_kernel(xp, x): return xp.sum(x)
def sum_infer(x): return Aval((), x.dtype)
def sum_vjp(g,y,x): return broadcast_to(g, x.shape)
sum_p = declare("sum", sum_kernel, sum_infer, vjps=(sum_vjp,), reads=((),))
class OperandMethods(Operand):
    __slots__=()
    def __mul__(self, other):
        return mul(self, other)
    def __add__(self, other):
        return add(self, other)
    def sum(self):
        return bind(sum_p, self)
