"""Lists and dicts of modules and of parameters."""

import pytest

import minigrad as mg
import minigrad.nn as nn
from minigrad.nn.module import ModuleError


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1)})


def kinds(container):
    return [type(module).__name__ for module in container]


def test_what_they_hold_is_registered():
    model = Deep()
    assert len(list(model.parameters())) == 8
    assert "heads.a.weight" in model.state_dict()
    model.layers.append(nn.Identity())
    assert len(model.layers) == 4
    assert isinstance(model.layers[-1], nn.Identity)


@pytest.mark.parametrize("make", [nn.Sequential, lambda *modules: nn.ModuleList(modules)])
def test_lists_do_as_lists_do(make):
    modules = make(nn.ReLU(), nn.Tanh())
    modules.append(nn.Sigmoid()).extend([nn.GELU()])
    modules.insert(1, nn.Identity())
    assert kinds(modules) == ["ReLU", "Identity", "Tanh", "Sigmoid", "GELU"]
    assert kinds(modules[1:3]) == ["Identity", "Tanh"]
    assert type(modules[1:3]) is type(modules)
    assert isinstance(modules.pop(), nn.GELU)
    del modules[0]
    del modules[-2:]
    assert kinds(modules) == ["Identity"]
    assert list(modules._modules) == ["0"]
    modules[0] = nn.ReLU()
    modules += [nn.Tanh()]
    assert kinds(modules + make(nn.GELU())) == ["ReLU", "Tanh", "GELU"]
    assert len(modules) == 2
    with pytest.raises(IndexError, match="index 2 is out of range"):
        modules[2]


def test_sequential_calls_one_after_the_other():
    model = nn.Sequential({"twice": nn.Linear(1, 1, bias=False), "relu": nn.ReLU()})
    with mg.no_grad():
        model.twice.weight.fill_(2.0)
    assert model(mg.tensor([[3.0], [-3.0]])).tolist() == [[6], [0]]
    assert list(model.state_dict()) == ["twice.weight"]
    with pytest.raises(ModuleError, match=r"Sequential\(\*layers\)"):
        nn.Sequential([nn.ReLU()])


def test_the_layer_that_failed_is_named():
    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(4, 1)))
    with pytest.raises(RuntimeError) as caught:
        model(mg.zeros(5, 2))
    notes = "\n".join(caught.value.__notes__)
    assert "layer (1) of Sequential, Linear(in_features=4, out_features=1, bias=True), whose input is float32(5, 3)" \
        in notes
    assert "layer (1) of Sequential, Sequential(), whose input is float32(5, 3)" in notes


def test_module_dicts_do_as_dicts_do():
    modules = nn.ModuleDict([["a", nn.ReLU()]])
    modules.update({"b": nn.Tanh()})
    assert list(modules) == list(modules.keys()) == ["a", "b"]
    assert "a" in modules
    assert [name for name, _ in modules.items()] == ["a", "b"]
    assert isinstance(modules.pop("a"), nn.ReLU)
    assert kinds(modules.values()) == ["Tanh"]
    with pytest.raises(KeyError):
        del modules["a"]
    with pytest.raises(ModuleError, match="method"):
        modules["items"] = nn.ReLU()
    modules.clear()
    assert len(modules) == 0


def test_containers_that_only_hold_say_so():
    with pytest.raises(NotImplementedError, match="use Sequential"):
        nn.ModuleList([nn.ReLU()])(mg.zeros(1))
    with pytest.raises(ModuleError, match="iterable of modules"):
        nn.ModuleList(3)
    with pytest.raises(NotImplementedError, match="call one of them"):
        nn.ModuleDict()(mg.zeros(1))


def test_lists_and_dicts_of_parameters():
    parameters = nn.ParameterList([mg.zeros(2), nn.Parameter(mg.ones(3))])
    parameters.append(mg.zeros(1))
    parameters[0] = mg.ones(2)
    assert [tuple(p.shape) for p in parameters] == [(2,), (3,), (1,)]
    assert all([isinstance(p, nn.Parameter) and p.requires_grad for p in parameters])
    assert len(list(parameters.parameters())) == len(parameters) == 3
    assert list(parameters.state_dict()) == ["0", "1", "2"]
    named = nn.ParameterDict({"w": mg.zeros(2)})
    named["b"] = nn.Parameter(mg.zeros(1))
    assert list(named) == ["w", "b"]
    assert named["w"].requires_grad
    del named["w"]
    assert "w" not in named
    with pytest.raises(ModuleError, match="not a float"):
        parameters.append(1.0)


def test_repr():
    model = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])
    assert repr(model).splitlines() == ["ModuleList(", "  (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)",
                                        "  (2): ReLU()", ")"]
    assert repr(nn.Sequential()) == "Sequential()"
    assert repr(nn.ParameterList([mg.zeros(2)])).splitlines()[1] == "  (0): Parameter containing: [float32(2,)]"
