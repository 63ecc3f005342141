"""Hooks on gradients: functions called when the gradient of a tensor is complete."""

import weakref


class Hooks:
    """The hooks of one record, called by the reverse sweep in the order in which they were added."""

    __slots__ = ("functions", "kept", "next_key", "wrap")

    def __init__(self, wrap):
        self.functions = {}
        self.kept = None
        self.next_key = 0
        self.wrap = wrap

    def add(self, function):
        """Add a hook; returns a handle to remove it by."""
        key = self.next_key
        self.next_key += 1
        self.functions[key] = function
        return Handle(self.functions, key)

    def retain(self, tensor):
        """Keep the complete gradient as `.grad` of `tensor`, which is not a leaf."""
        self.kept = weakref.ref(tensor)

    def apply(self, g):
        """Run the hooks on gradient `g` (array or Tensor); returns the gradient to go on with."""
        raw = not hasattr(g, "record")
        tensor = self.wrap(g) if raw else g
        for function in list(self.functions.values()):
            replaced = function(tensor)
            if replaced is not None:
                tensor = replaced
        if self.kept is not None:
            owner = self.kept()
            if owner is not None:
                owner.accumulate_grad(tensor.array.copy() if raw else tensor, set())
        return tensor.array if raw else tensor


class Handle:
    """What register_hook returns. PyTorch: torch.utils.hooks.RemovableHandle."""

    __slots__ = ("functions", "key")

    def __init__(self, functions, key):
        self.functions = functions
        self.key = key

    def remove(self):
        """Take the hook off; a second call does nothing."""
        self.functions.pop(self.key, None)
