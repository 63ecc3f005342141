"""Random tensors: shapes, dtypes, distributions, seeds and errors."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.errors import DtypeError, ShapeError

N = 20_000


@pytest.fixture(autouse=True)
def seeded():
    with mg.fork_rng():
        mg.manual_seed(1)
        yield


def close(x, mean, std):
    """Are mean and standard deviation of the draws within five standard errors?"""
    values = x.double().numpy()
    error = 5 * std / math.sqrt(values.size)
    return abs(values.mean() - mean) < error and abs(values.std() - std) < 5 * error


# ----- new tensors
@pytest.mark.parametrize("make", [mg.rand, mg.randn])
def test_sizes_and_dtypes(make):
    assert make(2, 3).shape == make((2, 3)).shape == (2, 3)
    assert make().shape == ()
    assert make(0, 3).shape == (0, 3)
    assert make(2).dtype == mg.float32
    assert make(2, dtype=mg.float64).dtype == mg.float64
    assert make(2, requires_grad=True).requires_grad
    with pytest.raises(DtypeError, match="float"):
        make(2, dtype=mg.int64)


def test_distributions():
    u = mg.rand(N)
    assert close(u, 0.5, math.sqrt(1 / 12))
    assert 0 <= u.min().item()
    assert u.max().item() < 1
    assert close(mg.randn(N), 0, 1)
    assert close(mg.normal(3.0, 2.0, (N,)), 3, 2)
    n = mg.randint(2, 7, (N,))
    assert n.dtype == mg.int64
    assert set(n.tolist()) == {2, 3, 4, 5, 6}
    assert close(n, 4, math.sqrt(2))
    p = mg.full((N,), 0.25)
    assert close(mg.bernoulli(p), 0.25, math.sqrt(0.25 * 0.75))


@given(st.integers(0, 50))
def test_randperm(n):
    assert sorted(mg.randperm(n).tolist()) == list(range(n))


def test_randint_forms_and_errors():
    assert mg.randint(3, (2, 2)).shape == (2, 2)
    assert mg.randint(3, (2,), dtype=mg.int32).dtype == mg.int32
    with pytest.raises(ShapeError, match="no integer"):
        mg.randint(3, 3, (1,))
    with pytest.raises(ShapeError, match="size"):
        mg.randint(3)


def test_like():
    x = mg.zeros(2, 3, dtype=mg.float64)
    for y in (mg.rand_like(x), mg.randn_like(x)):
        assert y.dtype == mg.float64
        assert y.shape == (2, 3)
    assert mg.randint_like(x, 5).dtype == mg.float64
    assert mg.randint_like(mg.zeros(2, dtype=mg.int64), 3, 5).dtype == mg.int64


def test_normal_with_tensors():
    mean = mg.zeros(3, requires_grad=True)
    x = mg.normal(mean, mg.full((2, 1), 2.0))
    assert x.shape == (2, 3)
    x.sum().backward()
    assert mean.grad.tolist() == [2, 2, 2]


# ----- seeds
def test_the_same_seed_gives_the_same_numbers():
    mg.manual_seed(5)
    a, b = mg.rand(3), mg.rand(3)
    mg.manual_seed(5)
    assert mg.rand(3).tolist() == a.tolist()
    assert a.tolist() != b.tolist()
    assert mg.initial_seed() == 5
    state = mg.get_rng_state()
    c = mg.randn(3)
    mg.set_rng_state(state)
    assert mg.randn(3).tolist() == c.tolist()


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    mg.manual_seed(5)
    a = mg.rand(3)
    mg.manual_seed(5)
    generator = mg.Generator().manual_seed(7)
    other = mg.rand(3, generator=generator)
    assert mg.rand(3).tolist() == a.tolist()
    assert mg.zeros(3).uniform_(generator=mg.Generator().manual_seed(7)).tolist() == other.tolist()


# ----- in place
def test_filling_in_place():
    x = mg.empty(N)
    for _ in range(2):
        assert close(x.uniform_(-1, 3), 1, 4 / math.sqrt(12))
        assert close(x.normal_(2, 3), 2, 3)
        assert close(x.exponential_(2.0), 0.5, 0.5)
        assert close(x.bernoulli_(0.25), 0.25, math.sqrt(0.25 * 0.75))
        assert close(x.geometric_(0.5), 2, math.sqrt(2))
        assert close(x.log_normal_(0.0, 1.0).log(), 0, 1)
        assert close(x.random_(10), 4.5, math.sqrt(99 / 12))
    assert x._version == 14
    n = mg.empty(100, dtype=mg.uint8).random_()
    assert n.max().item() > 100
    assert set(mg.empty(100, dtype=mg.bool).random_().tolist()) == {True, False}
    assert mg.empty(3).bernoulli_(mg.tensor([0.0, 1.0, 1.0])).tolist() == [0, 1, 1]


def test_filling_errors():
    n = mg.zeros(2, dtype=mg.int64)
    for fill in (n.uniform_, n.normal_, n.exponential_, n.log_normal_):
        with pytest.raises(DtypeError, match="int64"):
            fill()
    x = mg.zeros(2)
    for fill in (lambda: x.uniform_(1, 0), lambda: x.normal_(0, -1), lambda: x.exponential_(0), lambda: x.geometric_(1),
                 lambda: x.random_(3, 3)):
        with pytest.raises(ShapeError):
            fill()
    with pytest.raises(RuntimeError, match="leaf"):
        mg.zeros(2, requires_grad=True).normal_()


# ----- draws that depend on a tensor
def test_bernoulli_errors():
    with pytest.raises(DtypeError, match="floats"):
        mg.bernoulli(mg.tensor([0, 1]))
    with pytest.raises(DtypeError, match="between 0 and 1"):
        mg.bernoulli(mg.tensor([0.5, 1.5]))
    assert mg.bernoulli(mg.tensor([9.0, 9.0]), 1.0).tolist() == [1, 1]


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial(replacement):
    weights = mg.tensor([[1.0, 0.0, 3.0, 0.0], [0.0, 1.0, 1.0, 2.0]])
    first = [mg.multinomial(weights, 2, replacement).numpy() for _ in range(2000)]
    first = np.stack(first)
    assert first.shape == (2000, 2, 2)
    for row, expected in ((0, [0.25, 0, 0.75, 0]), (1, [0, 0.25, 0.25, 0.5])):
        share = np.bincount(first[:, row, 0], minlength=4) / 2000
        np.testing.assert_allclose(share, expected, atol=0.06)
        if not replacement:
            assert (first[:, row, 0] != first[:, row, 1]).all()
    assert mg.multinomial(mg.tensor([0.0, 1.0]), 1).tolist() == [1]


def test_multinomial_errors():
    with pytest.raises(ShapeError, match="only 1"):
        mg.multinomial(mg.tensor([0.0, 1.0]), 2)
    with pytest.raises(ShapeError, match="dimensions"):
        mg.multinomial(mg.ones(2, 2, 2), 1)
    for weights in ([-1.0, 2.0], [0.0, 0.0], [float("nan"), 1.0]):
        with pytest.raises(DtypeError, match="weights"):
            mg.multinomial(mg.tensor(weights), 1)
