"""Tensor, Variable and Graph as TensorFlow 1.x shows them: nodes with its methods and its stricter operators.

TensorFlow 1.x refuses operands of different dtypes; a Python number takes the dtype of the tensor that it meets.
"""

from minigrad.core.dims import Dim
from minigrad.graph import Graph as BaseGraph, Node, Variable as BaseVariable, default_graph
from minigrad.graph.sources import assign_p, identity
from minigrad.ops import arithmetic, comparison
from minigrad.ops.matmul import matmul
from minigrad.static.conversion import as_constant_array, operands
from minigrad.static.sessions import session_or_active


class TensorShape(tuple):
    """A shape with TensorFlow's methods: a tuple of ints and None."""

    __slots__ = ()

    def as_list(self):
        return list(self)

    @property
    def ndims(self):
        return len(self)

    def is_fully_defined(self):
        return None not in self


class Tensor(Node):
    """A node with TensorFlow 1.x's methods. TensorFlow: tf.Tensor."""

    __slots__ = ()

    def get_shape(self):
        """The static shape as a TensorShape, unknown sizes as None; None when the rank is unknown."""
        if self.shape is None:
            return None
        return TensorShape([None if isinstance(size, Dim) else size for size in self.shape])

    def eval(self, feed_dict=None, session=None):
        """The value of this tensor in `session`, by default the active one."""
        return session_or_active(session).run(self, feed_dict)

    def __add__(self, other):
        return arithmetic.add(*operands("add", self, other))

    def __radd__(self, other):
        return arithmetic.add(*operands("add", other, self))

    def __sub__(self, other):
        return arithmetic.sub(*operands("sub", self, other))

    def __rsub__(self, other):
        return arithmetic.sub(*operands("sub", other, self))

    def __mul__(self, other):
        return arithmetic.mul(*operands("mul", self, other))

    def __rmul__(self, other):
        return arithmetic.mul(*operands("mul", other, self))

    def __truediv__(self, other):
        return arithmetic.div(*operands("truediv", self, other))

    def __rtruediv__(self, other):
        return arithmetic.div(*operands("truediv", other, self))

    def __floordiv__(self, other):
        return arithmetic.floor_divide(*operands("floordiv", self, other))

    def __rfloordiv__(self, other):
        return arithmetic.floor_divide(*operands("floordiv", other, self))

    def __mod__(self, other):
        return arithmetic.remainder(*operands("mod", self, other))

    def __rmod__(self, other):
        return arithmetic.remainder(*operands("mod", other, self))

    def __matmul__(self, other):
        return matmul(*operands("matmul", self, other, weak=False))

    def __rmatmul__(self, other):
        return matmul(*operands("matmul", other, self, weak=False))

    def __lt__(self, other):
        return comparison.lt(*operands("less", self, other))

    def __le__(self, other):
        return comparison.le(*operands("less_equal", self, other))

    def __gt__(self, other):
        return comparison.gt(*operands("greater", self, other))

    def __ge__(self, other):
        return comparison.ge(*operands("greater_equal", self, other))


class Variable(Tensor, BaseVariable):
    """A tensor whose value a session keeps from one run to the next. TensorFlow: tf.Variable.

    Args:
        initial_value: a tensor, an array, a number, or a function of no arguments that returns one.
        trainable: whether minimize() changes it.
        collections: keys of the collections to join besides the usual ones.
        dtype: of the value; default as for `constant`.
    """

    __slots__ = ()

    def __new__(cls, initial_value=None, trainable=True, collections=None, validate_shape=True, caching_device=None,
                name=None, dtype=None, expected_shape=None):
        graph = default_graph()
        if callable(initial_value):
            initial_value = initial_value()
        if not isinstance(initial_value, Node):
            initial_value = as_constant_array(initial_value, dtype)
        variable = graph.variable(initial_value, name=name, trainable=trainable)
        for key in collections or ():
            if variable not in graph.collection(key):
                graph.collection(key).append(variable)
        return variable

    def value(self):
        """The tensor itself: using a variable is reading it."""
        return self

    def read_value(self):
        """A tensor with the value at this place in the order of reads and writes."""
        return identity(self)

    def initialized_value(self):
        """The initial value, for the initial values of other variables."""
        return self.initial_value

    def assign(self, value, use_locking=False, name=None):
        """The operation that makes `value` the variable's next value; its output is that value."""
        inputs = operands("assign", self, value, scalar_arrays=True)
        return self.graph.innermost().write(assign_p, self, inputs, {}, name or f"{self.operation.name}/assign")

    def assign_add(self, delta, use_locking=False, name=None):
        """The operation that adds `delta` to the variable; its output is the new value."""
        inputs = operands("assign_add", self, delta)
        name = name or f"{self.operation.name}/assign_add"
        return self.graph.innermost().write(arithmetic.add_p, self, inputs, {}, name)

    def assign_sub(self, delta, use_locking=False, name=None):
        """The operation that subtracts `delta` from the variable; its output is the new value."""
        inputs = operands("assign_sub", self, delta)
        name = name or f"{self.operation.name}/assign_sub"
        return self.graph.innermost().write(arithmetic.sub_p, self, inputs, {}, name)

    def load(self, value, session=None):
        """Set the value in `session`, without an operation."""
        session_or_active(session).load(self, value)


class Graph(BaseGraph):
    """A graph whose nodes have TensorFlow 1.x's methods. TensorFlow: tf.Graph."""

    node_class = Tensor
    variable_class = Variable

    def get_tensor_by_name(self, name):
        """The tensor ``operation:output``."""
        return self.node_by_name(name)

    def get_operation_by_name(self, name):
        """The operation of that name."""
        return self.operation_by_name(name)

    def get_operations(self):
        """All operations, in the order in which they were made."""
        return list(self.operations)

    def get_collection(self, key, scope=None):
        """What was put into the collection `key`, as a new list; `scope` filters by the start of the name."""
        items = self.collections.get(key, [])
        return [item for item in items if scope is None or getattr(item, "name", "").startswith(scope)]

    def add_to_collection(self, key, value):
        """Put `value` into the collection `key`."""
        self.collection(key).append(value)

    def as_graph_element(self, thing):
        """A name, a tensor or an operation, as a tensor or an operation of this graph."""
        if isinstance(thing, str):
            return self.node_by_name(thing) if ":" in thing else self.operation_by_name(thing)
        return thing
