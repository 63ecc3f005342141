"""Random draws as methods of a Tensor: most fill it from a distribution, with `generator` or the default one."""

import math

import numpy as np

from minigrad.backends import to_device, to_numpy
from minigrad.dynamic import choosing
from minigrad.dynamic.choosing import next_key
from minigrad.dynamic.writing import overwrite
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import draws


class DrawMethods:
    """Methods that draw random numbers, as in PyTorch; the numbers are not tracked."""

    __slots__ = ()

    def uniform_(self, a=0.0, b=1.0, *, generator=None):
        """Uniform draws from [a, b)."""
        if not a <= b:
            raise ShapeError(f"uniform_: the interval from {a} to {b} is empty")
        return fill(self, draws.uniform_draw(next_key(generator), self.shape, float_of(self, "uniform_"), a, b),
                    "uniform_")

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        """Normal draws of a mean and a standard deviation."""
        if not std >= 0:
            raise ShapeError(f"normal_: the standard deviation must not be negative, got {std}")
        return fill(self, draws.normal_draw(next_key(generator), self.shape, float_of(self, "normal_"), mean, std),
                    "normal_")

    def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
        """Exponentials of normal draws."""
        array = draws.normal_draw(next_key(generator), self.shape, float_of(self, "log_normal_"), mean, std)
        return fill(self, np.exp(array), "log_normal_")

    def exponential_(self, lambd=1.0, *, generator=None):
        """Exponential draws of rate `lambd`."""
        if not lambd > 0:
            raise ShapeError(f"exponential_: the rate must be positive, got {lambd}")
        array = draws.exponential_draw(next_key(generator), self.shape, float_of(self, "exponential_"), lambd)
        return fill(self, array, "exponential_")

    def geometric_(self, p, *, generator=None):
        """The number of trials until the first success of probability p."""
        if not 0 < p < 1:
            raise ShapeError(f"geometric_: the probability must be between 0 and 1, got {p}")
        times = draws.exponential_draw(next_key(generator), self.shape, "float64")
        return fill(self, np.ceil(times / -math.log1p(-p)), "geometric_")

    def bernoulli_(self, p=0.5, *, generator=None):
        """1 with probability `p` (a number, or a tensor of them), else 0."""
        u = draws.uniform_draw(next_key(generator), self.shape, "float64")
        return fill(self, u < to_numpy(getattr(p, "array", p)), "bernoulli_")

    def random_(self, from_=0, to=None, *, generator=None):
        """Integers from `from_` up to `to`; ``random_(to)`` starts at 0, without bounds all that the dtype can hold."""
        if to is None:
            from_, to = 0, from_ if from_ else whole_numbers(self.dtype)
        if not from_ < to:
            raise ShapeError(f"random_: there is no integer from {from_} up to {to}")
        return fill(self, draws.integer_draw(next_key(generator), self.shape, "int64", from_, to), "random_")

    # ----- new tensors
    def bernoulli(self, p=None, *, generator=None):
        """1 with the probability that each element says (or with probability `p`), else 0."""
        return choosing.bernoulli(self, p, generator=generator)

    def multinomial(self, num_samples, replacement=False, *, generator=None):
        """Positions drawn with probabilities proportional to the elements of each row."""
        return choosing.multinomial(self, num_samples, replacement, generator=generator)


def float_of(tensor, name):
    """The tensor's dtype, which must be a float one."""
    if tensor.dtype.kind != "f":
        raise DtypeError(f"{name}: real numbers cannot be drawn into a {tensor.dtype} tensor")
    return tensor.dtype


def fill(tensor, array, name):
    """Write an array that was drawn on the host over `tensor`."""
    return overwrite(tensor, to_device(array, tensor.device), name)


def whole_numbers(dtype):
    """The first whole number that the dtype cannot hold exactly, all lower ones being fine."""
    if dtype.kind == "f":
        return 2 ** (np.finfo(dtype).nmant + 1)
    return 2 if dtype.kind == "b" else int(np.iinfo(dtype).max)
