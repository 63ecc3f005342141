"""The strict stand-in for CuPy: what it has, what it refuses, and where it differs from NumPy as CuPy does."""

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from minigrad.backends import devices, double as xp
from minigrad.backends.double import _surface, describe_cupy
from minigrad.errors import DeviceError


def on_device(values, dtype=None):
    return xp.asarray(np.asarray(values, dtype))


def matrix():
    return on_device(np.arange(6, dtype=np.float32).reshape(2, 3))


# ---- the surface

PARTS = {"names": xp, "ndarray": xp.ndarray, "linalg": xp.linalg, "fft": xp.fft, "stride_tricks": xp.lib.stride_tricks}


def public_names(part):
    holder = PARTS[part]
    return [name for name in getattr(holder, "__all__", dir(holder)) if not name.startswith("_")]


@pytest.mark.parametrize("part", PARTS)
def test_only_names_that_cupy_has(part):
    assert set(public_names(part)) <= set(_surface.api()[part])


@pytest.mark.parametrize("part", PARTS)
def test_signatures_are_cupys(part):
    differences = {}
    for name in set(public_names(part)) - _surface.FROM_NUMPY:
        expected = _surface.api()[part][name]
        value = getattr(PARTS[part], name)
        if expected and expected != "ufunc" and describe_cupy.signature(value) != expected:
            differences[name] = (expected, describe_cupy.signature(value))
    assert differences == {}


def test_ufuncs_are_cupys():
    for name, facts in _surface.api()["ufuncs"].items():
        function = getattr(xp, name)
        assert isinstance(function, xp.ufunc), name
        assert (function.nin, function.nout) == (facts["nin"], facts["nout"]), name


def test_the_class_has_no_public_helpers():
    assert {name for name in dir(xp.ndarray) if not name.startswith("_")} <= set(_surface.api()["ndarray"])


def test_special_methods_are_cupys():
    own = {name for kind in xp.ndarray.__mro__ for name, value in vars(kind).items() if inspect.isfunction(value)}
    special = {name for name in own if name.startswith("__")} - {"__getattr__"}
    assert special <= set(_surface.api()["ndarray"])


@pytest.mark.parametrize("name", ["errstate", "vecdot", "insert", "geomspace", "nanquantile", "isnat", "polyint"])
def test_a_name_that_only_numpy_has(name):
    with pytest.raises(AttributeError, match=r"NumPy has it, CuPy 14\.2\.0 has not"):
        getattr(xp, name)


def test_a_name_that_the_double_lacks():
    with pytest.raises(AttributeError, match="draw on the host"):
        xp.random  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        xp.foo  # noqa: B018
    assert not hasattr(xp, "cuda")


@pytest.mark.parametrize("name", ["ctypes", "resize", "setflags", "__index__", "__array_interface__", "__round__"])
def test_an_attribute_that_only_numpys_arrays_have(name):
    with pytest.raises(AttributeError):
        getattr(matrix(), name)


def test_flags_have_no_writeable():
    with pytest.raises(AttributeError):
        matrix().flags.writeable  # noqa: B018
    with pytest.raises(KeyError):
        matrix().flags["WRITEABLE"]
    assert matrix().flags.c_contiguous
    assert matrix().T.flags.fnc


@pytest.mark.gpu
def test_the_surface_is_that_of_the_installed_cupy():
    assert describe_cupy.describe() == _surface.api()


# ---- what is refused

