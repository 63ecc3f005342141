"""Module: parameters, buffers and submodules as attributes, and everything that walks over them."""

from collections import OrderedDict

from minigrad.core.dtypes import as_dtype
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import MinigradError

FORGOTTEN_INIT = ("{0}.__init__() must call super().__init__() before it assigns parameters or modules")


class ModuleError(MinigradError, AttributeError, RuntimeError, TypeError, KeyError):
    """A module was built or loaded wrongly."""

    def __str__(self):
        return str(self.args[0]) if self.args else ""


class Module:
    """Base of all layers and models. PyTorch: torch.nn.Module.

    Parameters, buffers and submodules are plain attributes; the dicts `_parameters`, `_buffers` and `_modules` hold
    them by name as well, for the walks. Calling a module calls its `forward`.
    """

    training = True
    _version = 0  # bumped by every attribute that is set, so that what was derived from them can be checked

    def __init__(self):
        d = self.__dict__
        d["_parameters"] = OrderedDict()
        d["_buffers"] = OrderedDict()
        d["_modules"] = OrderedDict()
        d["_transient"] = set()  # names of buffers that state_dict leaves out
        d["_forward_hooks"] = None
        d["_forward_pre_hooks"] = None
        d["training"] = True

    def __call__(self, *args, **kwargs):
        if self._forward_hooks is None and self._forward_pre_hooks is None:
            return self.forward(*args, **kwargs)
        return self.call_with_hooks(args, kwargs)

    def forward(self, *args, **kwargs):
        """What the module computes; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward()")

    # ----- attributes
    def __setattr__(self, name, value):
        d = self.__dict__
        if "_parameters" not in d:
            if isinstance(value, Parameter | Module):
                raise ModuleError(FORGOTTEN_INIT.format(type(self).__name__))
            object.__setattr__(self, name, value)
            return
        for table in (d["_parameters"], d["_modules"], d["_buffers"]):
            if name in table and not (table is d["_buffers"] and (value is None or isinstance(value, Tensor))):
                if value is not None or isinstance(value, Parameter | Module):
                    del table[name]
        if isinstance(value, Parameter):
            d["_parameters"][name] = value
        elif isinstance(value, Module):
            d["_modules"][name] = value
        elif name in d["_buffers"]:
            d["_buffers"][name] = value
        elif value is None:
            for table in (d["_parameters"], d["_modules"]):
                if name in table:
                    table[name] = None
        object.__setattr__(self, name, value)
        d["_version"] = d.get("_version", 0) + 1

    def __delattr__(self, name):
        for table in ("_parameters", "_buffers", "_modules"):
            self.__dict__[table].pop(name, None)
        object.__delattr__(self, name)

    def __getattr__(self, name):
        if "_parameters" not in self.__dict__ and name in ("_parameters", "_modules", "_buffers", "_forward_hooks"):
            raise ModuleError(FORGOTTEN_INIT.format(type(self).__name__))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_parameter(self, name, param):
        """Make `param` (or None) the parameter `name`."""
        self._parameters[name] = None
        setattr(self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Make `tensor` part of the state that no optimiser changes; not saved when it is not persistent."""
        self._buffers[name] = None
        if not persistent:
            self._transient.add(name)
        setattr(self, name, tensor)

    def register_module(self, name, module):
        """Make `module` (or None) the submodule `name`."""
        self._modules[name] = None
        setattr(self, name, module)

    add_module = register_module

    # ----- hooks
    def register_forward_hook(self, hook):
        """Call ``hook(module, args, output)`` after every forward; what it returns replaces the output."""
        self.__dict__["_forward_hooks"] = hooks = dict(self._forward_hooks or {})
        return HookHandle(self, "_forward_hooks", hooks, hook)

    def register_forward_pre_hook(self, hook):
        """Call ``hook(module, args)`` before every forward; what it returns replaces the arguments."""
        self.__dict__["_forward_pre_hooks"] = hooks = dict(self._forward_pre_hooks or {})
        return HookHandle(self, "_forward_pre_hooks", hooks, hook)

    def call_with_hooks(self, args, kwargs):
        """`forward` with the hooks around it."""
        for hook in list((self._forward_pre_hooks or {}).values()):
            replaced = hook(self, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
        output = self.forward(*args, **kwargs)
        for hook in list((self._forward_hooks or {}).values()):
            replaced = hook(self, args, output)
            if replaced is not None:
                output = replaced
        return output

    # ----- walks
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(dotted name, module) of this module and all below, each once."""
        memo = set() if memo is None else memo
        if remove_duplicate and self in memo:
            return
        memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self):
        """This module and all below, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        """(name, module) of the modules directly below."""
        for name, module in self._modules.items():
            if module is not None:
                yield name, module

    def children(self):
        """The modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_members(self, table, prefix, recurse, remove_duplicate=True):
        """(dotted name, tensor) of the entries of one of the tables, shared ones once."""
        seen = set()
        for where, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, tensor in module.__dict__[table].items():
                if tensor is None or (remove_duplicate and id(tensor) in seen):
                    continue
                seen.add(id(tensor))
                yield f"{where}.{name}" if where else name, tensor

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, parameter) of this module and all below; shared parameters come once."""
        return self.named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters of this module and all below; shared ones come once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, buffer) of this module and all below."""
        return self.named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers of this module and all below."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target):
        """The module at a dotted name."""
        module = self
        for name in target.split(".") if target else []:
            if name not in module._modules:
                raise ModuleError(f"{type(module).__name__} has no submodule '{name}' (looking for '{target}')")
            module = module._modules[name]
        return module

    def apply(self, fn):
        """Call `fn` on every module below and then on this one; returns this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ----- modes
    def train(self, mode=True):
        """Switch this module and all below to training (dropout drops, batch norm counts); returns it."""
        for module in self.modules():
            module.__dict__["training"] = mode
        return self

    def eval(self):
        """Switch this module and all below to evaluation; returns it."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Start or stop recording operations on all parameters; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters (or fill them with zeros)."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            parameter.grad = None if set_to_none else parameter.grad * 0

    # ----- state
    def state_dict(self, prefix=""):
        """{dotted name: detached tensor} of all parameters and persistent buffers; the memory is shared."""
        state = OrderedDict()
        for where, module in self.named_modules(prefix=prefix.rstrip("."), remove_duplicate=False):
            for table in ("_parameters", "_buffers"):
                for name, tensor in module.__dict__[table].items():
                    if tensor is not None and not (table == "_buffers" and name in module._transient):
                        state[f"{where}.{name}" if where else name] = tensor.detach()
        return state

    def load_state_dict(self, state_dict, strict=True):
        """Copy values into parameters and buffers by name; nothing changes when something does not fit.

        Returns:
            (missing names, unexpected names), both empty when strict.

        Raises:
            ModuleError: a shape differs, or names are missing or unexpected (strict).
        """
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        wrong = []
        for name, tensor in own.items():
            if name in state_dict and tuple(state_dict[name].shape) != tensor.shape:
                wrong.append(f"size mismatch for {name}: {tuple(state_dict[name].shape)} in the state, {tensor.shape}"
                             " in the module")
        if strict:
            wrong += [f"missing: {', '.join(missing)}"] if missing else []
            wrong += [f"unexpected: {', '.join(unexpected)}"] if unexpected else []
        if wrong:
            raise ModuleError(f"the state does not fit {type(self).__name__}: {'; '.join(wrong)}")
        with no_grad():
            for name, tensor in own.items():
                if name in state_dict:
                    tensor.copy_(state_dict[name])
        return LoadResult(missing, unexpected)

    # ----- dtype and device
    def to(self, *args, dtype=None, device=None):
        """Parameters and buffers in another float dtype or on another device; returns the module."""
        for argument in args:
            if isinstance(argument, Tensor):
                dtype, device = argument.dtype, argument.device
            elif (isinstance(argument, str) and argument.partition(":")[0] in ("cpu", "cuda", "gpu")) \
                    or (hasattr(argument, "index") and hasattr(argument, "type")):
                device = argument
            else:
                dtype = argument
        dtype = None if dtype is None else as_dtype(dtype)
        for tensor in [*self.parameters(), *self.buffers()]:
            changed = tensor.detach()
            if device is not None:
                changed = changed.to(device)
            if dtype is not None and tensor.dtype.kind == "f":
                changed = changed.to(dtype)
            tensor.data = changed
            if tensor.grad is not None:
                tensor.grad = None
        return self

    def float(self):
        """Floats as float32; returns the module."""
        return self.to("float32")

    def double(self):
        """Floats as float64; returns the module."""
        return self.to("float64")

    def half(self):
        """Floats as float16; returns the module."""
        return self.to("float16")

    def cuda(self, device="cuda"):
        """Everything on the GPU; returns the module."""
        return self.to(device="cuda" if device is None else device)

    def cpu(self):
        """Everything on the CPU; returns the module."""
        return self.to(device="cpu")

    # ----- text
    def extra_repr(self):
        """What stands in the parentheses of the repr, beside the submodules."""
        return ""

    def __repr__(self):
        lines = []
        for name, module in self._modules.items():
            text = repr(module).replace("\n", "\n  ")
            lines.append(f"  ({name}): {text}")
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        return "\n".join([f"{type(self).__name__}({extra}", *lines, ")"])


class LoadResult(tuple):
    """(missing_keys, unexpected_keys), as load_state_dict returns them."""

    __slots__ = ()

    def __new__(cls, missing, unexpected):
        return super().__new__(cls, (missing, unexpected))

    @property
    def missing_keys(self):
        return self[0]

    @property
    def unexpected_keys(self):
        return self[1]


class HookHandle:
    """What registering a hook returns: `remove()` takes it off."""

    def __init__(self, module, table, hooks, hook):
        self.module = module
        self.table = table
        hooks[id(self)] = hook

    def remove(self):
        """Take the hook off; a second call does nothing."""
        hooks = dict(self.module.__dict__[self.table] or {})
        hooks.pop(id(self), None)
        self.module.__dict__[self.table] = hooks or None
