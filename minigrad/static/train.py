"""Optimisers under TensorFlow 1.x's names. TensorFlow: tf.train.

They apply the update rules of `ops.updates`, the same functions that the dynamic optimisers use, to nodes.
"""

import numpy as np

from minigrad.core.sites import describe
from minigrad.errors import GraphError
from minigrad.graph import Node, default_graph
from minigrad.ops import updates
from minigrad.ops.casting import cast
from minigrad.static import framework
from minigrad.static.decays import (
    cosine_decay as cosine_decay,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    natural_exp_decay as natural_exp_decay,
    piecewise_constant as piecewise_constant,
    polynomial_decay as polynomial_decay,
)
from minigrad.static.saver import Saver as Saver, latest_checkpoint as latest_checkpoint


class Optimizer:
    """What all optimisers share: gradients, slots (state that belongs to a variable), and the update operations."""

    def __init__(self, learning_rate, use_locking, name):
        self.learning_rate = learning_rate
        self.name = name
        self.slots = {}  # (variable, slot name) -> variable

    # ----- what a subclass says
    def slot_values(self, variable):
        """{slot name: its initial value, an array or a number that is repeated} for one variable."""
        return {}

    def updated(self, p, g, state, step):
        """(new value, new state) of a parameter, from its gradient and its slots."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it updates")

    uses_step = False

    # ----- what users call
    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """The operation that makes one step down `loss`.

        Args:
            global_step: a variable to count the steps in.
            var_list: the variables to change, by default the trainable ones.

        Raises:
            GraphError: no variable has a path from `loss`.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all([g is None for g, _ in pairs]):
            names = ", ".join([f"'{v.operation.name}' (made at {describe(v.operation.site)})" for _, v in pairs])
            raise GraphError(f"minimize: no path leads from {loss!r} to any of the variables {names or '(none)'}:"
                             f" {broken_paths(loss)}")
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """Pairs (gradient, variable); the gradient is None where no path leads from `loss`."""
        variables = list(var_list) if var_list is not None else framework.trainable_variables()
        if not variables:
            raise GraphError("there are no variables to change")
        found = framework.gradients(loss, variables, None if grad_loss is None else [grad_loss])
        return list(zip(found, variables, strict=True))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The operation that changes the variables by their gradients; pairs without a gradient are left out."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise GraphError("apply_gradients: no variable has a gradient")
        graph = pairs[0][1].graph
        with graph.as_default(), graph.name_scope(name or self.name):
            writes = []
            step = self.next_step(graph, writes)
            for g, variable in pairs:
                writes.extend(self.update_operations(cast(g, variable.dtype), variable, step))
            if global_step is not None:
                writes.append(global_step.assign_add(1))
            return framework.group(*writes, name="update")

    def update_operations(self, g, variable, step):
        """The writes of one variable and of its slots."""
        slots = {}
        for slot, initial in self.slot_values(variable).items():
            slots[slot] = self.slot(variable, slot, initial)
        new, state = self.updated(variable, g, dict(slots), step)
        writes = [variable.assign(new)]
        for slot, node in slots.items():
            writes.append(node.assign(state[slot]))
        return writes

    def slot(self, variable, name, initial):
        """The slot `name` of a variable, made at the first use."""
        key = variable, name
        if key not in self.slots:
            value = np.broadcast_to(np.asarray(initial, dtype=variable.dtype), variable.shape)
            self.slots[key] = variable.graph.variable(value, name=f"{variable.operation.name}/{self.name}/{name}",
                                                      trainable=False)
        return self.slots[key]

    def next_step(self, graph, writes):
        """The number of this step, a 0-d float64 node that starts at 1; None where the rule needs none."""
        if not self.uses_step:
            return None
        key = None, "step"
        if key not in self.slots:
            self.slots[key] = graph.variable(np.float64(0), name=f"{self.name}/step", trainable=False)
        counted = self.slots[key].assign_add(1.0)
        writes.append(counted)
        return counted

    def get_slot(self, var, name):
        """The variable that holds the state `name` of `var`, or None."""
        return self.slots.get((var, name))

    def get_slot_names(self):
        """The names of the slots, sorted."""
        return sorted({name for variable, name in self.slots if variable is not None})

    def variables(self):
        """All state of the optimiser, the step counter included."""
        return list(self.slots.values())

    def rate(self):
        """The learning rate: a number, or a scalar node as float64."""
        rate = self.learning_rate
        if callable(rate):
            rate = rate()
        return cast(rate, np.float64) if isinstance(rate, Node) else rate


