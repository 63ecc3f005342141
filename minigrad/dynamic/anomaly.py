"""Finding the operation whose gradient first becomes NaN. PyTorch: torch.autograd.detect_anomaly.

While the mode is on, every record that a backward will visit gets a watch in the place of its hooks; the first NaN
that arrives raises an error that names the operation whose gradient rule made it, with the user's line.
"""

from contextvars import ContextVar

from minigrad.backends import backend_of
from minigrad.core.sites import describe
from minigrad.errors import BackwardError

anomaly_mode = ContextVar("minigrad_anomaly_mode", default=False)


def is_anomaly_enabled():
    """True when backward looks for NaN. PyTorch: torch.is_anomaly_enabled."""
    return anomaly_mode.get()


class set_detect_anomaly:
    """Switch the search for NaN in backward on or off, at once; as a context manager, until the end of its block."""

    def __init__(self, mode, check_nan=True):
        self.before = anomaly_mode.get()
        self.mode = bool(mode) and check_nan
        anomaly_mode.set(self.mode)

    def __enter__(self):
        anomaly_mode.set(self.mode)
        return self

    def __exit__(self, *exception):
        anomaly_mode.set(self.before)


class detect_anomaly:
    """Within this block backward raises at the first NaN, and names the operation and the user's line that made it."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        self.before = []

    def __enter__(self):
        self.before.append(anomaly_mode.get())
        anomaly_mode.set(self.check_nan)
        return self

    def __exit__(self, *exception):
        anomaly_mode.set(self.before.pop())


class Watch:
    """Stands in the place of a record's hooks during one backward."""

    def __init__(self, record, hooks, consumers):
        self.record = record
        self.hooks = hooks
        self.consumers = consumers

    def apply(self, g):
        """Raise if the gradient `g` of the record holds a NaN, then run the record's own hooks."""
        array = getattr(g, "array", g)
        nans = int(backend_of(array).xp.isnan(array).sum())
        if nans:
            raise BackwardError(f"backward made {nans} NaN among the {array.size} elements of the gradient of"
                                f" {named(self.record)}: " + self.cause())
        return g if self.hooks is None else self.hooks.apply(g)

    def accumulated(self, tensor):
        if self.hooks is not None:
            self.hooks.accumulated(tensor)

    def cause(self):
        """Whose rule the NaN came from: only consumers whose own gradient had none can have run."""
        if not self.consumers:
            return "it was in the gradient that backward started from"
        makers = " or ".join([named(op) for op in self.consumers])
        return (f"it came from the gradient rule of {makers}. Look at the values there: division by zero, the square"
                " root or norm of zero, log of zero, or inf - inf")


def named(record):
    """A record by its name and the user's line."""
    operation = record if record.operation is None else record.operation
    site = getattr(operation, "site", None)
    return record.name() if site is None else f"{record.name()} (recorded at {describe(site)})"


def watch(roots):
    """Put a watch on every record that `roots` lead to; returns what `unwatch` needs."""
    consumers, records = {}, {}
    stack = list(roots)
    while stack:
        record = stack.pop()
        if record.number in records:
            continue
        records[record.number] = record
        if record.operation is not None:
            stack.append(record.operation)
        for source in record.inputs:
            if source is not None:
                consumers.setdefault(source.number, {})[record.number] = record
                stack.append(source)
    changed = []
    for record in records.values():
        if record.shape is not None:  # an operation with several outputs is watched at its outputs
            changed.append((record, record.hooks))
            record.hooks = Watch(record, record.hooks, tuple(consumers.get(record.number, {}).values()))
    return changed


def unwatch(changed):
    """Give the records their own hooks back."""
    for record, hooks in changed:
        record.hooks = hooks
