"""Random tensors, with PyTorch's names; the numbers come from `ops.draws`, keyed by a Generator.

Draws are a function of the generator's seed and of how many draws it made. The streams are not PyTorch's or NumPy's.
"""

import math

import numpy as np

from minigrad.backends import to_device, to_numpy
from minigrad.config import default_dtype
from minigrad.core.dims import shape_text
from minigrad.core.dtypes import as_dtype, float64, int64
from minigrad.core.generator import default_generator
from minigrad.dynamic.creation import made, model_of
from minigrad.dynamic.data import size_of_arguments
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import draws
from minigrad.ops.arithmetic import add, mul

__all__ = ["bernoulli", "get_rng_state", "initial_seed", "multinomial", "normal", "rand", "rand_like", "randint",
           "randint_like", "randn", "randn_like", "randperm", "seed", "set_rng_state"]


def next_key(generator):
    """The key of the next draw of `generator`, by default of the default generator."""
    return (default_generator if generator is None else generator).next_key()


def float_dtype(name, dtype):
    """`dtype`, by default the default float dtype; DtypeError unless it is a float one."""
    dtype = default_dtype() if dtype is None else as_dtype(dtype)
    if dtype.kind != "f":
        raise DtypeError(f"{name}: the dtype must be a float one, not {dtype}")
    return dtype


# ----- new tensors
def rand(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Uniform draws from [0, 1). PyTorch: torch.rand."""
    array = draws.uniform_draw(next_key(generator), size_of_arguments(size), float_dtype("rand", dtype))
    return made(to_device(array, device), requires_grad)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Draws from the normal distribution of mean 0 and variance 1. PyTorch: torch.randn."""
    array = draws.normal_draw(next_key(generator), size_of_arguments(size), float_dtype("randn", dtype))
    return made(to_device(array, device), requires_grad)


def randint(low, high=None, size=None, *, generator=None, dtype=int64, device=None, requires_grad=False):
    """Integers from `low` up to `high`, which is left out; ``randint(high, size)`` starts at 0. PyTorch: torch.randint.

    Raises:
        ShapeError: there is no integer between them.
    """
    if size is None:
        if high is None:
            raise ShapeError("randint: a size is needed: randint(high, size) or randint(low, high, size)")
        low, high, size = 0, low, high
    if not low < high:
        raise ShapeError(f"randint: there is no integer from {low} up to {high}")
    size = size_of_arguments((size,) if isinstance(size, (tuple, list)) else ((size,),))
    array = draws.integer_draw(next_key(generator), size, as_dtype(dtype), low, high)
    return made(to_device(array, device), requires_grad)


def randperm(n, *, generator=None, dtype=int64, device=None, requires_grad=False):
    """The numbers from 0 up to n in random order. PyTorch: torch.randperm."""
    array = draws.permutation_draw(next_key(generator), int(n), as_dtype(dtype))
    return made(to_device(array, device), requires_grad)


def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Normal draws; `mean` and `std` are numbers, or tensors that are broadcast. PyTorch: torch.normal.

    Gradients flow to tensors among them.
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        shape = np.broadcast_shapes(getattr(mean, "shape", ()), getattr(std, "shape", ()))
        model = mean if isinstance(mean, Tensor) else std
        noise = randn(shape, generator=generator, dtype=float_dtype("normal", model.dtype), device=model.device)
        return add(mul(noise, std), mean)
    size = () if size is None else size
    array = draws.normal_draw(next_key(generator), size_of_arguments((size,)), float_dtype("normal", dtype), mean, std)
    return made(to_device(array, device), requires_grad)


def rand_like(input, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Uniform draws of the shape, dtype and device of `input`. PyTorch: torch.rand_like."""
    shape, dtype, device = model_of(input, dtype, device)
    return rand(shape, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


def randn_like(input, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Normal draws of the shape, dtype and device of `input`. PyTorch: torch.randn_like."""
    shape, dtype, device = model_of(input, dtype, device)
    return randn(shape, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


def randint_like(input, low, high=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Integers of the shape, dtype and device of `input`. PyTorch: torch.randint_like."""
    shape, dtype, device = model_of(input, dtype, device)
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, shape, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


# ----- draws that depend on a tensor
def bernoulli(input, p=None, *, generator=None):
    """1 with the probability that each element says (or with probability `p`), else 0. PyTorch: torch.bernoulli.

    Raises:
        DtypeError: the probabilities are integers, or not between 0 and 1.
    """
    if p is not None:
        input = wrap(input.xp.full(input.shape, probability("bernoulli", p), input.dtype))
    if input.dtype.kind != "f":
        raise DtypeError(f"bernoulli: the probabilities must be floats, not {input.dtype}")
    array = to_numpy(input.array)
    if not ((array >= 0) & (array <= 1)).all():
        raise DtypeError("bernoulli: the probabilities must be between 0 and 1")
    return draws.bernoulli(input.detach(), key=next_key(generator))


def probability(name, p):
    """`p` as a number between 0 and 1."""
    p = p.item() if isinstance(p, Tensor) else float(p)
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
    return wrap(to_device(picked, input.device))


# ----- the default generator
def initial_seed():
    """The seed that the default generator was started with. PyTorch: torch.initial_seed."""
    return default_generator.initial_seed()


def seed():
    """Start the default generator on a stream that was not used before; returns its seed. PyTorch: torch.seed."""
    return default_generator.seed()


def get_rng_state():
    """The state of the default generator, as a tensor. PyTorch: torch.get_rng_state."""
    return wrap(default_generator.get_state())


def set_rng_state(new_state):
    """Put the default generator into a state that `get_rng_state` gave. PyTorch: torch.set_rng_state."""
    default_generator.set_state(new_state.numpy())
