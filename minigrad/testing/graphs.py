"""Random programs: a list of steps as data, which runs on Tensors and builds a graph on Nodes.

`programs()` is a hypothesis strategy. What it gives is called like a function, prints as the Python text of one, and
knows the arrays to call it with::

    @given(programs())
    def test_engines(program):
        engines_agree(program, *program.inputs(), order=2)
"""

import numpy as np

from minigrad import ops
from minigrad.ops.casting import cast
from minigrad.testing.domains import REAL
from minigrad.testing.strategies import axis_sets, broadcastable_shapes, drawn, one_of, permutations, whole_numbers

MAX_ELEMENTS = 120


class Step:
    """One line of a program: an operation on earlier values.

    Attributes:
        name: of the function in `Operations` below.
        operands: positions of earlier values.
        params: keyword arguments.
    """

    def __init__(self, name, operands, params):
        self.name = name
        self.operands = operands
        self.params = params

    def apply(self, values):
        function = OPERATIONS[self.name]
        return function(*[values[i] for i in self.operands], **self.params)

    def text(self, number):
        """``v3 = mul(v0, v2)``"""
        arguments = [f"v{i}" for i in self.operands] + [f"{name}={value!r}" for name, value in self.params.items()]
        return f"v{number} = {self.name}({', '.join(arguments)})"


class Program:
    """A straight-line program over a few inputs; returns the values that no later step uses.

    Attributes:
        shapes, dtype, seed: of the inputs.
        steps: a list of Steps.
    """

    def __init__(self, shapes, dtype, seed, steps):
        self.shapes = shapes
        self.dtype = np.dtype(dtype)
        self.seed = seed
        self.steps = steps

    def inputs(self):
        """Arrays to call the program with, the same ones each time."""
        return [REAL.random(shape, [self.seed, i]).astype(self.dtype) for i, shape in enumerate(self.shapes)]

    def __call__(self, *inputs):
        values = list(inputs)
        for step in self.steps:
            values.append(step.apply(values))
        return tuple([values[i] for i in self.results()])

    def results(self):
        """Positions of the values that no step uses, inputs left out."""
        used = {i for step in self.steps for i in step.operands}
        return [i for i in range(len(self.shapes), len(self.shapes) + len(self.steps)) if i not in used]

    def __repr__(self):
        """The program as Python text."""
        names = ", ".join([f"v{i}" for i in range(len(self.shapes))])
        lines = [f"def program({names}):  # {self.dtype}, shapes {self.shapes}, seed {self.seed}"]
        for number, step in enumerate(self.steps):
            lines.append(f"    {step.text(number + len(self.shapes))}")
        lines.append(f"    return {', '.join([f'v{i}' for i in self.results()])}")
        return "\n".join(lines)


# ----- what a step can do, in forms that stay finite for any operands
def tanh(x):
    return ops.tanh(x)


def sigmoid(x):
    return ops.sigmoid(x)


def sin(x):
    return ops.sin(x)


def exp(x):
    return ops.exp(ops.minimum(x, 2.0))


def log(x):
    return ops.log(x * x + 0.5)


def sqrt(x):
    return ops.sqrt(ops.abs(x) + 0.25)


def relu(x):
    return ops.relu(x)


def scaled(x, *, factor):
    return x * factor


def shifted(x, *, by):
    return by - x


def clamped(x):
    return ops.clamp(x, -1.0, 1.5)


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return ops.tanh(a) * b


def div(a, b):
    return a / (b * b + 1.0)


def maximum(a, b):
    return ops.maximum(a, b)


def chosen(a, b):
    return ops.where(ops.gt(a, b), a * 0.5, b)


def total(x, *, dim, keepdim):
    return ops.sum(x, dim=dim, keepdim=keepdim) * 0.25


def mean(x, *, dim, keepdim):
    return ops.mean(x, dim=dim, keepdim=keepdim)


def largest(x, *, dim, keepdim):
    return ops.amax(x, dim=() if dim is None else dim, keepdim=keepdim)


def logsumexp(x, *, dim):
    return ops.logsumexp(x, dim=dim)


def softmax(x, *, dim):
    return ops.softmax(x, dim=dim)


def matmul(a, b):
    return ops.matmul(ops.tanh(a), b) * 0.5


def matmul_transposed(a, b):
    return ops.matmul(a, ops.permute(b, (1, 0))) * 0.25


def flattened(x):
    return ops.reshape(x, (-1,))


def permuted(x, *, dims):
    return ops.permute(x, dims)


def unsqueezed(x, *, dim):
    return ops.unsqueeze(x, dim)


def flipped(x, *, dim):
    return ops.flip(x, (dim,))


def tail(x):
    return x[1:]


def joined(a, b, *, dim):
    return ops.cat([a, b], dim=dim)


