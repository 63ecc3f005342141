"""get_variable and variable_scope: variables found by name, and shared only where that was asked for."""

import contextlib

from minigrad.core.dtypes import as_dtype, float32
from minigrad.core.sites import describe, user_site
from minigrad.errors import GraphError
from minigrad.graph import Node, default_graph
from minigrad.static import initializers
from minigrad.static.conversion import as_constant_array
from minigrad.static.framework import add_to_collection

AUTO_REUSE = "AUTO_REUSE"


class VariableScope:
    """What `variable_scope` yields: a name, whether variables are reused, and defaults for new ones."""

    def __init__(self, name, reuse, initializer, regularizer, dtype):
        self.name = name
        self.reuse = reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = dtype
        self.original_name_scope = ""

    def reuse_variables(self):
        """From now on get_variable finds variables in this scope and makes none."""
        self.reuse = True


class VariableStore:
    """The variables of one graph by name, and the scope that is open."""

    def __init__(self):
        self.variables = {}
        self.sites = {}
        self.scope = VariableScope("", False, None, None, float32)


def store():
    """The default graph's VariableStore."""
    found = default_graph().collection("variable_store")
    if not found:
        found.append(VariableStore())
    return found[0]


def get_variable_scope():
    """The scope that is open."""
    return store().scope


@contextlib.contextmanager
def variable_scope(name_or_scope=None, default_name=None, values=None, initializer=None, regularizer=None,
                   caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None,
                   use_resource=None, constraint=None, auxiliary_name_scope=True):
    """A scope for get_variable, and a name scope. TensorFlow: tf.variable_scope.

    Args:
        name_or_scope: a name under the open scope, or a VariableScope to enter again.
        default_name: made unique and used when no name is given.
        reuse: True finds variables and makes none, False makes and refuses to find, AUTO_REUSE does what is needed;
            None keeps what the outer scope does.
    """
    here = store()
    outer = here.scope
    graph = default_graph()
    if isinstance(name_or_scope, VariableScope):
        full, local = name_or_scope.name, name_or_scope.name.rpartition("/")[2]
        defaults = name_or_scope
    else:
        name = name_or_scope
        if name is None:
            if default_name is None:
                raise GraphError("variable_scope needs a name or a default_name")
            name = unique_scope(here, outer.name, default_name)
        full, local = f"{outer.name}/{name}" if outer.name else name, name
        defaults = outer
    if reuse is None:
        reuse = defaults.reuse
    inner = VariableScope(full, reuse, initializer or defaults.initializer, regularizer or defaults.regularizer,
                          as_dtype(dtype) if dtype is not None else defaults.dtype)
    with contextlib.ExitStack() as stack:
        if auxiliary_name_scope:
            inner.original_name_scope = stack.enter_context(graph.name_scope(local))
        here.scope = inner
        try:
            yield inner
        finally:
            here.scope = outer


def unique_scope(here, outer, default_name):
    """`default_name`, numbered when variables stand under that name already."""
    candidate, count = default_name, 0
    while any([name.startswith((f"{outer}/" if outer else "") + candidate + "/") for name in here.variables]):
        count += 1
        candidate = f"{default_name}_{count}"
    return candidate


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None):
    """The variable `name` of the open scope: made, or found where the scope reuses.

    Raises:
        GraphError: it exists and is not to be reused, or the other way round; or it has another shape or dtype.
    """
    here = store()
    scope = here.scope
    full = f"{scope.name}/{name}" if scope.name else name
    dtype = as_dtype(dtype) if dtype is not None else scope.dtype
    if full in here.variables:
        if not scope.reuse:
            raise GraphError(f"variable '{full}' exists already, made at {describe(here.sites[full])}. To share it,"
                             " open the scope with reuse=True or reuse=AUTO_REUSE; in a notebook,"
                             " reset_default_graph() starts anew")
        found = here.variables[full]
        check_same(found, full, shape, dtype)
        return found
    if scope.reuse is True:
        raise GraphError(f"variable '{full}' does not exist, and the scope reuses variables only. Make it outside of"
                         " reuse=True first, or use reuse=AUTO_REUSE")
    initializer = initializer or scope.initializer or initializers.glorot_uniform()
    graph = default_graph()
    outside = graph.name_scope("")
    with outside, graph.outside_control():
        value = initial_value(full, shape, dtype, initializer)
        variable = graph.variable(value, name=full, trainable=trainable)
    here.variables[full] = variable
    here.sites[full] = user_site(1)
    for key in collections or ():
        add_to_collection(key, variable)
    regularizer = regularizer or scope.regularizer
    if regularizer is not None:
        add_to_collection("regularization_losses", regularizer(variable))
    return variable


def initial_value(full, shape, dtype, initializer):
    """The node of a new variable's initial value."""
    if not callable(initializer):
        value = initializer
        return value if isinstance(value, Node) else default_graph().constant(as_constant_array(value, dtype))
    if isinstance(initializer, type):
        initializer = initializer()
    if shape is None:
        raise GraphError(f"variable '{full}' needs a shape")
    sizes = [shape] if isinstance(shape, int) else [size if size is None else int(size) for size in shape]
    if None in sizes:
        raise GraphError(f"variable '{full}' needs a known shape, not {tuple(sizes)}")
    return initializer(sizes, dtype)


def check_same(found, full, shape, dtype):
    """A variable that is shared has to be what the second caller expects."""
    if shape is not None:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        if sizes != found.shape:
            raise GraphError(f"variable '{full}' has shape {found.shape}, it was asked for with {sizes}")
    if dtype != found.dtype:
        raise GraphError(f"variable '{full}' is {found.dtype}, it was asked for as {dtype}")
