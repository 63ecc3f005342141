"""Matrix products: values, dtypes, gradients to second order, messages, sizes that only a running graph knows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.nn import functional as F
from minigrad.ops.matmul import best_splits, chain_matmul, linear, matmul, tensordot
from minigrad.testing import strategies
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(7)


def normal(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def run_graph(function, *arrays):
    """The result and the gradients of its squares, from a graph that knows no size."""
    with tf.Graph().as_default():
        nodes = [tf.placeholder(x.dtype, [None] * x.ndim) for x in arrays]
        y = function(*nodes)
        gradients = tf.gradients(y * y, nodes)
        with tf.Session() as session:
            return session.run([y, *gradients], dict(zip(nodes, arrays, strict=True)))


def run_tape(function, *arrays):
    """The same from the tape."""
    tensors = [mg.tensor(x, requires_grad=True) for x in arrays]
    y = function(*tensors)
    (y * y).sum().backward()
    return [y.detach().numpy(), *[x.grad.numpy() for x in tensors]]


SHAPES = [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (3,)),
          ((3,), (5, 3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)),
          ((2, 2, 2, 3), (3, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0, 2, 3), (3, 2)), ((2, 0, 3), (3, 2)),
          ((2, 3), (0, 3, 4)), ((1, 1), (1, 1))]


# ----- matmul
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_values_and_gradients(a, b):
    a, b = normal(*a), normal(*b)
    np.testing.assert_allclose(mg.matmul(mg.tensor(a), mg.tensor(b)).numpy(), np.matmul(a, b), rtol=1e-13)
    if a.size and b.size:
        check_gradients(mg.matmul, a, b)


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_both_engines_agree(a, b):
    engines_agree(mg.matmul, normal(*a), normal(*b))


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_graphs_that_know_no_size(a, b):
    a, b = normal(*a), normal(*b)
    for got, wanted in zip(run_graph(mg.matmul, a, b), run_tape(mg.matmul, a, b), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_graphs_carry_an_open_batch():
    with tf.Graph().as_default():
        x = tf.placeholder("float32", [None, 7, 3])
        w = tf.zeros([3, 4])
        batch = x.shape[0]
        assert matmul(x, w).shape == (batch, 7, 4)
        assert linear(x, tf.zeros([5, 3])).shape == (batch, 7, 5)
        assert matmul(x, tf.zeros([2, 1, 3, 4])).shape == (2, batch, 7, 4)
        assert tensordot(x, w, 1).shape == (batch, 7, 4)


@given(st.data())
def test_any_shapes(data):
    a, b = data.draw(strategies.matmul_shapes())
    a, b = normal(*a), normal(*b)
    np.testing.assert_allclose(matmul(a, b), np.matmul(a, b), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_stays(dtype):
    for a, b in SHAPES:
        a, b = normal(*a, dtype=dtype), normal(*b, dtype=dtype)
        assert [part.dtype for part in run_tape(mg.matmul, a, b)] == [dtype] * 3


def test_integers_multiply_too():
    y = mg.matmul(mg.tensor([[1, 2], [3, 4]]), mg.tensor([[5], [6]]))
    assert y.dtype == np.int64
    assert y.tolist() == [[17], [39]]
    assert mg.matmul(mg.ones(5, 2, 3, dtype=mg.int32), mg.ones(3, 4, dtype=mg.int32)).dtype == np.int32


def test_operands_in_any_layout():
    wide = normal(6, 8)
    for a in (wide[::2, ::-2], wide.T[1:5, ::2].T, np.broadcast_to(wide[:, :1], (6, 4))):
        np.testing.assert_allclose(matmul(a, a.T), a.copy() @ a.T.copy(), rtol=1e-12)
        np.testing.assert_allclose(linear(a[None], a), (a.copy() @ a.T.copy())[None], rtol=1e-12)


def test_gradient_of_one_operand_only():
    a, b = mg.tensor(normal(2, 3), requires_grad=True), mg.tensor(normal(3, 4))
    (a @ b).sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), np.ones((2, 4)) @ b.numpy().T)
    assert b.grad is None


def test_rows_make_no_batch_of_products_in_the_gradient():
    """A weight that multiplies many rows gets its gradient from one product, not from one for each batch entry."""
    x, w = mg.tensor(normal(50, 4, 3), requires_grad=True), mg.tensor(normal(3, 2), requires_grad=True)
    y = x @ w
    assert y.grad_fn.name() == "matmul_rows"
    assert (x[0] @ w).grad_fn.name() == "matmul"
    y.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), x.detach().numpy().reshape(-1, 3).T @ np.ones((200, 2)))


@pytest.mark.parametrize(("a", "b", "text"), [
    ((2, 3), (2, 3), r"\(2, 3\) and \(2, 3\) do not fit: the last size of the one \(3\)"),
    ((3,), (4,), "inner sizes 3 and 4"),
    ((2, 3), (4,), "inner sizes 3 and 4"),
    ((3,), (5, 4, 2), "inner sizes 3 and 4"),
    ((5, 2, 3), (4, 2), r"\(3\) has to equal the first of the other \(4\)"),
    ((2, 2, 3), (5, 3, 4), "batch dimensions"),
    ((), (3,), r"use \* to multiply"),
    ((2, 2), (), r"use \* to multiply"),
])
def test_shapes_that_do_not_fit(a, b, text):
    with pytest.raises(ShapeError, match=text):
        mg.matmul(mg.zeros(a), mg.zeros(b))
    with tf.Graph().as_default(), pytest.raises(ShapeError, match=text):
        matmul(tf.zeros(a), tf.zeros(b))


def test_mixed_dtypes_are_refused():
    a, b = mg.ones(2, 2), mg.ones(2, 2, dtype=mg.float64)
    for function in (mg.matmul, mg.mm, F.linear):
        with pytest.raises(DtypeError, match="one dtype but got float32 and float64; cast one"):
            function(a, b)
    with pytest.raises(DtypeError, match="the bias is float64"):
        F.linear(a, a, mg.ones(2, dtype=mg.float64))
    with pytest.raises(DtypeError, match="float32 and int64"):
        mg.matmul(a, mg.ones(2, 2, dtype=mg.int64))
    with pytest.raises(DtypeError, match="expected arrays or tensors, got Tensor and list"):
        mg.matmul(a, [[1.0, 2.0], [3.0, 4.0]])


# ----- linear
@pytest.mark.parametrize(("x", "w", "bias"), [
    ((4, 3), (5, 3), (5,)), ((4, 3), (5, 3), None), ((3,), (5, 3), (5,)), ((2, 4, 3), (5, 3), (5,)),
    ((2, 1, 4, 3), (5, 3), None), ((4, 3), (3,), ()), ((3,), (3,), ()), ((0, 3), (5, 3), (5,)),
    ((2, 0, 3), (5, 3), (5,)),
])
def test_linear(x, w, bias):
    arrays = [normal(*x), normal(*w)] + ([] if bias is None else [normal(*bias)])
    wanted = arrays[0] @ arrays[1].T + (arrays[2] if bias is not None else 0)
    np.testing.assert_allclose(F.linear(*[mg.tensor(a) for a in arrays]).numpy(), wanted, rtol=1e-12)
    if arrays[0].size:
        check_gradients(F.linear, *arrays)
    engines_agree(F.linear, *arrays)


def test_linear_is_one_product_and_one_sum():
    x, w, b = mg.ones(2, 3), mg.ones(4, 3, requires_grad=True), mg.ones(4, requires_grad=True)
    y = F.linear(x, w, b)
    assert y.grad_fn.name() == "add"
    assert [source[0].name() for source in y.grad_fn.next_functions[0][0].next_functions if source[0]] == [
        "AccumulateGrad"]


def test_linear_messages():
    with pytest.raises(ShapeError, match=r"\(2, 3\) and \(4, 5\) do not fit"):
        F.linear(mg.ones(2, 3), mg.ones(4, 5))
    with pytest.raises(ShapeError, match="one or two dimensions, got shape"):
        F.linear(mg.ones(2, 3), mg.ones(4, 5, 3))


def test_bilinear():
    x1, x2, w, b = normal(2, 4, 3), normal(2, 4, 5), normal(6, 3, 5), normal(6)
    wanted = np.einsum("nia,oab,nib->nio", x1, w, x2) + b
    np.testing.assert_allclose(F.bilinear(*[mg.tensor(x) for x in (x1, x2, w, b)]).numpy(), wanted)
    check_gradients(F.bilinear, x1[:1, :2], x2[:1, :2], w[:2], b[:2])
    for got, same in zip(run_graph(F.bilinear, x1, x2, w, b), run_tape(F.bilinear, x1, x2, w, b), strict=True):
        np.testing.assert_allclose(got, same, rtol=1e-11)


# ----- products by other names
def test_named_products():
    m, n, v, u = normal(2, 3), normal(3, 4), normal(3), normal(2)
    batch = normal(5, 2, 3), normal(5, 3, 4)
    wanted = [
        (mg.mm, (m, n), m @ n), (mg.mv, (m, v), m @ v), (mg.dot, (v, v), v @ v), (mg.vdot, (v, v), v @ v),
        (mg.outer, (u, v), np.outer(u, v)), (mg.ger, (u, v), np.outer(u, v)), (mg.bmm, batch, batch[0] @ batch[1]),
        (mg.inner, (m, m), m @ m.T), (mg.inner, (v, m), m @ v), (mg.inner, (m, np.array(2.0)), m * 2),
        (mg.inner, (normal(2, 2, 3) * 0 + 1, m), np.ones((2, 2, 3)) @ m.T),
    ]
    for function, operands, result in wanted:
        np.testing.assert_allclose(function(*[mg.tensor(x) for x in operands]).numpy(), result, rtol=1e-12)
        check_gradients(function, *operands)
        engines_agree(function, *operands)


def test_ranks_are_checked():
    matrix, vector = mg.ones(3, 3), mg.ones(3)
    for function, operands in ((mg.mm, (matrix, vector)), (mg.mv, (matrix, matrix)), (mg.dot, (matrix, vector)),
                               (mg.outer, (vector, matrix)), (mg.bmm, (matrix, matrix))):
        with pytest.raises(ShapeError, match=r"expected \d dimensions?, got shape"):
            function(*operands)
    with pytest.raises(ShapeError, match="batch sizes"):
        mg.bmm(mg.ones(2, 3, 3), mg.ones(1, 3, 3))


@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0.5, 2.0), (0, 3.0)])
def test_sums_with_products(beta, alpha):
    m, n, v, u = normal(2, 3), normal(3, 4), normal(3), normal(2)
    a, b = normal(5, 2, 3), normal(5, 3, 4)
    cases = [
        (mg.addmm, (normal(4), m, n), m @ n), (mg.addmv, (normal(2), m, v), m @ v),
        (mg.addr, (normal(2, 3), u, v), np.outer(u, v)), (mg.baddbmm, (normal(2, 4), a, b), a @ b),
        (mg.addbmm, (normal(2, 4), a, b), (a @ b).sum(0)),
    ]
    for function, operands, result in cases:
        def scaled(*xs, function=function):
            return function(*xs, beta=beta, alpha=alpha)

        got = scaled(*[mg.tensor(x) for x in operands]).numpy()
        np.testing.assert_allclose(got, beta * operands[0] + alpha * result, rtol=1e-12)
        if beta:
            check_gradients(scaled, *operands)


def test_beta_0_ignores_what_it_multiplies():
    y = mg.addmm(mg.full((2, 2), float("nan")), mg.ones(2, 3), mg.ones(3, 2), beta=0)
    assert y.tolist() == [[3, 3], [3, 3]]


# ----- chains
def test_chains():
    sizes = [10, 2, 30, 3, 5]
    chain = [normal(a, b) for a, b in pairwise(sizes)]
    wanted = chain[0] @ chain[1] @ chain[2] @ chain[3]
    tensors = [mg.tensor(x) for x in chain]
    np.testing.assert_allclose(mg.chain_matmul(*tensors).numpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(mg.linalg.multi_dot(tensors).numpy(), wanted, rtol=1e-12)
    vectors = [mg.tensor(normal(10)), *tensors, mg.tensor(normal(5))]
    assert mg.linalg.multi_dot(vectors).shape == ()
    check_gradients(chain_matmul, normal(2, 3), normal(3, 2), normal(2, 3))
    for got, same in zip(run_graph(chain_matmul, *chain[:3]), run_tape(chain_matmul, *chain[:3]),
                         strict=True):
        np.testing.assert_allclose(got, same, rtol=1e-11)
    with pytest.raises(ShapeError, match="inner sizes 2 and 3"):
        mg.chain_matmul(mg.ones(3, 2), mg.ones(3, 2))
    with pytest.raises(ShapeError, match="at least one"):
        mg.chain_matmul()


def brute_force(sizes):
    """The fewest multiplications for a chain, by trying everything."""
    if len(sizes) <= 2:
        return 0
    return min([brute_force(sizes[:k + 1]) + brute_force(sizes[k:]) + sizes[0] * sizes[k] * sizes[-1]
                for k in range(1, len(sizes) - 1)])


@given(st.lists(st.integers(1, 9), min_size=2, max_size=7))
def test_the_order_of_a_chain_is_the_cheapest(sizes):
    split = best_splits(list(pairwise(sizes)))

    def cost(i, j):
        if i == j:
            return 0
        k = split[i, j]
        return cost(i, k) + cost(k + 1, j) + sizes[i] * sizes[k + 1] * sizes[j + 1]

    assert cost(0, len(sizes) - 2) == brute_force(sizes)


# ----- tensordot
@pytest.mark.parametrize(("a", "b", "dims"), [
    ((2, 3, 4), (3, 4, 5), 2), ((2, 3), (3, 4), 1), ((2, 3), (4,), 0), ((2, 3, 4), (4, 3, 5), ([2, 1], [0, 1])),
    ((2, 3, 4), (5, 3), ([1], [1])), ((3, 2), (3, 4), ([0], [0])), ((2, 3), (2, 3), ([0, 1], [0, 1])),
    ((2, 3, 4), (4, 5), (-1, 0)), ((2, 0), (0, 3), 1), ((2, 3, 4), (3, 2, 4), ([0, -2], [-2, 0])),
])
def test_tensordot(a, b, dims):
    a, b = normal(*a), normal(*b)

    def function(x, y):
        return mg.tensordot(x, y, dims)

    np.testing.assert_allclose(function(mg.tensor(a), mg.tensor(b)).numpy(), np.tensordot(a, b, dims), rtol=1e-12)
    if a.size:
        check_gradients(function, a, b)
    for got, same in zip(run_graph(function, a, b), run_tape(function, a, b), strict=True):
        np.testing.assert_allclose(got, same, rtol=1e-11, atol=1e-12)


def test_tensordot_messages():
    x = mg.ones(2, 3)
    with pytest.raises(ShapeError, match="inner sizes 3 and 2"):
        mg.tensordot(x, x, 1)
    with pytest.raises(ShapeError, match="3 dimensions cannot be summed"):
        mg.tensordot(x, x, 3)
    with pytest.raises(AxisError, match="must not be negative"):
        mg.tensordot(x, x, -1)
    with pytest.raises(AxisError, match="2 dimensions of the one and 1 of the other"):
        mg.tensordot(x, x, ([0, 1], [0]))
    with pytest.raises(AxisError, match="named twice"):
        mg.tensordot(x, x, ([0, 0], [0, 1]))
    with pytest.raises(AxisError, match="out of range"):
        mg.tensordot(x, x, ([2], [0]))
