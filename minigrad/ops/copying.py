"""Copies: of a value on its own device, and of a value to another device."""

from minigrad.backends import as_device, to_device
from minigrad.backends.devices import device_of
from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare

__all__ = ["clone", "transfer"]


def clone_kernel(xp, x):
    return x.copy()


def clone_infer(x):
    return Aval(x.shape, x.dtype)


def clone_vjp(g, y, x):
    return g


def transfer_kernel(xp, x, *, device, source):
    return to_device(x, device)


def transfer_infer(x, *, device, source):
    return Aval(x.shape, x.dtype)


def transfer_vjp(g, y, x, *, device, source):
    return bind(transfer_p, g, device=source, source=device)


clone_p = declare("clone", clone_kernel, clone_infer, vjps=(clone_vjp,), reads=((),), shapes=False)
transfer_p = declare("transfer", transfer_kernel, transfer_infer, vjps=(transfer_vjp,), reads=((),), shapes=False)


def clone(input):
    """A copy in memory of its own, through which gradients flow. PyTorch: torch.clone."""
    return bind(clone_p, input)


def transfer(input, device):
    """`input` on `device`: itself when it is there already, else a copy through which gradients flow.

    Raises:
        DeviceError: the device cannot be used; the message says why.
    """
    device = as_device(device)
    source = input.device if hasattr(input, "record") else device_of(input)
    if source == device:
        return input
    return bind(transfer_p, input, device=device, source=source)