def halved_precision(x):
    """Through float32 and back: a cast, where the program computes in float64."""
    return cast(cast(x, np.dtype(np.float32)), x.dtype)


UNARY = (tanh, sigmoid, sin, exp, log, sqrt, relu, clamped, flattened, halved_precision)
BINARY = (add, sub, mul, div, maximum, chosen)
REDUCTIONS = (total, mean, largest)
OPERATIONS = {function.__name__: function for function in (
    *UNARY, *BINARY, *REDUCTIONS, scaled, shifted, logsumexp, softmax, matmul, matmul_transposed, permuted, unsqueezed,
    flipped, tail, joined)}
KINDS = ("binary", "unary", "reduction", "shape", "number", "product", "rows", "again", "joined", "binary", "unary")


def programs(min_steps=1, max_steps=8, dtypes=("float64", "float32")):
    """A strategy of Programs of elementwise operations, reductions, matrix products and changes of shape."""
    return drawn(_programs, min_steps, max_steps, dtypes)


def _programs(draw, min_steps, max_steps, dtypes):
    shapes = list(draw(broadcastable_shapes(draw(one_of(1, 2, 3)), max_rank=3, min_size=1, max_size=3)))
    program = Program(shapes, draw(one_of(*dtypes)), draw(whole_numbers(0, 999)), [])
    values = program.inputs()
    for _ in range(draw(one_of(*range(min_steps, max_steps + 1)))):
        step = _step(draw, draw(one_of(*KINDS)), values, program.steps)
        value = step.apply(values)
        if value.size <= MAX_ELEMENTS:
            program.steps.append(step)
            values.append(value)
    if not program.steps:
        program.steps.append(Step("scaled", (0,), {"factor": 2.0}))
    return program


def _step(draw, kind, values, steps):
    """One step of the wanted kind, or an elementwise one where no value fits that kind."""
    latest = len(values) - 1
    i = draw(one_of(latest, *range(latest + 1)))  # the latest value often: that makes chains
    x = values[i]
    if kind == "again" and steps:
        # the same computation a second time
        step = draw(one_of(*steps))
        return Step(step.name, step.operands, step.params)
    if kind == "number":
        if draw(one_of(True, False)):
            return Step("scaled", (i,), {"factor": draw(one_of(0.5, -1.5, 2, 1.0))})
        return Step("shifted", (i,), {"by": draw(one_of(1.0, 0.0, -2))})
    if kind == "reduction" and x.ndim:
        params = {"dim": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))}
        return Step(draw(one_of(*REDUCTIONS)).__name__, (i,), params)
    if kind == "rows" and x.ndim:
        return Step(draw(one_of("softmax", "logsumexp")), (i,), {"dim": draw(whole_numbers(0, x.ndim - 1))})
    if kind == "shape" and x.ndim:
        return _shape_step(draw, i, x)
    if kind in ("binary", "product", "joined"):
        return _pair_step(draw, kind, i, values)
    return Step(draw(one_of(*UNARY)).__name__, (i,), {})


def _shape_step(draw, i, x):
    name = draw(one_of("permuted", "unsqueezed", "flipped", "tail", "flattened"))
    if name == "tail" and x.shape[0] < 2:
        name = "flipped"
    if name == "permuted":
        return Step(name, (i,), {"dims": draw(permutations(x.ndim))})
    if name == "unsqueezed":
        return Step(name, (i,), {"dim": draw(whole_numbers(0, x.ndim))})
    if name == "flipped":
        return Step(name, (i,), {"dim": draw(whole_numbers(0, x.ndim - 1))})
    return Step(name, (i,), {})


def _pair_step(draw, kind, i, values):
    """A step of two values whose shapes fit; with itself where no other does."""
    x = values[i]
    if kind == "product":
        partners = [j for j, v in enumerate(values) if x.ndim >= 1 and v.ndim >= 1 and _multiplies(x, v)]
        if partners:
            return Step("matmul", (i, draw(one_of(*partners))), {})
        if x.ndim == 2:
            return Step("matmul_transposed", (i, i), {})
    if kind == "joined" and x.ndim:
        dim = draw(whole_numbers(0, x.ndim - 1))
        partners = [j for j, v in enumerate(values) if v.ndim == x.ndim and _joins(x, v, dim)]
        return Step("joined", (i, draw(one_of(*partners))), {"dim": dim})
    partners = [j for j, v in enumerate(values) if _broadcasts(x, v)]
    pair = (i, draw(one_of(*partners)))
    if draw(one_of(False, True)):
        pair = pair[::-1]
    return Step(draw(one_of(*BINARY)).__name__, pair, {})


def _multiplies(a, b):
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        return False
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return False
    return True


def _joins(a, b, dim):
    return a.shape[:dim] == b.shape[:dim] and a.shape[dim + 1:] == b.shape[dim + 1:]


def _broadcasts(a, b):
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return True
