"""Hooks on gradients: functions called when the gradient of a tensor is complete."""

import weakref

from minigrad.core.dims import shape_text
from minigrad.dynamic.modes import GradMode
from minigrad.errors import BackwardError


class Hooks:
    """The hooks of one record, called by the reverse sweep in the order in which they were added."""

    __slots__ = ("afterwards", "functions", "kept", "next_key", "wrap")

    def __init__(self, wrap):
        self.functions = {}
        self.afterwards = {}
        self.kept = None
        self.next_key = 0
        self.wrap = wrap

    def add(self, function):
        """Add a hook; returns a handle to remove it by."""
        key = self.next_key
        self.next_key += 1
        self.functions[key] = function
        return Handle(self.functions, key)

    def add_afterwards(self, function):
        """Add a hook to be called when the gradient of a leaf was added to its `.grad`; returns a handle."""
        key = self.next_key
        self.next_key += 1
        self.afterwards[key] = function
        return Handle(self.afterwards, key)

    def accumulated(self, tensor):
        """Call the hooks that wait for the `.grad` of leaf `tensor`."""
        for function in list(self.afterwards.values()):
            function(tensor)

    def retain(self, tensor):
        """Keep the complete gradient as `.grad` of `tensor`, which is not a leaf."""
        self.kept = weakref.ref(tensor)

    def apply(self, g):
        """Run the hooks on gradient `g` (array or Tensor); returns the gradient to go on with.

        A hook gets a tensor of its own, which it may keep and even change: other tensors' gradients can be the same
        array.
        """
        if not self.functions and self.kept is None:
            return g
        raw = not hasattr(g, "record")
        with GradMode(not raw):
            tensor = self.wrap(g.copy()) if raw else g.clone()
            for function in list(self.functions.values()):
                replaced = function(tensor)
                if replaced is not None:
                    check_gradient(replaced, tensor, function)
                    tensor = replaced
            if self.kept is not None:
                owner = self.kept()
                if owner is not None:
                    owner.accumulate_grad(tensor.array.copy() if raw else tensor, set())
        return tensor.array.copy() if raw else tensor


def check_gradient(replaced, tensor, function):
    """Raise unless what a hook returned can stand for the gradient it got."""
    name = getattr(function, "__name__", repr(function))
    if not hasattr(replaced, "record"):
        raise BackwardError(f"hook {name} must return a Tensor or None, not a {type(replaced).__name__}")
    if replaced.shape != tensor.shape or replaced.dtype != tensor.dtype:
        raise BackwardError(f"hook {name} must return a gradient of dtype {tensor.dtype} and shape"
                            f" {shape_text(tensor.shape)}, not {replaced.dtype} {shape_text(replaced.shape)}")


class Handle:
    """What register_hook returns; as a context manager it removes the hook at the end of its block.

    PyTorch: torch.utils.hooks.RemovableHandle.
    """

    __slots__ = ("functions", "key")

    def __init__(self, functions, key):
        self.functions = functions
        self.key = key

    def remove(self):
        """Take the hook off; a second call does nothing."""
        self.functions.pop(self.key, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()
