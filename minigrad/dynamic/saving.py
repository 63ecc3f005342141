"""Saving to files and loading, with pickle. PyTorch: torch.save, torch.load.

A pickle can run any code when it is loaded, so `load` accepts only tensors, arrays and plain Python containers unless
it is told to trust the file.
"""

import io
import pickle

from minigrad.dynamic.conversion import rebuilt
from minigrad.errors import UntrustedFileError

# what a pickle of tensors, arrays and containers refers to
SAFE = {
    "minigrad.dynamic.conversion": {"rebuilt"},
    "minigrad.dynamic.tensor": {"Tensor"},
    "minigrad.dynamic.parameter": {"Parameter"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "collections": {"OrderedDict", "defaultdict"},
    "builtins": {"set", "frozenset", "slice", "complex", "bytearray"},
    "copyreg": {"_reconstructor"},
    "_codecs": {"encode"},
}


def save(obj, f):
    """Write `obj` (tensors, state dicts, whatever pickles) to a file name or a binary file. PyTorch: torch.save."""
    if hasattr(f, "write"):
        pickle.dump(obj, f)
        return
    with open(f, "wb") as file:
        pickle.dump(obj, file)


def load(f, map_location=None, *, weights_only=True):
    """Read what `save` wrote. PyTorch: torch.load.

    Args:
        f: a file name or a binary file.
        map_location: the device for the tensors, whatever device they were saved from.
        weights_only: accept only tensors, arrays and containers. With False the file can run any code: only for files
            that you trust.

    Raises:
        UntrustedFileError: the file refers to something else.
    """
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            f = io.BytesIO(file.read())
    return Loader(f, map_location, weights_only).load()


class Loader(pickle.Unpickler):
    """Unpickles with tensors put on a device, and, where only weights are expected, only the names in SAFE."""

    def __init__(self, file, device, only_weights):
        super().__init__(file)
        self.device = device
        self.only_weights = only_weights

    def find_class(self, module, name):
        if self.only_weights and name not in SAFE.get(module, ()):
            raise UntrustedFileError(f"load: the file refers to {module}.{name}, which is neither a tensor nor a plain"
                                     " container. If you trust the file, pass weights_only=False")
        if self.device is not None and (module, name) == ("minigrad.dynamic.conversion", "rebuilt"):
            return self.rebuilt_there
        return super().find_class(module, name)

    def rebuilt_there(self, cls, array, requires_grad, device, extra):
        """A tensor on the wanted device, whatever device it was saved from."""
        return rebuilt(cls, array, requires_grad, self.device, extra)
