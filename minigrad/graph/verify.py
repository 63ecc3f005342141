"""The invariants of a graph, checked: cheap enough to run after every rewrite in the tests."""

from minigrad.core.dims import may_equal
from minigrad.errors import GraphError
from minigrad.graph.node import Node


def verify(graph):
    """Raise GraphError naming the first operation that breaks an invariant of the graph."""
    seen = set()
    names = set()
    number = 0
    for operation in graph.operations:
        where = f"operation {operation.name!r}"
        if operation.graph is not graph:
            raise GraphError(f"{where} belongs to another graph")
        if operation.number <= number:
            raise GraphError(f"{where} has number {operation.number}, but stands after number {number}")
        number = operation.number
        if operation.name in names:
            raise GraphError(f"{where}: the name is used twice")
        names.add(operation.name)
        for a in operation.inputs:
            if isinstance(a, Node) and a.operation not in seen:
                raise GraphError(f"{where} uses {a!r}, which does not stand before it")
        for before in operation.control_inputs:
            if before not in seen:
                raise GraphError(f"{where} has to run after {before.name!r}, which does not stand before it")
        check_outputs(graph, operation, where)
        seen.add(operation)


def check_outputs(graph, operation, where):
    """The recorded avals are what the shape rule says."""
    avals = graph.inferred(operation.prim, operation.inputs, operation.params)
    if len(avals) != len(operation.outputs):
        raise GraphError(f"{where} has {len(operation.outputs)} outputs, its shape rule gives {len(avals)}")
    for node, aval in zip(operation.outputs, avals, strict=True):
        if node.dtype != aval.dtype:
            raise GraphError(f"{where}: output {node.index} is {node.dtype}, its shape rule gives {aval.dtype}")
        if node.shape is None or aval.shape is None:
            continue
        if len(node.shape) != len(aval.shape) or not all(map(may_equal, node.shape, aval.shape)):
            raise GraphError(f"{where}: output {node.index} has shape {node.shape}, its shape rule gives {aval.shape}")
