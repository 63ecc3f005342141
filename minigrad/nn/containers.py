"""Modules that hold modules."""

from collections import OrderedDict

from minigrad.nn.module import Module, ModuleError


class Sequential(Module):
    """Modules one after the other. PyTorch: torch.nn.Sequential.

    Args:
        modules: the modules in order, or one OrderedDict of named ones.
    """

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], OrderedDict | dict):
            named = modules[0].items()
        else:
            named = [(str(i), module) for i, module in enumerate(modules)]
        for name, module in named:
            if not isinstance(module, Module):
                raise ModuleError(f"Sequential holds modules, not a {type(module).__name__}")
            self.register_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module):
        """Add a module at the end; returns the container."""
        self.register_module(str(len(self)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        modules = list(self._modules.items())
        if isinstance(index, slice):
            return type(self)(OrderedDict(modules[index]))
        return modules[index][1]


class ModuleList(Module):
    """A list of modules that are registered. PyTorch: torch.nn.ModuleList."""

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules)

    def append(self, module):
        """Add a module at the end; returns the list."""
        self.register_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several modules at the end; returns the list."""
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        modules = list(self._modules.values())
        return ModuleList(modules[index]) if isinstance(index, slice) else modules[index]

    def __setitem__(self, index, module):
        self.register_module(str(range(len(self))[index]), module)


class ModuleDict(Module):
    """A dict of modules that are registered. PyTorch: torch.nn.ModuleDict."""

    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            self.register_module(name, module)

    def __getitem__(self, name):
        return self._modules[name]

    def __setitem__(self, name, module):
        self.register_module(name, module)

    def __contains__(self, name):
        return name in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters that are registered. PyTorch: torch.nn.ParameterList."""

    def __init__(self, parameters=()):
        super().__init__()
        for parameter in parameters:
            self.append(parameter)

    def append(self, parameter):
        """Add a parameter at the end; returns the list."""
        self.register_parameter(str(len(self)), parameter)
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]
