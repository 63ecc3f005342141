"""Adam and its relatives."""

from minigrad.dynamic.tensor import wrap
from minigrad.ops import updates
from minigrad.optim.optimizer import Optimizer, OptimizerError, check_at_least_zero


class Adam(Optimizer):
    """Adam (Kingma and Ba 2014). PyTorch: torch.optim.Adam."""

    decoupled = False
    default_weight_decay = 0.0

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=None, amsgrad=False, *,
                 maximize=False):
        weight_decay = self.default_weight_decay if weight_decay is None else weight_decay
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        if not all([0 <= beta < 1 for beta in betas]):
            raise OptimizerError(f"betas must be in [0, 1), got {betas}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "maximize": maximize})
        self._buffers = {}  # (shape, dtype, library) -> two arrays for intermediate results

    def initial_state(self, p, group):
        state = {"step": 0, "exp_avg": wrap(p.xp.zeros_like(p.array)), "exp_avg_sq": wrap(p.xp.zeros_like(p.array))}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = wrap(p.xp.zeros_like(p.array))
        return state

    def update(self, p, g, state, group):
        state["step"] += 1
        g = -g if group["maximize"] else g
        if group["amsgrad"] or group["weight_decay"]:
            rule = updates.adamw if self.decoupled else updates.adam
            names = ["exp_avg", "exp_avg_sq"] + (["max_exp_avg_sq"] if group["amsgrad"] else [])
            self.apply_rule(rule, p, g, state, names, step=state["step"], lr=group["lr"], betas=group["betas"],
                            eps=group["eps"], weight_decay=group["weight_decay"], amsgrad=group["amsgrad"])
        else:
            self.update_in_place(p, g, state, group)

    def update_in_place(self, p, g, state, group):
        """The arithmetic of `updates.adam`, step by step into memory that is there already: equal bit for bit."""
        xp = p.xp
        b1, b2 = group["betas"]
        m, v = state["exp_avg"].array, state["exp_avg_sq"].array
        key = p.array.shape, p.array.dtype, xp
        if key not in self._buffers:
            self._buffers[key] = xp.empty_like(p.array), xp.empty_like(p.array)
        a, b = self._buffers[key]
        correction1, root2 = updates.corrections(b1, b2, state["step"])
        xp.multiply(m, b1, out=m)
        xp.multiply(g, 1 - b1, out=a)
        xp.add(m, a, out=m)
        xp.multiply(v, b2, out=v)
        xp.square(g, out=a)
        xp.multiply(a, 1 - b2, out=a)
        xp.add(v, a, out=v)
        xp.sqrt(v, out=a)
        xp.divide(a, root2, out=a)
        xp.add(a, group["eps"], out=a)
        xp.multiply(m, group["lr"] / correction1, out=b)
        xp.divide(b, a, out=b)
        xp.subtract(p.array, b, out=p.array)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2017). PyTorch: torch.optim.AdamW."""

    decoupled = True
    default_weight_decay = 1e-2

    def update(self, p, g, state, group):
        if group["amsgrad"]:
            super().update(p, g, state, group)
            return
        state["step"] += 1
        g = -g if group["maximize"] else g
        if group["weight_decay"]:
            p.array *= 1 - group["lr"] * group["weight_decay"]
        self.update_in_place(p, g, state, group)


class Adamax(Optimizer):
    """Adamax (Kingma and Ba 2014, section 7.1). PyTorch: torch.optim.Adamax."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def initial_state(self, p, group):
        return {"step": 0, "exp_avg": wrap(p.xp.zeros_like(p.array)), "exp_inf": wrap(p.xp.zeros_like(p.array))}

    def update(self, p, g, state, group):
        state["step"] += 1
        self.apply_rule(updates.adamax, p, g, state, ["exp_avg", "exp_inf"], step=state["step"], lr=group["lr"],
                        betas=group["betas"], eps=group["eps"], weight_decay=group["weight_decay"])
