"""Devices by name, arrays by backend, and transfers between them."""

import numpy as np

from minigrad.backends.cupy_backend import cuda_status as cuda_status, make_cuda_backend
from minigrad.backends.numpy_backend import NumpyBackend
from minigrad.config import cuda_means
from minigrad.errors import DeviceError

NUMPY = NumpyBackend()

# the class of an array -> its backend; CuPy's class joins when "cuda" is first used
_BY_ARRAY_TYPE = {np.ndarray: NUMPY}
NAMESPACES = {np.ndarray: np}
_CUDA: dict = {}  # what "cuda" means -> its backend


class Device:
    """A place for arrays: "cpu" or "cuda" with an index. PyTorch: torch.device."""

    __slots__ = ("index", "type")

    def __init__(self, type, index=None):
        if isinstance(type, Device):
            type, index = type.type, type.index
        if ":" in type:
            type, _, number = type.partition(":")
            index = int(number)
        if type == "gpu":
            type = "cuda"
        if type not in ("cpu", "cuda"):
            raise DeviceError(f'device "{type}" is not known; expected "cpu" or "cuda"')
        self.type = type
        self.index = index

    def __eq__(self, other):
        return isinstance(other, Device) and self.type == other.type and (self.index or 0) == (other.index or 0)

    def __hash__(self):
        return hash((self.type, self.index or 0))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


def as_device(device):
    """A Device from a Device, a name, or None (the CPU)."""
    return Device("cpu") if device is None else Device(device)


def backend_for(device):
    """The backend of a device; DeviceError with the reason when it cannot be used."""
    if as_device(device).type == "cpu":
        return NUMPY
    kind = cuda_means()
    backend = _CUDA.get(kind)
    if backend is None:
        backend = _CUDA[kind] = make_cuda_backend()
        _BY_ARRAY_TYPE[backend.array_type] = backend
        NAMESPACES[backend.array_type] = backend.xp
    return backend


def backend_of(array):
    """The backend that `array` belongs to; scalars and lists count as NumPy's."""
    return _BY_ARRAY_TYPE.get(array.__class__, NUMPY)


def xp_of(args):
    """The namespace for a kernel on `args`: that of the first array among them, NumPy when all are scalars."""
    for a in args:
        backend = _BY_ARRAY_TYPE.get(a.__class__)
        if backend is not None:
            return backend.xp
    return np


def device_of(array):
    """The Device that an array is on."""
    device_type = backend_of(array).device_type
    if device_type == "cpu":
        return Device("cpu")
    device = getattr(array, "device", None)
    return Device("cuda", getattr(device, "id", 0))


def to_device(array, device):
    """The array on `device`: itself when it is there already, else a copy."""
    source, target = backend_of(array), backend_for(device)
    if source is target:
        return array
    return target.from_host(source.to_host(array))


def to_numpy(array):
    """The array as a NumPy array: itself on the CPU, a copy from elsewhere."""
    return backend_of(array).to_host(array)


def status():
    """Which devices can be used and, where not, why: a dict from device type to a line of text."""
    return {"cpu": f"NumPy {np.__version__}", "cuda": cuda_status()[1]}
