"""Methods of Tensors and graph Nodes that arrange elements, index, and multiply matrices: one explicit line each."""

from minigrad.ops import broadcasting
from minigrad.ops.methods_reductions import ReductionMethods


class ShapeMethods(ReductionMethods):
    """Shapes, indexing and linear algebra as methods; each is described at the function of the same name."""

    __slots__ = ()

    # ----- broadcasting
    def broadcast_to(self, shape):
        return broadcasting.broadcast_to(self, shape)
