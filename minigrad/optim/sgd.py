"""Stochastic gradient descent, with momentum."""

from minigrad.ops import updates
from minigrad.optim.optimizer import Optimizer, OptimizerError, check_at_least_zero


class SGD(Optimizer):
    """p - lr * g, or with momentum p - lr * (momentum * buffer + g). PyTorch: torch.optim.SGD."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False):
        check_at_least_zero(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise OptimizerError("Nesterov's momentum needs a momentum and no dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize})

    def update(self, p, g, state, group):
        g = -g if group["maximize"] else g
        if not group["momentum"] and not group["weight_decay"]:
            p.array -= g * group["lr"]  # the same arithmetic as the rule's, without a copy of the parameter
            return
        self.apply_rule(updates.sgd, p, g, state, ["momentum_buffer"], lr=group["lr"], momentum=group["momentum"],
                        dampening=group["dampening"], nesterov=group["nesterov"], weight_decay=group["weight_decay"])
