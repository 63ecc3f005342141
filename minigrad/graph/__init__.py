"""The graph: operations on values that do not exist yet. It knows nothing of sessions, nor of how it will be run."""

from minigrad.graph.gradients import gradients as gradients
from minigrad.graph.graph import (
           Graph as Graph,
           default_graph as default_graph,
           reset_default_graph as reset_default_graph,
)
from minigrad.graph.node import Node as Node
from minigrad.graph.operation import Operation as Operation
from minigrad.graph.text import graph_text as graph_text
from minigrad.graph.variable import Variable as Variable
from minigrad.graph.verify import verify as verify

__all__ = ["Graph", "Node", "Operation", "Variable", "default_graph", "gradients", "graph_text", "reset_default_graph",
           "verify"]
