"""Clipping gradients. PyTorch: torch.nn.utils.clip_grad."""

from collections.abc import Iterable
from typing import Any

from minigrad.dynamic.creation import tensor
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.tensor import Tensor
from minigrad.ops.joining import stack
from minigrad.ops.reduction import vector_norm


def with_gradients(parameters: Any) -> list[Tensor]:
    """The tensors among `parameters` (an iterable, or one tensor) that have a gradient."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p for p in tensors if p.grad is not None]


def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of all elements of all tensors together.

    Raises:
        RuntimeError: it is not finite and `error_if_nonfinite`.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return tensor(0.0)
    with no_grad():
        norms = [vector_norm(t, norm_type) for t in tensors]
        total = vector_norm(stack([n.to(norms[0].device, norms[0].dtype) for n in norms]), norm_type)
    if error_if_nonfinite and not total.isfinite().item():
        raise RuntimeError(f"the total norm of order {norm_type} of the gradients is {total.item()}: they cannot be"
                           " clipped by it. Look for NaN in the inputs, or pass error_if_nonfinite=False")
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any, foreach: bool | None = None) -> None:
    """Scale the gradients by max_norm / total_norm, where that makes them smaller."""
    factor = float(max_norm) / (float(total_norm) + 1e-6)
    if not factor >= 1:  # also when it is NaN, which then shows in the gradients
        with no_grad():
            for p in with_gradients(parameters):
                p.grad.mul_(factor)


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                    foreach: bool | None = None) -> Tensor:
    """Scale all gradients so that the norm of all of them together is at most `max_norm`; returns the norm before.

    Args:
        parameters: tensors, or one tensor; those without a gradient are left out.
        norm_type: the order of the norm, also inf.
        error_if_nonfinite: raise when the norm is not finite.

    Raises:
        RuntimeError: the norm is not finite and `error_if_nonfinite`.
    """
    tensors = with_gradients(parameters)
    total = get_total_norm([p.grad for p in tensors], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(tensors, max_norm, total)
    return total


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Keep every element of the gradients within [-clip_value, clip_value]."""
    with no_grad():
        for p in with_gradients(parameters):
            p.grad.clamp_(-clip_value, clip_value)
