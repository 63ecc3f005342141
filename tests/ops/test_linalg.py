"""Linear algebra: values against NumPy and SciPy, gradients, batches, what is singular, messages."""

import numpy as np
import pytest
import scipy.linalg

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import AxisError, DtypeError, InvalidArgumentError, LinAlgError, ShapeError
from minigrad.ops.linalg import cholesky_inverse, cholesky_solve
from minigrad.ops.matmul import matmul
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

linalg = mg.linalg
RNG = np.random.default_rng(3)
BATCHES = [(), (2,), (2, 1)]


def normal(*shape):
    return RNG.standard_normal(shape)


def regular(*shape):
    """Matrices with distinct singular values away from 0."""
    return normal(*shape) * 0.2 + np.eye(*shape[-2:]) * np.arange(1.0, shape[-1] + 1)


def positive(*shape):
    a = regular(*shape)
    return a @ a.swapaxes(-1, -2)


def symmetrised(function):
    """`function` of the symmetric part, whose elements may be moved one by one."""
    def of_symmetric_part(a, *rest):
        return function((a + a.mT) / 2, *rest)
    return of_symmetric_part


def agree(function, expected, *arrays, rtol=1e-10):
    """Values, gradients to second order, both engines."""
    got = function(*[mg.tensor(x) for x in arrays])
    np.testing.assert_allclose(got.numpy(), expected, rtol=rtol, atol=1e-12)
    check_gradients(function, *arrays, max_elements=9)
    engines_agree(function, *arrays, unknown=False)


# ----- inverses and determinants
@pytest.mark.parametrize("batch", BATCHES)
def test_inverses_and_determinants(batch):
    a = regular(*batch, 3, 3)
    agree(linalg.inv, np.linalg.inv(a), a)
    agree(linalg.det, np.linalg.det(a), a)
    agree(mg.logdet, np.log(np.linalg.det(a)), a)
    agree(linalg.pinv, np.linalg.pinv(a), a)
    sign, log = linalg.slogdet(mg.tensor(-a))
    np.testing.assert_allclose(sign.numpy(), -np.ones(batch))
    np.testing.assert_allclose(log.numpy(), np.linalg.slogdet(a)[1])
    assert linalg.slogdet(mg.tensor(a)).logabsdet.shape == batch


