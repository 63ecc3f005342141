"""Random tensors, with PyTorch's names; the numbers come from `ops.draws`, keyed by a Generator.

Draws are a function of the generator's seed and of how many draws it made. The streams are not PyTorch's or NumPy's.
"""

import numpy as np

from minigrad.backends import to_device
from minigrad.config import default_dtype
from minigrad.core.dtypes import as_dtype, int64
from minigrad.core.generator import default_generator
from minigrad.dynamic.choosing import next_key
from minigrad.dynamic.creation import made, model_of
from minigrad.dynamic.data import size_of_arguments
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import draws
from minigrad.ops.arithmetic import add, mul

__all__ = ["get_rng_state", "initial_seed", "normal", "rand", "rand_like", "randint",
           "randint_like", "randn", "randn_like", "randperm", "seed", "set_rng_state"]


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
