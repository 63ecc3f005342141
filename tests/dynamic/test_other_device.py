"""The define-by-run engine on "cuda", which the strict stand-in for CuPy plays: transfers, views, writes, draws."""

import copy
import pickle

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.errors import DeviceError, InplaceError


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")


def leaf(*values):
    return mg.tensor(list(values), dtype=mg.float64, requires_grad=True, device="cuda")


def test_gradients_cross_devices():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (x.cuda() * 3).exp()
    assert y.device == mg.device("cuda")
    assert y.is_cuda
    (z,) = grad(y.cpu().sum(), x, create_graph=True)
    assert z.device.type == "cpu"
    np.testing.assert_allclose(z.detach().numpy(), 3 * np.exp([3.0, 6.0]), rtol=1e-5)
    (second,) = grad(z.sum(), x)
    np.testing.assert_allclose(second.numpy(), 9 * np.exp([3.0, 6.0]), rtol=1e-5)


def test_leaves_live_where_they_were_made():
    w = leaf(1.0, 2.0)
    (w * w).sum().backward()
    assert w.grad.is_cuda
    assert w.grad.tolist() == [2, 4]
    assert repr(w) == "tensor([1., 2.], device='cuda:0', dtype=float64, requires_grad=True)"
    assert w.to("cuda") is w
    assert w.to("cpu", mg.float32).dtype == mg.float32
    assert mg.zeros_like(w).is_cuda
    assert mg.rand(2, device="cuda").is_cuda
    assert mg.arange(3, device="cuda").tolist() == [0, 1, 2]


def test_the_host_gets_values_only_when_asked():
    w = mg.ones(2, device="cuda")
    for convert in (w.numpy, lambda: np.asarray(w)):
        with pytest.raises(DeviceError, match="cpu"):
            convert()
    assert w.numpy(force=True).tolist() == [1, 1]
    assert w.sum().item() == 2
    assert float(w[0]) == 1
    assert 1 in w


def test_devices_do_not_mix_by_themselves():
    w = mg.ones(2, device="cuda")
    with pytest.raises(DeviceError):
        w + mg.ones(2)
    with pytest.raises(DeviceError, match="move it"):
        w.copy_(mg.ones(2))
    w.copy_(mg.tensor(5.0))  # without dimensions: a number
    w += mg.tensor(1.0)
    assert w.tolist() == [6, 6]


def test_views_and_writes():
    w = leaf(1.0, 2.0, 3.0, 4.0)
    x = w * 1
    x.reshape(2, 2).T[1].mul_(10)
    x[0] = w[3]
    x[mg.tensor([1, 1])] = w[:2]
    x[x > 30] = 0
    assert x.tolist() == [4, 2, 3, 0]
    (x * x).sum().backward()
    assert w.grad.tolist() == [0, 4, 6, 8]
    with pytest.raises(InplaceError, match="share one place"):
        mg.ones(2, device="cuda").expand(3, 2).add_(1)
    with pytest.raises(IndexError):
        x.detach()[[0, 9]] = 1


def test_draws_are_the_same_on_every_device():
    with mg.fork_rng():
        mg.manual_seed(3)
        host = mg.rand(4)
        mg.manual_seed(3)
        device = mg.empty(4, device="cuda").uniform_()
        assert device.tolist() == host.tolist()
        assert mg.multinomial(mg.ones(3, device="cuda"), 2).is_cuda
        assert mg.bernoulli(mg.ones(3, device="cuda")).tolist() == [1, 1, 1]


def test_copies_and_pickles_stay_on_the_device():
    w = leaf(1.0, 2.0)
    for twin in (copy.deepcopy(w), pickle.loads(pickle.dumps(w)), copy.copy(w)):
        assert twin.is_cuda
        assert twin.requires_grad
        assert twin.tolist() == [1, 2]


def test_custom_functions():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3

    w = leaf(1.0, 2.0)
    Double.apply(w)[0].sum().backward()
    assert w.grad.tolist() == [2, 2]


def test_questions_about_the_device():
    assert mg.cuda.is_available()
    assert mg.cuda.device_count() == 1
    assert mg.cuda.current_device() == 0
    mg.cuda.synchronize()
    mg.cuda.empty_cache()
    with mg.fork_rng():
        mg.cuda.manual_seed_all(3)
        assert mg.initial_seed() == 3


def test_where_there_is_no_device(monkeypatch):
    monkeypatch.delenv("MINIGRAD_DEVICE")
    if mg.cuda.is_available():
        return
    assert mg.cuda.device_count() == 0
    mg.cuda.empty_cache()
    with pytest.raises(DeviceError, match="cannot be used"):
        mg.cuda.synchronize()
