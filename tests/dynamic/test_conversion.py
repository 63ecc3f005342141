"""What a Tensor turns into: numbers, lists, arrays, other dtypes, copies, pickles."""

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg
from minigrad.dynamic.numpy_protocols import COUNTERPARTS
from minigrad.errors import AxisError, BackwardError, DeviceError, DtypeError, IterationError, ShapeError, TrackedError

ARRAYS = hnp.arrays(st.sampled_from([np.bool_, np.int32, np.int64, np.float32, np.float64]),
                    hnp.array_shapes(min_dims=0, min_side=0, max_side=3))


@given(ARRAYS)
def test_there_and_back(array):
    x = mg.tensor(array)
    np.testing.assert_array_equal(x.numpy(), array)
    np.testing.assert_array_equal(np.asarray(x), array)
    np.testing.assert_array_equal(np.array(x.tolist(), dtype=array.dtype).reshape(array.shape), array)
    np.testing.assert_array_equal(np.from_dlpack(x), array)
    assert x.numel() == x.nelement() == array.size
    assert x.dim() == x.ndimension() == x.ndim == array.ndim
    assert x.size() == x.shape == array.shape
    assert x.nbytes == array.nbytes


# ----- to Python
def test_one_element_becomes_a_number():
    for x in (mg.tensor(2.5), mg.tensor([2.5]), mg.tensor([[2.5]], requires_grad=True)):
        assert x.item() == 2.5
        assert float(x) == 2.5
        assert int(x) == 2
        assert bool(x) is True
    assert isinstance(mg.tensor(3).item(), int)
    assert isinstance(mg.tensor(True).item(), bool)
    assert [10, 20, 30][mg.tensor(1)] == 20
    assert list(range(mg.tensor(3))) == [0, 1, 2]


def test_several_elements_do_not():
    x = mg.ones(2)
    for convert in (float, int, mg.Tensor.item):
        with pytest.raises(ShapeError, match="one"):
            convert(x)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(ShapeError, match="ambiguous"):
        bool(mg.zeros(0))
    for x in (mg.tensor(1.0), mg.tensor([1, 2]), mg.tensor(True)):
        with pytest.raises(TypeError, match="index"):
            x.__index__()


def test_length_and_iteration():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert len(x) == 2
    rows = list(x)
    (rows[0] * rows[1]).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[3, 4], [1, 2]])
    a, b = mg.tensor([5, 6])
    assert (a.item(), b.item()) == (5, 6)
    for use in (len, iter):
        with pytest.raises(TypeError, match="without dimensions"):
            use(mg.tensor(1))
    assert issubclass(IterationError, TypeError)


def test_contains_looks_at_elements():
    x = mg.tensor([1.0, 2.0])
    assert 2 in x
    assert 3 not in x
    assert mg.tensor(2.0) in x
    with pytest.raises(DtypeError, match="str"):
        assert "a" not in x


def test_hash_is_identity_and_equality_is_elementwise():
    x, y = mg.ones(2), mg.ones(2)
    assert len({x, y}) == 2
    assert (x == y).tolist() == [True, True]
    assert (x != y).tolist() == [False, False]
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True


# ----- to NumPy
def test_numpy_shares_memory():
    x = mg.zeros(2)
    x.numpy()[0] = 5
    assert x.tolist() == [5, 0]


def test_numpy_is_read_only_where_backward_needs_the_values():
    x = mg.tensor([0.0, 1.0], requires_grad=True)
    y = x.exp()
    assert not y.detach().numpy().flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        y.detach().numpy()[0] = 7
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp([0, 1]), rtol=1e-6)


def test_a_tracked_tensor_does_not_become_an_array():
    x = mg.ones(2, requires_grad=True)
    for convert in (x.numpy, lambda: np.asarray(x), lambda: np.array([x, x]), lambda: np.from_dlpack(x)):
        with pytest.raises(TrackedError, match="detach"):
            convert()
    np.testing.assert_array_equal(x.numpy(force=True), [1, 1])
    results = np.zeros(2)
    with pytest.raises(ValueError, match="sequence") as error:  # NumPy's words; ours are the cause
        results[0] = x[0]
    assert isinstance(error.value.__cause__, TrackedError)
    assert "stack" in str(error.value.__cause__)
    with pytest.raises(TrackedError, match="stack"):
        results[:] = x
    results[0] = float(x[0])
    results[1] = x[1].detach()
    assert results.tolist() == [1, 1]