REFUSED = [
    # host arrays and lists meet no device array
    ("a + h", TypeError), ("h + a", TypeError), ("a * np.array(1.0)", TypeError), ("xp.add(a, h)", TypeError),
    ("a == h", TypeError), ("a @ h.T", TypeError), ("xp.where(a > 0, a, h)", TypeError), ("a < [1, 2, 3]", TypeError),
    ("a + [1, 2, 3]", TypeError), ("xp.concatenate([a, h])", TypeError), ("xp.stack([a, [1.0]])", TypeError),
    ("xp.maximum(a, h)", TypeError), ("xp.einsum('ij,ij', a, h)", TypeError), ("xp.dot(a, h.T)", TypeError),
    ("xp.add(a, a, out=h)", TypeError), ("a.sum(out=h)", TypeError), ("xp.take_along_axis(a, h, 0)", TypeError),
    ("np.add(a, h)", TypeError), ("np.add.at(h, 0, a)", TypeError), ("xp.clip(a, h, h)", TypeError),
    # lists are no arrays
    ("xp.exp([1.0])", TypeError), ("xp.sum([1, 2])", TypeError), ("xp.max([1.0])", TypeError),
    ("xp.cumsum([1, 2])", TypeError), ("xp.sort([2, 1])", TypeError), ("xp.dot([1.0], [1.0])", TypeError),
    ("xp.reshape([1, 2], (2, 1))", TypeError), ("xp.nonzero([1])", TypeError), ("xp.where([True], a, a)", TypeError),
    ("xp.isnan([1.0])", TypeError), ("xp.linalg.norm([1.0])", TypeError), ("xp.pad([1], 1)", TypeError),
    # nothing goes to the host by itself
    ("np.asarray(a)", TypeError), ("np.array([a])", TypeError), ("np.full((2, 3), a)", TypeError),
    ("xp.asarray([a.sum(), 1.0])", TypeError), ("range(a[0, 0])", TypeError), ("[1, 2][i[0]]", TypeError),
    ("round(a.sum())", TypeError), ("hash(a)", TypeError), ("{a: 1}", TypeError),
    ("xp.zeros((i[0],))", TypeError), ("xp.zeros(i)", TypeError), ("a.reshape(i)", TypeError),
    ("xp.arange(i[1])", TypeError), ("xp.eye(i[1])", TypeError), ("xp.sum(a, axis=i[0])", TypeError),
    ("xp.broadcast_to(a, i)", TypeError), ("xp.split(a, i)", TypeError), ("xp.tile(a, i)", TypeError),
    ("xp.linspace(0, 1, i[0])", TypeError), ("a[:i[1]]", TypeError), ("bool(a)", ValueError), ("float(a)", TypeError),
    # parameters that NumPy has
    ("xp.add(a, a, where=a > 0)", TypeError), ("xp.exp(a, order='K')", TypeError), ("xp.exp(a, subok=True)", TypeError),
    ("xp.sum(a, initial=0)", TypeError), ("xp.sum(a, where=a > 0)", TypeError), ("a.max(initial=0)", TypeError),
    ("xp.mean(a, where=a > 0)", TypeError), ("xp.var(a, correction=1)", TypeError), ("xp.clip(a, min=0)", TypeError),
    ("xp.take(a, i, mode='clip')", TypeError), ("xp.sort(a, stable=True)", TypeError),
    ("xp.zeros(3, like=a)", TypeError),
    ("xp.sort(a, kind='quicksort')", ValueError), ("xp.count_nonzero(a, keepdims=True)", TypeError),
    ("xp.einsum('ij->i', a, out=a)", TypeError), ("xp.reshape(a, shape=6)", TypeError), ("a.item(0)", TypeError),
    ("xp.lib.stride_tricks.as_strided(a, writeable=False)", TypeError), ("a.astype('f8', casting='safe')", TypeError),
    ("xp.pad(a, 1, mode='median')", ValueError), ("xp.quantile(a, 0.5, method='hazen')", ValueError),
    ("xp.array(h, copy=False)", ValueError), ("xp.concatenate(arrays=[a])", TypeError),
    # what ufuncs have not
    ("xp.maximum.reduce(a)", NotImplementedError), ("xp.logical_or.reduce(a)", NotImplementedError),
    ("xp.multiply.at(a, i, 1.0)", NotImplementedError), ("xp.maximum.accumulate(a)", NotImplementedError),
    ("xp.exp(a, a, a)", TypeError), ("xp.add(a)", TypeError),
    # axes that are lists
    ("xp.flip(a, [0])", TypeError), ("xp.squeeze(a, [0])", TypeError), ("xp.expand_dims(a, [0])", TypeError),
    # dtypes
    ("xp.asarray(['x'])", ValueError), ("xp.asarray([None])", ValueError), ("xp.zeros(2, dtype=object)", ValueError),
    ("xp.asarray(np.zeros(2, np.longdouble))", ValueError), ("a.astype('datetime64[s]')", ValueError),
    ("-(a > 0)", TypeError), ("(a > 0) - (a > 0)", TypeError), ("xp.unique(a > 0, axis=0)", TypeError),
    ("xp.linalg.inv(s.astype('f2'))", TypeError),
    ("a[a]", IndexError), ("xp.take(a, a)", IndexError), ("xp.take_along_axis(a, a, 0)", IndexError),
    # assignment of host data
    ("a.__setitem__(..., h)", ValueError), ("a.__setitem__(0, [1, 2, 3])", ValueError), ("a.fill(h)", ValueError),
    ("xp.copyto(a, h)", ValueError), ("xp.full((2, 3), h)", ValueError), ("a.set(h)", TypeError),
    # the rest
    ("a @ 2", TypeError), ("2 @ a", TypeError), ("a.T.sort()", NotImplementedError),
    ("xp.lib.stride_tricks.sliding_window_view(a, 2, axis=1, writeable=True)", NotImplementedError),
    ("xp.lib.stride_tricks.as_strided(a, (100,), (4,))", ValueError), ("a[5]", IndexError), ("a[0, -4]", IndexError),
    ("xp.linalg.solve(xp.zeros((2, 3, 3)), xp.zeros((3, 3)))", ValueError), ("iter(a.sum())", TypeError),
    ("xp.linalg.svd(s).S", AttributeError), ("xp.meshgrid(a, a)", ValueError),
    ("np.testing.assert_allclose(a, a)", TypeError), ("np.nanquantile(a, 0.5)", TypeError), ("len(a.sum())", TypeError),
    ("xp.searchsorted(i, [1.0])", NotImplementedError), ("np.random.default_rng(0).permutation(a)", TypeError),
]
# what CuPy lets pass: reading outside the memory, waiting for the device unasked, or truncating indices
STRICTER_THAN_CUPY = {"xp.lib.stride_tricks.as_strided(a, (100,), (4,))", "xp.arange(i[1])", "xp.tile(a, i)",
                      "xp.linspace(0, 1, i[0])", "xp.take(a, a)"}


