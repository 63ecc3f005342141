"""What all optimisers share: groups of parameters, state, zero_grad, step, state_dict."""

from collections.abc import Iterable

import numpy as np

from minigrad.backends import to_device
from minigrad.core.sites import user_site
from minigrad.dynamic.modes import grad_mode
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.dynamic.writing import note_write
from minigrad.errors import MinigradError


class OptimizerError(MinigradError, ValueError, TypeError):
    """An optimiser was given something that it cannot optimise, or a state that does not fit."""


class Optimizer:
    """Updates parameters from their gradients. PyTorch: torch.optim.Optimizer.

    Args:
        params: an iterable of tensors (taken once, so a generator is fine), or of dicts with "params" and options of
            their own.
        defaults: the options of groups that do not set them.

    Raises:
        OptimizerError: there are no parameters, one is given twice, or one is not a leaf.
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = {}
        self.param_groups = []
        if isinstance(params, Tensor) or not isinstance(params, Iterable):
            raise OptimizerError(f"expected an iterable of tensors (for example model.parameters()), got a"
                                 f" {type(params).__name__}")
        groups = list(params)
        if not groups:
            raise OptimizerError("the list of parameters is empty: does the model register its layers as attributes"
                                 " (a plain list of layers is not seen; use ModuleList)?")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, group):
        """Add a group of parameters with options of their own."""
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise OptimizerError(f"an optimiser updates tensors, not a {type(p).__name__}")
            if not p.is_leaf:
                raise OptimizerError(f"a tensor of shape {p.shape} was made by an operation, so no gradient arrives in"
                                     " its .grad: pass the leaf that it was made from, or detach() it")
            if id(p) in known:
                raise OptimizerError("a parameter is given twice")
            known.add(id(p))
        self.param_groups.append({**self.defaults, **group, "params": params})

    def zero_grad(self, set_to_none=True):
        """Forget the gradients (or fill them with zeros)."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None
                elif p.grad is not None:
                    p.grad = wrap(p.xp.zeros_like(p.grad.array))

    def step(self, closure=None):
        """Update every parameter that has a gradient; `closure` computes the loss anew and is called first."""
        loss = None
        if closure is not None:
            token = grad_mode.set(True)
            try:
                loss = closure()
            finally:
                grad_mode.reset(token)
        site = user_site(1)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if p not in self.state:
                        self.state[p] = self.initial_state(p, group)
                    self.update(p, p.grad.array, self.state[p], group)
                    note_write(p, site)
        return loss

    def initial_state(self, p, group):
        """What is kept for one parameter, before its first step."""
        return {}

    def update(self, p, g, state, group):
        """Change the parameter's array in place, from its gradient's array."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it updates a parameter")

    def apply_rule(self, rule, p, g, state, names, **hyper):
        """Update by a rule of ops.updates; `names` are the entries of `state` that it takes and gives."""
        arrays = {name: state[name].array for name in names if state.get(name) is not None}
        new, changed = rule(p.array, g, arrays, **hyper)
        p.array[...] = new
        for name, array in changed.items():
            state[name] = wrap(array)

    # ----- saving
    def state_dict(self):
        """State and options with the parameters replaced by their numbers, as PyTorch lays it out."""
        numbers = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(p, len(numbers))
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[p] for p in group["params"]]})
        return {"state": {numbers[p]: dict(state) for p, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Go on from a state_dict; nothing changes when it does not fit.

        Raises:
            OptimizerError: it has other groups.
        """
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != own:
            raise OptimizerError(f"the state has groups of {sizes} parameters, the optimiser of {own}")
        parameters = {}
        for group, mine in zip(groups, self.param_groups, strict=True):
            parameters.update(zip(group["params"], mine["params"], strict=True))
        state = {}
        for number, entry in state_dict["state"].items():
            state[parameters[number]] = {key: copied(value, parameters[number]) for key, value in entry.items()}
        self.state = state
        for group, mine in zip(groups, self.param_groups, strict=True):
            mine.update({key: value for key, value in group.items() if key != "params"})

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines.extend([f"    {key}: {value}" for key, value in sorted(group.items()) if key != "params"])
        return "\n".join([*lines, ")"])


def copied(value, p):
    """A loaded entry of the state, on the device of the parameter."""
    if isinstance(value, Tensor):
        return wrap(to_device(value.array, p.device).copy())
    return np.copy(value) if isinstance(value, np.ndarray) else value


def check_at_least_zero(**options):
    """Refuse negative options."""
    for name, value in options.items():
        if not value >= 0:
            raise OptimizerError(f"{name} must not be negative, got {value}")
