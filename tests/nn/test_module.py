"""Modules: registration, walks, state, modes, hooks, messages."""

import copy
import pickle

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


# ----- registration
def test_shared_parameters_come_once():
    model = Tied()
    assert [name for name, _ in model.named_parameters()] == ["first.weight", "first.bias", "second.bias"]
    assert len(list(model.named_parameters(remove_duplicate=False))) == 4
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
    with pytest.raises(AttributeError, match="'Tied' object has no attribute 'second'"):
        _ = model.second


def test_an_attribute_can_become_something_else():
    model = nn.Module()
    model.a = nn.Parameter(mg.zeros(1))
    model.a = nn.Identity()
    assert not list(model.parameters())
    model.a = None
    assert not list(model.children())
    model.a = nn.Identity()
    model.a = nn.Parameter(mg.zeros(1))
    assert [name for name, _ in model.named_parameters()] == ["a"]
    model.a = None
    assert not list(model.parameters())
    model.register_buffer("b", None)
    model.b = mg.zeros(2)
    assert [name for name, _ in model.named_buffers()] == ["b"]
    model.b = nn.Parameter(mg.zeros(2))
    assert not list(model.buffers())


def test_a_parameter_module_or_buffer_is_not_replaced_by_something_else():
    model = Tied()
    with pytest.raises(TypeError, match=r"'weight' of Linear is a parameter.*not a Tensor.*nn\.Parameter"):
        model.first.weight = mg.zeros(3, 3)
    with pytest.raises(TypeError, match=r"'first' of Tied is a module.*not a int"):
        model.first = 3
    with pytest.raises(TypeError, match=r"'count' of Tied is a tensor.*not a float"):
        model.count = 3.0
    assert len(list(model.parameters())) == 3


def test_what_cannot_be_registered_is_said():
    model = nn.Module()
    with pytest.raises(ModuleError, match="without dots"):
        model.register_parameter("a.b", None)
    with pytest.raises(ModuleError, match="already has an attribute 'forward'"):
        model.register_buffer("forward", None)
    with pytest.raises(ModuleError, match=r"nn\.Parameter"):
        model.register_parameter("w", mg.zeros(1))
    with pytest.raises(ModuleError, match=r"minigrad\.tensor"):
        model.register_buffer("b", 3)
    with pytest.raises(ModuleError, match=r"make one with ReLU\(\.\.\.\)"):
        model.add_module("r", nn.ReLU)
    with pytest.raises(ModuleError, match=r"make one with ReLU\(\.\.\.\)"):
        nn.Sequential(nn.Linear(1, 1), nn.ReLU)


def test_attribute_writes_count_as_versions():
    model = Tied()
    before = model._version
    model.rate = 0.5
    assert model._version == before + 1
    model.train(False)
    assert model._version == before + 2
    assert model.first._version > 0


def test_a_forgotten_init_is_named():
    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(2, 2)

    class Late(nn.Module):
        def __init__(self):
            self.rate = 1.0

    with pytest.raises(ModuleError, match=r"Forgetful.*super\(\).__init__\(\)"):
        Forgetful()
    late = Late()
    with pytest.raises(ModuleError, match=r"Late.*super\(\).__init__\(\)"):
        late(mg.zeros(1))
    with pytest.raises(ModuleError, match=r"Late.*super\(\).__init__\(\)"):
        list(late.parameters())
    with pytest.raises(ModuleError, match=r"Late.*super\(\).__init__\(\)"):
        late.register_buffer("b", None)


def test_a_module_without_forward_says_so():
    with pytest.raises(NotImplementedError, match=r"Module does not define forward"):
        nn.Module()(mg.zeros(1))


# ----- walks
def test_walks():
    model = nn.Sequential(Tied(), nn.Sequential(nn.ReLU()))
    assert [name for name, _ in model.named_modules()] == ["", "0", "0.first", "0.second", "1", "1.0"]
    assert model.get_submodule("0.first") is model[0].first
    assert model.get_submodule("") is model
    assert model.get_parameter("0.first.weight") is model[0].first.weight
    assert model.get_buffer("0.count") is model[0].count
    with pytest.raises(AttributeError, match=r"no submodule 'third'.*first, second"):
        model.get_submodule("0.third")
    with pytest.raises(AttributeError, match=r"no parameter 'wait'.*weight, bias"):
        model.get_parameter("0.first.wait")
    seen = []
    assert model.apply(seen.append) is model
    assert seen[-1] is model
    assert len(seen) == 6
    relu = nn.ReLU()
    assert len(list(nn.Sequential(relu, relu).modules())) == 2
    assert len(list(nn.Sequential(relu, relu).children())) == 1