@pytest.mark.parametrize("singular", [
    [[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [[0.0]],
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
])
def test_determinants_of_singular_matrices_have_derivatives(singular):
    check_gradients(linalg.det, np.array(singular))


def test_half_precision_goes_through_single():
    a = mg.tensor(regular(3, 3), dtype=mg.float16, requires_grad=True)
    y = linalg.inv(a)
    assert y.dtype == np.float16
    y.sum().backward()
    assert a.grad.dtype == np.float16


def test_integers_become_floats():
    y = linalg.inv(mg.tensor([[2, 0], [0, 4]]))
    assert y.dtype == np.float32
    assert y.tolist() == [[0.5, 0], [0, 0.25]]


def test_logdet_of_negative_and_singular():
    a = np.stack([np.eye(2), -np.eye(2) * [1, -1], np.zeros((2, 2))])
    np.testing.assert_array_equal(mg.logdet(mg.tensor(a)).numpy(), [0, np.nan, -np.inf])


def test_singular_matrices_are_named():
    with pytest.raises(LinAlgError, match=r"inv of float64\(2, 2\): Singular matrix"):
        linalg.inv(mg.zeros(2, 2, dtype=mg.float64))
    with pytest.raises(LinAlgError, match=r"solve of float32\(2, 2\): Singular matrix"):
        linalg.solve(mg.zeros(2, 2), mg.ones(2))
    with pytest.raises(LinAlgError, match=r"cholesky of .*not positive definite"):
        linalg.cholesky(-mg.eye(2))
    assert issubclass(linalg.LinAlgError, RuntimeError)
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(LinAlgError, match="Singular"):
        session.run(linalg.inv(tf.zeros([2, 2])))


@pytest.mark.parametrize("function", [linalg.inv, linalg.det, linalg.slogdet, linalg.cholesky, linalg.eigh,
                                      linalg.eigvalsh, mg.logdet, cholesky_inverse])
def test_square_matrices_are_expected(function):
    with pytest.raises(ShapeError, match=r"expected square matrices, got shape \(2, 3\)"):
        function(mg.ones(2, 3))
    with pytest.raises(ShapeError, match=r"expected a matrix or a batch of them, got shape \(3,\)"):
        function(mg.ones(3))


@pytest.mark.parametrize("function", [linalg.svd, linalg.svdvals, linalg.qr, linalg.pinv, linalg.matrix_rank])
def test_matrices_are_expected(function):
    with pytest.raises(ShapeError, match=r"expected a matrix or a batch of them, got shape \(3,\)"):
        function(mg.ones(3))


def test_empty_matrices():
    a = mg.zeros(0, 0, dtype=mg.float64)
    assert linalg.det(a).item() == 1
    assert linalg.inv(a).shape == (0, 0)
    assert linalg.solve(a, mg.zeros(0, 2, dtype=mg.float64)).shape == (0, 2)
    assert linalg.svdvals(mg.zeros(0, 3)).shape == (0,)
    assert linalg.pinv(mg.zeros(0, 3)).shape == (3, 0)
    assert linalg.matrix_rank(mg.zeros(2, 0, 3)).tolist() == [0, 0]
    assert linalg.eigh(mg.zeros(2, 0, 0))[0].shape == (2, 0)
    assert linalg.inv(mg.zeros(0, 3, 3)).shape == (0, 3, 3)


def test_pinv_of_lower_rank():
    a = normal(4, 2) @ normal(2, 3)
    np.testing.assert_allclose(linalg.pinv(mg.tensor(a)).numpy(), np.linalg.pinv(a), rtol=1e-8)
    a = np.diag([10.0, 1.0, 0.1])
    for options, kept in (({"rtol": 0.05}, 2), ({"atol": 0.5}, 2), ({"atol": 2.0}, 1), ({"rcond": 0.2}, 1),
                          ({"atol": 0.5, "rtol": 0.2}, 1), ({}, 3)):
        y = linalg.pinv(mg.tensor(a), **options).numpy()
        np.testing.assert_allclose(np.diag(y), [1 / v if i < kept else 0 for i, v in enumerate(np.diag(a))], atol=1e-12)
        rank = options.get("rcond")
        if rank is None:
            assert linalg.matrix_rank(mg.tensor(a), **options).item() == kept
    lower = np.tril(positive(3, 3))
    whole = lower + np.tril(lower, -1).T
    np.testing.assert_allclose(linalg.pinv(mg.tensor(lower), hermitian=True).numpy(), np.linalg.inv(whole), rtol=1e-9)
    check_gradients(linalg.pinv, regular(4, 2))
    check_gradients(linalg.pinv, regular(2, 4))


def test_rank_and_condition():
    a = np.diag([10.0, 1.0, 1e-20])
    x = mg.tensor(np.stack([a, np.eye(3), np.zeros((3, 3))]))
    rank = linalg.matrix_rank(x)
    assert rank.dtype == np.int64
    assert rank.tolist() == [2, 3, 0]
    assert linalg.matrix_rank(x, 2.0).tolist() == [1, 0, 0]
    assert linalg.matrix_rank(-x, hermitian=True).tolist() == [2, 3, 0]
    regulars = regular(2, 3, 3)
    for p in (None, 2, -2, 1, -1, np.inf, "fro", "nuc"):
        got = linalg.cond(mg.tensor(regulars), p).numpy()
        np.testing.assert_allclose(got, [np.linalg.cond(m, p) for m in regulars], rtol=1e-9)
    assert linalg.cond(mg.zeros(2, 2) + mg.tensor([[1.0, 0], [0, 0]])).item() == np.inf
    check_gradients(linalg.cond, regular(3, 3))


# ----- factorizations
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(batch, upper):
    a = positive(*batch, 3, 3)

    def function(x):
        return linalg.cholesky(x, upper=upper)

    wanted = np.linalg.cholesky(a)
    np.testing.assert_allclose(function(mg.tensor(a)).numpy(), wanted.swapaxes(-1, -2) if upper else wanted, rtol=1e-9)
    check_gradients(symmetrised(function), a, max_elements=9)
    half = np.triu(a) if upper else np.tril(a)
    np.testing.assert_array_equal(function(mg.tensor(half)).numpy(), function(mg.tensor(a)).numpy())


def test_gradients_of_symmetric_factorizations_are_symmetric():
    for function in (linalg.cholesky, linalg.eigvalsh, linalg.eigh):
        a = mg.tensor(positive(3, 3), requires_grad=True)
        y = function(a)
        y = y if isinstance(y, mg.Tensor) else y[1]
        (y * y * y).sum().backward()
        np.testing.assert_allclose(a.grad.numpy(), a.grad.numpy().T, rtol=1e-9, atol=1e-12)


def test_cholesky_solve_and_inverse():
    a, b = positive(2, 3, 3), normal(2, 3, 2)
    for upper in (False, True):
        factor = linalg.cholesky(mg.tensor(a), upper=upper)
        np.testing.assert_allclose(cholesky_solve(mg.tensor(b), factor, upper).numpy(), np.linalg.solve(a, b))
        np.testing.assert_allclose(cholesky_inverse(factor, upper).numpy(), np.linalg.inv(a))
    check_gradients(cholesky_solve, b[0], np.linalg.cholesky(a[0]))
    check_gradients(cholesky_inverse, np.linalg.cholesky(a[0]))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 4, 2), (2, 2, 4), (0, 2), (2, 0)])
