"""Learning rates that change from epoch to epoch. PyTorch: torch.optim.lr_scheduler.

A scheduler says the next rates by way of the ones that are set (`get_lr`), so that several of them can work on one
optimiser, and what the user sets in between stays. Where there is a closed form, `closed_form` says it too; it is used
when a scheduler is told to go to a certain epoch.
"""

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minigrad.optim.optimizer import Optimizer, OptimizerError


class LRScheduler:
    """Sets each group's "lr" after every `step()`; a subclass says to what in `get_lr`.

    Args:
        optimizer: whose groups' rates are set.
        last_epoch: -1 to start; else the epoch to go on from, with "initial_lr" in each group.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise OptimizerError(f"{type(self).__name__} sets the rates of an Optimizer, not of a"
                                 f" {type(optimizer).__name__}")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"to go on from epoch {last_epoch}, group {i} of the optimiser needs 'initial_lr'; load"
                               " the optimiser's state first")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._last_lr: list[float] = []
        self._first = True  # while the first rates are set
        self.step()
        self._first = False

    def get_lr(self) -> list[float]:
        """The rate of each group at epoch `last_epoch`, from the rates of the epoch before."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def closed_form(self) -> list[float]:
        """The rate of each group at epoch `last_epoch`, from the initial rates."""
        return self.get_lr()

    def rates(self) -> list[float]:
        """The rates that are set now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to a certain one."""
        optimizer = self.optimizer
        if self._step_count == 1 and optimizer._step_count == 0 and type(optimizer).step is Optimizer.step:
            warnings.warn("scheduler.step() was called before the first optimizer.step(): the first rate of the"
                          " schedule is never used. Call optimizer.step() first", UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.set_rates(self.get_lr() if epoch is None else self.closed_form())

    def set_rates(self, rates: Sequence[float]) -> None:
        """Set the groups' rates."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self.rates()

    def get_last_lr(self) -> list[float]:
        """The rates that this scheduler set last."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """What is needed to go on; functions are left out."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "functions")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state_dict."""
        self.__dict__.update(state_dict)


# PyTorch's old name
_LRScheduler = LRScheduler


def per_group(optimizer: Optimizer, value: Any, name: str) -> list[Any]:
    """`value` as a list with an entry for each group."""
    values = list(value) if isinstance(value, list | tuple) else [value] * len(optimizer.param_groups)
    if len(values) != len(optimizer.param_groups):
        raise OptimizerError(f"{name} has {len(values)} entries, the optimiser {len(optimizer.param_groups)} groups")
    return values


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch (one, or one for each group)."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.functions = per_group(optimizer, lr_lambda, "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * f(self.last_epoch) for lr, f in zip(self.base_lrs, self.functions, strict=True)]


