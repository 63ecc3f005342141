"""Define-and-run, whole: Python builds a graph, gradients() extends it, a Session runs it, many times.

Building computes nothing. The gradient rules are those of micro_tape.py, but here g, y and the inputs are
nodes: a rule does not compute the gradient, it builds the nodes that will, and those have rules in turn.
"""
import numpy as np


# Gradient rules: from g = dL/dy, the output y and the inputs, a gradient for each input that has one.
def no_rule(g, y, *inputs): return ()
def add_rule(g, y, a, b): return g, g
def mul_rule(g, y, a, b): return g * b, g * a
def matmul_rule(g, y, a, b): return g @ transpose(b), transpose(a) @ g
def transpose_rule(g, y, x): return (transpose(g),)
def tanh_rule(g, y, x): return (g * (1 + -1 * y * y),)
def sum_rule(g, y, x): return (g * ones_like(x),)
def sum_to_like_rule(g, y, x, like): return (g * ones_like(x),)

class Node:
    """An operation for later: its kernel, its gradient rule, the nodes it reads. It holds no value."""
    made = 0  # numbers the nodes: an input is always older than what it goes into
    __array_ufunc__ = None  # so that `array * node` comes to Node.__rmul__

    def __init__(self, kernel, rule, *inputs):
        self.kernel, self.rule = kernel, rule
        self.inputs = [x if isinstance(x, Node) else constant(x) for x in inputs]
        self.number = Node.made = Node.made + 1

    def __add__(self, other): return Node(np.add, add_rule, self, other)
    def __mul__(self, other): return Node(np.multiply, mul_rule, self, other)
    def __matmul__(self, other): return Node(np.matmul, matmul_rule, self, other)
    def __sub__(self, other): return self + -1 * other
    def tanh(self): return Node(np.tanh, tanh_rule, self)
    def sum(self): return Node(np.sum, sum_rule, self)
    __radd__, __rmul__ = __add__, __mul__

def placeholder(): return Node(not_fed_kernel, no_rule)
def constant(value): return Node(np.array(value, dtype=float).copy, no_rule)  # a variable, once it is assigned
def assign(variable, value): return Node(assign_kernel, no_rule, variable, value)
def transpose(x): return Node(np.matrix_transpose, transpose_rule, x)
def ones_like(x): return Node(np.ones_like, no_rule, x)

def not_fed_kernel(): raise ValueError("a placeholder has no value: session.run(fetches, {placeholder: value})")
def assign_kernel(old, new): return new
def sum_to_like_kernel(g, like):  # undoes broadcasting: what was stretched gets the sum of what its copies get
    g = g.sum(axis=tuple(range(g.ndim - like.ndim)))
    return g.sum(axis=tuple(i for i, size in enumerate(like.shape) if size == 1), keepdims=True)

def newest_first(roots, known=()):
    """The roots and all that goes into them, up to what is known: a reverse topological order."""
    found, pending = {}, list(roots)
    while pending:
        x = pending.pop()
        if x.number not in found and x not in known:
            found[x.number] = x
            pending.extend(x.inputs)
    return [found[number] for number in sorted(found, reverse=True)]

def gradients(loss, xs):
    """Extend the graph by the nodes that will compute d(loss)/d(x), one for each x."""
    grads = {loss: ones_like(loss)}
    for y in newest_first([loss]):
        if y in grads:  # complete: all that reads y is newer, so it had its turn
            for x, gx in zip(y.inputs, y.rule(grads[y], y, *y.inputs), strict=False):
                gx = Node(sum_to_like_kernel, sum_to_like_rule, gx, x)
                grads[x] = grads[x] + gx if x in grads else gx
    return [grads[x] for x in xs]

class Session:
    """Computes what is fetched from what is fed, and keeps the variables' values from run to run."""
    def __init__(self): self.variables = {}
    def run(self, fetches, feed=None):
        values = self.variables | {node: np.asarray(value) for node, value in (feed or {}).items()}
        for node in reversed(newest_first(fetches, known=values)):
            values[node] = node.kernel(*[values[x] for x in node.inputs])
            if node.kernel is assign_kernel:
                self.variables[node.inputs[0]] = values[node]
        return [values[node] for node in fetches]

def main():
    """Learn exclusive or, after checking the gradients against central differences."""
    rng, session, x, target = np.random.default_rng(0), Session(), placeholder(), placeholder()
    feed = {x: [[0, 0], [0, 1], [1, 0], [1, 1]], target: [[0], [1], [1], [0]]}
    w1, b1, w2, b2 = variables = [constant(rng.normal(size=size)) for size in [(2, 8), 8, (8, 1), 1]]
    error = (x @ w1 + b1).tanh() @ w2 + b2 - target
    loss = (error * error).sum()
    gs = gradients(loss, variables)
    values, grads = session.run(variables), session.run(gs, feed)
    for v, value, g in zip(variables, values, grads, strict=True):
        direction = rng.normal(size=value.shape)
        up, down = [session.run([loss], feed | {v: value + h * direction})[0] for h in (1e-6, -1e-6)]
        np.testing.assert_allclose((g * direction).sum(), (up - down) / 2e-6, rtol=1e-5)
    train_step = [assign(v, v - 0.05 * g) for v, g in zip(variables, gs, strict=True)]  # more of the same graph
    for _ in range(300):
        y, *_ = session.run([loss, *train_step], feed)
    print(f"loss {y:.6f}")

if __name__ == "__main__":
    main()
