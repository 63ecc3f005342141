"""Einstein's notation: values against NumPy, gradients to second order, open sizes, messages."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.einsum import einsum
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(11)

CASES = [
    ("ij,jk", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)), ("bij,bjk->bik", (4, 2, 3), (4, 3, 2)),
    ("bhqd,bkhd->bhqk", (2, 2, 3, 2), (2, 4, 2, 2)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("iji->j", (3, 2, 3)),
    ("iii->", (2, 2, 2)), ("ij->", (2, 3)), ("ba", (2, 3)), ("i,j->ij", (2,), (3,)), ("i,i", (3,), (3,)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 2)), ("...ij,...jk", (2, 2, 3), (3, 2)),
    ("ij,jk,kl", (2, 3), (3, 2), (2, 3)), ("bn,anm,bm->ba", (2, 3), (2, 3, 2), (2, 2)),
    ("ijk,kji->", (2, 3, 2), (2, 3, 2)), ("ijk,jil->kl", (2, 3, 2), (3, 2, 2)), ("iij,jk->ik", (3, 3, 2), (2, 2)),
    ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ij->ij", (2, 1), (1, 3)), ("ij,ij->", (2, 1), (1, 3)),
    ("a...,...b->a...b", (2, 3, 2), (3, 2, 2)), (",ij->ij", (), (2, 3)), (",->", (), ()), ("i...->...", (2, 3)),
    ("...", (2, 3)), ("abc,c->ab", (2, 3, 2), (2,)), ("ab,cd->", (2, 3), (2, 2)),
    ("abcd,ebfd->acef", (2, 3, 2, 2), (2, 3, 2, 2)), (" i j , j k -> i k ", (2, 3), (3, 2)),
    ("Ab,bA->A", (2, 3), (3, 2)), ("ij,j", (0, 3), (3,)), ("ij,jk", (2, 0), (0, 3)), ("i,ij,j->", (2,), (2, 3), (3,)),
    ("ab,a,b,b->a", (2, 3), (2,), (3,), (3,)), ("bi,bi->b", (3, 2), (3, 2)), ("i,j,k->kji", (2,), (3,), (2,)),
    ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
]


def normal(shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


class Equation:
    """The function of operands that one equation is."""

    def __init__(self, text):
        self.text = text

    def __call__(self, *operands):
        return einsum(self.text, *operands)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_gradients_and_engines(case):
    text, *shapes = case
    arrays = [normal(shape) for shape in shapes]
    function = Equation(text)
    y = function(*[mg.tensor(x) for x in arrays])
    wanted = np.einsum(text, *arrays)
    assert y.shape == wanted.shape
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12, atol=1e-13)
    if all(x.size for x in arrays):
        check_gradients(function, *arrays, max_elements=12)
    if text != "ij,ij->" or arrays[0].shape == arrays[1].shape:  # sums over a 1 and more: only where sizes are known
        engines_agree(function, *arrays)


@pytest.mark.parametrize("case", [case for case in CASES if "(1" not in str(case) and ", 1" not in str(case)], ids=str)
def test_graphs_that_know_no_size(case):
    text, *shapes = case
    arrays = [normal(shape) for shape in shapes]
    with tf.Graph().as_default():
        nodes = [tf.placeholder("float64", [None] * len(shape)) for shape in shapes]
        y = einsum(text, *nodes)
        gradients = tf.gradients(y * y, nodes)
        with tf.Session() as session:
            got = session.run([y, *gradients], dict(zip(nodes, arrays, strict=True)))
    tensors = [mg.tensor(x, requires_grad=True) for x in arrays]
    y = einsum(text, *tensors)
    (y * y).sum().backward()
    for value, wanted in zip(got, [y, *[x.grad for x in tensors]], strict=True):
        np.testing.assert_allclose(value, wanted.detach().numpy(), rtol=1e-11, atol=1e-12)


@given(st.data())
def test_random_equations(data):
    sizes = {letter: data.draw(st.integers(1, 3)) for letter in "abcd"}
    terms = [data.draw(st.text("abcd", max_size=4)) for _ in range(data.draw(st.integers(1, 3)))]
    present = sorted(set("".join(terms)))
    output = "".join(data.draw(st.permutations(present)))[:data.draw(st.integers(0, 4))]
    text = ",".join(terms) + "->" + output
    arrays = [normal([sizes[letter] for letter in term]) for term in terms]
    np.testing.assert_allclose(einsum(text, *arrays), np.einsum(text, *arrays), rtol=1e-10, atol=1e-10)


def test_lists_of_numbers():
    x, y = normal((2, 3)), normal((3, 4))
    np.testing.assert_allclose(einsum(x, [0, 1], y, [1, 2], [2, 0]), (x @ y).T)
    np.testing.assert_allclose(einsum(x, [0, 1], y, [1, 2]), x @ y)
    np.testing.assert_allclose(einsum(x, [..., 1], y, [1, 30], [..., 30]), x @ y)
    np.testing.assert_allclose(mg.einsum(mg.tensor(x), [0, 1], []).numpy(), x.sum())
    with pytest.raises(ShapeError, match="52 is no label"):
        einsum(x, [0, 52])
    with pytest.raises(ShapeError, match="expected a list of numbers after each operand"):
        einsum(x, 3)


def test_operands_may_come_as_a_list():
    x, y = normal((2, 3)), normal((3, 4))
    np.testing.assert_allclose(einsum("ij,jk", [x, y]), x @ y)


def test_the_product_with_the_fewest_dimensions_comes_first():
    """From the left, the first product would have a million rows and columns."""
    column, row = mg.ones(1_000_000, 2), mg.ones(2, 1_000_000)
    assert mg.einsum("ij,jk,k->i", column, row, mg.ones(1_000_000)).shape == (1_000_000,)
    assert mg.einsum("i,k,k->i", mg.ones(1_000_000), mg.ones(1_000_000), mg.ones(1_000_000))[0].item() == 1e6


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_the_dtype_stays(dtype):
    x, y = np.ones((2, 3), dtype), np.ones((3, 2), dtype)
    assert einsum("ij,jk", x, y).dtype == dtype
    assert einsum("ij,ji->ij", x, y).dtype == dtype


@pytest.mark.parametrize(("arguments", "text"), [
    (("ij,jk", (2, 3)), "has 2 terms for 1 operands"),
    (("ij", (2,)), r"the term 'ij' of 'ij' does not fit an operand of shape \(2,\)"),
    (("ij", (2, 3, 4)), "does not fit an operand of shape"),
    (("i...j", (2,)), "does not fit an operand of shape"),
    (("ij,jk", (2, 3), (4, 5)), r"'j' in 'ij,jk' stands for sizes 3 and 4 .*shapes \(2, 3\), \(4, 5\)"),
    (("ii", (2, 3)), r"stands for sizes 2 and 3 of one operand, of shape \(2, 3\)"),
    (("ij->ik", (2, 3)), "the output of 'ij->ik' has 'k', which no term has"),
    (("ij->ii", (2, 3)), "has a letter twice"),
    (("i1", (2, 3)), "'1' in 'i1' is not a letter"),
    (("i.j", (2, 3)), "is not a letter"),
    (("ij->i->j", (2, 3)), "is not a letter"),
])
def test_malformed_equations(arguments, text):
    equation, *shapes = arguments
    with pytest.raises(ShapeError, match=text):
        mg.einsum(equation, *[mg.ones(*shape) for shape in shapes])


def test_mixed_dtypes_are_refused():
    with pytest.raises(DtypeError, match="one dtype but got float32 and float64"):
        mg.einsum("i,i->i", mg.ones(2), mg.ones(2, dtype=mg.float64))
    with pytest.raises(DtypeError, match="expected arrays or tensors, got a list"):
        mg.einsum("i,i", mg.ones(2), [1.0, 2.0])
