"""Helpers for gradients and parameters. PyTorch: torch.nn.utils."""

import math

from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.tensor import Tensor
from minigrad.ops.reduction import vector_norm


def with_gradients(parameters):
    """The tensors among `parameters` (an iterable, or one tensor) that have a gradient."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p for p in tensors if p.grad is not None]


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale all gradients so that the norm of all of them together is at most `max_norm`; returns the norm before.

    Raises:
        RuntimeError: the norm is not finite and `error_if_nonfinite`.
    """
    tensors = with_gradients(parameters)
    with no_grad():
        norms = [vector_norm(p.grad, norm_type).item() for p in tensors]
        if norm_type == math.inf:
            total = max(norms, default=0.0)
        else:
            total = sum([n**norm_type for n in norms]) ** (1 / norm_type)
        if error_if_nonfinite and not math.isfinite(total):
            raise RuntimeError(f"the norm of the gradients is {total}, so they cannot be clipped")
        scale = max_norm / (total + 1e-6)
        if scale < 1:
            for p in tensors:
                p.grad.mul_(scale)
    return total


def clip_grad_value_(parameters, clip_value):
    """Keep every element of the gradients within [-clip_value, clip_value]."""
    with no_grad():
        for p in with_gradients(parameters):
            p.grad.clamp_(-clip_value, clip_value)
