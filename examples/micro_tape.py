"""Define-by-run, whole: Python computes, each result remembers its making, backward() retraces it.

An operation computes at once and keeps its inputs and its gradient rule: that is the tape. Every run of
the program makes a new one, so `if`, `for` and functions are simply Python's."""

import numpy as np


# Gradient rules: from g = dL/dy, the output y and the inputs, one gradient for each input.
def leaf_rule(g, y): return ()
def add_rule(g, y, a, b): return g, g
def mul_rule(g, y, a, b): return g * b, g * a
def matmul_rule(g, y, a, b): return g @ b.mT, a.mT @ g
def tanh_rule(g, y, x): return (g * (1 - y * y),)
def maximum_rule(g, y, a, b): return g * (a > b), g * (a <= b)
def sum_rule(g, y, x): return (g * np.ones_like(x),)

class Tensor:
    """An array that remembers which operation made it, and from what; a leaf was made by none."""
    made = 0  # numbers the tensors: an input is always older than what it goes into
    __array_ufunc__ = None  # so that `array * tensor` comes to Tensor.__rmul__

    def __init__(self, value, rule=leaf_rule, inputs=()):
        self.value, self.grad = np.array(value, dtype=float), None
        self.rule, self.inputs = rule, inputs
        self.number = Tensor.made = Tensor.made + 1

    def __add__(self, other): return record(np.add, add_rule, self, other)
    def __mul__(self, other): return record(np.multiply, mul_rule, self, other)
    def __matmul__(self, other): return record(np.matmul, matmul_rule, self, other)
    def __neg__(self): return self * -1
    def __sub__(self, other): return self + -other
    def __rsub__(self, other): return -self + other
    def tanh(self): return record(np.tanh, tanh_rule, self)
    def relu(self): return record(np.maximum, maximum_rule, self, 0)
    def sum(self): return record(np.sum, sum_rule, self)
    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        """Set x.grad = d(self)/d(x) for every x that self was made from."""
        grads = {self: np.ones_like(self.value)}
        for y in newest_first(self):
            y.grad = grads[y]  # complete: all that used y is newer, so it had its turn
            for x, gx in zip(y.inputs, y.rule(y.grad, y.value, *[x.value for x in y.inputs]), strict=True):
                gx = sum_to_shape(gx, x.value.shape)
                grads[x] = grads[x] + gx if x in grads else gx

def record(kernel, rule, *inputs):
    """Compute now, and remember how: this is where the tape grows."""
    inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in inputs]
    return Tensor(kernel(*[x.value for x in inputs]), rule, inputs)

def sum_to_shape(g, shape):
    """Undo broadcasting: an input that was stretched gets the sum of what its copies get."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)

def newest_first(root):
    """The root and all that it was made from: a reverse topological order, without recursion."""
    found, pending = {}, [root]
    while pending:
        x = pending.pop()
        if x.number not in found:
            found[x.number] = x
            pending.extend(x.inputs)
    return [found[number] for number in sorted(found, reverse=True)]

def main():
    """Check every gradient by central differences, then learn exclusive or by gradient descent."""
    rng = np.random.default_rng(0)
    w1, b1, w2, b2 = weights = [Tensor(rng.normal(size=size)) for size in [(2, 8), 8, (8, 1), 1]]
    x, target = Tensor([[0, 0], [0, 1], [1, 0], [1, 1]]), Tensor([[0], [1], [1], [0]])
    def network_loss():
        z = x @ w1 + b1
        hidden = z.tanh() + z.relu()  # z goes two ways, so its gradient is a sum
        error = hidden @ w2 + b2 - target
        return (error * error).sum()
    network_loss().backward()
    for w in weights:
        difference = np.zeros_like(w.value)
        for index in np.ndindex(w.value.shape):
            for shift in (1e-6, -1e-6):
                w.value[index] += shift
                difference[index] += network_loss().value / (2 * shift)
                w.value[index] -= shift
        np.testing.assert_allclose(w.grad, difference, rtol=1e-5, atol=1e-8)
    for step in range(301):
        loss = network_loss()
        loss.backward()
        for w in weights:
            w.value -= 0.02 * w.grad
        if step % 100 == 0:
            print(f"step {step:3}: loss {loss.value:.4f}")
    np.testing.assert_array_less(loss.value, 0.01)

if __name__ == "__main__":
    main()
