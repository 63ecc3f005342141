"""The strict stand-in for CuPy computes what NumPy computes, wherever it does not differ on purpose."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from minigrad.backends import double as xp
from minigrad.backends.double import _surface

EXPRESSIONS = """
a + b; a - 2; 3 * a; a / b; a // 2; a % 2; a ** 2; 2 ** a; -a; abs(a); +a; divmod(a, 2); i // 2; i % 3; ~i; i << 1
i >> 1
i & 3; i | 4; i ^ 5; a < b; a >= 1; a == b; a != b; m & (a > 0); a @ b.T; a[0] @ b.T; i * a; i / 2; 1 / a; i + 0.5
xp.add(a, b); xp.add(a, b, dtype='f8'); xp.maximum(a, 1); xp.minimum(a, b); xp.exp(a); xp.log1p(a); xp.tanh(a)
xp.sqrt(a)
xp.arctan2(a, b); xp.hypot(a, b); xp.logaddexp(a, b); xp.copysign(a, -b); xp.sign(-a); xp.floor(a / 2)
xp.rint(a / 3)
xp.trunc(a / 2); xp.cbrt(a); xp.expm1(a); xp.fmod(a, 2); xp.fmax(a, n); xp.isnan(n); xp.isinf(n)
xp.isfinite(n); xp.frexp(a); xp.modf(a / 2); xp.ldexp(a, i); xp.signbit(-a); xp.sinc(a); xp.i0(a); xp.square(i)
xp.reciprocal(b); xp.logical_not(m); xp.logical_and(m, m); xp.heaviside(a, 0.5); xp.deg2rad(a); xp.gcd(i, 6)
xp.float_power(a, 2)
xp.nextafter(a, b); xp.bitwise_count(i); xp.isposinf(n); xp.isneginf(n); xp.nan_to_num(n); xp.nan_to_num(n, nan=1.5)
xp.add.outer(a[0], b[0]); xp.add.reduce(a, axis=1); xp.multiply.reduce(b); xp.add.accumulate(a, axis=1)
xp.add.reduceat(a[0], [0, 2]); xp.power(i, 2); xp.round(a / 3, 2); xp.clip(a, 1, 4); xp.clip(i, None, 3)
a.clip(min=2)
xp.sum(a); a.sum(axis=1); xp.sum(a, axis=(0, 1), keepdims=True); xp.sum(i); xp.sum(m); xp.prod(b, axis=0)
xp.mean(a, axis=0)
xp.mean(i); xp.var(a, axis=1, ddof=1); xp.std(a); xp.max(a, axis=0); a.min(); xp.ptp(a, axis=1)
xp.argmax(a, axis=1)
a.argmin(); xp.argmax(a, axis=0, keepdims=True); xp.any(m, axis=0); m.all(); xp.cumsum(a, axis=1); xp.cumsum(i)
xp.cumprod(b)
xp.median(a, axis=1); xp.quantile(a, 0.3); xp.quantile(a, [0.2, 0.7], axis=1); xp.percentile(a, 40, method='lower')
xp.nansum(n); xp.nanmean(n); xp.nanmax(n[:, 1:], axis=1); xp.nanmin(n); xp.nanstd(n[0]); xp.nancumsum(n[0])
xp.nanprod(n[0])
xp.nanmedian(n[0]); xp.nanargmax(n[0, :2]); xp.count_nonzero(a, axis=0); xp.bincount(i.ravel()); xp.diff(a)
xp.diff(a, n=2, axis=1)
xp.diff(a[0], prepend=0.0); xp.average(a, axis=1, weights=b); xp.cov(a); xp.corrcoef(a); xp.trapezoid(a)
xp.gradient(a[0])
xp.histogram(a, bins=3); xp.digitize(a, a[0]); xp.interp(a[0], b[0], a[1]); xp.trace(s)
xp.cumsum(b, axis=None)
xp.cumprod(b, axis=1); xp.max(n, axis=1); xp.sum(a.astype('f2')); xp.mean(a.astype('f2'), axis=0)
a.reshape(3, 2); xp.reshape(a, (-1,)); a.ravel(); a.flatten('F'); a.T; a.mT; xp.transpose(a[None], (2, 0, 1))
a.transpose(1, 0)
xp.swapaxes(a, 0, 1); xp.moveaxis(a[None], 0, -1); xp.moveaxis(a[None], [0, 1], [1, 0]); xp.rollaxis(a, 1)
xp.permute_dims(a, (1, 0))
xp.squeeze(a[None]); xp.expand_dims(a, (0, 2)); xp.atleast_1d(a[0, 0]); xp.atleast_2d(a[0]); xp.atleast_3d(a)
xp.diagonal(s, 1)
xp.flip(a); xp.flip(a, axis=1); xp.fliplr(a); xp.flipud(a); xp.rot90(a); xp.broadcast_to(a, (2, 2, 3))
xp.broadcast_arrays(a, a[0])
xp.concatenate([a, b]); xp.concatenate([a, b], axis=None); xp.concatenate((a, i), axis=1); xp.stack([a, b], axis=-1)
xp.vstack([a, b])
xp.hstack([a, b]); xp.dstack([a, b]); xp.column_stack([a[0], b[0]]); xp.append(a, b, axis=0); xp.split(a, 3, axis=1)
xp.vsplit(a, 2)
xp.array_split(a, 2, axis=1); xp.split(a, [1], axis=1); xp.hsplit(a, [1, 2]); xp.delete(a, 1, axis=1)
xp.repeat(a, 2, axis=1)
xp.repeat(a, [1, 2], axis=0); a.repeat(3); xp.tile(a, (2, 1)); xp.tile(a, 2); xp.resize(a, (3, 3)); xp.roll(a, 1)
xp.roll(a, -1, axis=1)
xp.roll(a, (1, 1), axis=(0, 1)); xp.pad(a, 1); xp.pad(a, ((0, 1), (2, 0)), constant_values=3)
xp.pad(a, 1, mode='edge')
xp.pad(a, ((0, 0), (1, 2)), mode='reflect'); xp.pad(a, 2, mode='symmetric'); xp.pad(a, 1, mode='wrap')
xp.ravel(a.T)
xp.size(a); xp.shape(a); xp.ndim(a); len(a); a.size; a.nbytes; a.itemsize; xp.matrix_transpose(a[None])
a[0]; a[:, 1]; a[..., None]; a[::-1, ::2]; a[[0, 1], [2, 0]]; a[xp.asarray([1, 0])]; a[m]; a[:, xp.asarray([0, 0])]
a[None, 1:, [0, 2]]
xp.take(a, xp.asarray([0, 5])); xp.take(a, [1, 0], axis=1); a.take(2, axis=1)
xp.take_along_axis(a, xp.argsort(a, axis=1), 1)
xp.where(m, a, 0); xp.where(m, a, b); xp.where(m); xp.nonzero(a); xp.flatnonzero(a); xp.argwhere(a > 1)
xp.extract(m, a); xp.where(i, 1.0, a)
xp.compress(m[0], a, axis=1); xp.select([m, ~m], [a, b], 7.0); xp.choose(i % 2, xp.stack([i, i + 1]))
xp.unravel_index(i, (4, 4))
xp.ravel_multi_index((i, i), (9, 9)); xp.sort(-a, axis=1); xp.sort(n, axis=1); xp.sort(a, axis=None)
xp.argsort(-a, axis=0)
xp.argsort(i % 2, axis=1, kind='stable'); xp.partition(-a, 1, axis=1)[:, 1]; xp.lexsort(xp.stack([a[0], b[0]]))
xp.searchsorted(a[0], b)
xp.searchsorted(a[0], 1.0, side='right'); xp.unique(i % 2)
xp.unique(i % 2, return_inverse=True, return_counts=True); xp.isin(i, i[0])
xp.union1d(i, i + 1); xp.intersect1d(i, i + 1); xp.setdiff1d(i, i[0]); xp.isclose(a, a + 1e-9); xp.array_equal(a, b)
xp.real(a); xp.imag(a); xp.angle(a); xp.conj(a); xp.result_type(a, i); xp.can_cast(a, 'f8'); xp.isscalar(3.0)
xp.iscomplexobj(a)
xp.zeros((2, 3)); xp.ones(3, 'i4'); xp.full((2,), 3); xp.full((2,), 1.5, 'f4'); xp.full_like(a, 2)
xp.zeros_like(a, dtype=int)
xp.ones_like(a.T); xp.eye(3, 4, k=1); xp.identity(2, 'f4'); xp.tri(3, k=-1); xp.tril(s); xp.triu(s[None], 1)
xp.diag(a[0]); xp.diag(s, -1)
xp.diagflat(a); xp.vander(a[0], 2); xp.arange(5); xp.arange(1, 2, 0.25); xp.arange(3, dtype='f4')
xp.arange(5, 0, -2); xp.linspace(0, 1, 5)
xp.linspace(0, 1, 4, endpoint=False, dtype='f4'); xp.logspace(0, 2, 3); xp.meshgrid(a[0], b[1])
xp.meshgrid(a[0], b[1], indexing='ij')
xp.indices((2, 2)); xp.ix_(i[0], i[1]); xp.tril_indices(3); xp.triu_indices(3, 1); xp.diag_indices(2)
xp.array(a, ndmin=3)
a.astype('i4'); a.astype(bool); i.astype('f2'); a.view('i4'); a.copy(); xp.astype(a, 'f8')
xp.ascontiguousarray(a.T); xp.asfortranarray(a)
xp.matmul(a, b.T); xp.matmul(s[None], s); xp.dot(a, b.T); xp.vdot(a, b); xp.inner(a, b); xp.outer(a, b)
xp.tensordot(a, b, axes=2)
xp.tensordot(a, b, axes=([1], [1])); xp.kron(a, b); xp.cross(a, b); xp.einsum('ij,kj->ik', a, b)
xp.einsum('ij->ji', a); xp.einsum('ii->i', s)
xp.einsum('...j,...j', a, b); xp.einsum('ij,jk,kl->il', a, s, s, optimize=True)
xp.einsum(a, [0, 1], b, [2, 1], [0, 2]); a.dot(s); i @ i.T
xp.lib.stride_tricks.sliding_window_view(a, 2, axis=1); xp.lib.stride_tricks.as_strided(a, (2, 2), (12, 4))
xp.linalg.inv(s); xp.linalg.det(s); xp.linalg.slogdet(s); xp.linalg.solve(s, s); xp.linalg.solve(s, a[0])
xp.linalg.cholesky(p)
xp.linalg.eigh(p)[0]; xp.linalg.eigvalsh(p); xp.linalg.svd(a, compute_uv=False); xp.linalg.svd(a)[1]
xp.linalg.qr(a)[1] ** 2
xp.linalg.qr(a, mode='r') ** 2; xp.linalg.norm(a); xp.linalg.norm(a, axis=1); xp.linalg.norm(a, 1)
xp.linalg.norm(a[0], 3); xp.linalg.norm(a, xp.inf, (0, 1))
xp.linalg.pinv(a); xp.linalg.matrix_power(s, 3); xp.linalg.matrix_power(s, -2); xp.linalg.matrix_rank(s)
xp.linalg.cond(s); xp.linalg.lstsq(s, a[0])[0]
xp.linalg.tensorinv(s.reshape(3, 3, 1), ind=1); xp.linalg.tensorsolve(s, a[0]); xp.linalg.cross(a, b)
xp.linalg.matrix_transpose(a); xp.linalg.inv(s[None])
xp.fft.fft(a); xp.fft.rfft(a, n=4); xp.fft.irfft(a); xp.fft.fft2(a); xp.fft.fftfreq(4); xp.fft.fftshift(a)
"""
EXPRESSIONS = [item.strip() for line in EXPRESSIONS.strip().splitlines() for item in line.split(";") if item.strip()]


def operands(namespace):
    """The names that expressions use, as arrays of `namespace`."""
    host = {
        "a": np.array([[0, 1, 2], [3, 4, 5]], np.float32), "b": np.array([[1, 2, 2], [0.5, 4, 1]], np.float32),
        "i": np.array([[0, 1, 2], [3, 5, 7]]), "m": np.array([[True, False, True], [False, False, True]]),
        "n": np.array([[1, np.nan, 2], [-np.inf, np.inf, 3]], np.float32),
        "s": np.array([[2, 1, 0], [0, 3, 1], [1, 0, 4]], np.float64),
    }
    host["p"] = host["s"] @ host["s"].T
    return {name: namespace.asarray(array) for name, array in host.items()}


def flat(result):
    """A result as a list of its parts."""
    if isinstance(result, (tuple, list)) and not isinstance(result, np.ndarray):
        return [part for item in result for part in flat(item)]
    return [result]


def assert_agree(result, expected, rtol):
    """Same parts, shapes, dtypes and values."""
    assert len(flat(result)) == len(flat(expected))
    for ours, theirs in zip(flat(result), flat(expected), strict=True):
        if isinstance(ours, xp.ndarray):
            ours = ours.get()
        if not isinstance(ours, np.ndarray):
            assert ours == theirs
            continue
        theirs = np.asarray(theirs)
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_are_numpys(expression):
    result = eval(expression, {"xp": xp, **operands(xp)})
    for part in flat(result):
        assert not isinstance(part, (np.ndarray, np.generic)) or part.dtype == np.bool_
    with np.errstate(all="ignore"):
        expected = eval(expression, {"xp": np, **operands(np)})
    assert_agree(result, expected, 1e-6)


@pytest.mark.gpu
def test_values_are_those_of_the_installed_cupy():
    import cupy

    for expression in EXPRESSIONS:
        result = eval(expression, {"xp": xp, **operands(xp)})
        theirs = eval(expression, {"xp": cupy, **operands(cupy)})
        assert_agree(result, [part.get() if isinstance(part, cupy.ndarray) else part for part in flat(theirs)], 1e-4)


FLOATS = hnp.arrays(np.float32, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
                    elements=st.floats(-100, 100, width=32))


@given(FLOATS)
def test_elementwise_and_reductions_agree_on_any_shape(host):
    array = xp.asarray(host)
    with np.errstate(all="ignore"):
        assert_agree(xp.tanh(array) * array + 2, np.tanh(host) * host + 2, 1e-6)
        assert_agree(array.sum(), host.sum(), 1e-5)
        assert_agree(xp.where(array > 0, array, 0.5), np.where(host > 0, host, np.float32(0.5)), 0)
    for axis in range(host.ndim):
        assert_agree(xp.cumsum(array, axis=axis), np.cumsum(host, axis=axis), 1e-5)
        assert_agree(xp.sort(array, axis=axis), np.sort(host, axis=axis), 0)
        assert_agree(array.sum(axis=axis, keepdims=True), host.sum(axis=axis, keepdims=True), 1e-5)


@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
def test_any_index_reads_and_writes_what_numpy_does(data, shape):
    host = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True)
                      | hnp.integer_array_indices(shape)
                      | hnp.arrays(bool, shape))
    array = xp.asarray(host)
    assert array[index].get().tolist() == host[index].tolist()
    array[index] = -1
    host[index] = -1
    assert array.get().tolist() == host.tolist()


@pytest.mark.parametrize("name", sorted(_surface.api()["ufuncs"]))
def test_every_ufunc_gives_the_dtypes_that_cupys_table_says(name):
    facts = _surface.api()["ufuncs"][name]
    function = getattr(xp, name)
    for char in "?bBhilefd":
        loop = next((pair for pair in facts["types"].split() if all(
            np.can_cast(char, wanted) for wanted in pair.partition("->")[0])), None)
        operand = xp.ones(2, char)
        try:
            result = function(*[operand] * facts["nin"])
        except TypeError:
            continue  # NumPy has no such loop: stricter than CuPy
        assert loop is not None
        expected = [np.dtype(wanted) for wanted in loop.partition("->")[2]]
        assert [part.dtype for part in flat(result)] == expected