class GradientDescentOptimizer(Optimizer):
    """p - learning_rate * g."""

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(learning_rate, use_locking, name)

    def updated(self, p, g, state, step):
        return updates.sgd(p, g, state, lr=self.rate())


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: m = momentum * m + g; p - learning_rate * m."""

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(learning_rate, use_locking, name)
        self.momentum = momentum
        self.use_nesterov = use_nesterov

    def slot_values(self, variable):
        return {"momentum": 0}

    def updated(self, p, g, state, step):
        new, changed = updates.sgd(p, g, {"momentum_buffer": state["momentum"]}, lr=self.rate(),
                                   momentum=self.momentum, nesterov=self.use_nesterov)
        return new, {"momentum": changed["momentum_buffer"]}


class AdamOptimizer(Optimizer):
    """Adam (Kingma and Ba 2014), with epsilon where TensorFlow 1.x adds it ("epsilon hat").

    Args:
        eps_at: "raw" is TensorFlow's; "corrected" adds epsilon after the bias correction, as the paper's algorithm 1
            and PyTorch do.
    """

    uses_step = True

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam",
                 *, eps_at="raw"):
        super().__init__(learning_rate, use_locking, name)
        self.beta1, self.beta2, self.epsilon, self.eps_at = beta1, beta2, epsilon, eps_at

    def slot_values(self, variable):
        return {"m": 0, "v": 0}

    def updated(self, p, g, state, step):
        new, changed = updates.adam(p, g, {"exp_avg": state["m"], "exp_avg_sq": state["v"]}, step=step, lr=self.rate(),
                                    betas=(self.beta1, self.beta2), eps=self.epsilon, eps_at=self.eps_at)
        return new, {"m": changed["exp_avg"], "v": changed["exp_avg_sq"]}


class RMSPropOptimizer(Optimizer):
    """RMSProp (Hinton's lecture 6e), with epsilon inside of the square root and a mean square that starts at 1."""

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False,
                 name="RMSProp"):
        super().__init__(learning_rate, use_locking, name)
        self.decay, self.momentum, self.epsilon, self.centered = decay, momentum, epsilon, centered

    def slot_values(self, variable):
        slots = {"square_avg": 1, "momentum_buffer": 0}
        return slots | {"grad_avg": 0} if self.centered else slots

    def updated(self, p, g, state, step):
        return updates.rmsprop(p, g, state, lr=self.rate(), alpha=self.decay, eps=self.epsilon, momentum=self.momentum,
                               centered=self.centered, eps_inside_sqrt=True, lr_inside_momentum=True)


class AdagradOptimizer(Optimizer):
    """Adagrad (Duchi 2011): the step shrinks with the root of the sum of squared gradients so far."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        super().__init__(learning_rate, use_locking, name)
        self.initial = initial_accumulator_value

    def slot_values(self, variable):
        return {"accumulator": self.initial}

    def updated(self, p, g, state, step):
        new, changed = updates.adagrad(p, g, {"sum": state["accumulator"]}, lr=self.rate(), eps=0.0)
        return new, {"accumulator": changed["sum"]}


def broken_paths(loss):
    """Which operations below `loss` have no gradient, nearest first, for an error message."""
    seen = set()
    queue = [loss.operation]
    for operation in queue:
        if operation in seen:
            continue
        seen.add(operation)
        if operation.inputs and not operation.prim.differentiable:
            return f"'{operation.name}' ({operation.prim.name}, made at {describe(operation.site)}) has no gradient"
        queue.extend([a.operation for a in operation.inputs if isinstance(a, Node)])
    return "it does not depend on them"


# ----- the global step
def get_global_step(graph=None):
    """The variable that counts the training steps, or None."""
    found = (graph or default_graph()).collection(framework.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph=None):
    """Make the variable that counts the training steps."""
    graph = graph or default_graph()
    if get_global_step(graph) is not None:
        raise GraphError("the graph has a global step already")
    step = graph.variable(np.int64(0), name="global_step", trainable=False)
    graph.collection(framework.GLOBAL_STEP).append(step)
    return step


def get_or_create_global_step(graph=None):
    """The variable that counts the training steps, made when there is none."""
    return get_global_step(graph) or create_global_step(graph)


def global_step(sess, global_step_tensor):
    """The value of the step counter in a session, an int."""
    return int(sess.value_of(global_step_tensor))
