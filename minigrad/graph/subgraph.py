"""Sub-graphs: the branches and bodies of control flow, built once as functions of what they use."""

import contextlib

from minigrad.core.aval import Aval
from minigrad.errors import GraphError
from minigrad.graph import sources
from minigrad.graph.graph import Graph
from minigrad.graph.node import Node


class SubGraph(Graph):
    """A graph inside of another one. Nodes of the outer graph that it uses become inputs: captures.

    Attributes:
        outer: the graph around it.
        captures: {node of the outer graph: placeholder in here}.
        written: {variable: node of its value after the writes in here}, in the order of the first writes.
    """

    def __init__(self, outer):
        super().__init__()
        self.outer = outer
        self.node_class = outer.node_class
        self.variable_class = outer.variable_class
        self.seed = outer.seed
        self.captures = {}
        self.written = {}

    def operand(self, prim, a):
        if isinstance(a, Node) and a.graph is not self:
            return self.capture(a)
        return super().operand(prim, a)

    def capture(self, node):
        """The placeholder in here that stands for a node of the graphs around."""
        if node not in self.captures:
            if node.graph is not self.outer and isinstance(self.outer, SubGraph):
                self.captures[node] = self.stand_in(self.outer.capture(node))
            elif node.graph is self.outer:
                self.captures[node] = self.stand_in(node)
            else:
                raise GraphError(f"{node!r} (made at {node.operation.where}) belongs to another graph")
        return self.captures[node]

    def stand_in(self, node):
        with self.outside_control():
            return self.add(sources.placeholder_p, (), {"aval": node.aval}, "capture").outputs[0]

    def captured_nodes(self):
        """The nodes of the outer graph that are captured, in the order of their placeholders."""
        nodes = []
        for node in self.captures:
            nodes.append(self.outer.capture(node) if node.graph is not self.outer else node)
        return nodes

    def captured(self, tensor):
        return self.capture(self.outer.captured(tensor))

    def variable(self, *args, **kwargs):
        raise GraphError("a variable cannot be made inside of a branch or a loop body: make it outside, once")

    def write(self, prim, variable, inputs, params, name):
        """A write in here: the value is remembered, and written when the operation around has run."""
        current = self.written.get(variable)
        inputs = [current if a is variable and current is not None else a for a in inputs]
        node = self.apply(prim, inputs, params, name)
        if prim is sources.assign_p:
            node = node.operation.inputs[1]
            if not isinstance(node, Node):
                node = self.constant(node, dtype=variable.dtype)
        self.written[variable] = node
        return node

    def draw_key(self, seed=None):
        """A key of the outer graph, captured: the draw is the same in every turn of a loop."""
        return self.capture(self.outer.draw_key(seed))

    def is_inside(self, graph):
        """Is `graph` this one, or one around it?"""
        return graph is self or self.outer.is_inside(graph)


class Function:
    """A finished sub-graph: what control flow runs.

    Attributes:
        inputs: its placeholders, explicit ones first, captures after them.
        outputs: the nodes of its results.
        operations: operations to run although no result needs them (effects).
    """

    def __init__(self, graph, inputs, outputs, operations=()):
        self.graph = graph
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.operations = tuple(operations)
        self.plans = {}  # filled by the compiler

    def avals(self):
        """The avals of the results."""
        return tuple([Aval(node.shape, node.dtype) for node in self.outputs])

    def inlined(self, graph, values):
        """Its results as nodes of `graph`, with `values` for its inputs: the operations are copied."""
        copies = dict(zip(self.inputs, values, strict=True))
        for operation in self.graph.operations:
            if operation.prim is sources.placeholder_p:
                continue
            inputs = [copies[a] if isinstance(a, Node) else a for a in operation.inputs]
            copy = graph.add(operation.prim, inputs, operation.params, operation.name)
            copies.update(zip(operation.outputs, copy.outputs, strict=True))
        return [copies[node] for node in self.outputs]

    def __repr__(self):
        return f"<Function of {len(self.graph.operations)} operations>"


@contextlib.contextmanager
def building(outer):
    """A new SubGraph of `outer`, the default graph inside of this context."""
    graph = SubGraph(outer)
    with graph.as_default():
        yield graph
