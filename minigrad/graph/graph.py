"""The graph: an ordered list of operations with unique names, and the contexts in which new ones are made."""

import contextlib
from contextvars import ContextVar

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.core.dispatch import Operand
from minigrad.core.dtypes import as_dtype, is_scalar
from minigrad.core.failures import operands_text
from minigrad.core.sites import describe, user_site
from minigrad.errors import DtypeError, GraphError, MinigradError, ShapeError
from minigrad.graph import sources
from minigrad.graph.node import Node
from minigrad.graph.operation import Operation
from minigrad.graph.variable import Variable

SUGGESTED_NAMES = {"div": "truediv", "placeholder": "Placeholder", "constant": "Const"}


class Graph:
    """Operations in the order in which they were made. TensorFlow: tf.Graph.

    Attributes:
        operations: the list of them; an operation's inputs always stand before it.
        collections: lists of things by key (variables, update operations, ...).
        node_class, variable_class: the classes of nodes and variables made in this graph; a dialect gives its own.
        seed: the graph's seed for random draws, or None.
    """

    node_class = Node
    variable_class = Variable

    def __init__(self):
        self.operations = []
        self.collections = {}
        self.seed = None
        self.finalized = None
        self._by_name = {}
        self._uses = {}  # lower-case name -> how often it was asked for
        self._scope = ""
        self._control = ()
        self.run_number = None  # the node of the session's count of runs, when something random needs it
        self._captured = {}  # id of a dynamic parameter -> (parameter, its variable here)
        self._next_number = 1

    # ----- adding operations
    def apply(self, prim, args, params, name=None):
        """Add the operation `prim` on `args` (Nodes, arrays, scalars, Tensors); returns its Node, or a tuple of them.

        Nothing is left behind when it fails.
        """
        mark = len(self.operations)
        try:
            args = tuple([self.operand(prim, a) for a in args])
            if prim.promote is not None:
                args = prim.promote(prim, args)
            operation = self.add(prim, args, params, name)
        except Exception:
            self.forget(mark)
            raise
        return operation.outputs if prim.multiple else operation.outputs[0]

    def add(self, prim, inputs, params, name=None, control_inputs=(), writes=None):
        """Add one operation and return it; the inputs are Nodes of this graph and Python scalars.

        Raises:
            GraphError: the graph is finalized, or an input belongs to another graph.
            ShapeError, DtypeError, ...: the primitive's shape rule refuses the inputs.
        """
        if self.finalized is not None:
            raise GraphError(f"the graph was finalized at {describe(self.finalized)}: {prim.name} cannot be added."
                             " Build everything before the training loop")
        for a in inputs:
            if isinstance(a, Node) and a.graph is not self:
                raise GraphError(f"{prim.name}: {a!r} (made at {a.operation.where}) belongs to another graph. Was the"
                                 " default graph reset in between?")
        site = user_site(2)
        avals = self.inferred(prim, inputs, params)
        name = self.unique_name(self._scope + (name or SUGGESTED_NAMES.get(prim.name, prim.name)))
        control = [c for c in (*self._control, *control_inputs) if c is not None]
        operation = Operation(self, self._next_number, name, prim, tuple(inputs), params, tuple(control), writes, site)
        node_class = self.variable_class if prim is sources.variable_p else self.node_class
        operation.outputs = tuple([node_class.make(operation, i, aval) for i, aval in enumerate(avals)])
        self._next_number += 1
        self.operations.append(operation)
        self._by_name[name] = operation
        return operation

    def write(self, prim, variable, inputs, params, name):
        """Add an operation whose result becomes the next value of `variable`; returns its node.

        Raises:
            ShapeError, DtypeError: the result does not fit the variable.
        """
        result, = self.inferred(prim, inputs, params)
        if result.dtype != variable.dtype:
            raise DtypeError(f"{name}: a value of dtype {result.dtype} cannot be written to {variable!r}")
        if not may_fit(result.shape, variable.shape):
            raise ShapeError(f"{name}: a value of shape {shape_text(result.shape)} cannot be written to {variable!r}")
        return self.add(prim, inputs, params, name, writes=variable).outputs[0]

    def inferred(self, prim, inputs, params):
        """The avals of the outputs, as a tuple."""
        avals = [a.aval if isinstance(a, Node) else a for a in inputs]
        try:
            result = prim.infer(*avals, **params)
        except MinigradError as error:
            error.add_note(made_at(inputs))
            raise
        except (TypeError, ValueError, IndexError) as error:
            ours = DtypeError if isinstance(error, TypeError) else ShapeError
            raise ours(f"{prim.name}({operands_text(avals)}): {error}") from error
        return result if isinstance(result, tuple) else (result,)

    def innermost(self):
        """The graph to build in beside nodes of this one: a sub-graph that is being built inside of it, else itself."""
        current = _current.get()
        return current if current is not None and current is not self and current.is_inside(self) else self

    def is_inside(self, graph):
        """Is `graph` this one, or one around it? See SubGraph."""
        return graph is self

    def operand(self, prim, a):
        """Operand `a` of `prim` as a Node of this graph or a Python scalar."""
        if isinstance(a, Node):
            return a
        if isinstance(a, Operand):
            return self.captured(a)
        if a.__class__ is bool or a.__class__ is int or a.__class__ is float:
            return a
        if is_scalar(a):
            return self.constant(a) if isinstance(a, np.generic) else a
        if isinstance(a, np.ndarray):
            return self.constant(a)
        raise DtypeError(f"{prim.name}: a {type(a).__name__} cannot be an operand of a graph's operation; expected a"
                         " Node, a number or an array")

    def captured(self, tensor):
        """The node for a dynamic Tensor: one variable a parameter, a constant for any other."""
        key = id(tensor)
        if key in self._captured:
            return self._captured[key][1]
        value, is_parameter = tensor.captured()
        if not is_parameter:
            return self.constant(value)
        node = self.variable(value, name="Parameter")
        self._captured[key] = tensor, node
        return node

    def variable_of(self, tensor):
        """The variable that stands for a dynamic parameter here, or None."""
        entry = self._captured.get(id(tensor))
        return None if entry is None else entry[1]

    def forget(self, mark):
        """Take back the operations after the first `mark` ones."""
        for operation in self.operations[mark:]:
            del self._by_name[operation.name]
        del self.operations[mark:]

    # ----- sources
    def placeholder(self, dtype, shape=None, name=None):
        """A node whose value is fed at every run; `shape` None is an unknown rank, a None in it an unknown size."""
        aval = Aval(open_shape(shape), as_dtype(dtype))
        return self.add(sources.placeholder_p, (), {"aval": aval}, name).outputs[0]

    def constant(self, value, dtype=None, name=None):
        """A node with a fixed value, which is copied."""
        value = np.array(value, dtype=None if dtype is None else as_dtype(dtype))
        as_dtype(value.dtype)
        value.flags.writeable = False
        params = {"aval": Aval(value.shape, value.dtype), "value": value}
        with self.outside_control():
            return self.add(sources.constant_p, (), params, name).outputs[0]

    def variable(self, initial_value, dtype=None, name=None, trainable=True):
        """A variable with the operation that initialises it; `initial_value` is a Node, an array or a number."""
        with self.outside_control():
            if not isinstance(initial_value, Node):
                initial_value = self.constant(initial_value, dtype, name=f"{name or 'Variable'}/initial_value")
            operation = self.add(sources.variable_p, (), {"aval": initial_value.aval}, name or "Variable")
            node = operation.outputs[0]
            node.trainable = trainable
            node.initial_value = initial_value
            with self.name_scope(f"{operation.name}/"):
                node.initializer = self.write(sources.assign_p, node, (node, initial_value), {}, "Assign").operation
        self.collection("variables").append(node)
        if trainable:
            self.collection("trainable_variables").append(node)
        return node

    def draw_key(self, seed=None):
        """A node with the key for one random draw a run: (seeds of graph and operation combined, number of the run).

        Without a seed of its own an operation has the number of those made before it; without any, a fresh one.
        """
        if self.run_number is None:
            with self.outside_control():
                aval = Aval((), np.int64)
                self.run_number = self.add(sources.variable_p, (), {"aval": aval}, "run_number").outputs[0]
        if seed is None and self.seed is None:
            combined = int(np.random.SeedSequence().entropy) & (2**63 - 1)
        else:
            own = self._next_number if seed is None else int(seed)
            combined = ((self.seed or 0) * 0x9E3779B97F4A7C15 + own) & (2**63 - 1)
        return self.apply(sources.draw_key_p, (self.run_number,), {"seed": combined}, "draw_key")

    def collection(self, key):
        """The list under `key`, made when first asked for."""
        return self.collections.setdefault(key, [])

    # ----- names and contexts
    def unique_name(self, name):
        """`name`, or with a number appended when it is taken (in any spelling of upper and lower case)."""
        key = name.lower()
        count = self._uses.get(key, 0)
        self._uses[key] = count + 1
        if count == 0:
            return name
        candidate = f"{name}_{count}"
        while candidate.lower() in self._uses:
            count += 1
            candidate = f"{name}_{count}"
        self._uses[key] = count + 1
        self._uses[candidate.lower()] = 1
        return candidate

    @contextlib.contextmanager
    def name_scope(self, name):
        """Put the names of what is made inside under ``name/``; a name that ends in "/" re-enters a scope."""
        outer = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name
        else:
            self._scope = self.unique_name(outer + name) + "/"
        try:
            yield self._scope
        finally:
            self._scope = outer

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        """What is made inside runs after `control_inputs` (operations or nodes); None forgets the outer ones."""
        outer = self._control
        if control_inputs is None:
            self._control = ()
        else:
            operations = [c.operation if isinstance(c, Node) else c for c in control_inputs]
            self._control = (*outer, *operations)
        try:
            yield
        finally:
            self._control = outer

    @property
    def next_number(self):
        """The number that the next operation will have."""
        return self._next_number

    def outside_control(self):
        """A context without control dependencies, for what is made once and not at every run."""
        return self.control_dependencies(None)

    @contextlib.contextmanager
    def as_default(self):
        """Make this the default graph of the context."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def finalize(self):
        """Refuse every further change."""
        self.finalized = user_site(2)

    # ----- looking things up
    def operation_by_name(self, name):
        try:
            return self._by_name[name]
        except KeyError:
            raise GraphError(f"the graph has no operation named {name!r}") from None

    def node_by_name(self, name):
        """The node ``operation:output``."""
        operation, colon, index = name.partition(":")
        if not colon or not index.isdigit():
            raise GraphError(f"{name!r} is not the name of a node; they look like 'MatMul:0'")
        outputs = self.operation_by_name(operation).outputs
        if int(index) >= len(outputs):
            raise GraphError(f"operation {operation!r} has {len(outputs)} outputs, there is no {name!r}")
        return outputs[int(index)]

    def rename(self, operation, name):
        """Give the operation just made a name of the caller's choice, made unique, under the current scope."""
        old = operation.name
        del self._by_name[old]
        if self._uses.get(old.lower()) == 1:
            del self._uses[old.lower()]
        operation.name = self.unique_name(self._scope + name)
        self._by_name[operation.name] = operation

    def __repr__(self):
        return f"<Graph of {len(self.operations)} operations>"


