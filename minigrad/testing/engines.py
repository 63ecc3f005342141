"""One function, run by every engine: on Tensors, and as a graph in the interpreter and in plans.

`engines_agree` is what a test calls. The `Runner` classes behind it answer three questions about a function, which
the gradient checks ask too: its values, its gradients for given seeds, and the gradients of those gradients.
"""

import contextlib

import numpy as np

from minigrad.compiler import compile_plan, interpret
from minigrad.core.aval import Aval
from minigrad.dynamic.grad import grad
from minigrad.dynamic.modes import enable_grad, no_grad
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.graph import Graph, Node, gradients as graph_gradients

# how far a plan that may reorder arithmetic can be from the kernels, for each dtype
FAST_TOLERANCE = {"float64": 1e-11, "float32": 1e-5, "float16": 5e-3}


class Operands:
    """The inputs of a function under test, apart from the function: arrays by slot, everything else fixed.

    An object that is given twice has one slot, so that its gradient is the sum over both places. Parameters (of a
    Module, say) are inputs too, which the function does not get but holds.

    Attributes:
        arrays: one array a slot.
        tracked: slots with a float dtype, which get gradients.
        places: for each input (slot, None), or (None, the fixed value).
        parameters: {slot: the dynamic Parameter}.
    """

    def __init__(self, inputs, parameters=()):
        self.arrays = []
        self.places = []
        seen = {}
        for x in inputs:
            if not isinstance(x, Tensor | np.ndarray):
                self.places.append((None, x))
                continue
            if id(x) not in seen:
                seen[id(x)] = len(self.arrays)
                self.arrays.append(x.array if isinstance(x, Tensor) else x)
            self.places.append((seen[id(x)], None))
        self.parameters = {}
        for parameter in parameters:
            self.parameters[len(self.arrays)] = parameter
            self.arrays.append(parameter.array)
        self.tracked = [slot for slot, array in enumerate(self.arrays) if array.dtype.kind == "f"]

    def filled(self, values):
        """The inputs as the function gets them, with `values` (Tensors or Nodes) in the slots."""
        return [fixed if slot is None else values[slot] for slot, fixed in self.places]

    def name(self, slot):
        """``input 0`` or ``parameter 2``, for messages."""
        if slot in self.parameters:
            return f"parameter {list(self.parameters).index(slot)}"
        return f"input {[candidate for candidate, _ in self.places].index(slot)}"


class DynamicRunner:
    """A function on Tensors."""

    name = "dynamic"

    def __init__(self, fn, operands):
        self.fn = fn
        self.operands = operands

    def values(self, arrays):
        """The outputs as arrays."""
        with self.holding(arrays) as tensors, no_grad():
            return [y.array for y in self.outputs(tensors)]

    def gradients(self, arrays, seeds):
        """For each tracked slot the gradient of sum(seed * output), None where no path leads there."""
        with self.holding(arrays) as tensors, enable_grad():
            found = self.first(tensors, [None if s is None else wrap(s) for s in seeds], create_graph=False)
        return [None if g is None else g.array for g in found]

    def second(self, arrays, seeds, weights):
        """Gradients of sum(weight * gradient) by the tracked slots and then by the seeds; None where there is none."""
        seeds = [None if s is None else wrap(s).requires_grad_() for s in seeds]
        with self.holding(arrays) as tensors, enable_grad():
            wanted = [tensors[slot] for slot in self.operands.tracked] + [s for s in seeds if s is not None]
            found = self.first(tensors, seeds, create_graph=True)
            pairs = [(g, w) for g, w in zip(found, weights, strict=True) if g is not None and g.requires_grad]
            if not pairs:
                return [None] * len(wanted)
            result = grad([g for g, _ in pairs], wanted, [wrap(w) for _, w in pairs], allow_unused=True)
        return [None if g is None else g.array for g in result]

    def first(self, tensors, seeds, create_graph):
        ys = self.outputs(tensors)
        pairs = [(y, s) for y, s in zip(ys, seeds, strict=True) if s is not None and y.requires_grad]
        wanted = [tensors[slot] for slot in self.operands.tracked]
        if not pairs or not wanted:
            return [None] * len(wanted)
        return grad([y for y, _ in pairs], wanted, [s for _, s in pairs], create_graph=create_graph, allow_unused=True)

    @contextlib.contextmanager
    def holding(self, arrays):
        """Tensors for the slots; the parameters hold their arrays meanwhile."""
        parameters = self.operands.parameters
        before = {slot: (p.array, p.storage) for slot, p in parameters.items()}
        try:
            tensors = []
            for slot, array in enumerate(arrays):
                if slot in parameters:
                    parameters[slot].data = wrap(array)
                    tensors.append(parameters[slot])
                else:
                    tensors.append(wrap(array))
            for slot in self.operands.tracked:
                if slot not in parameters:
                    tensors[slot].requires_grad_()
            yield tensors
        finally:
            for slot, (array, storage) in before.items():
                parameters[slot].array = array
                parameters[slot].storage = storage

    def outputs(self, tensors):
        """The outputs of the function as a list of Tensors."""
        return listed(self.fn(*self.operands.filled(tensors)), Tensor)


