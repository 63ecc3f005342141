"""Layers' functions and losses under TensorFlow 1.x's names. TensorFlow: tf.nn."""

from minigrad.core.dtypes import as_dtype, int64
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import (
    activations,
    arithmetic,
    casting,
    exponential,
    losses,
    reduction,
    shaping,
    sorting,
)
from minigrad.ops.comparison import eq, gt, lt
from minigrad.ops.scatter import take_along_dim
from minigrad.ops.selection import clamp
from minigrad.ops.softmax import (
    cross_entropy_rows,
    log_softmax as log_softmax_of,
    soft_cross_entropy_rows,
    softmax as softmax_of,
)
from minigrad.static.arrays import embedding_lookup as embedding_lookup
from minigrad.static.images import avg_pool as avg_pool, conv2d as conv2d, max_pool as max_pool
from minigrad.static.maths import log_sigmoid as log_sigmoid, matmul, sigmoid as sigmoid, tanh as tanh
from minigrad.static.naming import named, tensor, tensors
from minigrad.static.random_ops import dropout as dropout


# ----- activations
def relu(features, name=None):
    """max(x, 0), elementwise."""
    return named(name, "Relu", activations.relu, tensor(features))


def relu6(features, name=None):
    """min(max(x, 0), 6), elementwise."""
    return named(name, "Relu6", activations.relu6, tensor(features))


def leaky_relu(features, alpha=0.2, name=None):
    """x where positive, alpha * x elsewhere."""
    return named(name, "LeakyRelu", activations.leaky_relu, tensor(features), alpha)


def elu(features, name=None):
    """x where positive, e ** x - 1 elsewhere."""
    return named(name, "Elu", activations.elu, tensor(features))


def selu(features, name=None):
    """The scaled exponential linear unit (Klambauer 2017)."""
    return named(name, "Selu", activations.selu, tensor(features))


def softplus(features, name=None):
    """log(1 + e ** x), elementwise."""
    return named(name, "Softplus", exponential.softplus, tensor(features))


def softsign(features, name=None):
    """x / (1 + |x|), elementwise."""
    return named(name, "Softsign", activations.softsign, tensor(features))


def bias_add(value, bias, data_format=None, name=None):
    """`value` with a vector added along its channels: the last dimension, or dimension 1 for "NCHW"."""
    value, bias = tensors([value, bias])
    if data_format is not None and data_format.startswith("NC") and value.ndim > 2:
        bias = shaping.reshape(bias, (-1, *[1] * (value.ndim - 2)))
    return named(name, "BiasAdd", arithmetic.add, value, bias)


def xw_plus_b(x, weights, biases, name=None):
    """matmul(x, weights) + biases."""
    return named(name, "xw_plus_b", arithmetic.add, matmul(x, weights), tensor(biases))


# ----- softmax and cross-entropies
def softmax(logits, axis=None, name=None, dim=None):
    """e ** x over its sum along `axis` (default the last)."""
    return named(name, "Softmax", softmax_of, tensor(logits), last(axis, dim))


def log_softmax(logits, axis=None, name=None, dim=None):
    """log(softmax(x)) along `axis` (default the last), without overflow."""
    return named(name, "LogSoftmax", log_softmax_of, tensor(logits), last(axis, dim))