@pytest.mark.parametrize(("expression", "error"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(expression, error):
    names = {"xp": xp, "np": np, "a": matrix(), "i": on_device([0, 1, 1]), "h": np.ones((2, 3)),
             "s": on_device(np.eye(3))}
    with pytest.raises(error):
        eval(expression, names)


@pytest.mark.gpu
def test_the_installed_cupy_refuses_it_too():
    import cupy

    accepted = set()
    for expression, _ in REFUSED:
        names = {"xp": cupy, "np": np, "a": cupy.arange(6, dtype=np.float32).reshape(2, 3),
                 "i": cupy.asarray([0, 1, 1]), "h": np.ones((2, 3)), "s": cupy.eye(3)}
        try:
            eval(expression, names)
        except Exception:
            continue
        accepted.add(expression)
    assert accepted <= STRICTER_THAN_CUPY


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match=r"add: each operand .* got host .*\(3,\).*send it over with xp.asarray"):
        matrix() + np.ones(3)
    with pytest.raises(TypeError, match=r"exp: .* got list \[1.0\]; CuPy converts no sequence"):
        xp.exp([1.0])
    with pytest.raises(TypeError, match="must be known on the host"):
        xp.zeros(on_device(3))
    with pytest.raises(TypeError, match="cast to one of them and back"):
        xp.add.at(on_device([1], np.int8), on_device([0]), 1)


# ---- the host reads by name only


def test_to_the_host():
    a = matrix()
    host = a.get()
    assert type(host) is np.ndarray
    host[0, 0] = 9
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert a.sum().item() == 15
    assert float(a[1, 2]) == 5
    assert int(a[1, 2]) == 5
    assert bool(a[1, 2] > 4)
    assert f"{a.mean():.2f}" == "2.50"
    assert xp.asnumpy(a).dtype == np.float32
    out = np.empty((2, 3), np.float32)
    assert a.get(out=out) is out
    assert out[1, 0] == 3
    assert pickle.loads(pickle.dumps(a)).tolist() == a.tolist()
    assert copy.deepcopy(a).tolist() == a.tolist()
    assert [row.tolist() for row in a] == a.tolist()
    assert str(a) == str(a.get())


def test_from_the_host():
    host = np.arange(3.0)
    a = xp.asarray(host)
    host[0] = 7
    assert a.tolist() == [0, 1, 2]
    assert xp.asarray(a) is a
    assert xp.asarray(a, np.float32).dtype == np.float32
    assert xp.asarray(0.5).shape == ()
    assert xp.asarray([a[0], a[1]]).tolist() == [0, 1]
    assert xp.asarray(np.arange(2, dtype=">i4")).dtype == np.int32
    a.set(np.ones(3))
    assert a.tolist() == [1, 1, 1]
    a[...] = np.array(2.0)
    assert a.tolist() == [2, 2, 2]


# ---- results are arrays

ZERO_D = [
    "xp.sum(a)", "a.max()", "xp.mean(a)", "a[0, 0]", "a.argmax()", "xp.any(a > 0)", "xp.allclose(a, a)", "xp.exp(0.5)",
    "xp.array_equal(a, a)", "xp.count_nonzero(a)", "xp.add(1, 2)", "xp.linalg.norm(a)", "xp.dot(a[0], a[0])",
    "xp.linalg.det(a @ a.T)", "xp.median(a)", "xp.einsum('ij->', a)", "a[0] @ a[0]", "xp.vdot(a, a)", "xp.ptp(a)",
    "xp.searchsorted(a[0], 1.0)", "np.float32(2) * a[0, 0]", "a.trace()", "xp.add.reduce(a[0])",
    "xp.linalg.slogdet(a @ a.T)[1]", "xp.linalg.matrix_rank(a)", "abs(a[0, 1])", "a[0, 1] == None",
]


@pytest.mark.parametrize("expression", ZERO_D)
def test_a_full_reduction_is_a_0d_array(expression):
    result = eval(expression, {"xp": xp, "np": np, "a": matrix()})
    assert type(result) is xp.ndarray
    assert result.shape == ()


def test_numpys_functions_give_device_arrays():
    a = matrix()
    for result in (np.exp(a), np.sum(a, axis=0), np.where(a > 2, a, 0), np.einsum("ij->j", a), np.concatenate([a, a]),
                   np.linalg.norm(a), np.float64(2) * a, np.add.reduce(a)):
        assert type(result) is xp.ndarray
    assert (np.float64(2) * a).dtype == np.float64
    assert (2.0 * a).dtype == np.float32


class Other:
    """A class that takes operators with device arrays over, as Tensor does."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "added"

    def __rmatmul__(self, other):
        return "multiplied"

    def __eq__(self, other):
        return "compared"

    __hash__ = None


def test_operators_leave_classes_that_ask_for_it_alone():
    assert matrix() + Other() == "added"
    assert matrix() @ Other() == "multiplied"
    assert (matrix() == Other()) == "compared"


def test_comparison_with_none_is_false_everywhere():
    assert not (matrix() == None).any()  # noqa: E711
    assert (matrix() != None).all()  # noqa: E711


def test_computed_results_are_in_c_order():
    a = matrix()
    for result in (a.T + 1, xp.exp(a.T), xp.where(a.T > 1, a.T, 0), a[:, [0, 2]], xp.concatenate([a.T, a.T], 1)):
        assert result.flags.c_contiguous


def test_in_place_operators_write_into_the_array():
    a = matrix()
    same, view = a, a[0]
    a += 1
    a *= a
    a -= 1
    assert a is same
    assert view.tolist() == [0, 3, 8]
    with pytest.raises(TypeError):
        a += np.ones(3)
    counts = on_device([1, 2])
    with pytest.raises(TypeError):
        counts += 0.5
    counts //= 2
    counts <<= 3
    counts |= 1
    assert counts.tolist() == [1, 9]


# ---- where CuPy differs from NumPy in what comes out


def test_integer_arrays_out_of_range_wrap_around():
    a = on_device([10, 11, 12])
    assert a[on_device([3, -4, 5])].tolist() == [10, 12, 12]
    assert a[[4]].tolist() == [11]
    assert xp.take(a, on_device([3, 7])).tolist() == [10, 11]
    assert a.take(-4).item() == 12
    assert xp.take_along_axis(a, on_device([4]), 0).tolist() == [11]
    a[on_device([3])] = 0
    assert a.tolist() == [0, 11, 12]
    xp.add.at(a, on_device([3, 4]), 1)
    assert a.tolist() == [1, 12, 12]
    b = matrix()
    assert b[:, on_device([3])].tolist() == [[0], [3]]
    assert b[on_device([2]), ..., None].shape == (1, 3, 1)
    xp.put_along_axis(b, on_device([[3]]), 9, 1)
    assert b[0, 0].item() == 9


def test_take_from_nothing_raises():
    with pytest.raises(IndexError):
        xp.take(xp.zeros(0), on_device([0]))


def test_of_repeated_places_the_last_does_not_win():
    a = xp.zeros(3)
    a[on_device([1, 1])] = on_device([5.0, 6.0])
    assert a.tolist() == [0, 5, 0]
    xp.put_along_axis(a, on_device([2, 2]), on_device([7.0, 8.0]), 0)
    assert a.tolist() == [0, 5, 7]


def test_masks_read_and_write():
    a = matrix()
    assert a[a > 3].tolist() == [4, 5]
    a[a > 3] = 0
    assert a.sum().item() == 6
    a[on_device([True, False])] = on_device([7.0, 8.0, 9.0])
    assert a[0].tolist() == [7, 8, 9]


def test_uninitialised_memory_shows():
    assert np.isnan(xp.empty((2, 2)).get()).all()
    assert np.isnan(xp.ndarray(3, np.float16).get()).all()
    assert (xp.empty(3, int).get() == np.iinfo(np.int64).max).all()
    assert xp.empty_like(matrix() > 0).get().all()
    padded = xp.pad(on_device([1.0]), (1, 2), mode="empty").get()
    assert np.isnan(padded[[0, 2, 3]]).all()
    assert padded[1] == 1


def test_broadcast_views_can_be_written_through():
    b = xp.ones(1)
    wide = xp.broadcast_to(b, (3,))
    wide[1] = 5
    assert b.tolist() == [5]
    first, second = xp.broadcast_arrays(b, xp.zeros((2, 1)))
    first[0, 0] = 6
    assert b.tolist() == [6]
    assert second.shape == (2, 1)
    square = xp.zeros((2, 2))
    square.diagonal()[...] = 1
    assert square.tolist() == [[1, 0], [0, 1]]
    windows = xp.lib.stride_tricks.sliding_window_view(b, 1)
    windows[0, 0] = 7
    assert b.tolist() == [7]


def test_overlapping_copy_is_refused():
    a = xp.arange(5)
    with pytest.raises(ValueError, match="overlapping"):
        a[1:] = a[:-1]
    a[1:] = a[:-1].copy()
    assert a.tolist() == [0, 0, 1, 2, 3]


def test_integers_to_negative_powers():
    a = on_device([-1, 1, 2, -2])
    assert (a ** -1).tolist() == [-1, 1, 0, 0]
    assert (a ** on_device([2, -2, 3, -2])).tolist() == [1, 1, 8, 0]


def test_no_floating_point_warnings(recwarn):
    a = on_device([0.0, -1.0, 1e30], np.float32)
    for result in (a / 0, xp.log(a), a * a * a, xp.mean(xp.zeros(0)), xp.nanmax(a / 0 * 0), xp.var(xp.zeros(0))):
        result.get()
    assert len(recwarn) == 0


SCATTER = [("add", np.int8), ("add", bool), ("add", np.int16), ("maximum", np.float16), ("maximum", np.int16),
           ("minimum", np.uint8), ("subtract", np.float32), ("subtract", np.int64), ("bitwise_or", np.float32)]


@pytest.mark.parametrize(("name", "dtype"), SCATTER)
def test_scatter_has_few_dtypes(name, dtype):
    with pytest.raises(TypeError):
        getattr(xp, name).at(xp.zeros(2, dtype), on_device([0]), xp.zeros(1, dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64])
def test_add_at_adds_repeated_places(dtype):
    a = xp.zeros((2, 3), dtype)
    xp.add.at(a, (on_device([0, 0, 1]), on_device([2, 2, -1])), on_device([1, 2, 3], dtype))
    assert a.tolist() == [[0, 0, 3], [0, 0, 3]]
    a.scatter_add(0, 1)
    assert a[0].tolist() == [1, 1, 4]


def test_maximum_at_is_as_coarse_as_cupys():
    a = on_device([0.0, 0.0, 0.0])
    xp.maximum.at(a, on_device([0, 1, 2]), on_device([0.1, np.nan, 3.0]))
    assert a.tolist() == [float(np.float32(0.1)), 0, 3]
    xp.minimum.at(a, on_device([2, 2]), on_device([1.0, 2.0]))
    assert a[2].item() == 1


def test_linear_algebra_gives_nan_instead_of_raising():
    stack = on_device([np.eye(2), np.zeros((2, 2))])
    for result in (xp.linalg.inv(stack), xp.linalg.cholesky(stack - 0.5 * stack), xp.linalg.solve(stack, stack),
                   xp.linalg.solve(stack, xp.ones(2))):
        host = result.get()
        assert np.isfinite(host[0]).all()
        assert np.isnan(host[1]).all()
    assert np.isnan(xp.linalg.inv(xp.zeros((2, 2))).get()).all()
    broken = on_device([[np.nan, 1.0], [1.0, 1.0]])
    for part in xp.linalg.svd(broken):
        assert np.isnan(part.get()).all()
    with pytest.raises(xp.linalg.LinAlgError):
        xp.linalg.inv(xp.ones((2, 3)))


def test_eigenvalues_are_always_complex():
    values, vectors = xp.linalg.eig(on_device(np.diag([1.0, 2.0]), np.float32))
    assert values.dtype == vectors.dtype == np.complex64
    assert sorted(values.real.tolist()) == [1, 2]


def test_cumulative_sums_with_their_start():
    a = matrix()
    assert xp.cumulative_sum(a, axis=1, include_initial=True).tolist() == [[0, 0, 1, 3], [0, 3, 7, 12]]
    assert xp.cumulative_prod(a[1]).tolist() == [3, 12, 60]
    assert xp.cumulative_sum(xp.zeros((2, 0)), axis=1, include_initial=True).tolist() == [[0], [0]]
    with pytest.raises(ValueError, match="required"):
        xp.cumulative_sum(a)


def test_views_know_whose_memory_they_are():
    a = matrix()
    assert a.base is None
    assert a[0].base.shape == (2, 3)
    assert xp.shares_memory(a, a.T)
    assert a.reshape(3, 2).base.tolist() == a.tolist()
    steps = xp.lib.stride_tricks.as_strided(a, (2, 2), (12, 4))
    again = xp.lib.stride_tricks.as_strided(steps, (2, 3), (12, 4))
    assert again.tolist() == a.tolist()


def test_nothing_is_in_range_of_all_nan():
    a = on_device([[np.nan, np.nan], [1.0, np.nan]])
    assert xp.nanargmax(a, axis=1).tolist() == [-1, 0]


# ---- the backend on top of it


@pytest.fixture
def cuda(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DEVICE", "double")
    return devices.backend_for("cuda")


def test_cuda_means_the_double(cuda):
    assert cuda.xp is xp
    array = devices.to_device(np.arange(3.0), "cuda")
    assert type(array) is xp.ndarray
    assert devices.xp_of((1.0, array)) is xp
    assert devices.device_of(array) == devices.Device("cuda")
    assert devices.to_numpy(array).tolist() == [0, 1, 2]
    assert devices.cuda_status()[0]
    cuda.synchronize()


def test_without_the_variable_cuda_is_no_double(monkeypatch):
    monkeypatch.delenv("MINIGRAD_DEVICE", raising=False)
    usable, reason = devices.cuda_status()
    if not usable:
        with pytest.raises(DeviceError, match="cannot be used"):
            devices.backend_for("cuda")
        assert reason


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32])
def test_backend_adds_at_repeated_places_for_all_dtypes(cuda, dtype):
    host, index = np.zeros(4, dtype), [1, 1, 3]
    values = np.array([1, 1, 1], dtype)
    array = xp.asarray(host)
    cuda.add_at(array, on_device(index), xp.asarray(values))
    np.add.at(host, index, values)
    assert array.dtype == dtype
    assert array.get().tolist() == host.tolist()


@given(st.lists(st.integers(-4, 3), min_size=0, max_size=8))
def test_backend_sets_the_last_of_repeated_places(index):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINIGRAD_DEVICE", "double")
        backend = devices.backend_for("cuda")
    host, values = np.zeros(4), np.arange(1.0, len(index) + 1)
    index = np.array(index, np.int64)
    array = xp.asarray(host)
    backend.set_at(array, xp.asarray(index), xp.asarray(values))
    host[index] = values
    assert array.get().tolist() == host.tolist()


def test_importing_minigrad_imports_no_double():
    code = "import sys, minigrad, minigrad.backends; sys.exit('minigrad.backends.double' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
