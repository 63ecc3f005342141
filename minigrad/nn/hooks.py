"""Calling a module that has hooks: functions around its forward, and around its backward."""

from typing import Any

from minigrad.dynamic.function import Function
from minigrad.dynamic.modes import is_grad_enabled
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import BackwardError


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward(*args, **kwargs)`` with the module's hooks around it."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if key in module._hooks_with_kwargs:
            replaced = hook(module, args, kwargs)
            if replaced is not None:
                if not isinstance(replaced, tuple) or len(replaced) != 2:
                    raise TypeError(f"a forward pre-hook with_kwargs must return None or (args, kwargs), not"
                                    f" {type(replaced).__name__}")
                args, kwargs = replaced
        else:
            replaced = hook(module, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
    passage = Passage(module) if module._backward_hooks and is_grad_enabled() else None
    if passage is not None:
        args = passage.entered(args)
    output = module.forward(*args, **kwargs)
    for key, hook in list(module._forward_hooks.items()):
        if key in module._hooks_with_kwargs:
            replaced = hook(module, args, kwargs, output)
        else:
            replaced = hook(module, args, output)
        if replaced is not None:
            output = replaced
    return output if passage is None else passage.left(output)


class Passage:
    """One call of a module whose backward hooks wait for the gradients of its inputs and outputs.

    The inputs pass through `Entrance` and the outputs through `Exit`, which change nothing on the way forward. On the
    way back the exit notes the gradients of the outputs, and the entrance has those of the inputs and calls the hooks.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.grad_output: tuple[Any, ...] = ()
        self.inputs = 0  # number of positional arguments
        self.places: list[int] = []  # which of them are tensors
        self.tracked = False

    def entered(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments behind the entrance."""
        self.inputs = len(args)
        self.places, tensors = tensors_among(args)
        self.tracked = any([t.requires_grad for t in tensors])
        if not self.tracked:
            return args
        return put_back(args, self.places, Entrance.apply(self, *tensors))

    def left(self, output: Any) -> Any:
        """The outputs behind the exit."""
        outputs = output if isinstance(output, tuple) else (output,)
        places, tensors = tensors_among(outputs)
        if not any([t.requires_grad for t in tensors]):
            return output
        self.outputs, self.output_places = len(outputs), places
        results = put_back(outputs, places, Exit.apply(self, *tensors))
        if not isinstance(output, tuple):
            return results[0]
        return type(output)(*results) if hasattr(output, "_fields") else results

    def call_hooks(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the tensors among the inputs, after the hooks."""
        grad_input: tuple[Any, ...] = put_back((None,) * self.inputs, self.places, gradients)
        for hook in list(self.module._backward_hooks.values()):
            replaced = hook(self.module, grad_input, self.grad_output)
            if replaced is None:
                continue
            replaced = replaced if isinstance(replaced, tuple) else (replaced,)
            if len(replaced) != self.inputs:
                raise BackwardError(f"a backward hook of {type(self.module).__name__} returned {len(replaced)}"
                                    f" gradients for {self.inputs} inputs")
            grad_input = replaced
        return tuple([grad_input[place] for place in self.places])


class Entrance(Function):
    """The inputs of a module, as they are."""

    @staticmethod
    def forward(ctx: Any, passage: Any, *tensors: Any) -> Any:
        ctx.passage = passage
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, *ctx.passage.call_hooks(gradients)


class Exit(Function):
    """The outputs of a module, as they are."""

    @staticmethod
    def forward(ctx: Any, passage: Any, *tensors: Any) -> Any:
        ctx.passage = passage
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        passage = ctx.passage
        passage.grad_output = put_back((None,) * passage.outputs, passage.output_places, gradients)
        if not passage.tracked:  # nothing flows to the inputs, so the entrance will not be reached
            passage.call_hooks((None,) * len(passage.places))
        return None, *gradients


def tensors_among(values: tuple[Any, ...]) -> tuple[list[int], list[Any]]:
    """(the places of the Tensors in a tuple, the Tensors)."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    return places, [values[place] for place in places]


def put_back(values: tuple[Any, ...], places: list[int], tensors: Any) -> tuple[Any, ...]:
    """`values` with the tensors at their places."""
    result = list(values)
    for place, tensor in zip(places, tensors, strict=True):
        result[place] = tensor
    return tuple(result)
