"""Modules: registration, walks, state, modes, messages."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn as nn
from minigrad.nn.module import ModuleError


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.register_buffer("count", mg.tensor(0.0))

    def forward(self, x):
        return self.second(self.first(x))


def test_shared_parameters_come_once():
    model = Tied()
    assert [name for name, _ in model.named_parameters()] == ["first.weight", "first.bias", "second.bias"]
    assert set(model.state_dict()) == {"first.weight", "first.bias", "second.weight", "second.bias", "count"}


def test_parameters_and_submodules_are_plain_attributes():
    model = Tied()
    assert vars(model)["first"] is model.first
    assert vars(model.first)["weight"] is model.first.weight
    model.first = nn.Identity()
    assert len(list(model.children())) == 2
    del model.second
    assert [name for name, _ in model.named_children()] == ["first"]
    assert not list(model.parameters())


def test_attribute_writes_count_as_versions():
    model = Tied()
    before = model._version
    model.rate = 0.5
    assert model._version == before + 1


def test_a_forgotten_init_is_named():
    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(2, 2)

    with pytest.raises(ModuleError, match=r"Forgetful.*super\(\).__init__\(\)"):
        Forgetful()


def test_lists_and_dicts_of_modules():
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
            self.heads = nn.ModuleDict({"a": nn.Linear(2, 1)})

    model = Deep()
    assert len(list(model.parameters())) == 8
    assert "heads.a.weight" in model.state_dict()
    model.layers.append(nn.Identity())
    assert len(model.layers) == 4
    assert isinstance(model.layers[-1], nn.Identity)


def test_state_round_trip_and_refusals():
    model, other = Tied(), Tied()
    other.load_state_dict(model.state_dict())
    np.testing.assert_array_equal(other.first.bias.detach().numpy(), model.first.bias.detach().numpy())
    state = dict(model.state_dict())
    del state["first.bias"]
    state["extra"] = mg.zeros(1)
    with pytest.raises(ModuleError, match=r"missing: first.bias; unexpected: extra"):
        other.load_state_dict(state)
    result = other.load_state_dict(state, strict=False)
    assert result.missing_keys == ["first.bias"]
    state = dict(model.state_dict())
    state["first.weight"] = mg.zeros(2, 2)
    before = other.first.weight.detach().numpy().copy()
    with pytest.raises(ModuleError, match=r"size mismatch for first\.weight"):
        other.load_state_dict(state)
    np.testing.assert_array_equal(other.first.weight.detach().numpy(), before)


def test_modes_reach_all_modules():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    model.eval()
    assert not model[1].training
    x = mg.ones(3, 2)
    np.testing.assert_array_equal(model[1](x).numpy(), x.numpy())
    model.train()
    assert model[1].training


def test_hooks_see_and_change_what_passes():
    layer = nn.Linear(2, 2)
    seen = []
    before = layer.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    after = layer.register_forward_hook(lambda module, args, output: seen.append(output) or output + 1)
    y = layer(mg.ones(1, 2))
    np.testing.assert_allclose(y.detach().numpy(), layer.bias.detach().numpy()[None] + 1)
    before.remove()
    after.remove()
    layer(mg.ones(1, 2))
    assert len(seen) == 1


def test_dtypes():
    model = Tied().double()
    assert model.first.weight.dtype == np.float64
    assert model.first.weight.requires_grad
    assert model(mg.ones(1, 3, dtype=mg.float64)).dtype == np.float64


def test_repr_shows_the_tree():
    text = repr(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    assert text.startswith("Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()")


@pytest.mark.parametrize("hidden", [True, False])
def test_a_network_learns(hidden):
    mg.manual_seed(0)
    x = mg.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = mg.tensor([0, 1, 1, 0] if hidden else [0, 1, 1, 1])
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2)) if hidden else nn.Linear(2, 2)
    optimizer = mg.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(200):
        loss = nn.CrossEntropyLoss()(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (model(x).argmax(1) == y).all().item()
