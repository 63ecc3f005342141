"""Functions under TensorFlow's names against values worked out in NumPy."""

import numpy as np
import pytest

import minigrad.static as tf
from minigrad.core.dims import Dim

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.reset_default_graph()


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


CASES = {
    "bias_add": (lambda x: tf.nn.bias_add(x, [1.0, 2.0, 3.0]), np.add(X, [1, 2, 3])),
    "xw_plus_b": (lambda x: tf.nn.xw_plus_b(x, tf.ones([3, 2]), [1.0, 2.0]), np.add(X.sum(1, keepdims=True), [1, 2])),
    "softmax": (tf.nn.softmax, softmax(X)),
    "log_softmax": (tf.nn.log_softmax, np.log(softmax(X))),
    "soft_labels": (lambda x: tf.nn.softmax_cross_entropy_with_logits_v2(labels=np.float32([[0, 1, 0], [0.5, 0, 0.5]]),
                                                                        logits=x),
                    -(np.float32([[0, 1, 0], [0.5, 0, 0.5]]) * np.log(softmax(X))).sum(1)),
    "sigmoid_loss": (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=x),
                     np.log1p(np.exp(-X))),
    "l2_loss": (tf.nn.l2_loss, (X**2).sum() / 2),
    "l2_normalize": (lambda x: tf.nn.l2_normalize(x, 1), X / np.sqrt((X**2).sum(1, keepdims=True))),
    "batch_normalization": (lambda x: tf.nn.batch_normalization(x, 1.0, tf.constant(4.0), 0.5, 2.0, 0.0), X - 0.5),
    "top_k_values": (lambda x: tf.nn.top_k(x, 2)[0], [[3, 1], [4, 0.5]]),
    "top_k_indices": (lambda x: tf.nn.top_k(x, 2)[1], [[2, 0], [1, 0]]),
    "in_top_k": (lambda x: tf.nn.in_top_k(x, tf.constant([2, 0]), 1), [True, False]),
    "zero_fraction": (lambda x: tf.nn.zero_fraction(tf.nn.relu(x)), 2 / 6),
    "leaky_relu": (tf.nn.leaky_relu, np.where(X > 0, X, 0.2 * X)),
    "tile": (lambda x: tf.tile(x, [2, 1]), np.tile(X, (2, 1))),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2]], constant_values=7.0),
            np.pad(X, [(1, 0), (0, 2)], constant_values=7)),
    "pad_symmetric": (lambda x: tf.pad(x, [[1, 1], [2, 0]], "SYMMETRIC"), np.pad(X, [(1, 1), (2, 0)], "symmetric")),
    "reverse": (lambda x: tf.reverse(x, [1]), X[:, ::-1]),
    "transpose": (tf.transpose, X.T),
    "slice": (lambda x: tf.slice(x, [0, 1], [-1, 2]), X[:, 1:]),
    "strided_slice": (lambda x: tf.strided_slice(x, [0, 0], [2, 3], [1, 2]), X[:, ::2]),
    "gather": (lambda x: tf.gather(x, [2, 0], axis=1), X[:, [2, 0]]),
    "one_hot": (lambda x: tf.one_hot(tf.argmax(x, 1), 3), np.eye(3)[[2, 1]]),
    "where": (lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)), np.maximum(X, 0)),
    "boolean_mask": (lambda x: tf.boolean_mask(x, tf.constant([False, True])), X[1:]),
    "band": (lambda x: tf.matrix_band_part(x, 0, 1), np.tril(np.triu(X), 1)),
    "segments": (lambda x: tf.unsorted_segment_sum(x, tf.constant([1, 1]), 3),
                 np.stack([X[0] * 0, X.sum(0), X[0] * 0])),
    "concat": (lambda x: tf.concat([x, x], 1), np.concatenate([X, X], 1)),
    "split": (lambda x: tf.split(x, 3, 1)[2], X[:, 2:]),
    "stack": (lambda x: tf.stack(tf.unstack(x), 1), X.T),
    "expand_squeeze": (lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]), X),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True), np.cumsum(X, 1) - X),
    "cumsum_reverse": (lambda x: tf.cumsum(x, 1, reverse=True), np.cumsum(X[:, ::-1], 1)[:, ::-1]),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x, 1), np.log(np.exp(X).sum(1))),
    "prod": (lambda x: tf.reduce_prod(x, [0, 1], keepdims=True), X.prod(keepdims=True)),
    "count": (lambda x: tf.count_nonzero(tf.nn.relu(x)), 4),
    "fill": (lambda x: tf.fill([tf.shape(x)[0], 2], 3.0), np.full((2, 2), 3)),
    "size": (tf.size, 6),
    "einsum": (lambda x: tf.einsum("ij,kj->ik", x, x), X @ X.T),
    "tensordot": (lambda x: tf.tensordot(x, tf.ones([3, 2]), 1), X.sum(1, keepdims=True) @ np.ones((1, 2))),
    "clip": (lambda x: tf.clip_by_value(x, -1.0, 2.0), np.clip(X, -1, 2)),
    "pow": (lambda x: tf.pow(x, 2.0), X**2),
    "floormod": (lambda x: tf.mod(x, 2.0), np.mod(X, 2)),
}


# unstack needs to know how many there are
SHAPES = [(name, shape) for name in CASES for shape in ([2, 3], [None, 3]) if name != "stack" or shape[0] is not None]


@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_value(name, shape):
    make, expected = CASES[name]
    x = tf.placeholder(tf.float32, shape)
    value = tf.Session().run(make(x), {x: X})
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_what_is_known_of_a_shape_can_be_said():
    x = tf.placeholder(tf.float32)
    x.set_shape([None, 3])
    assert isinstance(x.shape[0], Dim)
    assert x.get_shape().as_list() == [None, 3]
    x.set_shape([2, None])
    assert x.get_shape().is_fully_defined()
    with pytest.raises(ValueError, match="set_shape"):
        x.set_shape([4, 3])


def test_the_step_of_adagrad():
    v = tf.Variable([1.0])
    train = tf.train.AdagradOptimizer(0.5, initial_accumulator_value=0.1).minimize(tf.reduce_sum(v * v))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(v), [1 - 0.5 * 2 / np.sqrt(0.1 + 4)], rtol=1e-6)
