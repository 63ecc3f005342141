"""Random tensors: new numbers at every run, the same ones again for the same seeds. TensorFlow: tf.random.

What is drawn depends on the graph's seed (`set_random_seed`), the operation's own, and how many runs the session did.
Without an operation seed, an operation takes the number of operations made before it, so that in a graph with a seed
two programs draw alike when they build alike; without both seeds the numbers are different in every process.
"""

from minigrad.core.dtypes import as_dtype, float32
from minigrad.ops import comparison, draws
from minigrad.ops.broadcasting import size_of
from minigrad.ops.selection import where
from minigrad.static.maths import sizes_of
from minigrad.static.naming import graph_of, named, tensor


def random_uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    """Uniform draws from [minval, maxval): floats by default from [0, 1), integers need a maxval."""
    dtype = as_dtype(dtype)
    if dtype.kind in "iu":
        if maxval is None:
            raise ValueError("random_uniform: integers need a maxval")
        return named(name, "random_uniform", _drawn, graph_of([shape]), seed, draws.integer_draw, shape, dtype,
                     low=minval, high=maxval)
    return named(name, "random_uniform", _drawn, graph_of([shape]), seed, draws.uniform_draw, shape, dtype,
                 low=minval, high=1 if maxval is None else maxval)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normal draws."""
    return named(name, "random_normal", _drawn, graph_of([shape]), seed, draws.normal_draw, shape, as_dtype(dtype),
                 mean=mean, std=stddev)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normal draws within two standard deviations."""
    return named(name, "truncated_normal", _drawn, graph_of([shape]), seed, draws.truncated_normal_draw, shape,
                 as_dtype(dtype), mean=mean, std=stddev)


def _drawn(graph, seed, draw, shape, dtype, **params):
    return draw(graph.draw_key(seed), sizes_of(shape), dtype, **params)


def random_shuffle(value, seed=None, name=None):
    """The slices of `value` along its first dimension in random order."""
    x = tensor(value)
    return named(name, "RandomShuffle", _shuffled, x, seed)


def _shuffled(x, seed):
    order = draws.permutation_draw(x.graph.innermost().draw_key(seed), size_of(x, 0))
    return x[order]


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Each element kept with probability `keep_prob` (1 - `rate`) and divided by it, else 0. TensorFlow: tf.nn.dropout.

    Args:
        keep_prob: a number or a scalar tensor.
        noise_shape: the shape of the random choice, which broadcasts to that of `x`.
    """
    x = tensor(x)
    if keep_prob is None:
        keep_prob = 1.0 if rate is None else 1 - rate
    return named(name, "dropout", _dropped, x, keep_prob, noise_shape, seed)


def _dropped(x, keep_prob, noise_shape, seed):
    if noise_shape is None:
        noise_shape = [size_of(x, axis) for axis in range(x.ndim)]
    noise = draws.uniform_draw(x.graph.innermost().draw_key(seed), sizes_of(noise_shape), float32)
    return where(comparison.lt(noise, keep_prob), x / keep_prob, 0.0)