def test_array_protocol_arguments():
    x = mg.tensor([1.0, 2.0])
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert np.shares_memory(np.asarray(x), x.array)
    assert not np.shares_memory(np.array(x), x.array)
    with pytest.raises(ValueError, match="without a copy"):
        np.array(x, dtype=np.int32, copy=False)


def test_numpy_arrays_and_numbers_on_the_left_give_tensors():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for left in (np.array([3.0, 4.0], np.float32), np.float32(3), np.float64(3), 3):
        for result in (left * x, left + x, left - x, left / x, left ** x):
            assert isinstance(result, mg.Tensor)
            assert result.requires_grad
            assert result.dtype == mg.float32
    assert isinstance(np.ones((2, 2), np.float32) @ x, mg.Tensor)
    assert isinstance(np.ones(2) < x, mg.Tensor)


@pytest.mark.parametrize("ufunc", sorted(COUNTERPARTS, key=lambda ufunc: ufunc.__name__), ids=lambda u: u.__name__)
def test_ufuncs_on_tensors_are_the_operations_here(ufunc):
    a, b = np.array([0.25, 0.5, 0.75]), np.array([0.5, 0.5, 0.5])
    if "bitwise" in ufunc.__name__ or "shift" in ufunc.__name__ or ufunc is np.invert:
        a, b = np.array([1, 2, 3]), np.array([1, 1, 2])
    if ufunc is np.arccosh:
        a = a + 1
    arrays = (a, b)[:ufunc.nin]
    expected = ufunc(*arrays)
    mixed = (mg.tensor(a), b)[:ufunc.nin]
    for operands in ([mg.tensor(x) for x in arrays], mixed, (a, mg.tensor(b)) if ufunc.nin == 2 else mixed):
        result = ufunc(*operands)
        assert isinstance(result, mg.Tensor)
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-14)


def test_ufuncs_keep_gradients():
    x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    (np.exp(x) * np.array([1.0, 10.0])).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp([1.0, 2.0]) * [1, 10])


def test_other_functions_of_numpy_take_untracked_values():
    x, y = mg.tensor([3.0, 1.0, 2.0]), mg.tensor([0.0, 0.0, 1.0])
    assert np.mean(x) == 2
    assert np.sum(x, axis=0) == 6
    np.testing.assert_array_equal(np.concatenate([x, y]), [3, 1, 2, 0, 0, 1])
    np.testing.assert_array_equal(np.sort(x), [1, 2, 3])
    np.testing.assert_array_equal(np.add.accumulate(x), [3, 4, 6])
    np.testing.assert_array_equal(np.cbrt(y), [0, 0, 1])
    np.testing.assert_array_equal(np.where(y > 0, x, y), [0, 0, 2])
    array = np.ones(3)
    array += x
    np.testing.assert_array_equal(array, [4, 2, 3])
    w = x.requires_grad_()
    for use in (lambda: np.mean(w), lambda: np.concatenate([w, y]), lambda: np.add.reduce(w), lambda: np.cbrt(w),
                lambda: np.add(array, w, out=array)):
        with pytest.raises(TrackedError, match="detach"):
            use()
    with pytest.raises(TypeError, match="stack"):
        array += w
    with pytest.raises(TypeError, match="copy_"):
        np.exp(array, out=y)


# ----- to another dtype or device
@pytest.mark.parametrize(("name", "dtype"), [
    ("float", mg.float32), ("double", mg.float64), ("half", mg.float16), ("char", mg.int8), ("byte", mg.uint8),
    ("short", mg.int16), ("int", mg.int32), ("long", mg.int64), ("bool", mg.bool),
])
def test_casts_by_name(name, dtype):
    x = mg.tensor([0, 1, 2])
    assert getattr(x, name)().dtype == dtype
    assert x.to(dtype).dtype == dtype
    assert x.type(dtype).dtype == dtype
    assert x.type_as(mg.zeros(1, dtype=dtype)).dtype == dtype
    assert mg.zeros(1, dtype=dtype).type().startswith("minigrad.")