class StaticRunner:
    """A function as a graph, which is built once and run by the interpreter or by plans.

    Args:
        how: "interpreter", "unoptimised" (an exact plan without rewrites), "exact", or "fast".
    """

    def __init__(self, fn, operands, how="exact", built=None):
        self.operands = operands
        self.how = how
        self.name = how if how == "interpreter" else f"{how} plan"
        self.built = built or BuiltGraph(fn, operands)
        self.plans = {}

    def values(self, arrays):
        return self.run(self.built.ys, arrays, (), ())

    def gradients(self, arrays, seeds):
        return self.run(self.built.gradients(), arrays, seeds, ())

    def second(self, arrays, seeds, weights):
        return self.run(self.built.second(), arrays, seeds, weights)

    def everything(self, arrays, seeds, weights, questions):
        """{what: list of arrays} for several of "value", "gradient" and "second gradient", in one run."""
        fetches, counts = [], []
        for what in questions:
            nodes = self.built.ys
            if what != "value":
                nodes = self.built.gradients() if what == "gradient" else self.built.second()
            fetches += nodes
            counts.append(len(nodes))
        values = iter(self.run(fetches, arrays, seeds, weights))
        return {what: [next(values) for _ in range(count)] for what, count in zip(questions, counts, strict=True)}

    def run(self, fetches, arrays, seeds, weights):
        """The values of the nodes among `fetches`, None for the rest."""
        nodes = [node for node in fetches if node is not None]
        feeds = self.built.feeds(arrays, seeds, weights)
        if self.how == "interpreter":
            values, _ = interpret(nodes, [], feeds, {})
        else:
            plan = self.plan_for(nodes, feeds)
            values, _ = plan([feeds[node] for node in plan.feeds], [])
        values = iter(values)
        return [None if node is None else next(values) for node in fetches]

    def plan_for(self, nodes, feeds):
        key = tuple(nodes)
        if key not in self.plans:
            avals = {node: Aval(value.shape, value.dtype) for node, value in feeds.items()}
            numerics = "fast" if self.how == "fast" else "exact"
            passes = () if self.how == "unoptimised" else None
            self.plans[key] = compile_plan(nodes, [], avals, {}, np, numerics, passes)
        return self.plans[key]


class BuiltGraph:
    """The graph of a function, with its gradients (built when they are first asked for).

    Args:
        unknown: sizes are unknown in the graph (None), and known only when it is fed.
    """

    def __init__(self, fn, operands, unknown=False):
        self.operands = operands
        self.graph = Graph()
        with self.graph.as_default():
            self.inputs = []
            for slot, a in enumerate(operands.arrays):
                if slot in operands.parameters:
                    self.inputs.append(self.graph.captured(operands.parameters[slot]))
                else:
                    shape = (None,) * a.ndim if unknown else a.shape
                    self.inputs.append(self.graph.placeholder(a.dtype, shape, "input"))
            self.ys = listed(fn(*operands.filled(self.inputs)), Node)
        self.seeds = [self.like(y, "seed") if y.dtype.kind == "f" else None for y in self.ys]
        self.weights = [self.like(self.inputs[slot], "weight") for slot in operands.tracked]
        self._gradients = None
        self._second = None

    def like(self, node, name):
        return self.graph.placeholder(node.dtype, node.shape, name)

    def wanted(self):
        return [self.inputs[slot] for slot in self.operands.tracked]

    def gradients(self):
        if self._gradients is None:
            pairs = [(y, s) for y, s in zip(self.ys, self.seeds, strict=True) if s is not None]
            self._gradients = self.differentiated(pairs, self.wanted())
        return self._gradients

    def second(self):
        if self._second is None:
            found = self.gradients()
            pairs = [(g, w) for g, w in zip(found, self.weights, strict=True) if g is not None]
            self._second = self.differentiated(pairs, self.wanted() + [s for s in self.seeds if s is not None])
        return self._second

    def differentiated(self, pairs, wanted):
        if not pairs or not wanted:
            return [None] * len(wanted)
        with self.graph.as_default():
            return graph_gradients([y for y, _ in pairs], wanted, [s for _, s in pairs])

    def feeds(self, arrays, seeds, weights):
        feeds = dict(zip(self.inputs, arrays, strict=True))
        for variable in self.graph.collection("variables"):
            if variable not in feeds:  # a parameter without gradient, a buffer: it keeps what it starts from
                feeds[variable] = interpret([variable.initial_value], [], {}, {})[0][0]
        for node, value in zip(self.seeds, seeds, strict=False):
            if node is not None:
                feeds[node] = value
        feeds.update(zip(self.weights, weights, strict=False))
        return feeds


