"""Grad mode: whether operations are recorded. A context variable, so it nests, survives exceptions and generators,
and a new thread starts with recording on."""

from contextvars import ContextVar

grad_mode = ContextVar("minigrad_grad_mode", default=True)


def is_grad_enabled():
    """True when operations on tracked tensors are recorded in this context."""
    return grad_mode.get()