def test_to():
    x = mg.ones(2, requires_grad=True)
    assert x.to(mg.float32) is x
    assert x.to("cpu") is x
    assert x.cpu() is x
    assert x.to("cpu", mg.float64).dtype == mg.float64
    assert x.to(mg.zeros(1, dtype=mg.float64)).dtype == mg.float64
    assert x.to(dtype="float16").dtype == mg.float16
    copied = x.to(mg.float32, copy=True)
    assert copied is not x
    x.to(mg.float64).sum().backward()
    assert x.grad.dtype == mg.float32
    with pytest.raises(DtypeError, match="not a dtype"):
        x.to("nonsense")
    assert not x.to(mg.int64).requires_grad


def test_asking_for_a_gpu_gives_one_error_with_its_reason():
    usable, reason = mg.backends.cuda_status()
    if usable:
        assert mg.ones(2).cuda().is_cuda
        return
    for move in (lambda: mg.ones(2).cuda(), lambda: mg.ones(2).to("cuda:0"), lambda: mg.ones(2, device="cuda")):
        with pytest.raises(DeviceError) as error:
            move()
        assert reason in str(error.value)


def test_measures():
    x = mg.zeros(2, 3, dtype=mg.float64)
    assert x.stride() == (3, 1)
    assert x.stride(0) == 3
    assert x.T.stride() == (1, 3)
    assert x.is_contiguous()
    assert not x.T.is_contiguous()
    assert x.T.contiguous().is_contiguous()
    assert x.contiguous() is x
    assert x.size(-1) == 3
    assert x.element_size() == x.itemsize == 8
    assert x.is_floating_point()
    assert x.is_signed()
    assert not x.is_complex()
    assert not mg.zeros(1, dtype=mg.uint8).is_signed()
    assert x.get_device() == -1
    assert not x.is_cuda
    assert x.data_ptr() == x.array.ctypes.data
    with pytest.raises(AxisError, match="out of range"):
        x.size(2)


# ----- copies and pickles
def test_deepcopy_of_leaves_only():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.note = ["mine"]
    twin, same = copy.deepcopy([x, x])
    assert twin is same
    assert twin.requires_grad
    assert twin.grad.tolist() == [2, 4]
    assert twin.note == ["mine"]
    assert twin.note is not x.note
    with mg.no_grad():
        twin += 1
    assert x.tolist() == [1, 2]
    with pytest.raises(BackwardError, match="leaf"):
        copy.deepcopy(x * 2)


def test_a_shallow_copy_shares_memory_and_versions():
    x = mg.Parameter([1.0, 2.0])
    x.note = "mine"
    y = copy.copy(x * 2)
    assert y.is_leaf
    y = copy.copy(x)
    assert type(y) is mg.Parameter
    assert y.requires_grad
    assert y.note == "mine"
    with mg.no_grad():
        y += 1
    assert x.tolist() == [2, 3]
    assert x._version == 1


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    x = mg.Parameter([1.0, 2.0])
    x.note = "mine"
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is mg.Parameter
    assert y.requires_grad
    assert y.is_leaf
    assert y.tolist() == [1, 2]
    assert y.note == "mine"
    z = pickle.loads(pickle.dumps(x * 2, protocol))
    assert z.tolist() == [2, 4]
    assert z.is_leaf


def test_long_chains_are_printed_pickled_and_freed_without_recursion():
    x = mg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + x
    assert repr(y) == "tensor(20001., grad_fn=<add>)"
    assert pickle.loads(pickle.dumps(y)).item() == 20_001
    y.backward()
    assert x.grad.item() == 20_001
    del y
    gc.collect()


def test_parameters():
    source = mg.tensor([1.0, 2.0])
    p = mg.Parameter(source)
    assert p.requires_grad
    assert p.is_leaf
    assert isinstance(p, mg.Tensor)
    assert type(p * 2) is mg.Tensor
    with mg.no_grad():
        p += 1
    assert source.tolist() == [2, 3]
    assert source._version == p._version == 1
    assert not mg.Parameter([1, 2], requires_grad=False).requires_grad
    with pytest.raises(TypeError, match="float dtype"):
        mg.Parameter([1, 2])
