"""RMSprop, Adagrad, Adadelta, Rprop: a rate of its own for each element."""

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


class RMSprop(Optimizer):
    """RMSprop (Hinton's lecture 6e). PyTorch: torch.optim.RMSprop.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the learning rate.
        alpha: the rate of the average of squared gradients.
        eps: added to the root of that average.
        weight_decay: the factor of L2 regularisation.
        momentum: how much of the last step is kept.
        centered: divide by an estimate of the standard deviation (Graves 2013).
        maximize: ascend.
    """

    def __init__(self, params: Params, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False, *, maximize: bool = False,
                 **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay, momentum=momentum, alpha=alpha)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay,
                                  "momentum": momentum, "centered": centered, "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        names = ["square_avg", *(["momentum_buffer"] if group["momentum"] else []),
                 *(["grad_avg"] if group["centered"] else [])]
        return {"step": 0, **{name: zeros_like(p) for name in names}}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        """The arithmetic of `updates.rmsprop`, bit for bit."""
        state["step"] += 1
        xp = p.xp
        a = self.scratch(p)
        alpha = number(group["alpha"])
        g = self.decayed(p, g, number(group["weight_decay"]))
        squares = state["square_avg"].array
        xp.multiply(squares, alpha, out=squares)
        xp.square(g, out=a)
        xp.multiply(a, 1 - alpha, out=a)
        xp.add(squares, a, out=squares)
        if group["centered"]:
            mean = state["grad_avg"].array
            xp.multiply(mean, alpha, out=mean)
            xp.multiply(g, 1 - alpha, out=a)
            xp.add(mean, a, out=mean)
            xp.square(mean, out=a)
            squares = xp.subtract(squares, a, out=a)
        xp.sqrt(squares, out=a)
        xp.add(a, number(group["eps"]), out=a)
        xp.divide(g, a, out=a)
        if "momentum_buffer" in state:
            buffer = state["momentum_buffer"].array
            xp.multiply(buffer, number(group["momentum"]), out=buffer)
            xp.add(buffer, a, out=buffer)
            xp.multiply(buffer, number(group["lr"]), out=a)
        else:
            xp.multiply(a, number(group["lr"]), out=a)
        xp.subtract(p.array, a, out=p.array)


class Adagrad(Optimizer):
    """Adagrad (Duchi 2011). PyTorch: torch.optim.Adagrad.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the learning rate of the first step; that of step t is lr / (1 + (t - 1) * lr_decay).
        weight_decay: the factor of L2 regularisation.
        initial_accumulator_value: what the sums of squares start from.
        eps: added to their roots.
        maximize: ascend.
    """

    def __init__(self, params: Params, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, *, maximize: bool = False,
                 **implementation: Any) -> None:
        check_at_least_zero(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                            initial_accumulator_value=initial_accumulator_value)
        check_implementation(self, implementation)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "sum": wrap(p.xp.full(p.array.shape, group["initial_accumulator_value"], p.array.dtype))}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.adagrad, p, g, state, step=state["step"], lr=number(group["lr"]),
                        lr_decay=group["lr_decay"], weight_decay=number(group["weight_decay"]), eps=group["eps"])


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012). PyTorch: torch.optim.Adadelta.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: a factor of the steps.
        rho: the rate of the averages of squared gradients and squared steps.
        eps: added to both averages.
        weight_decay: the factor of L2 regularisation.
        maximize: ascend.
    """

    def __init__(self, params: Params, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 *, maximize: bool = False, **implementation: Any) -> None:
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay, rho=rho)
        check_implementation(self, implementation)
        if rho > 1:
            raise OptimizerError(f"rho must be in [0, 1], got {rho}")
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "square_avg": zeros_like(p), "acc_delta": zeros_like(p)}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.adadelta, p, g, state, lr=number(group["lr"]), rho=group["rho"], eps=group["eps"],
                        weight_decay=number(group["weight_decay"]))


class Rprop(Optimizer):
    """Resilient backpropagation (Riedmiller and Braun 1993), for whole batches. PyTorch: torch.optim.Rprop.

    Args:
        params: tensors, or groups of them (see Optimizer).
        lr: the size of the first step.
        etas: the factors by which a step shrinks and grows.
        step_sizes: the smallest and the largest step.
        maximize: ascend.
    """

    def __init__(self, params: Params, lr: float = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
                 step_sizes: tuple[float, float] = (1e-6, 50), *, maximize: bool = False,
                 **implementation: Any) -> None:
        check_at_least_zero(lr=lr)
        check_implementation(self, implementation)
        if not 0 < etas[0] < 1 < etas[1]:
            raise OptimizerError(f"etas must be a number in (0, 1) and one above 1, got {etas}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})

    def initial_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        sizes = wrap(p.xp.full(p.array.shape, number(group["lr"]), p.array.dtype))
        return {"step": 0, "prev": zeros_like(p), "step_size": sizes}

    def update(self, p: Tensor, g: Any, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        self.apply_rule(updates.rprop, p, g, state, etas=group["etas"], step_sizes=group["step_sizes"])
