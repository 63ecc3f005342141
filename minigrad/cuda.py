"""Whether there is a GPU, and waiting for it. PyTorch: torch.cuda."""

from minigrad.backends import cuda_status
from minigrad.backends.devices import backend_for
from minigrad.core.generator import manual_seed as manual_seed

manual_seed_all = manual_seed  # numbers are drawn on the host: one stream serves all devices


def is_available():
    """True when "cuda" can be used; `minigrad.backends.cuda_status()` says why not."""
    return cuda_status()[0]


def device_count():
    """The number of GPUs that can be used."""
    if not is_available():
        return 0
    cuda = getattr(backend_for("cuda").xp, "cuda", None)
    return 1 if cuda is None else cuda.runtime.getDeviceCount()


def current_device():
    """The index of the GPU in use.

    Raises:
        DeviceError: there is none.
    """
    cuda = getattr(backend_for("cuda").xp, "cuda", None)
    return 0 if cuda is None else cuda.Device().id


def synchronize():
    """Wait until the GPU has done what was asked of it; calls return before that.

    Raises:
        DeviceError: there is none.
    """
    backend_for("cuda").synchronize()


def empty_cache():
    """Give the GPU memory that is held for reuse back to the system."""
    if is_available():
        xp = backend_for("cuda").xp
        if hasattr(xp, "get_default_memory_pool"):
            xp.get_default_memory_pool().free_all_blocks()
