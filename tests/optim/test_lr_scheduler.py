"""Schedulers against rates recorded from PyTorch 2.13; several of them on one optimiser; going on from a state."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import optim
from minigrad.optim import lr_scheduler as schedulers
from minigrad.optim.optimizer import OptimizerError

RECORDED = json.loads((Path(__file__).parent / "data" / "trajectories.json").read_text(encoding="utf-8"))
MEASURES = [1.0, 0.9, 0.95, 0.94, 0.93, 0.92, 0.5, 0.6, 0.7, 0.8, 0.9]


def slower(epoch):
    return 1 / (1 + epoch)


def sequential(optimizer):
    parts = [schedulers.LinearLR(optimizer, 0.1, total_iters=3), schedulers.CosineAnnealingLR(optimizer, 6),
             schedulers.ExponentialLR(optimizer, 0.5)]
    return schedulers.SequentialLR(optimizer, parts, [3, 8])


def chained(optimizer):
    return schedulers.ChainedScheduler([schedulers.ConstantLR(optimizer, 0.5, 3),
                                        schedulers.ExponentialLR(optimizer, 0.9)])


SCHEDULERS = {
    "step": (schedulers.StepLR, {"step_size": 2, "gamma": 0.5}),
    "multi": (schedulers.MultiStepLR, {"milestones": [2, 4, 4, 7]}),
    "exp": (schedulers.ExponentialLR, {"gamma": 0.9}),
    "constant": (schedulers.ConstantLR, {"factor": 0.25, "total_iters": 4}),
    "linear": (schedulers.LinearLR, {"total_iters": 4}),
    "linear2": (schedulers.LinearLR, {"start_factor": 1.0, "end_factor": 0.2, "total_iters": 6}),
    "poly": (schedulers.PolynomialLR, {"total_iters": 6, "power": 2.0}),
    "cos": (schedulers.CosineAnnealingLR, {"T_max": 5, "eta_min": 0.01}),
    "lambda": (schedulers.LambdaLR, {"lr_lambda": slower}),
    "mult": (schedulers.MultiplicativeLR, {"lr_lambda": slower}),
    "restarts": (schedulers.CosineAnnealingWarmRestarts, {"T_0": 3, "T_mult": 2, "eta_min": 0.01}),
    "restarts1": (schedulers.CosineAnnealingWarmRestarts, {"T_0": 3}),
    "triangular": (schedulers.CyclicLR, {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3, "step_size_down": 4}),
    "triangular2": (schedulers.CyclicLR, {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "mode": "triangular2"}),
    "exp_range": (schedulers.CyclicLR, {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3, "mode": "exp_range",
                                        "gamma": 0.9}),
    "onecycle": (schedulers.OneCycleLR, {"max_lr": 0.5, "total_steps": 12}),
    "onecycle3": (schedulers.OneCycleLR, {"max_lr": 0.5, "epochs": 3, "steps_per_epoch": 4, "three_phase": True,
                                          "anneal_strategy": "linear"}),
    "sequential": (sequential, {}),
    "chained": (chained, {}),
    "plateau": (schedulers.ReduceLROnPlateau, {"patience": 1, "factor": 0.5, "cooldown": 1}),
    "plateau_max": (schedulers.ReduceLROnPlateau, {"mode": "max", "patience": 0, "threshold": 0.1,
                                                   "threshold_mode": "abs", "min_lr": 0.02}),
}


def fresh_optimizer():
    p = mg.tensor([1.0], requires_grad=True)
    p.grad = mg.tensor([0.0])
    return optim.SGD([p], lr=0.1, momentum=0.9)


def run(optimizer, scheduler, measures):
    """(rates, momentums) of each epoch."""
    rates, momentums = [], []
    for measure in measures:
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        momentums.append(optimizer.param_groups[0]["momentum"])
        if isinstance(scheduler, schedulers.ReduceLROnPlateau):
            scheduler.step(measure)
        else:
            scheduler.step()
        assert scheduler.get_last_lr() == [optimizer.param_groups[0]["lr"]]
    return rates, momentums


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedule(name):
    make, options = SCHEDULERS[name]
    optimizer = fresh_optimizer()
    rates, momentums = run(optimizer, make(optimizer, **options), MEASURES)
    np.testing.assert_allclose(rates, RECORDED[f"lr_{name}"], rtol=1e-9)
    if f"momentum_{name}" in RECORDED:
        np.testing.assert_allclose(momentums, RECORDED[f"momentum_{name}"], rtol=1e-9)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_saved_schedule_goes_on_where_it_was(name):
    make, options = SCHEDULERS[name]
    optimizer = fresh_optimizer()
    scheduler = make(optimizer, **options)
    run(optimizer, scheduler, MEASURES[:4])
    other_optimizer = fresh_optimizer()
    other = make(other_optimizer, **options)
    state = scheduler.state_dict()
    assert "optimizer" not in state
    other.load_state_dict(state)
    other_optimizer.load_state_dict(optimizer.state_dict())
    assert run(other_optimizer, other, MEASURES[4:]) == run(optimizer, scheduler, MEASURES[4:])


CLOSED = ["step", "multi", "exp", "constant", "linear", "linear2", "poly", "cos", "lambda", "restarts"]


@pytest.mark.parametrize("name", CLOSED)
def test_going_to_an_epoch_gives_its_rate(name):
    make, options = SCHEDULERS[name]
    optimizer = fresh_optimizer()
    scheduler = make(optimizer, **options)
    optimizer.step()
    for epoch in range(1, 11):
        scheduler.step(epoch)
        assert optimizer.param_groups[0]["lr"] == pytest.approx(RECORDED[f"lr_{name}"][epoch], abs=1e-12)


def test_training_goes_on_from_an_epoch():
    optimizer = fresh_optimizer()
    optimizer.param_groups[0]["initial_lr"] = 0.1
    optimizer.param_groups[0]["lr"] = 0.05
    scheduler = schedulers.StepLR(optimizer, 4, 0.5, last_epoch=6)
    assert optimizer.param_groups[0]["lr"] == 0.05
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 0.025
    with pytest.raises(KeyError, match="initial_lr"):
        schedulers.StepLR(fresh_optimizer(), 4, 0.5, last_epoch=6)


def test_a_rate_set_by_hand_stays():
    optimizer = fresh_optimizer()
    scheduler = schedulers.StepLR(optimizer, 100)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.03
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 0.03


def test_groups_have_schedules_of_their_own():
    p, q = [mg.tensor([1.0], requires_grad=True) for _ in range(2)]
    optimizer = optim.SGD([{"params": [p]}, {"params": [q], "lr": 1.0}], lr=0.1)
    scheduler = schedulers.LambdaLR(optimizer, [slower, abs])
    assert scheduler.get_last_lr() == [0.1, 0.0]
    with pytest.raises(OptimizerError, match="3 entries"):
        schedulers.LambdaLR(optimizer, [slower, slower, slower])


def test_a_step_before_the_optimizers_first_one_warns():
    optimizer = fresh_optimizer()
    scheduler = schedulers.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match=r"optimizer\.step\(\) first"):
        scheduler.step()


def test_momentum_of_adam_moves_the_other_way():
    optimizer = optim.Adam([mg.tensor([1.0], requires_grad=True)])
    scheduler = schedulers.OneCycleLR(optimizer, 1.0, total_steps=10)
    assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)
    optimizer.step()
    scheduler.step(2)
    assert optimizer.param_groups[0]["betas"][0] == pytest.approx(0.85)
    optimizer = optim.Adagrad([mg.tensor([1.0], requires_grad=True)])
    with pytest.raises(OptimizerError, match="cycle_momentum"):
        schedulers.OneCycleLR(optimizer, 1.0, total_steps=10)


def test_fractions_of_an_epoch():
    optimizer = fresh_optimizer()
    scheduler = schedulers.CosineAnnealingWarmRestarts(optimizer, 2)
    scheduler.step(0.5)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1 * (1 + math.cos(math.pi / 4)) / 2)
    scheduler.step(2.0)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)


def test_what_makes_no_schedule_is_refused():
    optimizer = fresh_optimizer()
    with pytest.raises(OptimizerError, match="not of a list"):
        schedulers.StepLR([optimizer], 2)
    with pytest.raises(OptimizerError, match="factor"):
        schedulers.ReduceLROnPlateau(optimizer, factor=1.0)
    with pytest.raises(OptimizerError, match="total_steps"):
        schedulers.OneCycleLR(optimizer, 1.0)
    with pytest.raises(OptimizerError, match="milestones"):
        schedulers.SequentialLR(optimizer, [schedulers.StepLR(optimizer, 2)], [1, 2])
    other = schedulers.StepLR(fresh_optimizer(), 2)
    with pytest.raises(OptimizerError, match="another optimiser"):
        schedulers.ChainedScheduler([schedulers.StepLR(optimizer, 2), other])
    scheduler = schedulers.OneCycleLR(optimizer, 1.0, total_steps=2)
    optimizer.step()
    scheduler.step()
    scheduler.step()
    with pytest.raises(OptimizerError, match="this is step 3"):
        scheduler.step()
