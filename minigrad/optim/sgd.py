"""Stochastic gradient descent, with momentum, and averaged."""

from typing import Any

from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.ops import updates
from minigrad.optim.optimizer import (
    Optimizer,
    OptimizerError,
    Params,
    check_at_least_zero,
    check_implementation,
    number,
    zeros_like,
)


class SGD(Optimizer):
    """p - lr * g, or with momentum p - lr * (momentum * buffer + g). PyTorch: torch.optim.SGD.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the learning rate.
        momentum: how much of the buffer is kept in each step.
        dampening: how much of the gradient is left out of the buffer.
        weight_decay: the factor of L2 regularisation.
        nesterov: look ahead by one step of the momentum (Sutskever 2013).
        maximize: ascend.
    """

    def __init__(self, params: Params, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 **implementation: Any) -> None:
        check_at_least_zero(lr=lr, momentum=momentum, weight_decay=weight_decay)
        check_implementation(self, implementation)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise OptimizerError("Nesterov's momentum needs a momentum and no dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any] | None:
        return {"momentum_buffer": None} if group["momentum"] else None

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        """The arithmetic of `updates.sgd`, bit for bit."""
        xp = p.xp
        a = self.scratch(p)
        momentum, dampening = number(group["momentum"]), number(group["dampening"])
        g = self.decayed(p, g, number(group["weight_decay"]))
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = wrap(g.copy())
            else:
                xp.multiply(buffer.array, momentum, out=buffer.array)
                scaled = g if dampening == 0 else xp.multiply(g, 1 - dampening, out=a)
                xp.add(buffer.array, scaled, out=buffer.array)
            if group["nesterov"]:
                xp.multiply(buffer.array, momentum, out=a)
                g = xp.add(g, a, out=a)
            else:
                g = buffer.array
        xp.multiply(g, number(group["lr"]), out=a)
        xp.subtract(p.array, a, out=p.array)


class ASGD(Optimizer):
    """Averaged gradient descent (Polyak and Juditsky 1992); the average is ``state[p]["ax"]``. PyTorch: ASGD.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the learning rate of the first step; that of step t is lr / (1 + lambd * lr * t) ** alpha.
        lambd: a weight decay.
        t0: the step from which on the average is taken.
        weight_decay: the factor of L2 regularisation.
    """

    def __init__(self, params: Params, lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
                 weight_decay: float = 0, *, maximize: bool = False, **implementation: Any) -> None:
        check_at_least_zero(lr=lr, weight_decay=weight_decay)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
                                  "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "eta": number(group["lr"]), "mu": 1, "ax": zeros_like(p)}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.asgd, p, g, state, step=state["step"], lr=number(group["lr"]), lambd=group["lambd"],
                        alpha=group["alpha"], t0=group["t0"], weight_decay=number(group["weight_decay"]))
