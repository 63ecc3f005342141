"""Which operations a run needs, and which state of a variable each of them sees."""

from minigrad.errors import FeedError
from minigrad.graph.node import Node
from minigrad.graph.sources import placeholder_p


def needed_operations(nodes, operations, fed):
    """The operations that fetching `nodes` and `operations` takes, in order; fed nodes need none.

    Raises:
        FeedError: a placeholder is needed and not fed; the message tells the path from the fetch to it.
    """
    consumer = {}  # operation -> the one that it was found through, for the message
    found = set()
    stack = []
    for node in nodes:
        if node not in fed:
            stack.append((node.operation, None))
    for operation in operations:
        stack.append((operation, None))
    while stack:
        operation, via = stack.pop()
        if operation in found:
            continue
        found.add(operation)
        consumer[operation] = via
        if operation.prim is placeholder_p:
            raise missing_feed(operation, consumer)
        for a in operation.inputs:
            if isinstance(a, Node) and a not in fed:
                stack.append((a.operation, operation))
        for before in operation.control_inputs:
            stack.append((before, operation))
    return sorted(found, key=position_in_graph)


def position_in_graph(operation):
    return operation.number


def missing_feed(operation, consumer):
    """The error for a placeholder that was not fed."""
    path = [operation.name]
    via = consumer[operation]
    while via is not None:
        path.append(via.name)
        via = consumer[via]
    if len(path) > 8:
        path[4:-3] = ["..."]
    return FeedError(f"placeholder '{operation.name}' ({operation.outputs[0].aval}, made at {operation.where}) has no"
                     f" value in feed_dict; it is needed by {' -> '.join(path)}")


class StateOrder:
    """The order of reads and writes of variables in one run.

    A consumer sees the value that the latest write among its ancestors left, and the start of the run when there is
    none. Writes that nothing orders happen in the order in which they were made.
    """

    def __init__(self, operations):
        self.seen = {}  # operation -> {variable: the write whose value it sees}
        self.last = {}  # variable -> its latest write so far
        self.current = {}  # write -> the write before it, None for the start of the run
        for operation in operations:
            self.visit(operation)

    def visit(self, operation):
        seen = {}
        sources = [a.operation for a in operation.inputs if isinstance(a, Node)]
        for source in (*sources, *operation.control_inputs):
            for variable, write in self.seen.get(source, {}).items():
                if variable not in seen or seen[variable].number < write.number:
                    seen[variable] = write
        if operation.writes is not None:
            variable = operation.writes
            self.current[operation] = self.last.get(variable)
            seen = dict(seen)
            seen[variable] = operation
            self.last[variable] = operation
        self.seen[operation] = seen

    def value_of(self, variable, consumer):
        """The write whose value `consumer` gets where it uses `variable`; None for the start of the run."""
        if consumer.writes is variable and consumer.inputs[0] is variable:
            return self.current[consumer]
        return self.seen_before(consumer).get(variable)

    def seen_before(self, consumer):
        seen = self.seen[consumer]
        if consumer.writes is None:
            return seen
        before = {variable: write for variable, write in seen.items() if write is not consumer}
        if self.current[consumer] is not None and consumer.writes in seen:
            before[consumer.writes] = self.current[consumer]
        return before
