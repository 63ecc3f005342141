"""Random draws: each is a primitive on a key, an int64 array of (seed, offset); see core/generator.py.

Eager code takes keys from a Generator (`next_key`), a graph from (graph seed, operation seed, run). The functions with
underscores that fill tensors, and `rand`, `randn` and their relatives that make them, belong to the engines, which
call the functions here with ``key=``.
"""

import math

import numpy as np

from minigrad.backends import backend_of, to_numpy
from minigrad.core.aval import Aval
from minigrad.core.dims import Dim
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import as_dtype, float32, float64, int64
from minigrad.core.generator import bits, default_generator
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.casting import cast
from minigrad.ops.selection import where
from minigrad.ops.shaping import is_node

__all__ = ["alpha_dropout", "bernoulli", "dropout", "exponential_draw", "integer_draw", "normal_draw",
           "permutation_draw", "truncated_normal_draw", "uniform_draw"]


def drawn(xp, array, dtype):
    """An array drawn on the host, where it is needed and in the dtype that is wanted."""
    return xp.asarray(array.astype(dtype, copy=False))


def full_shape(shape, sizes):
    """`shape` with each None replaced by the next of `sizes`, which a graph learned at run time."""
    numbers = iter(sizes)
    return tuple([int(next(numbers)) if size is None else size for size in shape])


def draw_infer(key, *sizes, shape, dtype, **params):
    return Aval(tuple([Dim() if size is None else size for size in shape]), dtype)


def uniform_kernel(xp, key, *sizes, shape, dtype, low, high):
    exact = float64 if dtype == float64 else float32
    u = bits(to_numpy(key)).random(full_shape(shape, sizes), dtype=exact)
    return drawn(xp, u if (low, high) == (0, 1) else u * exact.type(high - low) + exact.type(low), dtype)


def normal_kernel(xp, key, *sizes, shape, dtype, mean, std):
    exact = float64 if dtype == float64 else float32
    z = bits(to_numpy(key)).standard_normal(full_shape(shape, sizes), dtype=exact)
    return drawn(xp, z if (mean, std) == (0, 1) else z * exact.type(std) + exact.type(mean), dtype)


def truncated_normal_kernel(xp, key, *sizes, shape, dtype, mean, std, low, high):
    generator = bits(to_numpy(key))
    z = generator.standard_normal(full_shape(shape, sizes))
    outside = (z < low) | (z > high)
    while outside.any():
        z[outside] = generator.standard_normal(int(outside.sum()))
        outside = (z < low) | (z > high)
    return drawn(xp, z * std + mean, dtype)


def integers_kernel(xp, key, *sizes, shape, dtype, low, high):
    return drawn(xp, bits(to_numpy(key)).integers(low, high, full_shape(shape, sizes)), dtype)


def exponential_kernel(xp, key, *sizes, shape, dtype, rate):
    return drawn(xp, bits(to_numpy(key)).standard_exponential(full_shape(shape, sizes)) / rate, dtype)


def permutation_kernel(xp, key, *sizes, shape, dtype):
    return drawn(xp, bits(to_numpy(key)).permutation(full_shape(shape, sizes)[0]), dtype)


uniform_p = declare("random_uniform", uniform_kernel, draw_infer, random=True)
normal_p = declare("random_normal", normal_kernel, draw_infer, random=True)
truncated_normal_p = declare("random_truncated_normal", truncated_normal_kernel, draw_infer, random=True)
integers_p = declare("random_integers", integers_kernel, draw_infer, random=True)
exponential_p = declare("random_exponential", exponential_kernel, draw_infer, random=True)
permutation_p = declare("random_permutation", permutation_kernel, draw_infer, random=True)


def draw(prim, key, shape, dtype, **params):
    """Bind a drawing primitive; sizes of `shape` that are graph values become operands."""
    sizes, values = [], []
    for size in shape:
        if is_node(size):
            sizes.append(None)
            values.append(size)
        else:
            sizes.append(int(size))
    return bind(prim, key, *values, shape=tuple(sizes), dtype=as_dtype(dtype), **params)


def uniform_draw(key, shape, dtype=float32, low=0, high=1):
    """Uniform draws from [low, high)."""
    return draw(uniform_p, key, shape, dtype, low=low, high=high)


def normal_draw(key, shape, dtype=float32, mean=0, std=1):
    """Normal draws."""
    return draw(normal_p, key, shape, dtype, mean=mean, std=std)


def truncated_normal_draw(key, shape, dtype=float32, mean=0, std=1, low=-2, high=2):
    """Normal draws within [low, high] standard deviations; what falls outside is drawn again."""
    if not low < high:
        raise ShapeError(f"truncated_normal: the bounds {low} and {high} leave nothing between them")
    return draw(truncated_normal_p, key, shape, dtype, mean=mean, std=std, low=low, high=high)


def integer_draw(key, shape, dtype=int64, low=0, high=2):
    """Integers from low up to high, which is left out."""
    return draw(integers_p, key, shape, dtype, low=int(low), high=int(high))


def exponential_draw(key, shape, dtype=float32, rate=1.0):
    """Exponential draws of mean 1 / rate."""
    return draw(exponential_p, key, shape, dtype, rate=rate)


def permutation_draw(key, n, dtype=int64):
    """The numbers from 0 up to n in random order."""
    return draw(permutation_p, key, (n,), dtype)


def bernoulli(input, *, key=None):
    """1 with the probability that each element says, 0 otherwise."""
    return cast(comparison.lt(uniform_like(input, key), input), input.dtype)


def uniform_like(x, key):
    """Uniform draws of the shape of `x`; without a key, the default generator's next."""
    from minigrad.ops.broadcasting import size_of

    if key is None:
        key = key_for(x)
    if key.__class__ is np.ndarray:
        key = backend_of(getattr(x, "array", x)).from_host(key)  # numbers are wanted where x is
    shape = tuple([size_of(x, axis) for axis in range(x.ndim)])
    return uniform_draw(key, shape, float64 if x.dtype == float64 else float32)


def key_for(x):
    """The key for a draw beside `x`: its engine's, when it has keys of its own, else the default generator's."""
    draw_key = getattr(x, "draw_key", None)
    return default_generator.next_key() if draw_key is None else draw_key()


def dropout(input, p=0.5, training=True, inplace=False, *, key=None):
    """Each element with probability `p` set to 0, the others divided by 1 - p; `input` itself when not training.

    The gradient passes where the elements passed (Srivastava 2014).
    """
    if not 0 <= p <= 1:
        raise DtypeError(f"dropout: the probability must be in [0, 1], not {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    kept = comparison.ge(uniform_like(input, key), p)
    return where(kept, input * (1 / (1 - p)), 0.0)


def alpha_dropout(input, p=0.5, training=False, *, key=None):
    """Dropout that keeps the mean and variance of selu's outputs (Klambauer 2017)."""
    if not training or p == 0:
        return input
    low = -1.7580993408473766
    scale = 1 / math.sqrt((1 - p) * (1 + p * low * low))
    kept = comparison.ge(uniform_like(input, key), p)
    return where(kept, input, low) * scale - low * p * scale
