"""Methods of Tensors and graph Nodes that arrange elements, index, and multiply matrices: one explicit line each."""

from minigrad.ops import broadcasting, shaping
from minigrad.ops.methods_reductions import ReductionMethods


class ShapeMethods(ReductionMethods):
    """Shapes, indexing and linear algebra as methods; each is described at the function of the same name."""

    __slots__ = ()

    # ----- broadcasting
    def broadcast_to(self, shape):
        return broadcasting.broadcast_to(self, shape)

    # ----- shaping
    @property
    def T(self):
        return shaping.T(self)

    def adjoint(self):
        return shaping.adjoint(self)

    def expand(self, *sizes):
        return shaping.expand(self, one_sequence(sizes))

    def expand_as(self, other):
        return shaping.expand_as(self, other)

    def flatten(self, start_dim=0, end_dim=-1):
        return shaping.flatten(self, start_dim, end_dim)

    @property
    def mT(self):
        return shaping.mT(self)

    def moveaxis(self, source, destination):
        return shaping.moveaxis(self, source, destination)

    def movedim(self, source, destination):
        return shaping.movedim(self, source, destination)

    def permute(self, *dims):
        return shaping.permute(self, one_sequence(dims))

    def ravel(self):
        return shaping.ravel(self)

    def reshape(self, *shape):
        return shaping.reshape(self, one_sequence(shape))

    def reshape_as(self, other):
        return shaping.reshape_as(self, other)

    def squeeze(self, dim=None):
        return shaping.squeeze(self, dim)

    def sum_to_size(self, *size):
        return shaping.sum_to_size(self, one_sequence(size))

    def swapaxes(self, axis0, axis1):
        return shaping.swapaxes(self, axis0, axis1)

    def swapdims(self, dim0, dim1):
        return shaping.swapdims(self, dim0, dim1)

    def t(self):
        return shaping.t(self)

    def transpose(self, dim0, dim1):
        return shaping.transpose(self, dim0, dim1)

    def unflatten(self, dim, sizes):
        return shaping.unflatten(self, dim, sizes)

    def unsqueeze(self, dim):
        return shaping.unsqueeze(self, dim)

    def view(self, *shape):
        return shaping.view(self, *shape)

    def view_as(self, other):
        return shaping.view_as(self, other)


def one_sequence(arguments):
    """The sequence in ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)) else arguments
