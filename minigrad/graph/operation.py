"""An operation of a graph: a primitive, what it is applied to, and the user's line that asked for it."""

from minigrad.core.sites import describe


class Operation:
    """One application of a primitive. Made by `Graph.add`, and never changed afterwards.

    Attributes:
        graph: the graph it belongs to.
        number: position in the graph; an input always has a smaller number than its consumer.
        name: unique in the graph, with scopes: ``layer1/MatMul_2``.
        prim, params: what is applied, and its keyword parameters.
        inputs: Nodes and Python scalars.
        control_inputs: operations that have to run before this one although no value comes from them.
        outputs: its Nodes.
        writes: the Variable whose next value is output 0, or None.
        site: the user's line (see core.sites).
    """

    __slots__ = ("__weakref__", "control_inputs", "graph", "inputs", "name", "number", "outputs", "params", "prim",
                 "site", "writes")

    def __init__(self, graph, number, name, prim, inputs, params, control_inputs, writes, site):
        self.graph = graph
        self.number = number
        self.name = name
        self.prim = prim
        self.inputs = inputs
        self.params = params
        self.control_inputs = control_inputs
        self.writes = writes
        self.site = site
        self.outputs = ()

    @property
    def type(self):
        """The primitive's name. TensorFlow: Operation.type."""
        return self.prim.name

    @property
    def where(self):
        """The user's line as text: ``train.py:12``."""
        return describe(self.site)

    def __repr__(self):
        outputs = ", ".join(repr(node.aval) for node in self.outputs)
        return f"<Operation '{self.name}' {self.prim.name} -> {outputs or 'nothing'}>"
