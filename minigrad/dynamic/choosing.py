"""Draws whose probabilities are the elements of a tensor: coin flips, and positions by weight."""

import math

import numpy as np

from minigrad.backends import to_device, to_numpy
from minigrad.core.dims import shape_text
from minigrad.core.dtypes import float64
from minigrad.core.generator import default_generator
from minigrad.dynamic.writing import tensor_like
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import draws

__all__ = ["bernoulli", "multinomial"]


def next_key(generator):
    """The key of the next draw of `generator`, by default of the default generator."""
    return (default_generator if generator is None else generator).next_key()


def bernoulli(input, p=None, *, generator=None):
    """1 with the probability that each element says (or with probability `p`), else 0. PyTorch: torch.bernoulli.

    Raises:
        DtypeError: the probabilities are integers, or not between 0 and 1.
    """
    if p is not None:
        input = tensor_like(input, input.xp.full(input.shape, probability("bernoulli", p), input.dtype))
    if input.dtype.kind != "f":
        raise DtypeError(f"bernoulli: the probabilities must be floats, not {input.dtype}")
    array = to_numpy(input.array)
    if not ((array >= 0) & (array <= 1)).all():
        raise DtypeError("bernoulli: the probabilities must be between 0 and 1")
    return draws.bernoulli(input.detach(), key=next_key(generator))


def probability(name, p):
    """`p` as a number between 0 and 1."""
    p = p.item() if hasattr(p, "record") else float(p)
    if not 0 <= p <= 1:
        raise DtypeError(f"{name}: the probability must be between 0 and 1, not {p}")
    return p


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Positions drawn with probabilities proportional to the elements of each row. PyTorch: torch.multinomial.

    Args:
        input: weights of shape (n,) or (rows, n): not negative, a row not all zero.
        num_samples: draws from each row.
        replacement: may a position be drawn again?

    Returns:
        int64 positions of shape (num_samples,) or (rows, num_samples).

    Raises:
        ShapeError: the rank is wrong, or there are too few positions to draw from.
        DtypeError: weights are negative or not finite, or a row has no positive one.
    """
    weights = to_numpy(input.array).astype(np.float64)
    if weights.ndim not in (1, 2):
        raise ShapeError(f"multinomial: expected one or two dimensions, got shape {shape_text(input.shape)}")
    rows = weights.reshape(-1, weights.shape[-1])
    if not (np.isfinite(rows) & (rows >= 0)).all() or not (rows.sum(1) > 0).all():
        raise DtypeError("multinomial: weights must be finite and not negative, with a positive one in each row")
    key = next_key(generator)
    if replacement:
        cumulative = np.cumsum(rows, axis=1)
        points = draws.uniform_draw(key, (rows.shape[0], num_samples), float64) * cumulative[:, -1:]
        picked = [np.searchsorted(row, at, side="right") for row, at in zip(cumulative, points, strict=True)]
        last = [np.flatnonzero(row)[-1] for row in rows]
        picked = np.minimum(np.stack(picked), np.array(last)[:, None])
    else:
        fewest = int((rows > 0).sum(1).min())
        if num_samples > fewest:
            raise ShapeError(f"multinomial: {num_samples} different positions cannot be drawn where only {fewest} have"
                             " a positive weight; use replacement=True")
        # the smallest of independent exponential times with these rates is each position with its probability
        times = draws.exponential_draw(key, rows.shape, float64)
        picked = np.argsort(np.where(rows > 0, times / np.where(rows > 0, rows, 1), math.inf), axis=1)[:, :num_samples]
    picked = picked.astype(np.int64).reshape((*weights.shape[:-1], num_samples))
    return tensor_like(input, to_device(picked, input.device))
