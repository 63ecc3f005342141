"""A variable: a node whose value a session keeps from one run to the next."""

from minigrad.graph.node import Node


class Variable(Node):
    """The node of a variable. Reading it is using it; operations that write it have it as `Operation.writes`.

    Attributes:
        initializer: the operation that writes the initial value.
        initial_value: the node of that value.
        trainable: whether minimize() changes it.
    """

    __slots__ = ("initial_value", "initializer", "trainable")

    def __repr__(self):
        return f"<Variable '{self.name}' {self.aval}>"
