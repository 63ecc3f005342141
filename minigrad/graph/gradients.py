"""Gradients of a graph: the shared reverse sweep, building the backward operations with the primitives' own rules."""

from minigrad.autodiff import reverse_sweep
from minigrad.core.dtypes import is_float
from minigrad.errors import BackwardError, GraphError, ShapeError
from minigrad.graph.node import Node
from minigrad.ops.broadcasting import broadcast_like, sum_to_like
from minigrad.ops.casting import cast


class Step:
    """What the reverse sweep asks of a record, for one operation of a graph; of several outputs `Slot` is one."""

    __slots__ = ("inputs", "node", "number", "origin")
    hooks = None
    operation = None

    def __init__(self, operation, inputs, number):
        self.origin = operation
        self.node = operation.outputs[0]
        self.inputs = inputs
        self.number = number

    @property
    def prim(self):
        return self.origin.prim

    @property
    def params(self):
        return self.origin.params

    @property
    def shape(self):
        return self.node.shape

    @property
    def site(self):
        return self.origin.site

    def match(self, g):
        """Undo broadcasting."""
        return sum_to_like(g, self.node)


class Slot:
    """One node as a record without a rule: an output of an operation with several, or (operation None) a source."""

    __slots__ = ("node", "number", "operation", "slot")
    hooks = None
    prim = None
    inputs = ()

    def __init__(self, node, operation, number):
        self.node = node
        self.operation = operation
        self.slot = node.index
        self.number = number

    @property
    def shape(self):
        return self.node.shape

    def match(self, g):
        """Undo broadcasting."""
        return sum_to_like(g, self.node)

    def deliver(self, g, given):
        """A source keeps nothing: what is wanted of the sweep is in its result."""


def gradients(ys, xs, grad_ys=None, stop=()):
    """Nodes of the gradients of sum(ys) with respect to each of `xs`; None where no path leads there.

    Args:
        ys, xs: lists of Nodes of one graph.
        grad_ys: the gradient of each y to start from; None in it, or no list, means ones.
        stop: nodes that count as constants.

    Raises:
        GraphError: a `y` or `x` is not a node.
        BackwardError: a `y` or `x` is not of a float dtype.
    """
    for node in (*ys, *xs):
        if not isinstance(node, Node):
            raise GraphError(f"gradients: expected nodes, got a {type(node).__name__}")
    for y in ys:
        if not is_float(y.dtype):
            raise BackwardError(f"gradients: {y!r} is not of a float dtype, so it has no gradient")
    graph = ys[0].graph
    with graph.name_scope("gradients"):
        records = records_between(ys, xs, frozenset(stop))
        roots, seeds = [], []
        for y, g in zip(ys, grad_ys or [None] * len(ys), strict=True):
            if y in records:
                roots.append(records[y])
                seeds.append(seed_for(y, g))
        wanted = {records[x].number for x in xs if x in records}
        found = reverse_sweep(roots, seeds, values_of, wanted=wanted)
    return [found.get(records[x].number) if x in records else None for x in xs]


def records_between(ys, xs, stop):
    """Records of the nodes that lie on a path from `xs` to `ys`, by node."""
    below = ancestors(ys)
    records = {}
    for operation in sorted(below, key=number_of):
        number = operation.number * 4096  # leaves room for the numbers of its outputs
        inputs = []
        for a in operation.inputs:
            inputs.append(records.get(a) if isinstance(a, Node) and a not in stop else None)
        prim = operation.prim
        on_path = prim.differentiable and any([record is not None for record in inputs])
        step = None
        if on_path:
            step = Step(operation, inputs, number)
        for node in operation.outputs:
            if not is_float(node.dtype):
                continue
            if step is not None:
                records[node] = Slot(node, step, number + 1 + node.index) if prim.multiple else step
            elif node in xs:
                records[node] = Slot(node, None, number + 1 + node.index)
    return records


def ancestors(nodes):
    """The operations that `nodes` depend on through values, their own included."""
    found = set()
    stack = [node.operation for node in nodes]
    while stack:
        operation = stack.pop()
        if operation not in found:
            found.add(operation)
            for a in operation.inputs:
                if isinstance(a, Node):
                    stack.append(a.operation)
    return found


def number_of(operation):
    return operation.number


def seed_for(y, g):
    """The node to start the sweep from at `y`."""
    if g is None:
        return broadcast_like(y.graph.constant(1, dtype=y.dtype, name="grad_ys"), y)
    if not isinstance(g, Node):
        g = y.graph.constant(g, dtype=y.dtype, name="grad_ys")
    if g.shape is not None and y.shape is not None and len(g.shape) != len(y.shape):
        raise ShapeError(f"gradients: the gradient to start from has shape {g.shape}, but {y!r} has shape {y.shape}")
    return cast(g, y.dtype)


def values_of(step):
    """The values (y, x0, x1, ...) of a step for its rules: nodes and scalars."""
    operation = step.origin
    y = operation.outputs if operation.prim.multiple else operation.outputs[0]
    return y, *operation.inputs