def listed(result, kind):
    """What a function returned as a list of `kind` (Tensors or Nodes).

    Raises:
        TypeError: it returned something else.
    """
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    for y in outputs:
        if not isinstance(y, kind):
            raise TypeError(f"the function must return a {kind.__name__} or a tuple of them, not a {type(y).__name__}")
    return outputs


def random_like(arrays, seed):
    """Arrays of numbers between 0.5 and 1.5, of either sign, of the shapes and dtypes of `arrays`; None stays."""
    generator = np.random.default_rng(seed)
    result = []
    for a in arrays:
        if a is None or a.dtype.kind != "f":
            result.append(None)
            continue
        values = generator.uniform(0.5, 1.5, size=a.shape) * generator.choice([-1.0, 1.0], size=a.shape)
        result.append(np.asarray(values, dtype=a.dtype))
    return result


def parameters_of(fn):
    """The parameters of `fn` that get gradients, where it is a Module."""
    return [p for p in fn.parameters() if p.requires_grad] if hasattr(fn, "parameters") else []


def engines_agree(fn, *inputs, order=1, seed=0, unknown=True):
    """Run `fn` on Tensors and as a graph and compare values and gradients.

    Dynamic engine, reference interpreter, and exact plans (with and without rewrites) must agree bit for bit, the
    fast plan within 1e-11 (float64), 1e-5 (float32) or 5e-3 (float16).

    Args:
        fn: a function of Tensors or Nodes that returns one of them or a tuple; or a Module, whose parameters become
            variables of the graph and count among the inputs.
        inputs: arrays or Tensors, which become placeholders of a graph; everything else is handed on as it is.
        order: 0 compares values only, 1 first derivatives too, 2 second derivatives too.
        seed: of the random seeds of the gradients.
        unknown: also build the graph with every size unknown.

    Raises:
        AssertionError: two engines disagree; the message names both, the result and the element.
    """
    operands = Operands(inputs, parameters_of(fn))
    arrays = [read_only(a) for a in operands.arrays]
    runner = DynamicRunner(fn, operands)
    reference = {"value": [np.array(y) for y in runner.values(arrays)]}
    seeds = random_like(reference["value"], [seed, 1])
    weights = random_like([arrays[slot] for slot in operands.tracked], [seed, 2])
    if order >= 1 and operands.tracked:
        reference["gradient"] = runner.gradients(arrays, seeds)
    if order >= 2 and operands.tracked:
        reference["second gradient"] = runner.second(arrays, seeds, weights)
    built = BuiltGraph(fn, operands)
    runners = [StaticRunner(fn, operands, how, built) for how in ("interpreter", "unoptimised", "exact", "fast")]
    if unknown:
        runners.append(StaticRunner(fn, operands, "exact", BuiltGraph(fn, operands, unknown=True)))
        runners[-1].name = "exact plan of a graph with unknown sizes"
    for runner in runners:
        compare(reference, runner, runner.everything(arrays, seeds, weights, tuple(reference)))


def compare(reference, runner, found):
    """Raise AssertionError where the answers `found` by a runner differ from those of the dynamic engine."""
    for what, expected in reference.items():
        for i, (a, b) in enumerate(zip(expected, found[what], strict=True)):
            if a is None or b is None:
                a, b = zeros_for(a, b), zeros_for(b, a)
            if a is None:
                continue
            difference = unequal(a, b, runner.how == "fast")
            if difference:
                raise AssertionError(f"{what} {i} of the dynamic engine and of the {runner.name} differ: {difference}")


def read_only(a):
    """A view of an array that nobody can write through: no engine may change what it was given."""
    a = a.view()
    a.flags.writeable = False
    return a


def zeros_for(a, other):
    """`a`; zeros like `other` where it is None."""
    return np.zeros(other.shape, other.dtype) if a is None and other is not None else a


def unequal(a, b, fast=False):
    """How two arrays differ, as text; None when they are equal, bit for bit unless `fast`."""
    if not isinstance(b, np.ndarray):
        return f"an array against a {type(b).__name__}"
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{a.shape} against {b.dtype}{b.shape}"
    same = same_bits(a, b)
    if fast and a.dtype.kind == "f":
        tolerance = FAST_TOLERANCE[str(a.dtype)]
        scale = np.max(np.abs(a), initial=1.0, where=np.isfinite(a))
        with np.errstate(all="ignore"):
            same = same | (np.abs(a - b) <= tolerance * np.maximum(np.abs(a), scale)) | ((a == 0) & (b == 0))
    if np.all(same):
        return None
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{a[place]!r} against {b[place]!r} at element {place} of {a.dtype}{a.shape}"


def same_bits(a, b):
    """Where two arrays of one dtype hold the same value: zeros of unequal sign differ, NaNs are all alike."""
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    return np.asarray(((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b)))