def test_qr(shape):
    a = normal(*shape)
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(mg.tensor(a), mode)
        wanted = np.linalg.qr(a, mode)
        assert (q.shape, r.shape) == (wanted.Q.shape, wanted.R.shape)
        np.testing.assert_allclose((q @ r).numpy(), a, atol=1e-12)
        np.testing.assert_allclose(np.abs(r.numpy()), np.abs(wanted.R), atol=1e-12)
    empty, r = linalg.qr(mg.tensor(a), "r")
    assert empty.shape == (0,)
    np.testing.assert_allclose(r.numpy(), linalg.qr(mg.tensor(a)).R.numpy())
    if a.size:
        check_gradients(linalg.qr, a, max_elements=9)
        engines_agree(linalg.qr, a, unknown=False)


def triangle_of_complete(a):
    return linalg.qr(a, "complete").R


def test_gradient_of_a_complete_qr_flows_through_what_is_determined():
    check_gradients(triangle_of_complete, normal(4, 2))
    with pytest.raises(InvalidArgumentError, match='"reduced", "complete" or "r", not \'full\''):
        linalg.qr(mg.ones(2, 2), "full")


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh(batch, triangle):
    a = regular(*batch, 3, 3)
    a = a + a.swapaxes(-1, -2)
    half = np.tril(a) if triangle == "L" else np.triu(a)
    w, v = linalg.eigh(mg.tensor(half), triangle)
    np.testing.assert_allclose((v * w.unsqueeze(-2) @ v.mT).numpy(), a, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(linalg.eigvalsh(mg.tensor(half), triangle).numpy(), np.linalg.eigvalsh(a), rtol=1e-9)
    check_gradients(symmetrised(linalg.eigh), a, max_elements=9)
    with pytest.raises(InvalidArgumentError, match='UPLO must be "L" or "U"'):
        linalg.eigh(mg.ones(2, 2), "X")


def turned_back(a):
    """A function of a symmetric matrix that does not depend on the choice of eigenvectors."""
    w, v = linalg.eigh(a)
    return matmul(v * mg.exp(w).unsqueeze(-2), v.mT)


def test_equal_eigenvalues_leave_no_nan():
    a = mg.tensor(np.eye(3) * 2, requires_grad=True)
    turned_back(a).sum().backward()
    np.testing.assert_allclose(a.grad.numpy().diagonal(), np.exp(2.0))
    check_gradients(symmetrised(turned_back), positive(3, 3))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (0, 3), (3, 0)])
@pytest.mark.parametrize("full", [False, True])
def test_svd(shape, full):
    a = regular(*shape) if 0 not in shape else np.zeros(shape)
    u, s, vh = linalg.svd(mg.tensor(a), full)
    wanted = np.linalg.svd(a, full)
    assert [x.shape for x in (u, s, vh)] == [x.shape for x in wanted]
    np.testing.assert_allclose(s.numpy(), wanted.S, rtol=1e-9)
    k = s.shape[-1]
    np.testing.assert_allclose((u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :]).numpy(), a, atol=1e-12)
    if a.size:
        check_gradients(linalg.svdvals, a, max_elements=9)
        if not full:
            check_gradients(WithOptions(linalg.svd, False), a, max_elements=9)


