"""What the kernel layer needs of an array library besides the namespace `xp` that it shares with NumPy."""

from typing import Any


class Backend:
    """One array library on one kind of device.

    Attributes:
        device_type: "cpu" or "cuda".
        xp: the library's namespace, with NumPy's names.
        array_type: the class of its arrays.
    """

    device_type: str
    xp: Any
    array_type: type

    def from_host(self, array):
        """A NumPy array on this backend's device (NumPy's own: the same array)."""
        raise NotImplementedError

    def to_host(self, array):
        """This backend's array as a NumPy array (a copy, except on the CPU)."""
        raise NotImplementedError

    def add_at(self, array, index, values):
        """array[index] += values, in place, where repeated indices add up."""
        raise NotImplementedError

    def set_at(self, array, index, values):
        """array[index] = values, in place; of repeated indices the last one wins."""
        raise NotImplementedError

    def synchronize(self):
        """Wait until the device has done what was asked of it."""
        raise NotImplementedError
