"""Module: parameters, buffers and submodules as attributes, and everything that walks over them."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from minigrad.core.dtypes import as_dtype, is_float
from minigrad.dynamic.conversion import target_named
from minigrad.dynamic.hooks import Handle
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import MinigradError
from minigrad.nn.hooks import call_with_hooks
from minigrad.nn.loading import LoadResult, complaints, loadable

TABLES = ("_parameters", "_modules", "_buffers")
FORGOTTEN_INIT = "{0}.__init__() must call super().__init__() before it assigns parameters or modules"


class ModuleError(MinigradError, AttributeError, RuntimeError, TypeError, KeyError):
    """A module was built or loaded wrongly."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Module:
    """Base of all layers and models. PyTorch: torch.nn.Module.

    A subclass calls ``super().__init__()``, assigns its layers and parameters to attributes, and defines `forward`.
    Parameters, buffers and submodules are plain attributes; the dicts `_parameters`, `_buffers` and `_modules` hold
    them by name as well, for the walks. Calling a module calls its `forward`.

    Attributes:
        training: whether the module is in training mode (see `train`).
    """

    training: bool = True
    _version = 0  # bumped by every attribute that is set, so that what was derived from them can be checked

    def __init__(self) -> None:
        d = self.__dict__
        d["_parameters"] = OrderedDict()
        d["_buffers"] = OrderedDict()
        d["_modules"] = OrderedDict()
        d["_transient"] = set()  # names of buffers that state_dict leaves out
        d["_hooks_made"] = 0
        d["_hooks_with_kwargs"] = set()
        d["_forward_hooks"] = OrderedDict()
        d["_forward_pre_hooks"] = OrderedDict()
        d["_backward_hooks"] = OrderedDict()
        d["training"] = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks):
            return self.forward(*args, **kwargs)
        return call_with_hooks(self, args, kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward(): it must be a method of the class"
                                  " (is its name misspelt, or is it indented into another method?)")

    # ----- attributes
    def __setattr__(self, name: str, value: Any) -> None:
        d = self.__dict__
        if "_parameters" not in d:
            if isinstance(value, Parameter | Module):
                raise ModuleError(FORGOTTEN_INIT.format(type(self).__name__))
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            self._register("_parameters", name, value)
        elif isinstance(value, Module):
            self._register("_modules", name, value)
        else:
            for table in TABLES:
                if name in d[table]:
                    check_replacement(self, table, name, value)
                    d[table][name] = value
        object.__setattr__(self, name, value)
        d["_version"] = d.get("_version", 0) + 1

    def _register(self, table: str, name: str, value: Any) -> None:
        """Put `value` into one of the tables, and take what had the name out of the others."""
        for other in TABLES:
            if other != table:
                self.__dict__[other].pop(name, None)
        self.__dict__[table][name] = value

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        d = self.__dict__
        for table in TABLES:
            d.get(table, {}).pop(name, None)
        d["_version"] = d.get("_version", 0) + 1

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and "_parameters" not in self.__dict__ and name in Module().__dict__:
            raise ModuleError(FORGOTTEN_INIT.format(type(self).__name__))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Make `param` (or None) the parameter `name`."""
        check_name(self, "_parameters", name)
        if param is not None and not isinstance(param, Parameter):
            raise ModuleError(f"parameter '{name}' must be a Parameter or None, not a {type(param).__name__}: wrap the"
                              " tensor in nn.Parameter(...)")
        self._parameters[name] = None
        setattr(self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Make `tensor` part of the state that no optimiser changes; not saved when it is not persistent."""
        check_name(self, "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ModuleError(f"buffer '{name}' must be a Tensor or None, not a {type(tensor).__name__}: make one with"
                              " minigrad.tensor(...)")
        self._buffers[name] = None
        self._transient.discard(name)
        if not persistent:
            self._transient.add(name)
        setattr(self, name, tensor)
        self._buffers[name] = tensor  # also when it is a Parameter, which setattr counts among the parameters
        self._parameters.pop(name, None)

    def register_module(self, name: str, module: "Module | None") -> None:
        """Make `module` (or None) the submodule `name`."""
        check_name(self, "_modules", name)
        if module is not None and not isinstance(module, Module):
            raise ModuleError(f"submodule '{name}' of {type(self).__name__} must be a Module or None, not a"
                              f" {described(module)}")
        self._modules[name] = None
        setattr(self, name, module)

    add_module = register_module

    # ----- hooks
    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                              with_kwargs: bool = False) -> Handle:
        """Call ``hook(module, args, output)`` after every forward; what it returns replaces the output.

        Args:
            prepend: before the hooks that are there.
            with_kwargs: call ``hook(module, args, kwargs, output)``.

        Returns:
            A handle, to remove it by.
        """
        return self._hooked("_forward_hooks", hook, prepend, with_kwargs)

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> Handle:
        """Call ``hook(module, args)`` before every forward; what it returns replaces the arguments.

        Args:
            prepend: before the hooks that are there.
            with_kwargs: call ``hook(module, args, kwargs)``, which may return (args, kwargs).

        Returns:
            A handle, to remove it by.
        """
        return self._hooked("_forward_pre_hooks", hook, prepend, with_kwargs)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the module's inputs are complete.

        Both are tuples, of the gradients of the positional arguments and of the outputs (None where there is none).
        What the hook returns replaces grad_input. Only tensors that are arguments or outputs themselves are seen.
        """
        return self._hooked("_backward_hooks", hook, prepend, False)

    def _hooked(self, table: str, hook: Callable[..., Any], prepend: bool, with_kwargs: bool) -> Handle:
        """The handle of `hook`, put into one of the tables of hooks."""
        key = self.__dict__["_hooks_made"] = self._hooks_made + 1
        hooks = self.__dict__[table]
        hooks[key] = hook
        if prepend:
            hooks.move_to_end(key, last=False)
        if with_kwargs:
            self._hooks_with_kwargs.add(key)
        return Handle(hooks, key)

    # ----- walks
    def named_modules(self, memo: "set[Module] | None" = None, prefix: str = "",
                      remove_duplicate: bool = True) -> "Iterator[tuple[str, Module]]":
        """(dotted name, module) of this module and all below, each once."""
        memo = set() if memo is None else memo
        if remove_duplicate:
            if self in memo:
                return
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> "Iterator[Module]":
        """This module and all below, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> "Iterator[tuple[str, Module]]":
        """(name, module) of the modules directly below, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> "Iterator[Module]":
        """The modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, table: str, prefix: str, recurse: bool,
                       remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        """(dotted name, tensor) of the entries of one of the tables."""
        seen = set()
        walk: Iterable[tuple[str, Module]] = [(prefix, self)]
        if recurse:
            walk = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for where, module in walk:
            for name, tensor in getattr(module, table).items():
                if tensor is None or (remove_duplicate and id(tensor) in seen):
                    continue
                seen.add(id(tensor))
                yield f"{where}.{name}" if where else name, tensor

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(dotted name, parameter) of this module and all below; shared parameters come once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and all below; shared ones come once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """(dotted name, buffer) of this module and all below; shared ones come once."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module and all below; shared ones come once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> "Module":
        """The module at a dotted name; "" is this one."""
        module: Module = self
        for name in target.split(".") if target else []:
            found = module._modules.get(name)
            if found is None:
                raise ModuleError(f"{type(module).__name__} has no submodule '{name}' (looking for '{target}'); it has"
                                  f" {', '.join(module._modules) or 'none'}")
            module = found
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted name."""
        return self._member("_parameters", "parameter", target)

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted name."""
        return self._member("_buffers", "buffer", target)

    def _member(self, table: str, what: str, target: str) -> Any:
        where, _, name = target.rpartition(".")
        module = self.get_submodule(where)
        found = module.__dict__[table].get(name)
        if found is None:
            raise ModuleError(f"{type(module).__name__} has no {what} '{name}' (looking for '{target}'); it has"
                              f" {', '.join(module.__dict__[table]) or 'none'}")
        return found

    def apply(self, fn: "Callable[[Module], Any]") -> Self:
        """Call `fn` on every module below and then on this one; returns this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ----- modes
    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below to training (dropout drops, batch norm counts); returns it."""
        if not isinstance(mode, bool):
            raise ValueError(f"train() takes True or False, not a {type(mode).__name__}: it switches the mode and does"
                             " not train")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch this module and all below to evaluation; returns it."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Start or stop recording operations on all parameters; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters (or fill them with zeros)."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad.detach().zero_()

    # ----- state
    def state_dict(self, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> "OrderedDict[str, Any]":
        """{dotted name: detached tensor} of all parameters and persistent buffers; the memory is shared.

        Args:
            destination: a dict to put them into.
            prefix: put before each name.
            keep_vars: give the parameters themselves.
        """
        state = OrderedDict() if destination is None else destination
        for where, module in self.named_modules(prefix=prefix.rstrip("."), remove_duplicate=False):
            for table in ("_parameters", "_buffers"):
                for name, tensor in module.__dict__[table].items():
                    if tensor is not None and not (table == "_buffers" and name in module._transient):
                        state[f"{where}.{name}" if where else name] = tensor if keep_vars else tensor.detach()
        return state

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> LoadResult:
        """Copy values into parameters and buffers by name; nothing changes when something does not fit.

        Args:
            state_dict: {dotted name: Tensor or array}, as `state_dict` gives it.
            strict: refuse missing and unexpected names.
            assign: make the given tensors themselves the parameters and buffers, in their dtypes.

        Returns:
            (missing_keys, unexpected_keys), both empty when strict.

        Raises:
            ModuleError: a shape differs, something is no tensor, or names are missing or unexpected (strict).
        """
        own = self.state_dict(keep_vars=True)
        missing, unexpected, wrong = complaints(own, state_dict, strict)
        if wrong:
            lines = "".join([f"\n  {line}" for line in wrong])
            raise ModuleError(f"the state does not fit {type(self).__name__}:{lines}")
        with no_grad():
            for name, tensor in own.items():
                if name not in state_dict:
                    continue
                value = loadable(state_dict[name], tensor)
                if assign:
                    where, _, attribute = name.rpartition(".")
                    if isinstance(tensor, Parameter) and not isinstance(value, Parameter):
                        value = Parameter(value, tensor.requires_grad)
                    setattr(self.get_submodule(where), attribute, value)
                else:
                    tensor.copy_(value.to(tensor.device))
        return LoadResult(missing, unexpected)

    # ----- dtype and device
    def to(self, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False) -> Self:
        """Parameters and buffers in another float dtype or on another device; returns the module.

        Called as ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(tensor)`` or with keywords. The parameters
        stay the same objects, so an optimiser that has them goes on.
        """
        for argument in args:
            if isinstance(argument, Tensor):
                dtype, device = argument.dtype, argument.device
            elif argument is not None and not isinstance(argument, bool):  # a bool is non_blocking
                dtype, device = target_named(argument, dtype, device)
        if dtype is not None and not is_float(as_dtype(dtype)):
            raise ModuleError(f"a module can be converted to float dtypes only, not to {as_dtype(dtype)}: its integer"
                              " buffers keep their dtype")
        for tensor in [*self.parameters(), *self.buffers()]:
            gradient = tensor.grad if tensor.is_leaf else None
            tensor.grad = None
            tensor.data = moved(tensor.detach(), dtype, device)
            if gradient is not None:
                tensor.grad = moved(gradient.detach(), dtype, device)
        for module in self.modules():
            module.__dict__["_version"] = module._version + 1
        return self

    def type(self, dst_type: Any) -> Self:
        """Floats in another float dtype; returns the module."""
        return self.to(dtype=as_dtype(dst_type))

    def float(self) -> Self:
        """Floats as float32; returns the module."""
        return self.to(dtype="float32")

    def double(self) -> Self:
        """Floats as float64; returns the module."""
        return self.to(dtype="float64")

    def half(self) -> Self:
        """Floats as float16; returns the module."""
        return self.to(dtype="float16")

    def cuda(self, device: Any = None) -> Self:
        """Everything on the GPU; returns the module."""
        return self.to(device="cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)

    def cpu(self) -> Self:
        """Everything on the CPU; returns the module."""
        return self.to(device="cpu")

    # ----- text
    def extra_repr(self) -> str:
        """What stands in the parentheses of the repr, beside the submodules."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        below = self._lines_below()
        if not below and len(lines) <= 1:
            return f"{type(self).__name__}({extra})"
        return "\n".join([f"{type(self).__name__}(", *[f"  {line}" for line in lines + below], ")"])

    def _lines_below(self) -> list[str]:
        """The lines of the submodules."""
        return [f"({name}): {indented(module)}" for name, module in self._modules.items()]


