"""Names of operations: what TensorFlow calls the result of a function, and the scopes it stands in."""

import contextlib

from minigrad.core.dispatch import Operand
from minigrad.graph import Node, default_graph
from minigrad.static.conversion import convert_to_tensor


def named(name, default, function, *args, **params):
    """The result of ``function(*args, **params)``, whose operation gets the name `name`, or `default`.

    Only an operation that the call made is renamed: a function may return its argument.
    """
    graph = graph_of(args)
    mark = graph.next_number
    with graph.as_default():
        result = function(*args, **params)
    node = result[0] if isinstance(result, tuple | list) else result
    if not isinstance(node, Node):
        node = result = graph.constant(node)
    if node.operation.number >= mark:
        graph.rename(node.operation, name or default)
    return result


def graph_of(args):
    """The graph of the first node among `args`, looking into lists; else the default graph."""
    for a in args:
        if isinstance(a, Node):
            return a.graph.innermost()
        if isinstance(a, list | tuple):
            for b in a:
                if isinstance(b, Node):
                    return b.graph.innermost()
    return default_graph()


def tensor(x, dtype=None):
    """`x` as a tensor."""
    return x if isinstance(x, Node) and dtype is None else convert_to_tensor(x, dtype)


def tensors(xs):
    """Each of `xs` as a tensor; numbers take the dtype of the first tensor among them."""
    like = next((x for x in xs if isinstance(x, Node)), None)
    return [x if isinstance(x, Node) else convert_to_tensor(x, None if like is None or isinstance(x, Operand)
                                                            else like.dtype) for x in xs]


@contextlib.contextmanager
def name_scope(name, default_name=None, values=None):
    """Names made inside stand under ``name/``. TensorFlow: tf.name_scope."""
    with default_graph().name_scope(name if name is not None else default_name) as scope:
        yield scope