def first_of_full(a):
    """What the matrix determines of a full decomposition."""
    u, s, vh = linalg.svd(a)
    k = s.shape[-1]
    return u[..., :k], s, vh[..., :k, :]


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (2, 3, 2)])
def test_gradients_of_a_full_decomposition_flow_through_what_is_determined(shape):
    check_gradients(first_of_full, regular(*shape), max_elements=9)


def test_gradients_of_equal_and_of_zero_singular_values():
    a = mg.tensor(np.diag([2.0, 2.0, 0.0]), requires_grad=True)
    linalg.matrix_norm(a, "nuc").backward()
    np.testing.assert_allclose(np.diag(a.grad.numpy())[:2], 1)
    assert np.isfinite(a.grad.numpy()).all()


# ----- linear systems
@pytest.mark.parametrize(("a", "b"), [
    ((3, 3), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (2, 3, 2)), ((2, 3, 3), (2, 3)), ((2, 3, 3), (3, 2)),
    ((3, 3), (2, 3, 2)), ((2, 1, 3, 3), (4, 3, 1)), ((2, 3, 3), (3,)),
])
def test_solve(a, b):
    a, b = regular(*a), normal(*b)
    vector = b.ndim == 1 or b.shape == a.shape[:-1]
    wanted = np.linalg.inv(a) @ (b[..., None] if vector else b)
    agree(linalg.solve, wanted[..., 0] if vector else wanted, a, b)


def solve_from_the_right(a, b):
    return linalg.solve(a, b, left=False)


def test_solve_from_the_right():
    a, b = regular(2, 3, 3), normal(2, 4, 3)
    agree(solve_from_the_right, b @ np.linalg.inv(a), a, b)
    agree(solve_from_the_right, np.ones(3) @ np.linalg.inv(a[0]), a[0], np.ones(3))


def test_solve_messages():
    with pytest.raises(ShapeError, match=r"shape \(3, 3\) and right-hand sides of shape \(2, 2\) do not fit"):
        linalg.solve(mg.eye(3), mg.ones(2, 2))
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.solve(mg.ones(2, 3, 3), mg.ones(4, 3, 2))
    with pytest.raises(DtypeError, match="one dtype but got float32 and float64"):
        linalg.solve(mg.eye(3), mg.ones(3, 2, dtype=mg.float64))


class Triangular:
    """solve_triangular with fixed options."""

    def __init__(self, **options):
        self.options = options

    def __call__(self, a, b):
        return linalg.solve_triangular(a, b, **self.options)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("unitriangular", [False, True])
def test_solve_triangular(upper, left, unitriangular):
    a = regular(2, 3, 3)
    b = normal(2, 3, 2) if left else normal(2, 2, 3)
    options = {"lower": not upper, "unit_diagonal": unitriangular}
    wanted = [scipy.linalg.solve_triangular(m, n, **options) if left
              else scipy.linalg.solve_triangular(m, n.T, trans="T", **options).T for m, n in zip(a, b, strict=True)]
    agree(Triangular(upper=upper, left=left, unitriangular=unitriangular), wanted, a, b)
    garbage = a + np.triu(np.full((3, 3), np.nan), 1) if not upper else a + np.tril(np.full((3, 3), np.nan), -1)
    got = Triangular(upper=upper, left=left, unitriangular=unitriangular)(mg.tensor(garbage), mg.tensor(b))
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-9)


@pytest.mark.parametrize(("a", "b"), [((5, 3), (5, 2)), ((3, 3), (3, 2)), ((3, 5), (3, 2)), ((5, 3), (5,)),
                                      ((2, 5, 3), (2, 5, 2)), ((2, 5, 3), (2, 5))])
def test_least_squares(a, b):
    a, b = normal(*a), normal(*b)
    solution, residuals, rank, values = linalg.lstsq(mg.tensor(a), mg.tensor(b))
    for place in np.ndindex(a.shape[:-2]):
        x, squares, wanted_rank, s = np.linalg.lstsq(a[place], b[place], rcond=None)
        np.testing.assert_allclose(solution.numpy()[place], x, rtol=1e-8)
        np.testing.assert_allclose(values.numpy()[place], s, rtol=1e-9)
        assert rank.numpy()[place] == wanted_rank
        if squares.size:
            np.testing.assert_allclose(residuals.numpy()[place], squares if b.ndim == a.ndim else squares[0], rtol=1e-8)
        else:
            assert residuals.shape == (0,)
    assert rank.dtype == np.int64


