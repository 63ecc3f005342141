"""CuPy on an NVIDIA GPU, or the strict stand-in that behaves like it on the CPU.

CuPy is imported here and only here, when a program first asks for "cuda". What differs from NumPy beyond missing
names (backends/double enforces those) is worked around in this file: out-of-range indices wrap silently, repeated
indices in an assignment have no defined winner, host and device arrays never mix.
"""

import numpy as np

from minigrad.backends.base import Backend
from minigrad.config import cuda_means
from minigrad.errors import DeviceError

HOW_TO_INSTALL = "install CuPy with: pip install 'minigrad[cuda12]' or 'minigrad[cuda13]', to match the driver"


def cuda_status():
    """(usable, reason): can "cuda" be used here, and if not, exactly why not. Never raises.

    Three things can be missing: the CuPy package, the NVIDIA driver, a device.
    """
    if cuda_means() == "double":
        return True, "the strict CuPy stand-in on the CPU (MINIGRAD_DEVICE=double)"
    try:
        import cupy
    except Exception as error:
        return False, f"CuPy cannot be imported ({type(error).__name__}: {error}); {HOW_TO_INSTALL}"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return False, f"CuPy {cupy.__version__} is installed but no GPU can be used: {error}"
    if count == 0:
        return False, f"CuPy {cupy.__version__} is installed and the driver reports 0 devices"
    return True, f"{count} device(s), CuPy {cupy.__version__}"


def make_cuda_backend():
    """The backend that "cuda" stands for, or DeviceError with the reason why there is none."""
    usable, reason = cuda_status()
    if not usable:
        raise DeviceError(f'device "cuda" cannot be used: {reason}')
    if cuda_means() == "double":
        from minigrad.backends import double as xp
    else:
        import cupy as xp
    return CupyBackend(xp)


class CupyBackend(Backend):
    """Arrays in a GPU's memory. Calls return before the work is done; reading a value waits for it."""

    device_type = "cuda"

    def __init__(self, xp):
        self.xp = xp
        self.array_type = xp.ndarray

    def from_host(self, array):
        return self.xp.asarray(np.asarray(array))

    def to_host(self, array):
        return array.get()

    def add_at(self, array, index, values):
        if array.dtype.kind in "biu" and array.dtype.itemsize < 4:
            # a GPU adds no integers of less than 32 bits atomically
            total = array.astype(np.int32)
            self.xp.add.at(total, index, self.xp.asarray(values).astype(np.int32))
            array[...] = total.astype(array.dtype)
        else:
            self.xp.add.at(array, index, values)

    def set_at(self, array, index, values):
        # CuPy leaves the winner of repeated indices undefined: number the writes and keep the highest of each slot
        xp = self.xp
        slots = xp.arange(array.size).reshape(array.shape)[index]
        written = xp.broadcast_to(xp.asarray(values, dtype=array.dtype), slots.shape).ravel()
        winner = xp.full((array.size,), -1, dtype=np.int64)
        xp.maximum.at(winner, slots.ravel(), xp.arange(slots.size))
        if written.size:
            chosen = xp.where(winner >= 0, written[xp.maximum(winner, 0)], array.ravel())
            array[...] = chosen.reshape(array.shape)

    def synchronize(self):
        if hasattr(self.xp, "cuda"):
            self.xp.cuda.get_current_stream().synchronize()
