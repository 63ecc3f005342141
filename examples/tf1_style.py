"""A network on handwritten digits, as a TensorFlow 1.x user writes it.

Apart from loading the data this runs on TensorFlow: write `import tensorflow.compat.v1 as tf` for the import line, and
`tf.disable_v2_behavior()` after it.
"""

import numpy as np

import minigrad.static as tf
from minigrad.datasets import mnist

x_train, y_train, x_test, y_test = mnist(flatten=True)
y_train, y_test = np.eye(10, dtype="float32")[y_train], np.eye(10, dtype="float32")[y_test]

tf.set_random_seed(0)
x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.float32, [None, 10], name="y")
w1 = tf.Variable(tf.truncated_normal([784, 128], stddev=0.05), name="w1")
b1 = tf.Variable(tf.zeros([128]), name="b1")
w2 = tf.Variable(tf.truncated_normal([128, 10], stddev=0.1), name="w2")
b2 = tf.Variable(tf.zeros([10]), name="b2")

hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
logits = tf.matmul(hidden, w2) + b2
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
train = tf.train.AdamOptimizer(0.002).minimize(loss)

shuffle = np.random.default_rng(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(5):
        order = shuffle.permutation(len(x_train))
        total = 0.0
        for start in range(0, len(x_train), 64):
            batch = order[start:start + 64]
            _, value = sess.run([train, loss], feed_dict={x: x_train[batch], y: y_train[batch]})
            total += value * len(batch)
        reached = sess.run(accuracy, feed_dict={x: x_test, y: y_test})
        print(f"epoch {epoch + 1}: loss {total / len(x_train):.4f}, test accuracy {reached:.1%}")
