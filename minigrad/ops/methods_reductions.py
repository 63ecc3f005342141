"""Methods of Tensors and graph Nodes that reduce, scan, normalise or sort: one explicit line each."""

from minigrad.ops.methods_numbers import NumberMethods


class ReductionMethods(NumberMethods):
    """Reductions and their relatives as methods; each is described at the function of the same name."""

    __slots__ = ()


