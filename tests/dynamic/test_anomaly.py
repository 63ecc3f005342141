"""Finding the operation whose gradient first becomes NaN."""

import pytest

import minigrad as mg
from minigrad.autograd import detect_anomaly, grad, is_anomaly_enabled, set_detect_anomaly
from minigrad.errors import BackwardError


def root_of_zero():
    x = mg.tensor([0.0, 1.0], requires_grad=True)
    y = (x * 0).sqrt()
    return x, (y * mg.tensor([0.0, 1.0])).sum()


def test_the_maker_of_the_first_nan_is_named():
    x, y = root_of_zero()
    with detect_anomaly(), pytest.raises(BackwardError, match=r"1 NaN among the 2.*of mul.*rule of sqrt") as error:
        y.backward()
    assert str(error.value).count("test_anomaly.py") == 2
    assert x.grad is None


def test_grad_is_watched_too_and_hooks_still_run():
    x, y = root_of_zero()
    with detect_anomaly(), pytest.raises(BackwardError, match="sqrt"):
        grad(y, x)
    x = mg.tensor([1.0, 4.0], requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    with detect_anomaly():
        (x * 2).sum().backward()
    (x * 3).sum().backward()
    assert seen == [[2, 2], [3, 3]]
    assert x.grad.tolist() == [5, 5]


def test_a_seed_that_is_nan():
    x = mg.ones(2, requires_grad=True)
    with detect_anomaly(), pytest.raises(BackwardError, match="started from"):
        (x * 2).backward(mg.tensor([float("nan"), 1.0]))


def test_without_it_nan_flows():
    x, y = root_of_zero()
    y.backward()
    assert str(x.grad.tolist()[0]) == "nan"
    with detect_anomaly(check_nan=False):
        assert not is_anomaly_enabled()


def test_switches_nest_and_are_restored():
    with detect_anomaly():
        with set_detect_anomaly(False):
            assert not is_anomaly_enabled()
        assert is_anomaly_enabled()
    assert not is_anomaly_enabled()
    set_detect_anomaly(True)
    try:
        assert is_anomaly_enabled()
    finally:
        set_detect_anomaly(False)
