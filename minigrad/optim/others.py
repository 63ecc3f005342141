"""RMSprop, Adagrad, Adadelta."""

from minigrad.dynamic.tensor import wrap
from minigrad.ops import updates
from minigrad.optim.optimizer import Optimizer, check_at_least_zero


class RMSprop(Optimizer):
    """RMSprop (Hinton's lecture 6e). PyTorch: torch.optim.RMSprop."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False):
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay, momentum=momentum, alpha=alpha)
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay,
                                  "momentum": momentum, "centered": centered})

    def names(self, group):
        return ["square_avg", *(["momentum_buffer"] if group["momentum"] else []),
                *(["grad_avg"] if group["centered"] else [])]

    def initial_state(self, p, group):
        return {name: wrap(p.xp.zeros_like(p.array)) for name in self.names(group)}

    def update(self, p, g, state, group):
        self.apply_rule(updates.rmsprop, p, g, state, self.names(group), lr=group["lr"], alpha=group["alpha"],
                        eps=group["eps"], weight_decay=group["weight_decay"], momentum=group["momentum"],
                        centered=group["centered"])


class Adagrad(Optimizer):
    """Adagrad (Duchi 2011). PyTorch: torch.optim.Adagrad."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10):
        check_at_least_zero(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                            initial_accumulator_value=initial_accumulator_value)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value})

    def initial_state(self, p, group):
        return {"step": 0, "sum": wrap(p.xp.full_like(p.array, group["initial_accumulator_value"]))}

    def update(self, p, g, state, group):
        state["step"] += 1
        self.apply_rule(updates.adagrad, p, g, state, ["sum"], step=state["step"], lr=group["lr"],
                        lr_decay=group["lr_decay"], weight_decay=group["weight_decay"], eps=group["eps"])


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012). PyTorch: torch.optim.Adadelta."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0):
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay, rho=rho)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    def initial_state(self, p, group):
        return {"square_avg": wrap(p.xp.zeros_like(p.array)), "acc_delta": wrap(p.xp.zeros_like(p.array))}

    def update(self, p, g, state, group):
        self.apply_rule(updates.adadelta, p, g, state, ["square_avg", "acc_delta"], lr=group["lr"], rho=group["rho"],
                        eps=group["eps"], weight_decay=group["weight_decay"])
