"""Adam and its relatives."""

from typing import Any

from minigrad.dynamic.tensor import Tensor
from minigrad.ops import updates
from minigrad.optim.optimizer import (
    Optimizer,
    Params,
    check_at_least_zero,
    check_betas,
    check_implementation,
    number,
    zeros_like,
)


class Adam(Optimizer):
    """Adam (Kingma and Ba 2014). PyTorch: torch.optim.Adam.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the learning rate.
        betas: the rates of the averages of the gradient and of its square.
        eps: added to the corrected root of the average square.
        weight_decay: the factor of L2 regularisation.
        amsgrad: divide by the largest average square so far (Reddi 2018).
        maximize: ascend.
        decoupled_weight_decay: shrink the parameter and leave the gradient alone, as AdamW does.
    """

    def __init__(self, params: Params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False,
                 decoupled_weight_decay: bool = False, **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(betas)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "maximize": maximize,
                                  "decoupled_weight_decay": decoupled_weight_decay})
        self._corrections: tuple[Any, Any] = (None, None)

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state: dict[str, Any] = {"step": 0, "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(p)
        return state

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        """The arithmetic of `updates.adam` (or adamw), bit for bit."""
        state["step"] += 1
        xp, array = p.xp, p.array
        m, v = state["exp_avg"].array, state["exp_avg_sq"].array
        b1, b2 = group["betas"]
        lr, weight_decay = number(group["lr"]), number(group["weight_decay"])
        if group["decoupled_weight_decay"]:
            if weight_decay != 0:
                xp.multiply(array, 1 - lr * weight_decay, out=array)
        else:
            g = self.decayed(p, g, weight_decay)
        correction1, root2 = self.corrections(b1, b2, state["step"])
        rate, eps = updates.adam_scalars(correction1, root2, lr, number(group["eps"]))
        a = self.scratch(p)
        xp.multiply(m, b1, out=m)
        xp.multiply(g, 1 - b1, out=a)
        xp.add(m, a, out=m)
        xp.multiply(v, b2, out=v)
        xp.square(g, out=a)
        xp.multiply(a, 1 - b2, out=a)
        xp.add(v, a, out=v)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"].array
            v = xp.maximum(largest, v, out=largest)
        xp.sqrt(v, out=a)
        xp.add(a, eps, out=a)
        xp.divide(m, a, out=a)
        xp.multiply(a, rate, out=a)
        xp.subtract(array, a, out=array)

    def corrections(self, b1: float, b2: float, step: int) -> Any:
        """`updates.corrections`, computed once for all parameters that are at the same step."""
        if self._corrections[0] != (b1, b2, step):
            self._corrections = (b1, b2, step), updates.corrections(b1, b2, step)
        return self._corrections[1]


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2017). PyTorch: torch.optim.AdamW."""

    def __init__(self, params: Params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 **implementation: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize,
                         decoupled_weight_decay=True, **implementation)


class Adamax(Optimizer):
    """Adamax (Kingma and Ba 2014, section 7.1). PyTorch: torch.optim.Adamax."""

    def __init__(self, params: Params, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, *, maximize: bool = False, **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(betas)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "exp_avg": zeros_like(p), "exp_inf": zeros_like(p)}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.adamax, p, g, state, step=state["step"], lr=number(group["lr"]),
                        betas=group["betas"], eps=group["eps"], weight_decay=number(group["weight_decay"]))


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016). PyTorch: torch.optim.NAdam.

    Args:
        momentum_decay: how fast the momentum grows to betas[0]; the other arguments are Adam's.
    """

    def __init__(self, params: Params, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
                 maximize: bool = False, **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        check_betas(betas)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
                                  "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "mu_product": 1.0, "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.nadam, p, g, state, step=state["step"], lr=number(group["lr"]), betas=group["betas"],
                        eps=group["eps"], weight_decay=number(group["weight_decay"]),
                        momentum_decay=group["momentum_decay"],
                        decoupled_weight_decay=group["decoupled_weight_decay"])


class RAdam(Optimizer):
    """Rectified Adam (Liu 2019). PyTorch: torch.optim.RAdam; the arguments are Adam's."""

    def __init__(self, params: Params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, decoupled_weight_decay: bool = False, *, maximize: bool = False,
                 **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(betas)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.radam, p, g, state, step=state["step"], lr=number(group["lr"]), betas=group["betas"],
                        eps=group["eps"], weight_decay=number(group["weight_decay"]),
                        decoupled_weight_decay=group["decoupled_weight_decay"])
