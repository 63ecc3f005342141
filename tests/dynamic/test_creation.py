"""Making tensors: values, dtypes and errors as in PyTorch."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg
from minigrad.errors import DtypeError, GradDtypeError, ShapeError

SUPPORTED = [np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64]


# ----- from data
@pytest.mark.parametrize(("data", "dtype"), [
    (1, mg.int64), (True, mg.bool), (1.5, mg.float32), ([], mg.float32), ([[]], mg.float32),
    ([True, 2], mg.int64), ([1, 2.0], mg.float32), ([True, False], mg.bool), (range(3), mg.int64),
    (np.float64(1), mg.float64), ([np.float64(1)], mg.float64), ([np.float32(1), 2], mg.float32),
    ([np.int32(3)], mg.int32), (np.int32(3), mg.int32), ([np.array([1.0, 2.0]), [1, 2]], mg.float64),
    (np.ones(2, np.float16), mg.float16), ([mg.tensor(1), 2.5], mg.float32),
])
def test_dtype_of_data(data, dtype):
    assert mg.tensor(data).dtype == dtype


@given(hnp.arrays(st.sampled_from(SUPPORTED), hnp.array_shapes(min_dims=0, min_side=0, max_side=4)))
def test_an_array_keeps_its_dtype_and_is_copied(array):
    x = mg.tensor(array)
    assert x.dtype == array.dtype
    assert x.shape == array.shape
    np.testing.assert_array_equal(x.numpy(), array)
    assert not np.shares_memory(x.array, array)


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=3, max_side=3), elements=st.integers(-9, 9)))
def test_nested_lists(array):
    np.testing.assert_array_equal(mg.tensor(array.tolist()).numpy(), array)
    np.testing.assert_array_equal(mg.tensor([mg.tensor(row) for row in array]).numpy(), array)


def test_the_default_dtype_holds_for_python_floats():
    mg.set_default_dtype(mg.float64)
    try:
        assert mg.tensor(1.5).dtype == mg.float64
        assert mg.zeros(2).dtype == mg.float64
        assert mg.Tensor([1, 2]).dtype == mg.float64
    finally:
        mg.set_default_dtype(mg.float32)


@pytest.mark.parametrize(("data", "text"), [
    ([[1, 2], [1]], r"expected a row of length 2 at \[1\], got one of length 1"),
    ([[1, 2], 3], r"expected a row of length 2 at \[1\], got a number"),
    ([1, [2, 3]], r"expected a number at \[1\], got a row of length 2"),
    ([[[1, 2], [3, 4]], [[1, 2], [3, 4, 5]]], r"length 2 at \[1\]\[1\], got one of length 3"),
    ([[1.0, 2.0], np.ones(3)], r"length 2 at \[1\], got one of length 3"),
])
def test_ragged_lists_say_where(data, text):
    with pytest.raises(ShapeError, match=text):
        mg.tensor(data)


@pytest.mark.parametrize(("data", "text"), [
    ("a", "'a'"), ([1, "a"], r"at \[1\], got 'a'"), ([1, [2, None]], r"at \[1\]\[1\], got None"), (1j, "1j"),
    ({}, "{}"), (np.ones(2, complex), "complex128"), (object(), "object"), (np.array(["a"]), "supported"),
    ([2**70], "does not fit int64"), (np.ones(2, np.uint16), "uint16"), ([1 + 0j], r"\(1\+0j\)"),
])
def test_what_is_not_a_number_is_refused(data, text):
    with pytest.raises(DtypeError, match=text):
        mg.tensor(data)


def test_only_float_tensors_can_require_gradients():
    with pytest.raises(GradDtypeError, match=r"1\. instead of 1"):
        mg.tensor([1, 2, 3], requires_grad=True)
    with pytest.raises(TypeError):
        mg.ones(2, dtype=mg.int64).requires_grad_()


def test_a_tracked_tensor_in_a_list_warns():
    with pytest.warns(UserWarning, match="stack"):
        mg.tensor([mg.tensor(1.0, requires_grad=True), 2.0])


def test_a_tensor_is_copied_without_its_record():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = mg.tensor(x * 2)
    assert y.is_leaf
    assert not y.requires_grad
    z = mg.tensor(x)
    with mg.no_grad():
        x += 1
    np.testing.assert_array_equal(z.numpy(), [1, 2])


def test_sharing_memory():
    array = np.arange(3.0)
    for make in (mg.from_numpy, mg.as_tensor, mg.asarray, mg.from_dlpack):
        x = make(array)
        array[0] += 5
        assert x[0].item() == array[0] if hasattr(x, "__getitem__") else x.tolist()[0] == array[0]
    copied = mg.asarray(array, copy=True)
    array[1] = 70
    assert copied.tolist()[1] == 1.0
    same = mg.zeros(2)
    assert mg.as_tensor(same) is same
    assert mg.as_tensor(same, dtype=mg.float64).dtype == mg.float64
    assert mg.as_tensor(array, dtype=mg.float32).dtype == mg.float32


def test_from_numpy_wants_an_array_of_a_supported_dtype():
    with pytest.raises(TypeError, match="list"):
        mg.from_numpy([1])
    with pytest.raises(TypeError, match="complex"):
        mg.from_numpy(np.ones(1, complex))


# ----- filled
@pytest.mark.parametrize("make", [mg.zeros, mg.ones, mg.empty])
def test_sizes_as_numbers_or_as_one_sequence(make):
    assert make(2, 3).shape == make((2, 3)).shape == make([2, 3]).shape == (2, 3)
    assert make().shape == make(()).shape == ()
    assert make(0, 3).shape == (0, 3)
    assert make(2, dtype=mg.int32).dtype == mg.int32
    assert make(2).dtype == mg.float32
    assert make(2, requires_grad=True).requires_grad
    with pytest.raises(ShapeError, match="negative"):
        make(-1)
    with pytest.raises(ShapeError, match="integers"):
        make(2.5)


@pytest.mark.parametrize(("value", "dtype"), [(1, mg.int64), (True, mg.bool), (0.5, mg.float32)])
def test_full_takes_its_dtype_from_the_number(value, dtype):
    x = mg.full((2, 3), value)
    assert x.dtype == dtype
    np.testing.assert_array_equal(x.numpy(), np.full((2, 3), value))
    assert mg.full((2,), value, dtype=mg.float64).dtype == mg.float64
    assert mg.full((2,), mg.tensor(value)).dtype == dtype
    with pytest.raises(DtypeError, match="full"):
        mg.full((2,), "a")


def test_like_another():
    x = mg.tensor([[1, 2]], dtype=mg.int16)
    for make, value in ((mg.zeros_like, 0), (mg.ones_like, 1)):
        y = make(x)
        assert y.dtype == mg.int16
        np.testing.assert_array_equal(y.numpy(), [[value, value]])
        assert make(x, dtype=mg.float64, requires_grad=True).requires_grad
    assert mg.full_like(x, 7).tolist() == [[7, 7]]
    assert mg.empty_like(x).shape == (1, 2)
    with pytest.raises(DtypeError, match="list"):
        mg.zeros_like([1])


def test_eye():
    np.testing.assert_array_equal(mg.eye(2, 3).numpy(), np.eye(2, 3, dtype=np.float32))
    assert mg.eye(0).shape == (0, 0)


# ----- counted
@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(1, 5))
def test_arange_of_integers(start, end, step):
    step = step if end >= start else -step
    x = mg.arange(start, end, step)
    assert x.dtype == mg.int64
    np.testing.assert_array_equal(x.numpy(), np.arange(start, end, step))


def test_arange_of_floats_and_errors():
    assert mg.arange(3).tolist() == [0, 1, 2]
    assert mg.arange(3.0).dtype == mg.float32
    np.testing.assert_allclose(mg.arange(0, 1, 0.3).numpy(), [0, 0.3, 0.6, 0.9], rtol=1e-6)
    assert mg.arange(3, dtype=mg.float64).dtype == mg.float64
    for start, end, step in ((0, 3, 0), (0, 3, -1), (3, 0, 1)):
        with pytest.raises(ShapeError, match="does not lead"):
            mg.arange(start, end, step)


@given(st.floats(-5, 5), st.floats(-5, 5), st.integers(0, 9))
def test_linspace(start, end, steps):
    x = mg.linspace(start, end, steps, dtype=mg.float64)
    np.testing.assert_allclose(x.numpy(), np.linspace(start, end, steps), rtol=1e-12, atol=1e-12)
    if steps > 1:
        assert x.tolist()[0] == start
        assert x.tolist()[-1] == end


def test_logspace():
    np.testing.assert_allclose(mg.logspace(0, 2, 3).numpy(), [1, 10, 100], rtol=1e-6)
    np.testing.assert_allclose(mg.logspace(0, 3, 4, base=2, dtype=mg.float64).numpy(), [1, 2, 4, 8], rtol=1e-12)
    with pytest.raises(ShapeError, match="negative"):
        mg.logspace(0, 1, -1)
