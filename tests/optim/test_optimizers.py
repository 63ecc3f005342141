"""Optimisers and schedulers against trajectories recorded from PyTorch 2.13, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops import updates
from minigrad.optim.optimizer import OptimizerError

RECORDED = json.loads((Path(__file__).parent / "data" / "trajectories.json").read_text(encoding="utf-8"))

OPTIMIZERS = {
    "sgd": (mg.optim.SGD, {"lr": 0.1}),
    "momentum": (mg.optim.SGD, {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}),
    "nesterov": (mg.optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "adam": (mg.optim.Adam, {"lr": 0.05}),
    "adam_decay": (mg.optim.Adam, {"lr": 0.05, "weight_decay": 0.1}),
    "amsgrad": (mg.optim.Adam, {"lr": 0.05, "amsgrad": True}),
    "adamw": (mg.optim.AdamW, {"lr": 0.05}),
    "adamax": (mg.optim.Adamax, {"lr": 0.05}),
    "rmsprop": (mg.optim.RMSprop, {"lr": 0.01}),
    "rmsprop_all": (mg.optim.RMSprop, {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.01}),
    "adagrad": (mg.optim.Adagrad, {"lr": 0.1, "lr_decay": 0.1}),
    "adadelta": (mg.optim.Adadelta, {"lr": 1.0}),
}

SCHEDULERS = {
    "step": lambda o: mg.optim.lr_scheduler.StepLR(o, 2, 0.5),
    "multi": lambda o: mg.optim.lr_scheduler.MultiStepLR(o, [2, 4], 0.1),
    "exp": lambda o: mg.optim.lr_scheduler.ExponentialLR(o, 0.9),
    "linear": lambda o: mg.optim.lr_scheduler.LinearLR(o, total_iters=4),
    "cos": lambda o: mg.optim.lr_scheduler.CosineAnnealingLR(o, 5),
    "lambda": lambda o: mg.optim.lr_scheduler.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
}


def loss_of(p):
    weights = mg.tensor([1.0, 2.0, 0.5, 3.0], dtype=mg.float64)
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


def parameter():
    return mg.tensor([1.0, -2.0, 3.0, 0.5], dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_trajectory(name):
    make, options = OPTIMIZERS[name]
    p = parameter()
    np.testing.assert_allclose(steps(make([p], **options), p, 6), RECORDED[name], rtol=1e-9)


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


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedule(name):
    p = mg.tensor([1.0], requires_grad=True)
    optimizer = mg.optim.SGD([p], lr=0.1)
    scheduler = SCHEDULERS[name](optimizer)
    rates = []
    for _ in range(6):
        p.grad = mg.tensor([1.0])
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        scheduler.step()
    np.testing.assert_allclose(rates, RECORDED[f"lr_{name}"], rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adam_in_place_is_the_rule_bit_for_bit(dtype):
    rng = np.random.default_rng(0)
    start = rng.standard_normal((7, 5)).astype(dtype)
    p = mg.tensor(start, requires_grad=True)
    optimizer = mg.optim.Adam([p], lr=0.01)
    value, state = start, {"exp_avg": np.zeros_like(start), "exp_avg_sq": np.zeros_like(start)}
    for step in range(1, 5):
        g = rng.standard_normal((7, 5)).astype(dtype)
        p.grad = mg.tensor(g)
        optimizer.step()
        value, state = updates.adam(value, g, state, step=step, lr=0.01)
        np.testing.assert_array_equal(p.detach().numpy(), value)


@pytest.mark.parametrize("g", [1.0, 1e-8])
def test_where_adam_adds_epsilon(g):
    zero = np.zeros(1)
    state = {"exp_avg": zero, "exp_avg_sq": zero}
    paper, _ = updates.adam(zero, np.array([g]), state, step=1, lr=1e-3)
    hat, _ = updates.adam(zero, np.array([g]), state, step=1, lr=1e-3, eps_at="raw")
    assert -paper[0] == pytest.approx(1e-3 * g / (g + 1e-8))
    root = np.sqrt(0.001)
    assert -hat[0] == pytest.approx(1e-3 * root * g / (root * g + 1e-8))


def test_groups_have_options_of_their_own():
    p, q = mg.tensor([1.0], requires_grad=True), mg.tensor([1.0], requires_grad=True)
    optimizer = mg.optim.SGD([{"params": [p]}, {"params": [q], "lr": 1.0}], lr=0.1)
    (p + q).backward()
    optimizer.step()
    assert p.item() == pytest.approx(0.9)
    assert q.item() == 0


def test_what_cannot_be_optimised_is_said():
    p = mg.tensor([1.0], requires_grad=True)
    with pytest.raises(OptimizerError, match="empty"):
        mg.optim.SGD([], lr=0.1)
    with pytest.raises(OptimizerError, match="twice"):
        mg.optim.SGD([p, p], lr=0.1)
    with pytest.raises(OptimizerError, match="operation"):
        mg.optim.SGD([p * 2], lr=0.1)
    with pytest.raises(OptimizerError, match="iterable"):
        mg.optim.SGD(p, lr=0.1)
    with pytest.raises(OptimizerError, match="lr"):
        mg.optim.SGD([p], lr=-1)


def test_a_step_is_a_write_that_backward_notices():
    p = mg.tensor([2.0], requires_grad=True)
    y = (p * p).sum()
    p.grad = mg.tensor([1.0])
    mg.optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="overwritten in place"):
        y.backward()


def test_a_closure_is_called_with_recording_on():
    p = parameter()
    optimizer = mg.optim.SGD([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(p)
        loss.backward()
        return loss

    with mg.no_grad():
        before = optimizer.step(closure).item()
    assert closure().item() < before
