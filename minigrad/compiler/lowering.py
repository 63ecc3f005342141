"""Lowering: from a graph and one set of fetches and feeds to a program with known shapes."""

from minigrad.compiler.needed import StateOrder, needed_operations
from minigrad.compiler.program import Instruction, Program, Value
from minigrad.core.aval import Aval
from minigrad.errors import MinigradError, ShapeError
from minigrad.graph.node import Node
from minigrad.graph.sources import assign_p, constant_p, identity_p, placeholder_default_p, stop_gradient_p, variable_p

# they return their last input itself: a program needs no instruction for them
PASSED_ON = frozenset([assign_p, identity_p, stop_gradient_p, placeholder_default_p])


def lower(nodes, operations, fed, state_avals):
    """The Program that computes `nodes` and runs `operations`.

    Args:
        fed: {Node: Aval of the array that is fed}.
        state_avals: {Variable: Aval of its state}; variables without a value yet are missing.
    """
    needed = needed_operations(nodes, operations, fed)
    lowering = Lowering(fed, state_avals, StateOrder(needed))
    for operation in needed:
        lowering.translate(operation)
    return lowering.program(nodes)


class Lowering:
    """The state of one lowering: which Value stands for which node."""

    def __init__(self, fed, state_avals, order):
        self.state_avals = state_avals
        self.order = order
        self.values = {}  # Node -> Value
        self.states = {}  # Variable -> Value
        self.instructions = []
        self.feeds = []
        for node, aval in fed.items():
            value = Value(aval, node.operation.name, "feed", node)
            self.feeds.append(value)
            self.values[node] = value

    def translate(self, operation):
        prim = operation.prim
        if prim is variable_p or not operation.outputs:
            return
        if prim is constant_p:
            data = operation.params["value"]
            self.give(operation.outputs[0], Value(Aval(data.shape, data.dtype), operation.name, "constant", data=data))
            return
        if prim in PASSED_ON:
            value = self.value_for(operation.inputs[-1], operation)
            self.give(operation.outputs[0], value)
            return
        inputs = tuple([self.value_for(a, operation) for a in operation.inputs])
        avals = inferred(operation, inputs)
        instruction = Instruction(prim, inputs, operation.params, operation.name, operation.site, avals)
        self.instructions.append(instruction)
        for node, value in zip(operation.outputs, instruction.outputs, strict=True):
            self.give(node, value)

    def give(self, node, value):
        """Let `value` stand for `node`, unless that is fed."""
        self.values.setdefault(node, value)

    def value_for(self, a, consumer):
        """The Value that `consumer` (None: a fetch) gets for its input `a`; a scalar is itself."""
        if not isinstance(a, Node) or a in self.values:
            return self.values[a] if isinstance(a, Node) else a
        write = None if consumer is None else self.order.value_of(a, consumer)
        return self.state_of(a) if write is None else self.values[write.outputs[0]]

    def state_of(self, variable):
        if variable not in self.states:
            aval = self.state_avals.get(variable, variable.aval)
            self.states[variable] = Value(aval, variable.operation.name, "state", variable)
        return self.states[variable]

    def program(self, nodes):
        fetches = [self.value_for(node, None) for node in nodes]
        writes = {}
        for variable, write in self.order.last.items():
            writes[variable] = self.values[write.outputs[0]]
        return Program(self.feeds, self.states, self.instructions, fetches, writes)


def inferred(operation, inputs):
    """The avals of an operation's outputs, from those of its inputs in this program."""
    avals = [a.aval if a.__class__ is Value else a for a in inputs]
    try:
        result = operation.prim.infer(*avals, **operation.params)
    except MinigradError as error:
        error.add_note(f"in '{operation.name}', made at {operation.where}")
        raise
    except (TypeError, ValueError, IndexError) as error:
        raise ShapeError(f"'{operation.name}' (made at {operation.where}) cannot take {avals}: {error}") from error
    return result if isinstance(result, tuple) else (result,)