_base = [Graph]  # the default graph outside of any as_default(), made when first asked for
_current: ContextVar[Graph | None] = ContextVar("minigrad_default_graph", default=None)


def default_graph():
    """The graph that operations without a Node among their inputs are added to."""
    graph = _current.get()
    if graph is None:
        if isinstance(_base[0], type):
            _base[0] = _base[0]()
        graph = _base[0]
    return graph


def reset_default_graph(graph_class=None):
    """Forget the default graph and start a new one. Not inside `as_default()`."""
    if _current.get() is not None:
        raise GraphError("the default graph cannot be reset inside of `with graph.as_default()`")
    old = _base[0]
    _base[0] = graph_class or (old if isinstance(old, type) else type(old))


def open_shape(shape):
    """A shape in which each None, of any spelling, became an unknown size of its own; None is an unknown rank."""
    if shape is None:
        return None
    if isinstance(shape, int):
        shape = (shape,)
    sizes = []
    for size in shape:
        sizes.append(Dim() if size is None or (isinstance(size, int) and size < 0) else size)
    return tuple([size if isinstance(size, Dim) else int(size) for size in sizes])


def may_fit(shape, other):
    """Could two shapes be the same?"""
    if shape is None or other is None:
        return True
    return len(shape) == len(other) and all(map(may_equal, shape, other))


def made_at(inputs):
    """Where the inputs were made, for an error message."""
    lines = []
    for a in inputs:
        if isinstance(a, Node):
            lines.append(f"{a!r} was made at {a.operation.where}")
    return "\n".join(lines)
