"""A graph as text: one line an operation, in the order in which they were made."""

import numpy as np

from minigrad.core.sites import position
from minigrad.graph.node import Node


def graph_text(graph):
    """The listing: ``name: float32(None, 10) = add(MatMul, b)    # train.py:12``."""
    lines = []
    for operation in graph.operations:
        lines.append(operation_text(operation))
    return "\n".join(lines)


def operation_text(operation):
    """One operation as one line."""
    parts = []
    for a in operation.inputs:
        parts.append(node_text(a) if isinstance(a, Node) else repr(a))
    for key, value in operation.params.items():
        if key != "aval":
            parts.append(f"{key}={param_text(value)}")
    avals = ", ".join(repr(node.aval) for node in operation.outputs) or "nothing"
    text = f"{operation.name}: {avals} = {operation.prim.name}({', '.join(parts)})"
    if operation.writes is not None:
        text += f" -> {operation.writes.operation.name}"
    if operation.control_inputs:
        text += f" after {', '.join(before.name for before in operation.control_inputs)}"
    file, line = position(operation.site)
    return f"{text:72s}  # {file.rpartition('/')[2]}:{line}"


def node_text(node):
    """The name of a node, without the number of the output where there is only one."""
    return node.operation.name if len(node.operation.outputs) == 1 else node.name


def param_text(value):
    """A parameter, shortened where it is an array."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"array{value.shape}"
    return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)
