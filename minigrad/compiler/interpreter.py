"""The reference interpreter: one operation after the other, by the book. Slow, short, and the definition of a graph.

Every plan is tested against it.
"""

from minigrad.backends import xp_of
from minigrad.compiler.functions import runner
from minigrad.compiler.needed import StateOrder, needed_operations
from minigrad.core.dispatch import strengthened
from minigrad.core.failures import explained
from minigrad.errors import UninitializedError
from minigrad.graph.node import Node
from minigrad.graph.sources import SOURCES, constant_p, variable_p


def interpret(nodes, operations, feeds, state):
    """Run a graph once.

    Args:
        nodes: the Nodes to fetch.
        operations: Operations to run although nothing is fetched of them.
        feeds: Node -> array.
        state: Variable -> array, at the start of the run.

    Returns:
        (values of `nodes`, {Variable: its new value} for the variables that were written).
    """
    token = runner.set(run_interpreted)
    try:
        return interpreted(nodes, operations, feeds, state)
    finally:
        runner.reset(token)


def run_interpreted(function, xp, args):
    """The results of a function of control flow on arrays."""
    return interpret(function.outputs, function.operations, dict(zip(function.inputs, args, strict=True)), {})[0]


def interpreted(nodes, operations, feeds, state):
    """`interpret`, with control flow interpreted too."""
    needed = needed_operations(nodes, operations, feeds)
    order = StateOrder(needed)
    values = dict(feeds)

    def value_for(a, consumer):
        if not isinstance(a, Node):
            return a
        if a not in values and a.operation.prim is variable_p:
            write = None if consumer is None else order.value_of(a, consumer)
            if write is None:
                return start_of_run(a, state)
            return values[write.outputs[0]]
        return values[a]

    for operation in needed:
        prim = operation.prim
        if prim is constant_p:
            values.setdefault(operation.outputs[0], operation.params["value"])
        if prim in SOURCES:
            continue
        args = []
        for position, a in enumerate(operation.inputs):
            if position == 0 and prim.name == "assign":
                args.append(None)  # it only names the variable, which may have no value yet
            else:
                args.append(value_for(a, operation))
        results = computed(operation, args)
        for node, value in zip(operation.outputs, results, strict=True):
            values.setdefault(node, value)
    written = {}
    for variable, write in order.last.items():
        written[variable] = values[write.outputs[0]]
    return [value_for(node, None) for node in nodes], written


def start_of_run(variable, state):
    """The value of a variable at the start of the run."""
    if variable not in state:
        raise UninitializedError(f"variable '{variable.operation.name}' (made at {variable.operation.where}) is read"
                                 " before it was initialised")
    return state[variable]


def computed(operation, args):
    """The outputs of one operation, as a tuple of arrays."""
    prim = operation.prim
    if not operation.outputs:
        return ()
    xp = xp_of(args)
    try:
        y = prim.kernel(xp, *strengthened(xp, args), **operation.params)
    except Exception as error:
        error = explained(prim, args, operation.params, error)
        error.add_note(f"in '{operation.name}', made at {operation.where}")
        raise error from None
    if prim.multiple:
        return tuple([xp.asarray(part) for part in y])
    return (xp.asarray(y),)