def last(axis, dim):
    axis = dim if axis is None else axis
    return -1 if axis is None else axis


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross-entropy of each row of probabilities `labels` against softmax(`logits`). No gradient to the labels.

    Raises:
        ShapeError: the shapes differ.
    """
    if _sentinel is not None or labels is None or logits is None:
        raise ValueError("softmax_cross_entropy_with_logits takes named arguments only: labels=..., logits=...")
    logits, labels = tensors([logits, labels])
    labels = casting.cast(labels, logits.dtype)
    return named(name, "softmax_cross_entropy_with_logits", soft_cross_entropy_rows, logits, labels,
                 dim if axis is None else axis, False)


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """As softmax_cross_entropy_with_logits, with a gradient to the labels too."""
    logits, labels = tensors([logits, labels])
    labels = casting.cast(labels, logits.dtype)
    return named(name, "softmax_cross_entropy_with_logits", soft_cross_entropy_rows, logits, labels,
                 last(axis, dim), True)


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross-entropy of each row of `logits` (..., classes) for the class numbers `labels` (...)."""
    if _sentinel is not None or labels is None or logits is None:
        raise ValueError("sparse_softmax_cross_entropy_with_logits takes named arguments only: labels=..., logits=...")
    labels, logits = tensor(labels), tensor(logits)
    if labels.dtype.kind not in "iu":
        raise DtypeError(f"labels are class numbers, {labels!r} is {labels.dtype}")
    if labels.ndim is not None and logits.ndim is not None and labels.ndim != logits.ndim - 1:
        raise ShapeError(f"labels {labels!r} must have one dimension less than logits {logits!r}")
    return named(name, "SparseSoftmaxCrossEntropyWithLogits", cross_entropy_rows, logits, labels)


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The binary cross-entropy of `labels` (probabilities) against sigmoid(`logits`), elementwise and stable."""
    if _sentinel is not None or labels is None or logits is None:
        raise ValueError("sigmoid_cross_entropy_with_logits takes named arguments only: labels=..., logits=...")
    logits, labels = tensors([logits, labels])
    return named(name, "logistic_loss", losses.binary_cross_entropy_with_logits, logits, labels, reduction="none")


def l2_loss(t, name=None):
    """sum(t ** 2) / 2."""
    return named(name, "L2Loss", _half_of_squares, tensor(t))


def _half_of_squares(t):
    return reduction.sum(arithmetic.square(t)) * 0.5


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x / sqrt(max(sum(x ** 2), epsilon)) along `axis`."""
    return named(name, "l2_normalize", _normalised, tensor(x), dim if axis is None else axis, epsilon)


def _normalised(x, axis, epsilon):
    axis = tuple(axis) if isinstance(axis, list) else axis
    squares = reduction.sum(arithmetic.square(x), axis, True)
    return arithmetic.mul(x, arithmetic.rsqrt(clamp(squares, epsilon)))


def moments(x, axes, shift=None, name=None, keep_dims=False, keepdims=None):
    """(mean, variance) over `axes`; the variance divides by the number of elements."""
    x = tensor(x)
    axes = tuple(axes) if isinstance(axes, list | tuple) else axes
    keep = keep_dims if keepdims is None else keepdims
    mean = named(name and f"{name}/mean", "moments/mean", reduction.mean, x, axes, keep)
    variance = named(name and f"{name}/variance", "moments/variance", _variance, x, axes, keep)
    return mean, variance


def _variance(x, axes, keep):
    return reduction.mean(arithmetic.square(x - reduction.mean(x, axes, True)), axes, keep)


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    return named(name, "batchnorm", _batch_normalised, tensor(x), mean, variance, offset, scale, variance_epsilon)


def _batch_normalised(x, mean, variance, offset, scale, epsilon):
    factor = arithmetic.rsqrt(arithmetic.add(variance, epsilon))
    if scale is not None:
        factor = arithmetic.mul(factor, scale)
    shift = arithmetic.neg(arithmetic.mul(mean, factor))
    if offset is not None:
        shift = arithmetic.add(shift, offset)
    return arithmetic.add(arithmetic.mul(x, factor), shift)


def top_k(input, k=1, sorted=True, name=None):
    """(values, int32 indices) of the `k` largest along the last dimension."""
    values, indices = named(name, "TopKV2", sorting.topk, tensor(input), k)
    return values, casting.cast(indices, as_dtype("int32"))


def in_top_k(predictions, targets, k, name=None):
    """Is the target among the `k` largest predictions, for each row."""
    predictions, targets = tensor(predictions), tensor(targets)
    own = take_along_dim(predictions, casting.cast(shaping.unsqueeze(targets, 1), int64), 1)
    better = reduction.sum(casting.cast(gt(predictions, own), int64), 1)
    return named(name, "InTopK", _fewer, better, k)


def _fewer(better, k):
    return lt(better, k)


def zero_fraction(value, name=None):
    """The part of the elements that are zero."""
    value = tensor(value)
    return named(name, "zero_fraction", reduction.mean, casting.cast(eq(value, 0), as_dtype("float32")))
