"""What all optimisers share: groups of parameters, state, zero_grad, step, state_dict.

The arithmetic is in `ops.updates`. An optimiser either applies the rule from there to raw arrays, or does the same
arithmetic step by step into memory that it keeps (`scratch`), which gives the same numbers without new arrays.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minigrad.backends import to_device
from minigrad.core.dims import shape_text
from minigrad.core.sites import user_site
from minigrad.dynamic.hooks import Handle
from minigrad.dynamic.modes import GradMode
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.dynamic.writing import note_write
from minigrad.errors import MinigradError

Params = Iterable[Any]  # tensors, (name, tensor) pairs, or dicts with "params" and options

# PyTorch's switches between its implementations; here there is one
IMPLEMENTATIONS = ("foreach", "fused", "capturable", "differentiable")


class OptimizerError(MinigradError, ValueError, TypeError):
    """An optimiser was given something that it cannot optimise, or a state that does not fit."""


class Optimizer:
    """Updates parameters from their gradients. PyTorch: torch.optim.Optimizer.

    A subclass defines `update` (and `initial_state`), or a `step` of its own.

    Args:
        params: an iterable of tensors, or of (name, tensor) pairs (taken once, so a generator is fine), or of dicts
            with "params" and options of their own.
        defaults: the options of groups that do not set them.

    Attributes:
        param_groups: a list of dicts: "params", a list of tensors, and their options ("lr", ...), which may be changed
            at any time.
        state: for each parameter a dict of what is kept for it.

    Raises:
        OptimizerError: there are no parameters, one is given twice, or one is not a leaf.
    """

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._step_count = 0
        self._hooks_made = 0
        self._before: dict[int, Callable] = {}
        self._after: dict[int, Callable] = {}
        self._scratch: dict[Any, Any] = {}
        if isinstance(params, Tensor | dict) or not isinstance(params, Iterable):
            raise OptimizerError(f"expected an iterable of tensors (for example model.parameters()), got a"
                                 f" {type(params).__name__}")
        if isinstance(params, set | frozenset):
            raise OptimizerError("a set of parameters has no order, which the saved state needs: pass a list")
        groups = list(params)
        if not groups:
            raise OptimizerError("the list of parameters is empty: does the model register its layers as attributes"
                                 " (a plain list of layers is not seen; use ModuleList)?")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with options of their own: ``{"params": [...], "lr": 0.1}``."""
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise OptimizerError('a group is a dict with the entry "params", for example {"params": [w], "lr": 0.1},'
                                 f" not {param_group!r:.80}")
        given = param_group["params"]
        given = [given] if isinstance(given, Tensor) else list(given)
        named = {"param_names": [item[0] for item in given]} if given and isinstance(given[0], tuple) else {}
        params = [item[1] for item in given] if named else given
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise OptimizerError(f"an optimiser updates tensors, not a {type(p).__name__}")
            if not p.is_leaf:
                raise OptimizerError(f"a tensor of shape {shape_text(p.shape)} was made by an operation, so no gradient"
                                     " arrives in its .grad: pass the leaf that it was made from, or detach() it")
            if id(p) in known:
                raise OptimizerError(f"a parameter of shape {shape_text(p.shape)} is given twice; a group cannot share"
                                     " it with another")
            known.add(id(p))
        self.param_groups.append({**self.defaults, **param_group, "params": params, **named})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients (or fill them with zeros)."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach().zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: computes the loss anew, calls backward and returns the loss; it is called first.

        Returns:
            What the closure returned.
        """
        loss = evaluated(closure)
        for hook in list(self._before.values()):
            hook(self, (closure,), {})
        site = user_site(1)
        for group in self.param_groups:
            for p in group["params"]:
                g = p.grad
                if g is None:
                    continue
                state = self.state.get(p)
                if state is None:
                    state = self.initial_state(p, group)
                    if state is not None:
                        self.state[p] = state
                g = p.xp.asarray(-g.array) if group.get("maximize") else g.array
                self.update(p, g, state, group)
                note_write(p, site)
        self._step_count += 1
        for hook in list(self._after.values()):
            hook(self, (closure,), {})
        return loss

    # ----- what a subclass says
    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any] | None:
        """What is kept for one parameter, before its first step; None where nothing is."""
        return None

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        """Change the parameter's array in place, from its gradient's array (which is left as it is)."""
        raise NotImplementedError(f"{type(self).__name__} defines neither update() nor a step() of its own")

    def apply_rule(self, rule: Callable, p: Tensor, g: Any, state: dict[str, Any], **hyper: Any) -> None:
        """Update by a rule of ops.updates."""
        values = {name: value.array if isinstance(value, Tensor) else value for name, value in state.items()}
        values.pop("step", None)
        new, changed = rule(p.array, g, values, **hyper)
        p.array[...] = new
        for name, value in changed.items():
            if value is g:
                value = value.copy()  # the gradient's memory will be written by the next backward
            state[name] = wrap(p.xp.asarray(value)) if hasattr(value, "dtype") else value

    def scratch(self, p: Tensor, number: int = 0) -> Any:
        """An array like the parameter's for intermediate results; the same one in every step."""
        key = p.array.shape, p.array.dtype, p.xp, number
        array = self._scratch.get(key)
        if array is None:
            array = self._scratch[key] = p.xp.empty(p.array.shape, p.array.dtype)
        return array

    def decayed(self, p: Tensor, g: Any, weight_decay: float) -> Any:
        """The gradient with that of L2 regularisation added, as `updates.decayed`, in scratch memory."""
        if weight_decay == 0:
            return g
        total = self.scratch(p, 1)
        p.xp.multiply(p.array, weight_decay, out=total)
        return p.xp.add(g, total, out=total)

    # ----- hooks
    def register_step_pre_hook(self, hook: Callable) -> Handle:
        """Call ``hook(optimizer, args, kwargs)`` before every step; returns a handle to remove it by."""
        return self.hooked(self._before, hook)

    def register_step_post_hook(self, hook: Callable) -> Handle:
        """Call ``hook(optimizer, args, kwargs)`` after every step; returns a handle to remove it by."""
        return self.hooked(self._after, hook)

    def hooked(self, hooks: dict[int, Callable], hook: Callable) -> Handle:
        """The handle of `hook`, added to `hooks`."""
        self._hooks_made += 1
        hooks[self._hooks_made] = hook
        return Handle(hooks, self._hooks_made)

    # ----- saving
    def state_dict(self) -> dict[str, Any]:
        """State and options with the parameters replaced by their numbers, as PyTorch lays it out.

        The tensors in it are those of the optimiser, not copies: save it, or deep-copy it, before the next step.
        """
        numbers: dict[Any, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(p, len(numbers))
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[p] for p in group["params"]]})
        state = {numbers[p]: dict(entry) for p, entry in self.state.items() if p in numbers}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state_dict, which is copied; nothing changes when it does not fit.

        Raises:
            OptimizerError: it is no state of an optimiser, has other groups, or belongs to other parameters.
        """
        if not isinstance(state_dict, dict) or not {"state", "param_groups"} <= set(state_dict):
            raise OptimizerError('the state of an optimiser is a dict with "state" and "param_groups", as'
                                 " optimizer.state_dict() gives it")
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != own:
            raise OptimizerError(f"the state has groups of {sizes} parameters, the optimiser of {own}")
        parameters: dict[Any, Tensor] = {}
        for group, mine in zip(groups, self.param_groups, strict=True):
            parameters.update(zip(group["params"], mine["params"], strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, entry in state_dict["state"].items():
            p = parameters[number]
            state[p] = {key: self.loaded(key, value, p, number) for key, value in entry.items()}
        self.state = state
        for group, mine in zip(groups, self.param_groups, strict=True):
            mine.update({key: value for key, value in group.items() if key != "params"})

    def loaded(self, key: str, value: Any, p: Tensor, number: int) -> Any:
        """A copy of entry `key` of the state of parameter `p`, in its dtype and on its device."""
        if isinstance(value, Tensor) and value.ndim == 0 and (p.ndim > 0 or key == "step"):
            return value.item()
        if isinstance(value, Tensor):
            if value.shape != p.shape:
                raise OptimizerError(f"{key} of parameter {number} has shape {shape_text(value.shape)} in the state,"
                                     f" but the parameter has shape {shape_text(p.shape)}: this is the state for"
                                     " another model")
            return wrap(to_device(value.array, p.device).astype(p.dtype))
        return np.copy(value) if isinstance(value, np.ndarray) else value

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        kept["_scratch"] = {}
        return kept

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines.extend([f"    {key}: {value}" for key, value in sorted(group.items()) if key != "params"])
        return "\n".join([*lines, ")"])


def evaluated(closure: Callable[[], Any] | None) -> Any:
    """What the closure returns, called while operations are recorded."""
    if closure is None:
        return None
    with GradMode(True):
        return closure()


def number(value: Any) -> Any:
    """An option as a Python number, also where a tensor or NumPy's scalar was given, which are not weak in NumPy."""
    return value if value.__class__ in (float, int, bool) else value.item() if hasattr(value, "item") else value


def check_at_least_zero(**options: Any) -> None:
    """Refuse negative options."""
    for name, value in options.items():
        if not value >= 0:
            raise OptimizerError(f"{name} must not be negative, got {value}")


def check_betas(betas: tuple[float, float]) -> None:
    """Refuse rates of averages outside [0, 1)."""
    if len(betas) != 2 or not all([0 <= beta < 1 for beta in betas]):
        raise OptimizerError(f"betas must be two numbers in [0, 1), got {betas}")


def check_implementation(optimizer: Optimizer, options: dict[str, Any]) -> None:
    """Accept PyTorch's switches between implementations, which make no difference here; refuse any other option."""
    for name, value in options.items():
        if name not in IMPLEMENTATIONS:
            raise TypeError(f"{type(optimizer).__name__}.__init__() got an unexpected keyword argument '{name}'")
        if name == "differentiable" and value:
            raise OptimizerError("a step that is recorded itself is not offered; write it with operations on tensors")


def zeros_like(p: Tensor) -> Tensor:
    """Zeros to begin an entry of the state with."""
    return wrap(p.xp.zeros(p.array.shape, p.array.dtype))
