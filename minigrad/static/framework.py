"""Graphs, placeholders, constants, control dependencies, gradients: the frame of a define-and-run program."""

import numpy as np

from minigrad.core.aval import Aval
from minigrad.errors import GraphError
from minigrad.graph import (
    Node,
    default_graph,
    gradients as graph_gradients,
    reset_default_graph as reset_graph,
    sources,
)
from minigrad.graph.graph import open_shape
from minigrad.ops.broadcasting import broadcast_like
from minigrad.ops.joining import stack
from minigrad.static.conversion import as_constant_array, convert_to_tensor
from minigrad.static.naming import named, tensor
from minigrad.static.tensor import Graph

GLOBAL_VARIABLES = "variables"
TRAINABLE_VARIABLES = "trainable_variables"
UPDATE_OPS = "update_ops"
LOSSES = "losses"
REGULARIZATION_LOSSES = "regularization_losses"
GLOBAL_STEP = "global_step"
SUMMARIES = "summaries"


class GraphKeys:
    """The names of the usual collections. TensorFlow: tf.GraphKeys."""

    GLOBAL_VARIABLES = GLOBAL_VARIABLES
    TRAINABLE_VARIABLES = TRAINABLE_VARIABLES
    UPDATE_OPS = UPDATE_OPS
    LOSSES = LOSSES
    REGULARIZATION_LOSSES = REGULARIZATION_LOSSES
    GLOBAL_STEP = GLOBAL_STEP
    SUMMARIES = SUMMARIES


# ----- graphs
def get_default_graph():
    """The graph that new operations are added to."""
    return default_graph()


def reset_default_graph():
    """Forget the default graph and start a new one."""
    reset_graph(Graph)


def get_collection(key, scope=None):
    """What the default graph's collection `key` holds, as a new list."""
    return default_graph().get_collection(key, scope)


def add_to_collection(key, value):
    """Put `value` into the default graph's collection `key`."""
    default_graph().collection(key).append(value)


def set_random_seed(seed):
    """Set the default graph's seed: together with an operation's own seed it decides what that draws."""
    default_graph().seed = seed


# ----- sources
def placeholder(dtype, shape=None, name=None):
    """A tensor whose value is fed at every run.

    Args:
        dtype: of the value.
        shape: None for an unknown rank; a None in it is a size that may differ from run to run.
    """
    return default_graph().placeholder(dtype, shape, name)


def placeholder_with_default(input, shape, name=None):
    """A tensor with a value of its own that may be fed another one."""
    value = convert_to_tensor(input)
    aval = Aval(open_shape(shape), value.dtype)
    graph = value.graph.innermost()
    return graph.apply(sources.placeholder_default_p, (value,), {"aval": aval}, name or "PlaceholderWithDefault")


def constant(value, dtype=None, shape=None, name=None):
    """A tensor with a fixed value: Python floats give float32, ints int32; `shape` repeats a single number."""
    array = as_constant_array(value, dtype)
    if shape is not None:
        array = array.reshape(shape) if array.size > 1 else _filled(array, shape)
    return default_graph().constant(array, name=name)


def _filled(array, shape):
    return np.full(tuple(shape), array.reshape(()))


# ----- order
def control_dependencies(control_inputs):
    """What is made inside of this context runs after `control_inputs`."""
    return default_graph().control_dependencies(control_inputs)


def group(*inputs, name=None):
    """An operation that runs all of `inputs` and has no value."""
    operations = []
    for thing in inputs:
        if isinstance(thing, list | tuple):
            operations.extend(thing)
        else:
            operations.append(thing)
    graph = operations[0].graph if operations else default_graph()
    return no_op(name or "group_deps", graph, [t.operation if isinstance(t, Node) else t for t in operations])


def no_op(name=None, graph=None, control_inputs=()):
    """An operation that does nothing, for the sake of what runs before it."""
    return (graph or default_graph()).add(sources.no_op_p, (), {}, name or "NoOp", control_inputs)


def tuple_(tensors, name=None, control_inputs=None):
    """The same tensors, none of which is there before all of them are. TensorFlow: tf.tuple."""
    tensors = [tensor(t) for t in tensors]
    with default_graph().control_dependencies([*tensors, *(control_inputs or ())]):
        return [identity(t) for t in tensors]


def identity(input, name=None):
    """The same value as a tensor of its own."""
    return named(name, "Identity", sources.identity, tensor(input))


def stop_gradient(input, name=None):
    """The same value, through which no gradient flows."""
    return named(name, "StopGradient", sources.stop_gradient, tensor(input))


# ----- gradients
def gradients(ys, xs, grad_ys=None, name="gradients", stop_gradients=None, unconnected_gradients="none"):
    """The gradients of the sum of `ys` with respect to each of `xs`. TensorFlow: tf.gradients.

    Args:
        grad_ys: the gradient of each y to start from; ones where it is None.
        stop_gradients: tensors to treat as constants.
        unconnected_gradients: "none" gives None for an x that no y depends on, "zero" zeros.
    """
    ys, xs = listed(ys), listed(xs)
    found = graph_gradients(ys, xs, None if grad_ys is None else listed(grad_ys), listed(stop_gradients or []))
    if unconnected_gradients == "zero":
        found = [zeros_for(x) if g is None else g for x, g in zip(xs, found, strict=True)]
    return found


def zeros_for(x):
    return broadcast_like(x.graph.innermost().constant(0, dtype=x.dtype), x)


def listed(things):
    return list(things) if isinstance(things, list | tuple) else [things]


def hessians(ys, xs, name="hessians"):
    """The matrix of second derivatives of the sum of `ys` for each of `xs`, which have one dimension."""
    results = []
    for x in listed(xs):
        if x.shape is None or len(x.shape) != 1 or not isinstance(x.shape[0], int):
            raise GraphError(f"hessians: {x!r} has to be a vector of known length")
        gradient = gradients(ys, x)[0]
        rows = [gradients(gradient[i], x, unconnected_gradients="zero")[0] for i in range(x.shape[0])]
        results.append(stack(rows))
    return results


# ----- variables
def global_variables():
    """All variables of the default graph."""
    return default_graph().get_collection(GLOBAL_VARIABLES)


def trainable_variables(scope=None):
    """The variables that minimize() changes."""
    return default_graph().get_collection(TRAINABLE_VARIABLES, scope)


def variables_initializer(var_list, name="init"):
    """An operation that gives each of the variables its initial value."""
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer():
    """An operation that initialises all variables that exist now."""
    return variables_initializer(global_variables())


def local_variables_initializer():
    """An operation that initialises the local variables; there are none, so it does nothing."""
    return no_op("init_local")


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """The operation that makes `value` the next value of variable `ref`."""
    return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """The operation that adds `value` to variable `ref`."""
    return ref.assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """The operation that subtracts `value` from variable `ref`."""
    return ref.assign_sub(value, name=name)
