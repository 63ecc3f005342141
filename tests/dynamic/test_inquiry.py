"""Questions about tensors and dtypes."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import ShapeError


def test_questions_about_tensors():
    x = mg.ones(2, 3, requires_grad=True)
    assert mg.is_tensor(x)
    assert not mg.is_tensor(np.ones(2))
    assert mg.is_floating_point(x)
    assert not mg.is_floating_point(mg.arange(2))
    assert mg.is_signed(x)
    assert not mg.is_complex(x)
    assert mg.numel(x) == 6
    assert mg.is_nonzero(mg.tensor([2.0]))
    assert not mg.is_nonzero(mg.tensor(0))
    assert not mg.detach(x).requires_grad
    assert x.is_same_size(mg.zeros(2, 3))
    assert x.is_cpu
    with pytest.raises(ShapeError):
        mg.is_nonzero(x)


def test_promotion():
    assert mg.promote_types(mg.int64, mg.float32) == mg.float32
    assert mg.promote_types(mg.uint8, mg.int8) == mg.int16
    assert mg.promote_types("bool", "int32") == mg.int32
    assert mg.result_type(mg.ones(2), 1.0) == mg.float32
    assert mg.result_type(mg.arange(2), 1.0) == mg.float32
    assert mg.result_type(mg.ones(2), mg.tensor(1.0, dtype=mg.float64)) == mg.float32
    assert mg.can_cast(mg.int64, mg.float32)
    assert not mg.can_cast(mg.float32, mg.int64)


def test_shapes():
    assert mg.broadcast_shapes((2, 1), (3,), 1) == (2, 3)
    with pytest.raises(ShapeError, match="broadcast_shapes"):
        mg.broadcast_shapes((2,), (3,))
    np.testing.assert_array_equal(mg.tril_indices(3, 2, -1).numpy(), np.stack(np.tril_indices(3, -1, 2)))
    np.testing.assert_array_equal(mg.triu_indices(3, 4, 1).numpy(), np.stack(np.triu_indices(3, 1, 4)))


def test_new_tensors_like_this_one():
    x = mg.zeros(1, dtype=mg.float64)
    assert x.new_zeros(2, 3).shape == (2, 3)
    assert x.new_ones((2,)).tolist() == [1, 1]
    assert x.new_full((2,), 7).tolist() == [7, 7]
    assert x.new_empty(0, 2).shape == (0, 2)
    for y in (x.new_zeros(2), x.new_ones(2), x.new_full((2,), 1), x.new_empty(2), x.new_tensor([1, 2])):
        assert y.dtype == mg.float64
        assert y._version == 0
    assert x.new_zeros(2, dtype=mg.int32).dtype == mg.int32
    assert x.new_ones(2, requires_grad=True).requires_grad
    source = mg.ones(2)
    assert x.new_tensor(source).array is not source.array
