"""Initial values of variables: callables of a shape and a dtype. TensorFlow: tf.initializers."""

import math

import numpy as np

from minigrad.core.dtypes import as_dtype, float32
from minigrad.graph import default_graph
from minigrad.static import maths
from minigrad.static.random_ops import random_normal, random_uniform, truncated_normal


class Zeros:
    """All zeros."""

    def __call__(self, shape, dtype=float32, partition_info=None):
        return maths.zeros(shape, dtype)


class Ones:
    """All ones."""

    def __call__(self, shape, dtype=float32, partition_info=None):
        return maths.ones(shape, dtype)


class Constant:
    """A fixed number, or an array of the variable's size."""

    def __init__(self, value=0, dtype=float32, verify_shape=False):
        self.value = value
        self.dtype = dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        array = np.asarray(self.value, dtype=as_dtype(dtype or self.dtype))
        array = np.full(tuple(shape), array) if array.ndim == 0 else array.reshape(tuple(shape))
        return default_graph().constant(array)


class RandomNormal:
    """Normal draws."""

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=float32):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_normal(shape, self.mean, self.stddev, dtype or self.dtype, self.seed)


class TruncatedNormal(RandomNormal):
    """Normal draws within two standard deviations."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return truncated_normal(shape, self.mean, self.stddev, dtype or self.dtype, self.seed)


class RandomUniform:
    """Uniform draws from [minval, maxval)."""

    def __init__(self, minval=0, maxval=None, seed=None, dtype=float32):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_uniform(shape, self.minval, self.maxval, dtype or self.dtype, self.seed)


class VarianceScaling:
    """Draws whose variance is ``scale / n``, with n the fan in, the fan out, or their average (He 2015, Glorot 2010).

    The last dimension of a shape counts the outputs, the one before it the inputs, the others are the kernel's.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=float32):
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode is fan_in, fan_out or fan_avg, not {mode!r}")
        self.scale, self.mode, self.distribution, self.seed, self.dtype = scale, mode, distribution, seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        fan_in, fan_out = fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        dtype = dtype or self.dtype
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return random_uniform(shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), dtype, self.seed)
        # a normal cut at two deviations has a standard deviation of 0.8796 times the uncut one's
        return truncated_normal(shape, 0.0, math.sqrt(variance) / 0.87962566103423978, dtype, self.seed)


def fans(shape):
    """(inputs, outputs) of a weight of that shape."""
    shape = [int(size) for size in shape]
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def glorot_uniform(seed=None, dtype=float32):
    """Uniform draws with variance 2 / (fan in + fan out)."""
    return VarianceScaling(1.0, "fan_avg", "uniform", seed, dtype)


def glorot_normal(seed=None, dtype=float32):
    """Truncated normal draws with variance 2 / (fan in + fan out)."""
    return VarianceScaling(1.0, "fan_avg", "truncated_normal", seed, dtype)


def he_normal(seed=None):
    """Truncated normal draws with variance 2 / fan in."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """Uniform draws with variance 2 / fan in."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


zeros = zeros_initializer = Zeros
ones = ones_initializer = Ones
constant = constant_initializer = Constant
random_normal_initializer = RandomNormal
random_uniform_initializer = RandomUniform
truncated_normal_initializer = TruncatedNormal
variance_scaling = variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = glorot_uniform
glorot_normal_initializer = glorot_normal