def indented(module: Any) -> str:
    """The repr of a submodule for the repr of what it is in."""
    return repr(module).replace("\n", "\n  ")


def moved(tensor: Tensor, dtype: Any, device: Any) -> Tensor:
    """A tensor on another device, and in another dtype if it is one of floats."""
    if device is not None:
        tensor = tensor.to(device)
    return tensor.to(dtype) if dtype is not None and tensor.dtype.kind == "f" else tensor


def described(value: Any) -> str:
    """What something is, for a message."""
    if isinstance(value, type):
        return f"class: make one with {value.__name__}(...)"
    return type(value).__name__


def check_replacement(module: Module, table: str, name: str, value: Any) -> None:
    """Raise unless `value` may take the place of the entry `name` of a table of a module."""
    if value is None or (table == "_buffers" and isinstance(value, Tensor)):
        return
    expected = {"_parameters": "a Parameter", "_modules": "a Module", "_buffers": "a Tensor"}[table]
    text = (f"'{name}' of {type(module).__name__} is {expected.lower()}: it can become {expected} or None, not a"
            f" {described(value)}")
    if table == "_parameters" and isinstance(value, Tensor):
        text += (". Wrap it in nn.Parameter(...) for a new parameter, or change the values of the old one under"
                 f" no_grad(): module.{name}.copy_(values)")
    raise ModuleError(text)


def check_name(module: Module, table: str, name: Any) -> None:
    """Raise unless something can be registered as `name`."""
    if "_parameters" not in module.__dict__:
        raise ModuleError(FORGOTTEN_INIT.format(type(module).__name__))
    if not isinstance(name, str) or not name or "." in name:
        raise ModuleError(f"{name!r} cannot be the name of an attribute: expected a text without dots, not empty")
    if name not in module.__dict__[table] and (name in module.__dict__ or hasattr(type(module), name)):
        raise ModuleError(f"{type(module).__name__} already has an attribute '{name}'")
