"""Session: runs parts of a graph, and owns the values of its variables."""

import threading

import numpy as np

from minigrad.backends import as_device, to_numpy
from minigrad.backends.devices import NAMESPACES, backend_for
from minigrad.compiler import compile_plan, interpret
from minigrad.core.aval import Aval
from minigrad.core.dims import may_equal, shape_text
from minigrad.errors import FeedError, FetchError, GraphError, UninitializedError
from minigrad.graph import Node, Operation, default_graph
from minigrad.static.sessions import active_session
from minigrad.static.structure import flatten, rebuild


class Session:
    """Runs what is fetched of a graph, with the values that are fed. TensorFlow: tf.Session.

    A run is compiled to a plan at its first time, and looked up by (fetches, fed tensors, their shapes and dtypes)
    afterwards. Reads see the state at the start of the run unless a control dependency says otherwise; the writes of
    a run are committed together at its end, and a failing run commits none.

    Args:
        target: ignored, there for scripts that pass it.
        graph: the graph to run, by default the default graph.
        config: ignored, there for scripts that pass one.
        device: "cpu" or "cuda": where everything is kept and computed.
        numerics: "fast", or "exact" for plans that equal the dynamic engine bit for bit.
        passes: names of the graph rewrites to run; None runs all.
        interpreted: run in the reference interpreter, without compiling.
    """

    def __init__(self, target="", graph=None, config=None, *, device="cpu", numerics="fast", passes=None,
                 interpreted=False):
        self.graph = graph or default_graph()
        self.device = as_device(device)
        self.backend = backend_for(self.device)
        self.numerics = numerics
        self.passes = passes
        self.interpreted = interpreted
        self._state = {}
        self._plans = {}
        self._lock = threading.RLock()
        self._tokens = []
        self._runs = 0
        self._closed = False

    # ----- running
    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Compute `fetches` and return their values in the same structure.

        Args:
            fetches: a tensor, an operation, a name, or a list, tuple, named tuple or dict of these, nested at will.
            feed_dict: {tensor: value} for placeholders, and for any tensor whose value shall be this one.

        Returns:
            NumPy arrays (NumPy scalars for tensors without dimensions); None for operations.

        Raises:
            FetchError: something fetched is not part of the graph.
            FeedError: a needed placeholder is not fed, or a value does not fit what it is fed to.
            UninitializedError: variables are read before they were initialised; all of them are named.
        """
        if self._closed:
            raise GraphError("the session was closed")
        leaves, structure = flatten(fetches)
        nodes, operations = self.fetched(leaves)
        with self._lock:
            feeds = self.fed(feed_dict)
            values = self.compute(nodes, operations, feeds)
        results = iter([host_value(value) for value in values])
        filled = [next(results) if isinstance(leaf, Node) else None for leaf in self.elements(leaves)]
        return rebuild(structure, filled)

    def compute(self, nodes, operations, feeds):
        """Run once; commits what was written and returns the values of `nodes`."""
        self._runs += 1
        if self.graph.run_number is not None:
            self._state[self.graph.run_number] = self.xp.asarray(self._runs, dtype=np.int64)
        if self.interpreted:
            values, written = interpret(nodes, operations, feeds, self._state)
            self._state.update({variable: self.xp.array(value) for variable, value in written.items()})
            return [self.xp.array(value) for value in values]
        plan = self.plan_for(nodes, operations, feeds)
        state = self._state
        try:
            states = [state[variable] for variable in plan.states]
        except KeyError:
            raise uninitialised(plan, state) from None
        values, written = plan([feeds[node] for node in plan.feeds], states)
        for variable, value in zip(plan.writes, written, strict=True):
            state[variable] = value
        return values

    def plan_for(self, nodes, operations, feeds):
        """The plan for this set of fetches and feeds."""
        shapes = tuple([(node, value.shape, value.dtype) for node, value in feeds.items()])
        key = tuple(nodes), tuple(operations), shapes
        plan = self._plans.get(key)
        if plan is None:
            fed = {node: Aval(value.shape, value.dtype) for node, value in feeds.items()}
            known = {variable: Aval(value.shape, value.dtype) for variable, value in self._state.items()}
            plan = compile_plan(nodes, operations, fed, known, self.xp, self.numerics, self.passes)
            self._plans[key] = plan
        return plan

    def plan(self, fetches, feed_dict=None):
        """The Plan that `run` with these arguments uses; print it to read it."""
        nodes, operations = self.fetched(flatten(fetches)[0])
        return self.plan_for(nodes, operations, self.fed(feed_dict))

    @property
    def xp(self):
        """The array library that the session computes with."""
        return self.backend.xp

    # ----- what comes in
    def elements(self, leaves):
        """Fetched names looked up; everything else as it is."""
        return [self.graph.as_graph_element(leaf) if isinstance(leaf, str) else leaf for leaf in leaves]

    def fetched(self, leaves):
        """(nodes, operations) among the fetched things."""
        nodes, operations = [], []
        for leaf in leaves:
            if isinstance(leaf, str):
                leaf = self.graph.as_graph_element(leaf)
            if isinstance(leaf, Node):
                self.check_mine(leaf, leaf.graph)
                nodes.append(leaf)
            elif isinstance(leaf, Operation):
                self.check_mine(leaf, leaf.graph)
                operations.append(leaf)
            else:
                raise FetchError(f"a {type(leaf).__name__} was fetched; expected a tensor, an operation or a name. Was"
                                 " a tensor overwritten with its value (loss = sess.run(loss))?")
        return nodes, operations

    def check_mine(self, thing, graph):
        if graph is not self.graph:
            raise FetchError(f"{thing!r} belongs to another graph ({graph!r}) than the session ({self.graph!r}). Was"
                             " the default graph reset in between?")

    def fed(self, feed_dict):
        """{Node: array on the session's device}, checked against what the nodes are."""
        feeds = {}
        for key, value in (feed_dict or {}).items():
            node = self.graph.as_graph_element(key) if isinstance(key, str) else key
            if not isinstance(node, Node):
                raise FeedError(f"feed_dict: the key {key!r} is a {type(key).__name__}, expected a tensor")
            self.check_mine(node, node.graph)
            feeds[node] = self.feed_value(node, value)
        return feeds

    def feed_value(self, node, value):
        if isinstance(value, Node):
            raise FeedError(f"feed_dict: the value for {node!r} is a tensor; feed its value: sess.run(it) first")
        if value.__class__ in NAMESPACES and value.__class__ is self.backend.array_type and value.dtype == node.dtype:
            array = value
        else:
            array = self.converted(node, value)
        shape = node.shape
        if shape is not None:
            if len(shape) != len(array.shape) or not all(map(may_equal, shape, array.shape)):
                raise FeedError(f"feed_dict: a value of shape {shape_text(array.shape)} cannot be fed to {node!r} of"
                                f" shape {shape_text(shape)} (made at {node.operation.where})")
        return array

    def converted(self, node, value):
        """`value` as an array of the node's dtype, on the session's device."""
        value = value if value.__class__ not in NAMESPACES else to_numpy(value)
        try:
            array = np.asarray(value)
            if array.dtype != node.dtype and not np.can_cast(array.dtype, node.dtype, "same_kind"):
                if array.dtype.kind != "f" or node.dtype.kind == "b" or not np.all(array == np.trunc(array)):
                    if not (array.dtype.kind in "iub" and node.dtype.kind in "iuf"):
                        raise TypeError(f"a value of dtype {array.dtype}")
            array = array.astype(node.dtype, copy=False)
        except (TypeError, ValueError) as error:
            raise FeedError(f"feed_dict: {error} cannot be fed to {node!r} (made at {node.operation.where})") from None
        return self.backend.from_host(array)

    # ----- state
    def load(self, variable, value):
        """Set the value of a variable."""
        with self._lock:
            self._state[variable] = self.xp.array(self.feed_value(variable, value))

    def value_of(self, variable):
        """The value of a variable as a NumPy array (a copy)."""
        if variable not in self._state:
            raise UninitializedError(f"{variable!r} was not initialised in this session")
        return np.array(to_numpy(self._state[variable]))

    def is_initialized(self, variable):
        """True when the variable has a value in this session."""
        return variable in self._state

    def write_back(self, module):
        """Copy the values of a module's parameters in this session back into the module.

        Raises:
            GraphError: the graph uses none of its parameters.
        """
        found = False
        for parameter in module.parameters():
            variable = self.graph.variable_of(parameter)
            if variable is not None:
                parameter.write_back(self.value_of(variable))
                found = True
        if not found:
            raise GraphError("write_back: the graph of this session uses none of the module's parameters")

    # ----- with
    def __enter__(self):
        self._tokens.append((active_session.set(self), self.graph.as_default()))
        self._tokens[-1][1].__enter__()
        return self

    def __exit__(self, *exc):
        token, graph_context = self._tokens.pop()
        graph_context.__exit__(*exc)
        active_session.reset(token)
        if not self._tokens:
            self.close()

    def as_default(self):
        """A context in which this is the active session, and which does not close it."""
        return ActiveSession(self)

    def close(self):
        """Let go of plans and values; running it afterwards raises."""
        self._closed = True
        self._plans.clear()
        self._state.clear()


class ActiveSession:
    """What `Session.as_default()` returns."""

    def __init__(self, session):
        self.session = session

    def __enter__(self):
        self.token = active_session.set(self.session)
        return self.session

    def __exit__(self, *exc):
        active_session.reset(self.token)


class InteractiveSession(Session):
    """A session that is active from the start, for notebooks. TensorFlow: tf.InteractiveSession."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        active_session.set(self)


def uninitialised(plan, state):
    """The error that names all variables which are read and have no value."""
    missing = [f"'{variable.operation.name}' (made at {variable.operation.where})"
               for variable in plan.states if variable not in state]
    return UninitializedError(f"variables are read before they were initialised: {', '.join(missing)}. Run"
                              " global_variables_initializer(), made after all of them, first")


def host_value(value):
    """A fetched value as NumPy gives it: an array, or a scalar when it has no dimensions."""
    value = to_numpy(value)
    return value[()] if value.ndim == 0 else value
