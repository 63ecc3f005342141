"""Questions about tensors and dtypes, with PyTorch's names."""

import numpy as np

from minigrad.core import dims
from minigrad.core.dtypes import as_dtype, category, is_float, promote_dtypes, result_dtype
from minigrad.dynamic.creation import made
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import ShapeError

__all__ = ["broadcast_shapes", "can_cast", "detach", "is_complex", "is_floating_point", "is_nonzero", "is_signed",
           "is_tensor", "numel", "promote_types", "result_type", "tril_indices", "triu_indices"]


def is_tensor(obj):
    """True for a Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input):
    """True for a tensor of a float dtype."""
    return is_float(input.dtype)


def is_complex(input):
    """False: complex tensors are not supported."""
    return input.dtype.kind == "c"


def is_signed(input):
    """True for a tensor whose dtype has negative numbers."""
    return input.dtype.kind in "fi"


def is_nonzero(input):
    """True when the only element of `input` is not zero."""
    return input.is_nonzero()


def numel(input):
    """The number of elements of `input`."""
    return input.numel()


def detach(input):
    """The values of `input` without its record, in the same memory. PyTorch: torch.detach."""
    return input.detach()


def promote_types(type1, type2):
    """The dtype that tensors (with dimensions) of two dtypes are brought to. PyTorch: torch.promote_types."""
    return promote_dtypes(as_dtype(type1), as_dtype(type2))


def result_type(tensor1, tensor2):
    """The dtype of an arithmetic result of two tensors or numbers. PyTorch: torch.result_type."""
    return result_dtype((tensor1, tensor2))


def can_cast(from_, to):
    """True when a result of dtype `from_` may be stored in a tensor of dtype `to`. PyTorch: torch.can_cast."""
    return category(as_dtype(from_)) <= category(as_dtype(to))


def broadcast_shapes(*shapes):
    """The common shape of `shapes`; ints count as one size. PyTorch: torch.broadcast_shapes.

    Raises:
        ShapeError: they do not broadcast.
    """
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    try:
        return dims.broadcast_shapes(*shapes)
    except ValueError as error:
        raise ShapeError(f"broadcast_shapes: {error}") from None


def tril_indices(row, col, offset=0, *, dtype=np.int64, device=None):
    """(2, n): rows and columns of the lower triangle of a matrix. PyTorch: torch.tril_indices."""
    return indices_of(np.tril(np.ones((row, col), bool), offset), dtype, device)


def triu_indices(row, col, offset=0, *, dtype=np.int64, device=None):
    """(2, n): rows and columns of the upper triangle of a matrix. PyTorch: torch.triu_indices."""
    return indices_of(np.triu(np.ones((row, col), bool), offset), dtype, device)


def indices_of(mask, dtype, device):
    """Rows and columns where a host mask is True, as a tensor."""
    return made(np.stack(np.nonzero(mask)).astype(as_dtype(dtype)), False).to(device=device)
