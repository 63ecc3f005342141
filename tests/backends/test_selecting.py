"""Choosing by bits is numpy.where, to the last bit, NaN and signed zeros included."""

import numpy as np
import pytest

from minigrad.backends import double, selecting

SPECIAL = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-7]


def drawn(shape, dtype, seed):
    return np.random.default_rng(seed).choice(np.array(SPECIAL, dtype), shape)


def same_bits(x, y):
    assert x.dtype == y.dtype
    assert x.shape == y.shape
    np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(np.signbit(x), np.signbit(y))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(selecting.MANY,), (40, 60), (5, 3), ()])
def test_chosen_is_where(dtype, shape):
    a, b = drawn(shape, dtype, 0), drawn(shape, dtype, 1)
    condition = np.random.default_rng(2).random(shape) < 0.5
    for first, second in [(a, b), *[(a, s) for s in SPECIAL], *[(s, b) for s in SPECIAL], (a, 0), (1, b)]:
        y = selecting.chosen(np, condition, first, second)
        same_bits(np.asarray(y), np.where(condition, first, second))


def test_any_layout_and_operands_that_broadcast():
    a, b = drawn((40, 60), "float32", 0), drawn((40, 60), "float32", 1)
    condition = np.random.default_rng(2).random((40, 60)) < 0.5
    for x in (np.asfortranarray(a), a[::-1, ::-1], np.repeat(a, 2, axis=1)[:, ::2]):
        same_bits(selecting.chosen(np, condition, x, b), np.where(condition, x, b))
        same_bits(selecting.chosen(np, condition, 0.0, x), np.where(condition, 0.0, x))
    same_bits(selecting.chosen(np, condition, a[:1], b), np.where(condition, a[:1], b))
    same_bits(selecting.chosen(np, condition, a, b[:, :1]), np.where(condition, a, b[:, :1]))
    same_bits(selecting.chosen(np, condition[:1], a, b), np.where(condition[:1], a, b))


def test_the_result_owns_its_memory_and_operands_stay():
    a, b = drawn((2000,), "float32", 0), drawn((2000,), "float32", 1)
    a.flags.writeable = b.flags.writeable = False
    before = a.tobytes(), b.tobytes()
    y = selecting.chosen(np, a > 0, a, b)
    assert y.base is None
    assert y.flags.writeable
    assert (a.tobytes(), b.tobytes()) == before


def test_integers_go_the_plain_way():
    a, b = np.arange(3000), np.arange(3000) * 2
    np.testing.assert_array_equal(selecting.chosen(np, a % 3 == 0, a, b), np.where(a % 3 == 0, a, b))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(2000,), (3,), ()])
def test_positive_part_is_the_maximum_with_zero(dtype, shape):
    x = drawn(shape, dtype, 0) if dtype != "int64" else np.random.default_rng(0).integers(-3, 4, shape)
    same_bits(np.asarray(selecting.positive_part(np, np.asarray(x))), np.asarray(np.maximum(x, 0)))


def test_on_the_double_of_cupy():
    a = drawn((2000,), "float32", 0)
    on_device = double.asarray(a)
    same_bits(selecting.chosen(double, on_device > 0, on_device, 0.0).get(), np.where(a > 0, a, 0.0))
    same_bits(selecting.positive_part(double, on_device).get(), np.maximum(a, 0))
