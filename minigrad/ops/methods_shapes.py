"""Methods of Tensors and graph Nodes that arrange elements, index, and multiply matrices: one explicit line each."""

from minigrad.ops import broadcasting, diagonals, indexing, joining, linalg, padding, shaping, windows
from minigrad.ops.matmul import addbmm, addmm, addmv, addr, baddbmm, bmm, dot, ger, inner, matmul, mm, mv, outer, vdot
from minigrad.ops.methods_reductions import ReductionMethods
from minigrad.ops.scatter import (
    gather,
    index_reduce,
    masked_fill,
    masked_scatter,
    masked_select,
    scatter,
    scatter_add,
    scatter_reduce,
    take_along_dim,
)


class ShapeMethods(ReductionMethods):
    """Shapes, indexing and linear algebra as methods; each is described at the function of the same name."""

    __slots__ = ()

    # ----- broadcasting
    def broadcast_to(self, shape):
        return broadcasting.broadcast_to(self, shape)

    # ----- shaping
    @property
    def H(self):
        return shaping.H(self)

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
    def mH(self):
        return shaping.mH(self)

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

    # ----- joining
    def chunk(self, chunks, dim=0):
        return joining.chunk(self, chunks, dim)

    def dsplit(self, indices_or_sections):
        return joining.dsplit(self, indices_or_sections)

    def hsplit(self, indices_or_sections):
        return joining.hsplit(self, indices_or_sections)

    def repeat(self, *repeats):
        return joining.repeat(self, one_sequence(repeats))

    def repeat_interleave(self, repeats, dim=None, *, output_size=None):
        return joining.repeat_interleave(self, repeats, dim, output_size=output_size)

    def split(self, split_size_or_sections, dim=0):
        return joining.split(self, split_size_or_sections, dim)

    def split_with_sizes(self, split_sizes, dim=0):
        return joining.split_with_sizes(self, split_sizes, dim)

    def tensor_split(self, indices_or_sections, dim=0):
        return joining.tensor_split(self, indices_or_sections, dim)

    def tile(self, *dims):
        return joining.tile(self, one_sequence(dims))

    def unbind(self, dim=0):
        return joining.unbind(self, dim)

    def vsplit(self, indices_or_sections):
        return joining.vsplit(self, indices_or_sections)

    # ----- padding
    def flip(self, *dims):
        return padding.flip(self, one_sequence(dims))

    def fliplr(self):
        return padding.fliplr(self)

    def flipud(self):
        return padding.flipud(self)

    def roll(self, shifts, dims=None):
        return padding.roll(self, shifts, dims)

    def rot90(self, k=1, dims=(0, 1)):
        return padding.rot90(self, k, dims)

    # ----- indexing
    def index_add(self, dim, index, source, *, alpha=1):
        return indexing.index_add(self, dim, index, source, alpha=alpha)

    def index_copy(self, dim, index, source):
        return indexing.index_copy(self, dim, index, source)

    def index_fill(self, dim, index, value):
        return indexing.index_fill(self, dim, index, value)

    def index_put(self, indices, values, accumulate=False):
        return indexing.index_put(self, indices, values, accumulate)

    def index_select(self, dim, index):
        return indexing.index_select(self, dim, index)

    def narrow(self, dim, start, length):
        return indexing.narrow(self, dim, start, length)

    def put(self, index, source, accumulate=False):
        return indexing.put(self, index, source, accumulate)

    def select(self, dim, index):
        return indexing.select(self, dim, index)

    def select_scatter(self, src, dim, index):
        return indexing.select_scatter(self, src, dim, index)

    def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
        return indexing.slice_scatter(self, src, dim, start, end, step)

    def take(self, index):
        return indexing.take(self, index)

    # ----- scatter
    def gather(self, dim, index):
        return gather(self, dim, index)

    def index_reduce(self, dim, index, source, reduce, *, include_self=True):
        return index_reduce(self, dim, index, source, reduce, include_self=include_self)

    def masked_fill(self, mask, value):
        return masked_fill(self, mask, value)

    def masked_scatter(self, mask, source):
        return masked_scatter(self, mask, source)

    def masked_select(self, mask):
        return masked_select(self, mask)

    def scatter(self, dim, index, src=None, *, value=None, reduce=None):
        return scatter(self, dim, index, src, value=value, reduce=reduce)

    def scatter_add(self, dim, index, src):
        return scatter_add(self, dim, index, src)

    def scatter_reduce(self, dim, index, src, reduce, *, include_self=True):
        return scatter_reduce(self, dim, index, src, reduce, include_self=include_self)

    def take_along_dim(self, indices, dim=None):
        return take_along_dim(self, indices, dim)

    # ----- diagonals
    def diag(self, diagonal=0):
        return diagonals.diag(self, diagonal)

    def diag_embed(self, offset=0, dim1=-2, dim2=-1):
        return diagonals.diag_embed(self, offset, dim1, dim2)

    def diagflat(self, offset=0):
        return diagonals.diagflat(self, offset)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        return diagonals.diagonal(self, offset, dim1, dim2)

    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
        return diagonals.diagonal_scatter(self, src, offset, dim1, dim2)

    def trace(self):
        return diagonals.trace(self)

    def tril(self, diagonal=0):
        return diagonals.tril(self, diagonal)

    def triu(self, diagonal=0):
        return diagonals.triu(self, diagonal)

    # ----- matmul
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
        return addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addmm(self, mat1, mat2, *, beta=1, alpha=1):
        return addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmv(self, mat, vec, *, beta=1, alpha=1):
        return addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addr(self, vec1, vec2, *, beta=1, alpha=1):
        return addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
        return baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def bmm(self, mat2):
        return bmm(self, mat2)

    def dot(self, tensor):
        return dot(self, tensor)

    def ger(self, vec2):
        return ger(self, vec2)

    def inner(self, other):
        return inner(self, other)

    def matmul(self, other):
        return matmul(self, other)

    def mm(self, mat2):
        return mm(self, mat2)

    def mv(self, vec):
        return mv(self, vec)

    def outer(self, vec2):
        return outer(self, vec2)

    def vdot(self, tensor):
        return vdot(self, tensor)

    # ----- linalg
    def cholesky_inverse(self, upper=False):
        return linalg.cholesky_inverse(self, upper)

    def cholesky_solve(self, L, upper=False):
        return linalg.cholesky_solve(self, L, upper)

    def cross(self, other, dim=None):
        return linalg.cross(self, other, dim)

    def det(self):
        return linalg.det(self)

    def inverse(self):
        return linalg.inverse(self)

    def kron(self, other):
        return linalg.kron(self, other)

    def logdet(self):
        return linalg.logdet(self)

    def matrix_power(self, n):
        return linalg.matrix_power(self, n)

    def pinverse(self, rcond=1e-15):
        return linalg.pinverse(self, rcond)

    def slogdet(self):
        return linalg.slogdet(self)

    # ----- windows
    def unfold(self, dimension, size, step):
        return windows.unfold(self, dimension, size, step)


def one_sequence(arguments):
    """The sequence in ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)) else arguments