class MultiplicativeLR(LRScheduler):
    """Times a function of the epoch (one, or one for each group) every epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.functions = per_group(optimizer, lr_lambda, "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch <= 0:
            return self.rates()
        return [lr * f(self.last_epoch) for lr, f in zip(self.rates(), self.functions, strict=True)]


class StepLR(LRScheduler):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self.rates()
        return [lr * self.gamma for lr in self.rates()]

    def closed_form(self) -> list[float]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times gamma at each of the milestones."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1,
                 last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        times = self.milestones[self.last_epoch] if self.last_epoch in self.milestones else 0
        return [lr * self.gamma ** times for lr in self.rates()] if times else self.rates()

    def closed_form(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma ** passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """`factor` times the initial rate for the first total_iters epochs."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise OptimizerError(f"the factor must be in [0, 1], got {factor}")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self.rates()]
        if self.last_epoch == self.total_iters:
            return [lr / self.factor for lr in self.rates()]
        return self.rates()

    def closed_form(self) -> list[float]:
        return [lr * (self.factor if self.last_epoch < self.total_iters else 1) for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """From start_factor to end_factor times the initial rate in total_iters epochs."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise OptimizerError(f"start_factor must be in (0, 1] and end_factor in [0, 1], got {start_factor} and"
                                 f" {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """What the initial rate is multiplied by at an epoch."""
        return self.start_factor + (self.end_factor - self.start_factor) * min(epoch, self.total_iters) \
            / self.total_iters

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self.rates()]
        if self.last_epoch > self.total_iters:
            return self.rates()
        change = self.factor(self.last_epoch) / self.factor(self.last_epoch - 1)
        return [lr * change for lr in self.rates()]

    def closed_form(self) -> list[float]:
        return [lr * self.factor(self.last_epoch) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return self.rates() if self._first else [lr * self.gamma for lr in self.rates()]

    def closed_form(self) -> list[float]:
        return [lr * self.gamma ** self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Down to 0 in total_iters epochs, along a power of the epochs that are left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self.rates()
        left = self.total_iters - self.last_epoch
        change = (left / (left + 1)) ** self.power
        return [lr * change for lr in self.rates()]

    def closed_form(self) -> list[float]:
        part = 1 - min(self.last_epoch, self.total_iters) / self.total_iters
        return [lr * part ** self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate to eta_min in T_max epochs, and back (Loshchilov and Hutter 2016)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def wave(self, epoch: int) -> float:
        """1 + the cosine at an epoch."""
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self.rates()
        if self._first:
            return self.closed_form()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # up from the bottom, where the factor is 0 / 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [now + (lr - self.eta_min) * rise for now, lr in zip(self.rates(), self.base_lrs, strict=True)]
        change = self.wave(self.last_epoch) / self.wave(self.last_epoch - 1)
        return [change * (now - self.eta_min) + self.eta_min for now in self.rates()]

    def closed_form(self) -> list[float]:
        return [self.eta_min + (lr - self.eta_min) * self.wave(self.last_epoch) / 2 for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate to eta_min, again and again (Loshchilov and Hutter 2016).

    Args:
        T_0: epochs of the first turn.
        T_mult: each turn is so many times as long as the one before.
        eta_min: the lowest rate.
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
                 last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int) or T_mult < 1 or not isinstance(T_mult, int):
            raise OptimizerError(f"T_0 and T_mult must be positive integers, got {T_0} and {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i = T_0
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        wave = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * wave for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to a certain one, which may be a fraction: ``step(epoch + i / batches)``."""
        now = self.last_epoch + 1 if epoch is None else epoch
        if now < 0:
            raise OptimizerError(f"an epoch cannot be negative, got {now}")
        start: float = 0
        length = self.T_0
        if self.T_mult == 1:
            start = now // length * length
        else:
            while now >= start + length:
                start, length = start + length, length * self.T_mult
        self.T_cur, self.T_i = now - start, length
        self._step_count += 1
        self.last_epoch = math.floor(now)
        self.set_rates(self.get_lr())


class CyclicLR(LRScheduler):
    """Up and down between two rates, batch by batch (Smith 2017).

    Args:
        base_lr, max_lr: the lowest and the highest rate (one, or one for each group).
        step_size_up, step_size_down: batches on the way up and down (down: as many as up).
        mode: "triangular"; "triangular2" halves the height in each cycle; "exp_range" scales it by gamma ** batches.
        scale_fn: the height as a function of the number of the cycle, or of batches where scale_mode is "iterations".
        cycle_momentum: move the momentum (or the first of Adam's betas) the other way, from max_momentum to
            base_momentum.
    """

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9,
                 last_epoch: int = -1) -> None:
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise OptimizerError(f'mode must be "triangular", "triangular2" or "exp_range", not {mode!r}')
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, per_group(optimizer, base_lr, "base_lr"), strict=True):
                group["lr"] = group["initial_lr"] = lr
        self.max_lrs = per_group(optimizer, max_lr, "max_lr")
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self.functions = [] if scale_fn is None else [scale_fn]
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums = per_group(optimizer, base_momentum, "base_momentum")
            self.max_momentums = per_group(optimizer, max_momentum, "max_momentum")
            set_momentums(optimizer, self.max_momentums)
        super().__init__(optimizer, last_epoch)

    def height(self, x: float) -> float:
        """The factor of the height of cycle (or after the batches) `x`."""
        if self.functions:
            return self.functions[0](x)
        if self.mode == "exp_range":
            return self.gamma ** x
        return 1.0 if self.mode == "triangular" else 1 / 2 ** (x - 1)

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        part *= self.height(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            set_momentums(self.optimizer, [high - (high - low) * part for low, high in
                                           zip(self.base_momentums, self.max_momentums, strict=True)])
        return [low + (high - low) * part for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


def set_momentums(optimizer: Optimizer, momentums: Sequence[float]) -> None:
    """Set each group's momentum, or the first of its betas."""
    for group, momentum in zip(optimizer.param_groups, momentums, strict=True):
        if "betas" in group:
            group["betas"] = (momentum, *group["betas"][1:])
        elif "momentum" in group:
            group["momentum"] = momentum
        else:
            raise OptimizerError(f"{type(optimizer).__name__} has no momentum that could be moved: pass"
                                 " cycle_momentum=False")


class OneCycleLR(LRScheduler):
    """One rise to max_lr and one fall far below it, batch by batch (Smith and Topin 2017).

    Args:
        max_lr: the highest rate (one, or one for each group).
        total_steps: batches in all; or
        epochs, steps_per_epoch: whose product they are.
        pct_start: the part of them on the way up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum (or the first of Adam's betas) the other way.
        div_factor: the first rate is max_lr / div_factor.
        final_div_factor: the last one is the first one / final_div_factor.
        three_phase: fall to the first rate as fast as it rose, and to the last one after that.
    """

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95,
                 div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
                 last_epoch: int = -1) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise OptimizerError("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not 0 <= pct_start <= 1:
            raise OptimizerError(f"total_steps must be positive and pct_start in [0, 1], got {total_steps} and"
                                 f" {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise OptimizerError(f'anneal_strategy must be "cos" or "linear", not {anneal_strategy!r}')
        self.total_steps, self.anneal_strategy, self.cycle_momentum = total_steps, anneal_strategy, cycle_momentum
        top = pct_start * total_steps - 1
        if three_phase:
            self.phases = [(top, "initial_lr", "max_lr"), (2 * top, "max_lr", "initial_lr"),
                           (total_steps - 1, "initial_lr", "min_lr")]
        else:
            self.phases = [(top, "initial_lr", "max_lr"), (total_steps - 1, "max_lr", "min_lr")]
        highest = per_group(optimizer, max_lr, "max_lr")
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = lr / div_factor / final_div_factor
        if cycle_momentum:
            self.base_momentums = per_group(optimizer, base_momentum, "base_momentum")
            self.max_momentums = per_group(optimizer, max_momentum, "max_momentum")
            set_momentums(optimizer, self.max_momentums)
        super().__init__(optimizer, last_epoch)

    def between(self, start: float, end: float, part: float) -> float:
        """The value at a part of the way from `start` to `end`."""
        if self.anneal_strategy == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2 * (1 + math.cos(math.pi * part))

    def get_lr(self) -> list[float]:
        now = self.last_epoch
        if now > self.total_steps:
            raise OptimizerError(f"OneCycleLR was made for {self.total_steps} steps, and this is step {now}")
        begin: float = 0
        for number, (end, first, last) in enumerate(self.phases):  # noqa: B007
            if now <= end or number == len(self.phases) - 1:
                break
            begin = end
        part = (now - begin) / (end - begin)
        if self.cycle_momentum:
            momentums = []
            for low, high in zip(self.base_momentums, self.max_momentums, strict=True):
                ends = {"initial_lr": high, "max_lr": low, "min_lr": high}
                momentums.append(self.between(ends[first], ends[last], part))
            set_momentums(self.optimizer, momentums)
        return [self.between(group[first], group[last], part) for group in self.optimizer.param_groups]


# ----- several schedulers
class SequentialLR(LRScheduler):
    """Several schedulers one after the other, changing at the milestones; each starts from its epoch 0."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int],
                 last_epoch: int = -1) -> None:
        check_same_optimizer(optimizer, schedulers)
        if len(schedulers) != len(milestones) + 1:
            raise OptimizerError(f"{len(schedulers)} schedulers change at {len(schedulers) - 1} milestones, but"
                                 f" {len(milestones)} are given")
        self.optimizer = optimizer
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:  # undo the first rates of all of them: only the first one's count
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        first = self._schedulers[0]
        first._first, first._step_count = True, 0
        first.step()
        first._first = False
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        if epoch is not None:
            raise OptimizerError("SequentialLR goes from epoch to epoch: call step() without a number")
        self.last_epoch += 1
        which = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[which]
        if which > 0 and self._milestones[which - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        return state_of_several(self)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        load_several(self, state_dict)


class ChainedScheduler(LRScheduler):
    """Several schedulers that all step together, each changing what the one before it set."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise OptimizerError("ChainedScheduler needs at least one scheduler")
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        check_same_optimizer(self.optimizer, schedulers)
        self._schedulers = list(schedulers)
        self._last_lr = self.rates()

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self.rates()

    def state_dict(self) -> dict[str, Any]:
        return state_of_several(self)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        load_several(self, state_dict)


def check_same_optimizer(optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
    """Refuse schedulers of other optimisers."""
    for i, scheduler in enumerate(schedulers):
        if scheduler.optimizer is not optimizer:
            raise OptimizerError(f"scheduler {i} belongs to another optimiser")


def state_of_several(scheduler: Any) -> dict[str, Any]:
    """The state of a scheduler that has others."""
    state = {key: value for key, value in scheduler.__dict__.items() if key not in ("optimizer", "_schedulers")}
    return {**state, "_schedulers": [part.state_dict() for part in scheduler._schedulers]}


def load_several(scheduler: Any, state_dict: dict[str, Any]) -> None:
    """Go on from `state_of_several`."""
    scheduler.__dict__.update({key: value for key, value in state_dict.items() if key != "_schedulers"})
    for part, state in zip(scheduler._schedulers, state_dict["_schedulers"], strict=True):
        part.load_state_dict(state)


# ----- by a measure
class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a measure, given to `step`, has not got better for more than `patience` epochs.

    Args:
        mode: "min" when smaller is better, "max" when bigger is.
        threshold: by how much it has to get better; threshold_mode "rel": as a part of the best one so far, "abs": in
            its own unit.
        cooldown: epochs after a change in which nothing is counted.
        min_lr: the lowest rate (one, or one for each group).
        eps: smaller changes are not made.
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
                 eps: float = 1e-8) -> None:
        if factor >= 1:
            raise OptimizerError(f"the factor must be below 1, got {factor}")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise OptimizerError('mode must be "min" or "max" and threshold_mode "rel" or "abs", not'
                                 f" {mode!r} and {threshold_mode!r}")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = per_group(optimizer, min_lr, "min_lr")
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0
        self.last_epoch = 0
        self._last_lr = self.rates()

    def is_better(self, value: float, best: float) -> bool:
        """Is `value` better than the best one so far, by the threshold?"""
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            return value * sign > best * (1 + sign * self.threshold) * sign
        return value * sign > (best + sign * self.threshold) * sign

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on to the next epoch, which reached the measure `metrics` (a number, or a tensor of one)."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(value, self.best):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                new = max(group["lr"] * self.factor, lowest)
                if group["lr"] - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self.rates()