# ----- state
def test_state_round_trip():
    model, other = Tied(), Tied()
    result = other.load_state_dict(model.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    np.testing.assert_array_equal(other.first.bias.detach().numpy(), model.first.bias.detach().numpy())
    arrays = {name: tensor.numpy() * 2 for name, tensor in model.state_dict().items()}
    other.load_state_dict(arrays)
    np.testing.assert_array_equal(other.first.bias.detach().numpy(), model.first.bias.detach().numpy() * 2)
    assert list(model.first.state_dict(prefix="first.")) == ["first.weight", "first.bias"]
    assert model.state_dict(keep_vars=True)["first.weight"] is model.first.weight


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing():
    model, other = Tied(), Tied()
    before = other.first.weight.tolist()
    state = dict(model.state_dict())
    del state["first.bias"]
    state["extra"] = mg.zeros(1)
    with pytest.raises(RuntimeError, match=r"missing: first.bias\n  unexpected: extra"):
        other.load_state_dict(state)
    state = dict(model.state_dict())
    state["second.bias"] = mg.zeros(2, 2)
    with pytest.raises(ModuleError, match=r"size mismatch for second\.bias: \(2, 2\).*\(3,\)"):
        other.load_state_dict(state, strict=False)
    state["second.bias"] = [1, 2, 3]
    with pytest.raises(ModuleError, match=r"second\.bias is a list"):
        other.load_state_dict(state)
    with pytest.raises(ModuleError, match=r"pass its state_dict\(\)"):
        other.load_state_dict(model)
    assert other.first.weight.tolist() == before


def test_a_state_may_be_partial_when_not_strict():
    model, other = Tied(), Tied()
    state = {"first.bias": model.first.bias.detach(), "extra": mg.zeros(1)}
    result = other.load_state_dict(state, strict=False)
    assert result.missing_keys == ["count", "first.weight", "second.weight", "second.bias"]
    assert result.unexpected_keys == ["extra"]
    assert other.first.bias.tolist() == model.first.bias.tolist()


def test_a_prefix_of_all_names_is_pointed_out():
    model = nn.Linear(2, 2)
    around = nn.Sequential(nn.Linear(2, 2))
    with pytest.raises(ModuleError, match=r"every name in the state begins with '0\.'"):
        model.load_state_dict(around.state_dict())
    with pytest.raises(ModuleError, match=r"every name in the module begins with '0\.'"):
        around.load_state_dict(model.state_dict())


def test_assigning_a_state_takes_its_tensors():
    model = nn.Linear(2, 1)
    weight = mg.ones(1, 2, dtype=mg.float64)
    model.load_state_dict({"weight": weight, "bias": mg.zeros(1)}, assign=True)
    assert model.weight.dtype == mg.float64
    assert isinstance(model.weight, nn.Parameter)
    assert model.weight.requires_grad
    assert [name for name, _ in model.named_parameters()] == ["weight", "bias"]


def test_buffers_that_are_not_saved():
    model = nn.Module()
    model.register_buffer("a", mg.zeros(1))
    model.register_buffer("b", mg.zeros(1), persistent=False)
    assert list(model.state_dict()) == ["a"]
    assert len(list(model.buffers())) == 2


def test_copies_and_pickles_are_independent_and_keep_what_is_shared():
    model = Tied()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.first.weight is not model.first.weight
        assert other.first.weight is other.second.weight
        assert other.first._parameters["weight"] is other.first.weight
        x = mg.ones(1, 3)
        assert other(x).tolist() == model(x).tolist()
        with mg.no_grad():
            other.first.weight.add_(1)
        assert other(x).tolist() != model(x).tolist()


# ----- modes, dtypes
def test_modes_reach_all_modules():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    assert model.eval() is model
    assert not model[1].training
    x = mg.ones(3, 2)
    np.testing.assert_array_equal(model[1](x).numpy(), x.numpy())
    model.train()
    assert model[1].training
    with pytest.raises(ValueError, match="does not train"):
        model.train(3)


def test_a_module_that_stays_in_evaluation():
    class Frozen(nn.Linear):
        def train(self, mode=True):
            return super().train(False)

    model = nn.Sequential(Frozen(2, 2)).train()
    assert model.training
    assert not model[0].training


def test_requires_grad_and_zero_grad():
    model = nn.Linear(2, 2)
    model(mg.ones(1, 2)).sum().backward()
    model.zero_grad(set_to_none=False)
    assert model.bias.grad.tolist() == [0, 0]
    model.zero_grad()
    assert model.bias.grad is None
    model.requires_grad_(False)
    assert not model(mg.ones(1, 2)).requires_grad


def test_dtypes():
    model = Tied()
    model.register_buffer("number", mg.tensor(3))
    model(mg.ones(1, 3)).sum().backward()
    weight = model.first.weight
    assert model.double() is model
    assert model.first.weight is weight
    assert weight.dtype == weight.grad.dtype == mg.float64
    assert weight.requires_grad
    assert model.count.dtype == mg.float64
    assert model.number.dtype == mg.int64
    assert model(mg.ones(1, 3, dtype=mg.float64)).dtype == mg.float64
    assert model.to(mg.zeros(1)).first.weight.dtype == mg.float32
    assert model.to("cpu", mg.float16).first.weight.dtype == mg.float16
    with pytest.raises(TypeError, match="float dtypes only"):
        model.to(mg.int64)


# ----- hooks
def test_hooks_see_and_change_what_passes():
    layer = nn.Linear(2, 2)
    seen = []

    def zeros(module, args):
        return (args[0] * 0,)

    def one_more(module, args, output):
        seen.append(output)
        return output + 1

    before = layer.register_forward_pre_hook(zeros)
    after = layer.register_forward_hook(one_more)
    y = layer(mg.ones(1, 2))
    np.testing.assert_allclose(y.detach().numpy(), layer.bias.detach().numpy()[None] + 1)
    before.remove()
    after.remove()
    after.remove()
    layer(mg.ones(1, 2))
    assert len(seen) == 1


def test_many_hooks_without_their_handles():
    layer = nn.Identity()
    order = []
    for number in range(5):

        def hook(module, args, output, number=number):
            order.append(number)

        layer.register_forward_hook(hook)

    def first(module, args, output):
        order.append("first")

    layer.register_forward_hook(first, prepend=True)
    layer(mg.zeros(1))
    assert order == ["first", 0, 1, 2, 3, 4]


def test_hooks_with_keywords():
    class Scaled(nn.Module):
        def forward(self, x, scale=1):
            return x * scale

    layer = Scaled()

    def twice(module, args, kwargs):
        return args, {"scale": kwargs["scale"] * 2}

    def plus(module, args, kwargs, output):
        return output + kwargs["scale"]

    layer.register_forward_pre_hook(twice, with_kwargs=True)
    layer.register_forward_hook(plus, with_kwargs=True)
    assert layer(mg.tensor([1.0]), scale=3).tolist() == [12]


def test_backward_hooks_see_and_change_the_gradients():
    model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.Linear(3, 1, bias=False))
    seen = []

    def note(module, grad_input, grad_output):
        seen.append((grad_input, grad_output))

    def doubled(module, grad_input, grad_output):
        return (grad_input[0] * 2,)

    model[1].register_full_backward_hook(note)
    x = mg.ones(4, 2, requires_grad=True)
    model(x).sum().backward()
    plain = x.grad.numpy().copy()
    (grad_input,), (grad_output,) = seen[0]
    np.testing.assert_allclose(grad_output.numpy(), np.ones((4, 1)))
    np.testing.assert_allclose(grad_input.numpy(), np.ones((4, 1)) @ model[1].weight.detach().numpy(), rtol=1e-6)
    handle = model[1].register_full_backward_hook(doubled)
    x.grad = None
    model(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), plain * 2, rtol=1e-6)
    handle.remove()
    model[0].register_full_backward_hook(note)
    model(mg.ones(4, 2)).sum().backward()
    assert seen[-1][0] == (None,)
    with mg.no_grad():
        model(x)


def test_a_backward_hook_of_a_module_with_several_inputs_and_outputs():
    class Both(nn.Module):
        def forward(self, a, number, b):
            return a * number, b * number

    layer = Both()
    seen = []

    def note(module, grad_input, grad_output):
        seen.append((grad_input, grad_output))

    layer.register_full_backward_hook(note)
    a, b = mg.ones(2, requires_grad=True), mg.ones(3, requires_grad=True)
    first, _ = layer(a, 2.0, b)
    first.sum().backward()
    (grad_input, grad_output), = seen
    assert grad_input[0].tolist() == [2, 2]
    assert grad_input[1] is None
    assert grad_input[2] is None
    assert grad_output[0].tolist() == [1, 1]
    assert grad_output[1] is None
    assert b.grad is None


# ----- text
def test_repr_shows_the_tree():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
            self.nothing = None

    assert repr(Net()) == ("Net(\n  (body): Sequential(\n    (0): Linear(in_features=2, out_features=3, bias=True)\n"
                           "    (1): ReLU()\n  )\n)")


# ----- all together
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
