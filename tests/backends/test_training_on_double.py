"""A program that trains on "cuda" runs unchanged on the strict double of CuPy, with the results of the CPU."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn, optim
from minigrad.backends import double


@pytest.fixture(autouse=True)
def cuda_means_the_double(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")


def data():
    """16 examples of 8 numbers, and a class out of three for each."""
    generator = np.random.default_rng(0)
    return generator.standard_normal((16, 8)).astype(np.float32), generator.integers(0, 3, 16)


def losses(device, make_optimizer):
    """The losses of a few steps of training a small network on a device."""
    mg.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 3)).to(device)
    optimizer = make_optimizer(model.parameters())
    inputs, classes = [mg.tensor(part).to(device) for part in data()]
    found = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), classes)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    if device == "cuda":
        for parameter in model.parameters():
            assert type(parameter.array) is type(parameter.grad.array) is double.ndarray
    return found


def momentum_sgd(parameters):
    return optim.SGD(parameters, lr=0.1, momentum=0.9)


def adam(parameters):
    return optim.Adam(parameters, lr=0.05)


@pytest.mark.parametrize("make_optimizer", [momentum_sgd, adam])
def test_training_gives_the_losses_of_the_cpu(make_optimizer):
    on_cpu = losses("cpu", make_optimizer)
    assert on_cpu[-1] < on_cpu[0]
    np.testing.assert_allclose(losses("cuda", make_optimizer), on_cpu, rtol=1e-5)


def second_derivatives(device):
    """Of sum(2 ** x * sin(x)), by differentiating twice."""
    x = mg.tensor(data()[0]).to(device).requires_grad_()
    y = (2.0**x * mg.sin(x)).sum()
    (first,) = mg.autograd.grad(y, [x], create_graph=True)
    (second,) = mg.autograd.grad(first.sum(), [x])
    return second.cpu().numpy()


def test_second_derivatives_are_those_of_the_cpu():
    np.testing.assert_allclose(second_derivatives("cuda"), second_derivatives("cpu"), rtol=1e-5)
