"""Optimisers against trajectories recorded from PyTorch 2.13, their state, and what they refuse."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import optim
from minigrad.ops import updates
from minigrad.optim.optimizer import OptimizerError

RECORDED = json.loads((Path(__file__).parent / "data" / "trajectories.json").read_text(encoding="utf-8"))

OPTIMIZERS = {
    "sgd": (optim.SGD, {"lr": 0.1}),
    "momentum": (optim.SGD, {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}),
    "dampening": (optim.SGD, {"lr": 0.05, "momentum": 0.9, "dampening": 0.3}),
    "nesterov": (optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "asgd": (optim.ASGD, {"lr": 0.05, "t0": 2, "lambd": 0.01, "weight_decay": 0.01}),
    "adam": (optim.Adam, {"lr": 0.05}),
    "adam_decay": (optim.Adam, {"lr": 0.05, "weight_decay": 0.1}),
    "adam_eps": (optim.Adam, {"lr": 0.05, "eps": 0.5, "betas": (0.5, 0.7)}),
    "adam_up": (optim.Adam, {"lr": 0.05, "maximize": True}),
    "amsgrad": (optim.Adam, {"lr": 0.05, "amsgrad": True}),
    "adamw": (optim.AdamW, {"lr": 0.05}),
    "adamw_all": (optim.AdamW, {"lr": 0.05, "weight_decay": 0.2, "amsgrad": True}),
    "adamax": (optim.Adamax, {"lr": 0.05, "weight_decay": 0.1}),
    "nadam": (optim.NAdam, {"lr": 0.05}),
    "nadam_decay": (optim.NAdam, {"lr": 0.05, "weight_decay": 0.1}),
    "nadam_decoupled": (optim.NAdam, {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    "radam": (optim.RAdam, {"lr": 0.05}),
    "radam_decay": (optim.RAdam, {"lr": 0.05, "weight_decay": 0.1}),
    "radam_decoupled": (optim.RAdam, {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    "rmsprop": (optim.RMSprop, {"lr": 0.01}),
    "rmsprop_all": (optim.RMSprop, {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.01}),
    "adagrad": (optim.Adagrad, {"lr": 0.1, "lr_decay": 0.1}),
    "adagrad_all": (optim.Adagrad, {"lr": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1, "eps": 0.1}),
    "adadelta": (optim.Adadelta, {"lr": 1.0, "weight_decay": 0.1}),
    "rprop": (optim.Rprop, {"lr": 0.3}),
}

# PyTorch keeps a scalar of the state of these in float32
ROUNDED = {"asgd", "nadam", "nadam_decay", "nadam_decoupled"}


def loss_of(p):
    weights = mg.tensor([1.0, 2.0, 0.5, 3.0], dtype=p.dtype)
    return ((p - 0.5) ** 2 * weights).sum()


def steps(optimizer, p, count):
    """The parameter after each of `count` steps."""
    values = []
    for _ in range(count):
        optimizer.zero_grad()
        loss_of(p).backward()
        optimizer.step()
        values.append(p.detach().tolist())
    return values


def parameter(dtype=mg.float64):
    return mg.tensor([1.0, -2.0, 3.0, 0.5], dtype=dtype, requires_grad=True)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_trajectory(name):
    make, options = OPTIMIZERS[name]
    p = parameter()
    rtol = 1e-7 if name in ROUNDED else 1e-9
    np.testing.assert_allclose(steps(make([p], **options), p, 8), RECORDED[name], rtol=rtol)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_state_and_parameter_keep_dtype_and_shape(name):
    make, options = OPTIMIZERS[name]
    for dtype in (mg.float32, mg.float16):
        p = parameter(dtype)
        optimizer = make([p], **options)
        steps(optimizer, p, 2)
        kept = [value for value in optimizer.state[p].values() if isinstance(value, mg.Tensor)]
        assert p.dtype == dtype
        assert all([value.dtype == dtype and value.shape == p.shape for value in kept])
    single = mg.tensor(2.0, requires_grad=True)
    optimizer = make([single], **options)
    for _ in range(2):
        optimizer.zero_grad()
        (single * single).backward()
        optimizer.step()
    assert single.shape == ()
    assert single.item() != 2


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_saved_state_goes_on_where_it_was(name):
    make, options = OPTIMIZERS[name]
    p = parameter()
    optimizer = make([p], **options)
    steps(optimizer, p, 3)
    state = optimizer.state_dict()
    q = p.detach().clone().requires_grad_()
    other = make([q], **options)
    other.load_state_dict(state)
    assert steps(other, q, 3) == steps(optimizer, p, 3)


# what is done step by step into memory that is there already, and the rule of ops.updates for the same
IN_PLACE = [
    (optim.SGD, {"lr": 0.1}, updates.sgd, []),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}, updates.sgd, []),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}, updates.sgd, []),
    (optim.Adam, {"lr": 0.01}, updates.adam, ["exp_avg", "exp_avg_sq"]),
    (optim.Adam, {"lr": 0.01, "weight_decay": 0.1, "amsgrad": True}, updates.adam,
     ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"]),
    (optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}, updates.adamw, ["exp_avg", "exp_avg_sq"]),
    (optim.RMSprop, {"lr": 0.01}, updates.rmsprop, ["square_avg"]),
    (optim.RMSprop, {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.1}, updates.rmsprop,
     ["square_avg", "grad_avg", "momentum_buffer"]),
]


@pytest.mark.parametrize(("make", "options", "rule", "names"), IN_PLACE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_in_place_is_the_rule_bit_for_bit(make, options, rule, names, dtype):
    rng = np.random.default_rng(0)
    start = rng.standard_normal((7, 5)).astype(dtype)
    p = mg.tensor(start, requires_grad=True)
    optimizer = make([p], **options)
    value, state = start, {name: np.zeros_like(start) for name in names}
    for step in range(1, 6):
        g = rng.standard_normal((7, 5)).astype(dtype)
        p.grad = mg.tensor(g)
        optimizer.step()
        hyper = dict(options, step=step) if "exp_avg" in names else options
        value, state = rule(value, g, state, **hyper)
        np.testing.assert_array_equal(p.detach().numpy(), value)
        np.testing.assert_array_equal(p.grad.numpy(), g)


@pytest.mark.parametrize("g", [1.0, 1e-8])
def test_where_adam_adds_epsilon(g):
    zero = np.zeros(1)
    state = {"exp_avg": zero, "exp_avg_sq": zero}
    paper, _ = updates.adam(zero, np.array([g]), state, step=1, lr=1e-3)
    hat, _ = updates.adam(zero, np.array([g]), state, step=1, lr=1e-3, eps_at="raw")
    assert -paper[0] == pytest.approx(1e-3 * g / (g + 1e-8))
    root = np.sqrt(0.001)
    assert -hat[0] == pytest.approx(1e-3 * root * g / (root * g + 1e-8))
    with pytest.raises(ValueError, match="eps_at"):
        updates.adam(zero, zero, state, step=1, eps_at="nowhere")


SCALARS = [
    (updates.adam, ["exp_avg", "exp_avg_sq"], {"step": 3, "lr": 0.1, "weight_decay": 0.1}),
    (updates.adamw, ["exp_avg", "exp_avg_sq"], {"step": 3, "lr": 0.1, "weight_decay": 0.1}),
    (updates.adamax, ["exp_avg", "exp_inf"], {"step": 3, "lr": 0.1}),
    (updates.nadam, ["exp_avg", "exp_avg_sq", "mu_product"], {"step": 3, "lr": 0.1}),
    (updates.radam, ["exp_avg", "exp_avg_sq"], {"step": 3, "lr": 0.1}),
    (updates.radam, ["exp_avg", "exp_avg_sq"], {"step": 9, "lr": 0.1}),
    (updates.sgd, ["momentum_buffer"], {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    (updates.asgd, ["ax", "eta", "mu"], {"step": 3, "lr": 0.1, "t0": 1}),
    (updates.rmsprop, ["square_avg"], {"lr": 0.1, "alpha": 0.9, "eps": 1e-3}),
    (updates.adagrad, ["sum"], {"step": 3, "lr": 0.1, "lr_decay": 0.1}),
    (updates.adadelta, ["square_avg", "acc_delta"], {"lr": 0.1, "rho": 0.9}),
]


@pytest.mark.parametrize(("rule", "names", "hyper"), SCALARS)
def test_scalars_of_an_engine_do_as_numbers_do(rule, names, hyper):
    rng = np.random.default_rng(1)
    p, g = [rng.standard_normal(6).astype(np.float32) for _ in range(2)]
    state = {name: np.abs(rng.standard_normal(6)).astype(np.float32) for name in names}
    for name in {"mu_product", "eta", "mu"} & set(names):
        state[name] = 0.5
    arrays = {name: np.asarray(value, np.float64) for name, value in hyper.items()}
    plain, kept = rule(p, g, dict(state), **hyper)
    by_arrays, kept_by_arrays = rule(p, g, dict(state), **arrays)
    assert by_arrays.dtype == np.float32
    np.testing.assert_array_equal(plain, by_arrays)
    for name, value in kept.items():
        np.testing.assert_array_equal(value, kept_by_arrays[name])


def test_groups_have_options_of_their_own():
    p, q = mg.tensor([1.0], requires_grad=True), mg.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([{"params": [p]}, {"params": q, "lr": 1.0}], lr=0.1)
    (p + q).backward()
    optimizer.step()
    assert p.item() == pytest.approx(0.9)
    assert q.item() == 0
    later = mg.tensor([1.0], requires_grad=True)
    optimizer.add_param_group({"params": [later], "lr": 0.5})
    optimizer.param_groups[0]["lr"] = np.float64(0.2)
    optimizer.zero_grad()
    (p + q + later).backward()
    optimizer.step()
    assert p.item() == pytest.approx(0.7)
    assert p.dtype == mg.float32
    assert later.item() == 0.5


def test_named_parameters_are_taken_with_their_names():
    model = mg.nn.Linear(2, 1)
    optimizer = optim.SGD(model.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.param_groups[0]["params"][0] is model.weight


def test_what_cannot_be_optimised_is_said():
    p = mg.tensor([1.0], requires_grad=True)
    with pytest.raises(OptimizerError, match="empty"):
        optim.SGD([], lr=0.1)
    with pytest.raises(OptimizerError, match="twice"):
        optim.SGD([p, p], lr=0.1)
    with pytest.raises(OptimizerError, match="operation"):
        optim.SGD([p * 2], lr=0.1)
    with pytest.raises(OptimizerError, match="iterable"):
        optim.SGD(p, lr=0.1)
    with pytest.raises(OptimizerError, match="order"):
        optim.SGD({p}, lr=0.1)
    with pytest.raises(OptimizerError, match="not a float"):
        optim.SGD([1.0], lr=0.1)
    with pytest.raises(OptimizerError, match="lr"):
        optim.SGD([p], lr=-1)
    with pytest.raises(OptimizerError, match="Nesterov"):
        optim.SGD([p], lr=1, nesterov=True)
    with pytest.raises(OptimizerError, match="betas"):
        optim.Adam([p], betas=(0.9, 1.0))
    with pytest.raises(OptimizerError, match="params"):
        optim.SGD([p], lr=1).add_param_group([p])
    with pytest.raises(TypeError, match="unexpected keyword argument 'rate'"):
        optim.Adam([p], rate=1)
    optim.Adam([p], foreach=True, fused=False)


def test_a_state_that_does_not_fit_is_refused():
    p = parameter()
    optimizer = optim.Adam([p])
    steps(optimizer, p, 1)
    before = copy.deepcopy(optimizer.state_dict())
    with pytest.raises(OptimizerError, match="groups"):
        optimizer.load_state_dict(optim.Adam([parameter(), parameter()]).state_dict())
    with pytest.raises(OptimizerError, match="param_groups"):
        optimizer.load_state_dict({})
    other = optim.Adam([mg.zeros(3, requires_grad=True)])
    with pytest.raises(OptimizerError, match="another model"):
        other.load_state_dict(before)
    assert optimizer.state_dict()["state"][0]["exp_avg"].tolist() == before["state"][0]["exp_avg"].tolist()


def test_a_loaded_state_is_a_copy_in_the_dtype_of_the_parameter():
    p, q = parameter(), parameter(mg.float32)
    optimizer, other = optim.Adam([p]), optim.Adam([q])
    steps(optimizer, p, 1)
    other.load_state_dict(optimizer.state_dict())
    assert other.state[q]["exp_avg"].dtype == mg.float32
    before = other.state[q]["exp_avg"].tolist()
    steps(optimizer, p, 1)
    assert other.state[q]["exp_avg"].tolist() == before
    steps(other, q, 1)
    assert other.state[q]["step"] == 2


def test_the_momentum_does_not_share_memory_with_the_gradient():
    p = parameter()
    optimizer = optim.SGD([p], lr=0.1, momentum=0.9)
    loss_of(p).backward()
    optimizer.step()
    before = optimizer.state[p]["momentum_buffer"].tolist()
    p.grad.zero_()
    assert optimizer.state[p]["momentum_buffer"].tolist() == before


def test_zero_grad():
    p = parameter()
    optimizer = optim.SGD([p], lr=0.1)
    loss_of(p).backward()
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0, 0, 0, 0]
    optimizer.zero_grad()
    assert p.grad is None
    optimizer.step()
    assert p.tolist() == parameter().tolist()


def test_a_step_is_a_write_that_backward_notices():
    p = mg.tensor([2.0], requires_grad=True)
    y = (p * p).sum()
    p.grad = mg.tensor([1.0])
    optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="overwritten in place"):
        y.backward()


def test_a_closure_is_called_with_recording_on():
    p = parameter()
    optimizer = optim.SGD([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(p)
        loss.backward()
        return loss

    with mg.no_grad():
        before = optimizer.step(closure).item()
    assert closure().item() < before


def test_hooks_before_and_after_a_step():
    p = parameter()
    optimizer = optim.SGD([p], lr=0.1)
    seen = []

    def before(optimizer, args, kwargs):
        seen.append(p.tolist())

    handle = optimizer.register_step_pre_hook(before)
    optimizer.register_step_post_hook(before)
    steps(optimizer, p, 1)
    handle.remove()
    assert seen == [parameter().tolist(), p.tolist()]
    steps(optimizer, p, 1)
    assert len(seen) == 3


def test_an_optimizer_of_ones_own():
    class Signs(optim.Optimizer):
        def __init__(self, params, lr=0.1):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    if len(state) == 0:
                        state["step"] = 0
                    state["step"] += 1
                    p.data.add_(p.grad.sign(), alpha=-group["lr"])

    p = parameter()
    optimizer = Signs([p])
    values = steps(optimizer, p, 2)
    np.testing.assert_allclose(values[-1], [0.8, -1.8, 2.8, 0.5])
    assert optimizer.state_dict()["state"] == {0: {"step": 2}}

    class Halves(optim.Optimizer):
        def update(self, p, g, state, group):
            p.array /= 2

    steps(Halves([p], {}), p, 1)
    np.testing.assert_allclose(p.tolist(), [0.4, -0.9, 1.4, 0.25])


def test_pickles_and_copies_go_on_where_it_was():
    model = mg.nn.Linear(2, 2)
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    for p in model.parameters():
        p.grad = mg.ones_like(p)
    optimizer.step()
    other_model, other = pickle.loads(pickle.dumps((model, optimizer)))
    third_model, third = copy.deepcopy((model, optimizer))
    for each, each_optimizer in [(model, optimizer), (other_model, other), (third_model, third)]:
        assert each_optimizer.param_groups[0]["params"][0] is each.weight
        for p in each.parameters():
            p.grad = mg.ones_like(p)
        each_optimizer.step()
        assert each.weight.tolist() == model.weight.tolist()


def test_repr_lists_the_options():
    text = repr(optim.SGD([parameter()], lr=0.25))
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0\n    lr: 0.25\n")
