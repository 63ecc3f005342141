"""Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from minigrad.core.aval import aval_of
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.nn.module import Module, ModuleError, described, indented


def place(container: Any, index: int) -> int:
    """An index into a container, negative ones from its end, as a place from 0."""
    size = len(container)
    if not isinstance(index, int) or not -size <= index < size:
        raise IndexError(f"index {index} is out of range for a {type(container).__name__} of {size}")
    return index % size


class Numbered(Module):
    """What lists of modules share: their names are their numbers."""

    def _renumber(self, modules: Iterable[Module]) -> None:
        """Hold these modules, numbered from 0."""
        for name in list(self._modules):
            delattr(self, name)
        for number, module in enumerate(modules):
            self.register_module(str(number), module)

    def append(self, module: Module) -> Self:
        """Add a module at the end; returns the container."""
        self.register_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end; returns the container."""
        if isinstance(modules, Tensor | str) or not isinstance(modules, Iterable):
            raise ModuleError(f"{type(self).__name__} is made of an iterable of modules, not of a {described(modules)}")
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before place `index`; returns the container."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, index: int = -1) -> Module:
        """Take a module out and return it."""
        module = list(self)[place(self, index)]
        del self[index]
        return module

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index]
        self._renumber(modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(other)


class Sequential(Numbered):
    """Modules one after the other. PyTorch: torch.nn.Sequential.

    Args:
        modules: the modules in order, or one dict of named ones.
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named = list(modules[0].items())
        else:
            if len(modules) == 1 and isinstance(modules[0], list | tuple):
                raise ModuleError("Sequential takes the modules as arguments of their own: write Sequential(*layers)")
            named = [(str(i), module) for i, module in enumerate(modules)]
        for name, module in named:
            self.register_module(name, module)

    def forward(self, input: Any) -> Any:
        for name, module in self._modules.items():
            try:
                input = module(input)
            except Exception as error:
                error.add_note(f"in layer ({name}) of {type(self).__name__}, {type(module).__name__}"
                               f"({module.extra_repr()}), whose input is {described_input(input)}")
                raise
        return input

    def __getitem__(self, index: Any) -> Any:
        named = list(self._modules.items())
        if isinstance(index, slice):
            return type(self)(OrderedDict(named[index]))
        return named[place(self, index)][1]

    def __setitem__(self, index: int, module: Module) -> None:
        name = list(self._modules)[place(self, index)]
        self.register_module(name, module)

    def __add__(self, other: "Sequential") -> "Sequential":
        return Sequential(*self, *other)


def described_input(value: Any) -> str:
    """What a layer got, for a message."""
    return repr(aval_of(value)) if hasattr(value, "dtype") and hasattr(value, "shape") else type(value).__name__


class ModuleList(Numbered):
    """A list of modules that are registered. PyTorch: torch.nn.ModuleList."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a ModuleList only holds modules: call them one by one, or use Sequential")

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.values())
        return type(self)(modules[index]) if isinstance(index, slice) else modules[place(self, index)]

    def __setitem__(self, index: int, module: Module) -> None:
        self.register_module(str(place(self, index)), module)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return type(self)([*self, *other])

    def _lines_below(self) -> list[str]:
        """Equal neighbours share a line, as in PyTorch."""
        groups: list[tuple[int, int, str]] = []
        for number, module in enumerate(self):
            text = indented(module)
            if groups and groups[-1][2] == text:
                groups[-1] = groups[-1][0], number, text
            else:
                groups.append((number, number, text))
        return [f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
                for first, last, text in groups]


class ModuleDict(Module):
    """A dict of modules that are registered. PyTorch: torch.nn.ModuleDict."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def update(self, modules: Any) -> None:
        """Add the modules of a dict, or of (name, module) pairs."""
        for name, module in modules.items() if hasattr(modules, "items") else modules:
            self[name] = module

    def pop(self, key: str) -> Module:
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Take all modules out."""
        for name in list(self._modules):
            del self[name]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a ModuleDict only holds modules: call one of them")

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        if key in type(self).__dict__ or hasattr(Module, key):
            raise ModuleError(f"{key!r} is a method of ModuleDict and cannot be the name of a module")
        self.register_module(key, module)

    def __delitem__(self, key: str) -> None:
        if key not in self._modules:
            raise KeyError(key)
        delattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def keys(self) -> Iterable[str]:
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        return self._modules.items()


def as_parameter(value: Any) -> Parameter:
    """A tensor as a Parameter; itself if it is one."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, Tensor):
        return Parameter(value, value.dtype.kind == "f")
    raise ModuleError(f"a list or dict of parameters holds Parameters and tensors, not a {described(value)}")


class ParameterList(Module):
    """A list of parameters that are registered; tensors become Parameters. PyTorch: torch.nn.ParameterList."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        if values is not None:
            self.extend(values)

    def append(self, value: Any) -> Self:
        """Add a parameter at the end; returns the list."""
        self.register_parameter(str(len(self)), as_parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several parameters at the end; returns the list."""
        for value in list(values):
            self.append(value)
        return self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a ParameterList only holds parameters")

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def __getitem__(self, index: Any) -> Any:
        values = list(self._parameters.values())
        return type(self)(values[index]) if isinstance(index, slice) else values[place(self, index)]

    def __setitem__(self, index: int, value: Any) -> None:
        self.register_parameter(str(place(self, index)), as_parameter(value))

    def _lines_below(self) -> list[str]:
        return parameter_lines(self)


class ParameterDict(Module):
    """A dict of parameters that are registered; tensors become Parameters. PyTorch: torch.nn.ParameterDict."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def update(self, parameters: Any) -> None:
        """Add the parameters of a dict, or of (name, parameter) pairs."""
        for name, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[name] = value

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a ParameterDict only holds parameters")

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        if key not in self._parameters:
            raise KeyError(key)
        delattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def keys(self) -> Iterable[str]:
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        return self._parameters.items()

    def _lines_below(self) -> list[str]:
        return parameter_lines(self)


def parameter_lines(module: Module) -> list[str]:
    """A line for each parameter."""
    return [f"({name}): Parameter containing: [{aval_of(p)}]" for name, p in module._parameters.items()
            if p is not None]