def test_least_squares_has_gradients_and_takes_lower_ranks():
    a = normal(5, 2) @ normal(2, 3)
    b = normal(5, 2)
    found = linalg.lstsq(mg.tensor(a), mg.tensor(b))
    np.testing.assert_allclose(found.solution.numpy(), np.linalg.lstsq(a, b, rcond=None)[0], rtol=1e-7)
    assert found.rank.item() == 2
    assert found.residuals.shape == (0,)

    def solution(x, y):
        return linalg.lstsq(x, y).solution

    check_gradients(solution, regular(4, 2), normal(4, 2))
    with pytest.raises(ShapeError, match="numbers of rows differ"):
        linalg.lstsq(mg.ones(3, 2), mg.ones(2, 2))


def test_tensorinv_and_tensorsolve():
    a = regular(6, 6).reshape(2, 3, 6)
    agree(linalg.tensorinv, np.linalg.tensorinv(a), a)
    a, b = regular(6, 6).reshape(2, 3, 3, 2), normal(2, 3)
    agree(linalg.tensorsolve, np.linalg.tensorsolve(a, b), a, b)

    def moved(x, y):
        return linalg.tensorsolve(x, y, dims=(0, 2))

    a = regular(6, 6).reshape(2, 3, 2, 3).transpose(0, 2, 1, 3)
    a = regular(6, 6).reshape(3, 2, 3, 2).transpose(2, 0, 3, 1).copy()
    agree(moved, np.linalg.tensorsolve(a, np.ones((3, 2)), axes=(0, 2)), a, np.ones((3, 2)))
    with pytest.raises(ShapeError, match="4 and 3 elements"):
        linalg.tensorinv(mg.ones(2, 2, 3))
    with pytest.raises(ShapeError, match="does not fit B"):
        linalg.tensorsolve(mg.ones(2, 3, 5), mg.ones(2, 3))
    with pytest.raises(InvalidArgumentError, match="at least 1"):
        linalg.tensorinv(mg.ones(2, 2), 0)


# ----- norms
class WithOptions:
    """A function of one tensor with fixed options."""

    def __init__(self, function, *args, **kwargs):
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __call__(self, x):
        return self.function(x, *self.args, **self.kwargs)


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("dim", [(-2, -1), (0, 1), (2, 0)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_matrix_norms(order, dim, keepdim):
    a = normal(3, 2, 3)
    agree(WithOptions(linalg.matrix_norm, order, dim, keepdim), np.linalg.norm(a, order, dim, keepdim), a)
    agree(WithOptions(linalg.norm, order, dim, keepdim), np.linalg.norm(a, order, dim, keepdim), a)


def test_norms_of_vectors():
    x, a = normal(5), normal(2, 3)
    for order in (None, 2, 1, 3, np.inf, -np.inf, 0, -1):
        np.testing.assert_allclose(linalg.norm(mg.tensor(x), order).numpy(), np.linalg.norm(x, order))
        np.testing.assert_allclose(linalg.norm(mg.tensor(a), order, 1).numpy(), np.linalg.norm(a, order, 1))
    np.testing.assert_allclose(linalg.norm(mg.tensor(a)).numpy(), np.linalg.norm(a))
    np.testing.assert_allclose(linalg.norm(mg.tensor(a), 1).numpy(), np.linalg.norm(a, 1))
    assert linalg.norm(mg.ones(2, 3), dtype=mg.float64).dtype == np.float64
    assert linalg.matrix_norm(mg.ones(2, 3), dtype=mg.float64).dtype == np.float64


def test_norm_messages():
    with pytest.raises(InvalidArgumentError, match="there is no norm 3"):
        linalg.matrix_norm(mg.ones(2, 2), 3)
    with pytest.raises(ShapeError, match="without dim needs a vector or a matrix"):
        linalg.norm(mg.ones(2, 2, 2), 1)
    with pytest.raises(ShapeError, match="two different dimensions"):
        linalg.matrix_norm(mg.ones(2, 2), dim=(0, 0))
    with pytest.raises(DtypeError, match="defined for floats, not for int64"):
        linalg.matrix_norm(mg.ones(2, 2, dtype=mg.int64))
    with pytest.raises(AxisError, match="out of range"):
        linalg.matrix_norm(mg.ones(2, 2), dim=(0, 5))


# ----- powers, products, diagonals
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6, -1, -3])
def test_matrix_powers(n):
    a = regular(2, 3, 3)
    agree(WithOptions(linalg.matrix_power, n), np.linalg.matrix_power(a, n), a)


