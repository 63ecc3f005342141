"""The same network twice: as the define-by-run loop of a PyTorch user, and as a TensorFlow 1.x user's program.

Both are given the same starting weights and batches, and update by the same rule (Adam with epsilon added to the
corrected root, as in the paper's algorithm 1), so that their numbers can be compared bit for bit.
"""

import time

import numpy as np

import minigrad as mg
import minigrad.nn as nn
import minigrad.static as tf

HIDDEN = 128
RATE = 0.002


def starting_weights(seed=0):
    """(w1, b1, w2, b2) of the network 784 - HIDDEN - 10."""
    rng = np.random.default_rng(seed)
    w1 = rng.standard_normal((784, HIDDEN)) / 28
    w2 = rng.standard_normal((HIDDEN, 10)) / np.sqrt(HIDDEN)
    return [w.astype(np.float32) for w in (w1, np.zeros(HIDDEN), w2, np.zeros(10))]


class DefineByRun:
    """Every line computes as it runs, and the tape remembers it."""

    label = "define-by-run"

    def __init__(self, weights, device):
        self.w1, self.b1, self.w2, self.b2 = [nn.Parameter(mg.tensor(w, device=device)) for w in weights]
        self.optimizer = mg.optim.Adam([self.w1, self.b1, self.w2, self.b2], lr=RATE)
        self.device = device

    def logits(self, images):
        hidden = mg.relu(images @ self.w1 + self.b1)
        return hidden @ self.w2 + self.b2

    def step(self, images, labels):
        """One step of training; returns the loss before it."""
        images, labels = mg.tensor(images, device=self.device), mg.tensor(labels, device=self.device)
        losses = nn.functional.cross_entropy(self.logits(images), labels, reduction="none")
        loss = losses.mean()  # written as the other engine writes it; cross_entropy's own mean rounds differently
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def accuracy(self, images, labels):
        """The part of the images that are recognised."""
        with mg.no_grad():
            predicted = self.logits(mg.tensor(images, device=self.device)).argmax(1)
        return float((predicted.cpu().numpy() == labels).mean())


class DefineAndRun:
    """The lines build a graph once; a session runs it, as a plan."""

    def __init__(self, weights, device, numerics):
        self.label = f"define-and-run, {numerics}"
        graph = tf.Graph()
        with graph.as_default():
            self.images = tf.placeholder(tf.float32, [None, 784], name="images")
            self.labels = tf.placeholder(tf.int64, [None], name="labels")
            w1, b1, w2, b2 = [tf.Variable(w, name=name) for w, name in zip(weights, ["w1", "b1", "w2", "b2"],
                                                                            strict=True)]
            hidden = tf.nn.relu(tf.matmul(self.images, w1) + b1)
            logits = tf.matmul(hidden, w2) + b2
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
            self.loss = tf.reduce_mean(losses)
            self.train = tf.train.AdamOptimizer(RATE, eps_at="corrected").minimize(self.loss)
            self.predicted = tf.argmax(logits, 1)
            initialise = tf.global_variables_initializer()
        self.session = tf.Session(graph=graph, device=device, numerics=numerics)
        self.session.run(initialise)

    def step(self, images, labels):
        """One step of training; returns the loss before it."""
        _, loss = self.session.run([self.train, self.loss], {self.images: images, self.labels: labels})
        return float(loss)

    def accuracy(self, images, labels):
        """The part of the images that are recognised."""
        predicted = self.session.run(self.predicted, {self.images: images})
        return float((predicted == labels).mean())


class Run:
    """One network in training: its losses step by step, and the time they took."""

    def __init__(self, network):
        self.network = network
        self.losses = []
        self.epoch_losses = []
        self.accuracies = []
        self.times = []

    def epoch(self, batches, advance):
        """Train on `batches`, calling `advance` after each; notes the mean loss."""
        first = len(self.losses)
        for images, labels in batches:
            start = time.perf_counter()
            self.losses.append(self.network.step(images, labels))
            self.times.append(time.perf_counter() - start)
            advance()
        self.epoch_losses.append(float(np.mean(self.losses[first:])))

    def microseconds(self):
        """The median time of a step, in µs."""
        return float(np.median(self.times)) * 1e6
