"""Learning rates that change from epoch to epoch. PyTorch: torch.optim.lr_scheduler."""

import math


class LRScheduler:
    """Sets each group's "lr" after every `step()`; a subclass says to what in `rates`."""

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer = optimizer
        self.base_lrs = [group.setdefault("initial_lr", group["lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def rates(self):
        """The learning rate of each group at epoch `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} does not say its rates")

    def step(self):
        """Go on to the next epoch."""
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.rates(), strict=True):
            group["lr"] = rate

    def get_last_lr(self):
        """The rates that are set now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.functions = lr_lambda if isinstance(lr_lambda, list) else [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def rates(self):
        return [lr * f(self.last_epoch) for lr, f in zip(self.base_lrs, self.functions, strict=True)]


class StepLR(LRScheduler):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rates(self):
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times gamma at each of the milestones."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rates(self):
        passed = sum([milestone <= self.last_epoch for milestone in self.milestones])
        return [lr * self.gamma ** passed for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times gamma every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rates(self):
        return [lr * self.gamma ** self.last_epoch for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """From start_factor to end_factor times the initial rate in total_iters epochs."""

    def __init__(self, optimizer, start_factor=1 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rates(self):
        part = min(self.last_epoch / self.total_iters, 1)
        return [lr * (self.start_factor + (self.end_factor - self.start_factor) * part) for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate to eta_min in T_max epochs (Loshchilov 2016)."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def rates(self):
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (lr - self.eta_min) * wave for lr in self.base_lrs]