def test_power_1_is_a_new_tensor():
    x = mg.eye(2)
    assert linalg.matrix_power(x, 1) is not x
    with pytest.raises(ShapeError, match="square"):
        linalg.matrix_power(mg.ones(2, 3), 2)


def test_cross_products():
    a, b = normal(4, 3), normal(4, 3)
    agree(linalg.cross, np.cross(a, b), a, b)
    agree(linalg.cross, np.cross(a[0], b), a[0], b)
    np.testing.assert_allclose(mg.cross(mg.tensor(a.T.copy()), mg.tensor(b.T.copy())).numpy(), np.cross(a, b).T)
    np.testing.assert_allclose(mg.cross(mg.tensor(a), mg.tensor(b), dim=1).numpy(), np.cross(a, b))
    with pytest.raises(ShapeError, match="has to be 3"):
        linalg.cross(mg.ones(2, 2), mg.ones(2, 2))
    with pytest.raises(ShapeError, match="no dimension of shape"):
        mg.cross(mg.ones(2, 2), mg.ones(2, 2))
    with pytest.raises(ShapeError, match="count the dimension from the end"):
        linalg.cross(mg.ones(3), mg.ones(3, 3), dim=0)


def test_kronecker_products():
    for a, b in ((normal(2, 3), normal(3, 2)), (normal(2), normal(2, 2)), (normal(2, 2, 1), normal(3)),
                 (normal(), normal(2))):
        agree(mg.kron, np.kron(a, b), a, b)
    a, b = normal(2, 3), normal(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder("float64", [None, 3]), tf.placeholder("float64", [3, None])
        np.testing.assert_allclose(session.run(mg.kron(x, y), {x: a, y: b}), np.kron(a, b))


def test_vecdot_diagonal_vander():
    a, b = normal(2, 3), normal(3)
    agree(linalg.vecdot, np.vecdot(a, b), a, b)
    np.testing.assert_allclose(linalg.vecdot(mg.tensor(a), mg.tensor(a), dim=0).numpy(), (a * a).sum(0))
    np.testing.assert_array_equal(linalg.diagonal(mg.tensor(np.arange(24).reshape(2, 3, 4)), offset=1).numpy(),
                                  np.diagonal(np.arange(24).reshape(2, 3, 4), 1, -2, -1))
    for n in (None, 1, 2, 5):
        agree(WithOptions(linalg.vander, N=n), np.vander(b, n, increasing=True), b)
    x = mg.tensor([[1, 2], [3, 4]])
    assert linalg.vander(x, N=3).tolist() == [[[1, 1, 1], [1, 2, 4]], [[1, 3, 9], [1, 4, 16]]]
    assert linalg.vander(x).dtype == np.int64
    with pytest.raises(InvalidArgumentError, match="N=0"):
        linalg.vander(x, N=0)


# ----- graphs that know no size
@pytest.mark.parametrize("function", [linalg.inv, linalg.det, mg.logdet, linalg.svdvals, linalg.eigvalsh,
                                      linalg.cholesky, linalg.matrix_power])
def test_open_sizes(function):
    arguments = (3,) if function is linalg.matrix_power else ()
    a = positive(2, 3, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder("float64", [None, None, None])
        y = function(x, *arguments)
        got = session.run([y, *tf.gradients(y * y, [x])], {x: a})
    t = mg.tensor(a, requires_grad=True)
    y = function(t, *arguments)
    (y * y).sum().backward()
    np.testing.assert_allclose(got[0], y.detach().numpy(), rtol=1e-9)
    np.testing.assert_allclose(got[1], t.grad.numpy(), rtol=1e-9)


def test_solve_in_a_graph_with_an_open_batch():
    a, b = regular(2, 3, 3), normal(2, 3, 1)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder("float64", [None, 3, 3]), tf.placeholder("float64", [None, 3, 1])
        z = linalg.solve(x, y)
        assert z.shape[1:] == (3, 1)
        np.testing.assert_allclose(session.run(z, {x: a, y: b}), np.linalg.solve(a, b))
