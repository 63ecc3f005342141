"""A node: one output of an operation, the value that a line of a define-and-run program stands for."""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.errors import GraphError
from minigrad.ops.methods import OperandMethods


class Node(OperandMethods):
    """Output `index` of an operation: shape and dtype, no value. It is what users of a graph hold.

    A Node is equal to itself only (it can be a key of a feed_dict), has no truth value, and cannot be assigned into.
    """

    __slots__ = ("__weakref__", "aval", "index", "operation")
    level = 1
    __array_ufunc__ = None  # so that `array * node` comes to Node.__rmul__

    @classmethod
    def make(cls, operation, index, aval):
        """Output `index` of `operation`; graphs call this, users get nodes from operations."""
        node = object.__new__(cls)
        node.operation = operation
        node.index = index
        node.aval = aval
        return node

    # ----- the engine
    def process(self, prim, args, params):
        """Add an operation that applies `prim` to `args`: nothing is computed."""
        return self.graph.innermost().apply(prim, args, params)

    # ----- what it is
    @property
    def graph(self):
        return self.operation.graph

    @property
    def op(self):
        """The operation that this is an output of. TensorFlow: Tensor.op."""
        return self.operation

    @property
    def name(self):
        """The operation's name and the number of the output: ``layer1/MatMul:0``."""
        return f"{self.operation.name}:{self.index}"

    @property
    def shape(self):
        """Sizes as a tuple, unknown ones as symbols that print as None; None when the rank is unknown."""
        return self.aval.shape

    @property
    def dtype(self):
        return self.aval.dtype

    @property
    def ndim(self):
        return self.aval.ndim

    def set_shape(self, shape):
        """Say what is known of the shape beyond what was inferred. TensorFlow: Tensor.set_shape.

        Raises:
            GraphError: it contradicts what is known.
        """
        shape = tuple(shape)
        known = self.shape
        if known is not None:
            if len(known) != len(shape):
                raise GraphError(f"set_shape: {self.name} has {len(known)} dimensions, not {len(shape)}")
            merged = []
            for old, new in zip(known, shape, strict=True):
                if new is None:
                    merged.append(old)
                elif isinstance(old, int) and old != new:
                    raise GraphError(f"set_shape: {self.name} has shape {shape_text(known)}, which is not"
                                     f" {shape_text(shape)}")
                else:
                    merged.append(new)
            shape = merged
        self.aval = Aval(tuple([Dim() if size is None else size for size in shape]), self.dtype)

    def draw_key(self):
        """The key for a random draw beside this node (see ops/draws.py)."""
        return self.graph.draw_key()

    # ----- what it is not
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    def __bool__(self):
        raise GraphError(f"{self!r} has no truth value while the graph is built: `if` and `while` of Python cannot look"
                         " at it. Use cond(), while_loop() or where(), or run it in a session first")

    def __len__(self):
        if not self.shape or not isinstance(self.shape[0], int):
            raise GraphError(f"the length of {self!r} is not known while the graph is built; use shape(x)[0]")
        return self.shape[0]

    def __iter__(self):
        if not self.shape or not isinstance(self.shape[0], int):
            raise GraphError(f"{self!r} cannot be iterated over: its length is not known while the graph is built")
        return iter([self[i] for i in range(self.shape[0])])

    def __setitem__(self, index, value):
        raise GraphError("a node cannot be assigned into: a graph's values never change. Use where(), or"
                         " scatter_update() on a variable")

    def __float__(self):
        raise GraphError(f"{self!r} has no value while the graph is built; run it in a session")

    __int__ = __float__
    __index__ = __float__

    def __array__(self, dtype=None, copy=None):
        raise GraphError(f"{self!r} cannot become a NumPy array: it has no value before a session runs it")

    def __repr__(self):
        return f"<Node '{self.name}' {self.aval}>"
