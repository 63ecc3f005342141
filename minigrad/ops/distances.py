"""Distances and similarities of vectors."""

from minigrad.errors import ShapeError
from minigrad.ops.reduction import sum as total, vector_norm
from minigrad.ops.selection import clamp_min
from minigrad.ops.shaping import unsqueeze

__all__ = ["cdist", "cosine_similarity", "pairwise_distance"]


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`, which broadcast; lengths count as `eps` at least.

    PyTorch: torch.nn.functional.cosine_similarity.
    """
    length1, length2 = vector_norm(x1, 2, dim, True), vector_norm(x2, 2, dim, True)
    return total((x1 / clamp_min(length1, eps)) * (x2 / clamp_min(length2, eps)), dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The `p`-norm of x1 - x2 + eps along the last dimension. PyTorch: torch.nn.functional.pairwise_distance."""
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


def cdist(x1, x2, p=2.0, compute_mode=None):
    """The `p`-norm of the difference of every row of `x1` (..., n, d) and every row of `x2` (..., m, d): (..., n, m).

    Differences are taken before squares, so that near rows have exact distances; `compute_mode`, PyTorch's choice of
    method, changes nothing. The derivative between equal rows is 0. PyTorch: torch.cdist.

    Raises:
        ShapeError: the rows have unequal lengths.
    """
    if x1.ndim is not None and x2.ndim is not None:
        a, b = x1.shape, x2.shape
        if len(a) < 2 or len(b) < 2 or (isinstance(a[-1], int) and isinstance(b[-1], int) and a[-1] != b[-1]):
            raise ShapeError(f"cdist: expected rows of one length, (..., n, d) and (..., m, d), not shapes {a} and {b}")
    return vector_norm(unsqueeze(x1, -2) - unsqueeze(x2, -3), p, -1)
