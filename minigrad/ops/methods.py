"""What Tensors and graph Nodes have in common: operators and named operations, one explicit line each.

The methods are spread over a few files by subject (`operators`, `methods_numbers`, `methods_reductions`,
`methods_shapes`); each class builds on the one before, and `OperandMethods` is the last.
"""

from minigrad.core.dtypes import bool_, float16, float32, float64, int8, int16, int32, int64, uint8
from minigrad.ops.casting import cast
from minigrad.ops.copying import clone
from minigrad.ops.methods_shapes import ShapeMethods


class OperandMethods(ShapeMethods):
    """Operators and methods of everything that primitives apply to."""

    __slots__ = ()

    # ----- dtypes
    def float(self):
        return cast(self, float32)

    def double(self):
        return cast(self, float64)

    def half(self):
        return cast(self, float16)

    def char(self):
        return cast(self, int8)

    def byte(self):
        return cast(self, uint8)

    def short(self):
        return cast(self, int16)

    def int(self):
        return cast(self, int32)

    def long(self):
        return cast(self, int64)

    def bool(self):
        return cast(self, bool_)

    def type_as(self, other):
        return cast(self, other.dtype)

    # ----- copies and measures
    def clone(self):
        return clone(self)

    def dim(self):
        return self.ndim

    def ndimension(self):
        return self.ndim

    def is_floating_point(self):
        return self.dtype.kind == "f"
