"""In-place writes: values, gradients, versions, and the errors that keep gradients right."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import grad
from minigrad.errors import DtypeError, InplaceError, ShapeError


def leaf(*values):
    return mg.tensor(list(values), dtype=mg.float64, requires_grad=True)


# ----- values and gradients
@pytest.mark.parametrize("name", [
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc", "erfinv", "exp", "exp2",
    "expm1", "floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "logit", "neg", "rad2deg", "reciprocal",
    "round", "rsqrt", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
])
def test_an_in_place_form_agrees_with_the_operation(name):
    w = leaf(0.25, 0.5)
    expected = getattr(w * 1, name)()
    (g_expected,) = grad(expected.sum(), w)
    x = w * 1
    assert getattr(x, name + "_")() is x
    assert x._version == 1
    (g,) = grad(x.sum(), w)
    np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy())
    np.testing.assert_array_equal(g.numpy(), g_expected.numpy())


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "atan2", "fmod", "remainder", "hypot", "xlogy",
                                  "floor_divide", "float_power"])
def test_an_in_place_form_with_two_operands(name):
    a, b = leaf(2.5, 3.5), leaf(1.5, 2.0)
    expected = getattr(a * 1, name)(b)
    g_expected = grad(expected.sum(), (a, b), allow_unused=True, materialize_grads=True)
    x = a * 1
    assert getattr(x, name + "_")(b) is x
    g = grad(x.sum(), (a, b), allow_unused=True, materialize_grads=True)
    np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy())
    for got, want in zip(g, g_expected, strict=True):
        np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_augmented_assignments_write_in_place():
    x = mg.tensor([7.0, 8.0])
    y = x
    x += 1
    x -= 2
    x *= 3
    x /= 2
    x //= 2
    x %= 4
    x **= 2
    assert y is x
    assert x.tolist() == [0, 1]
    n = mg.tensor([6, 5])
    m = n
    n &= 3
    n |= 8
    n ^= 1
    n <<= 2
    n >>= 1
    assert m is n
    assert n.tolist() == [(((6 & 3) | 8) ^ 1) << 2 >> 1, (((5 & 3) | 8) ^ 1) << 2 >> 1]


def test_augmented_assignment_from_the_left_of_other_things():
    x = mg.tensor([1.0, 2.0])
    total = 0
    total += x
    assert isinstance(total, mg.Tensor)
    assert total is not x
    matrix = mg.ones(2, 2)
    before = matrix
    matrix @= mg.ones(2, 2)  # has no in-place form: a new tensor, as in PyTorch
    assert matrix is not before


def test_alpha():
    x = mg.tensor([1.0, 2.0])
    assert x.add_(mg.ones(2), alpha=10).tolist() == [11, 12]
    assert x.sub_(1, alpha=2).tolist() == [9, 10]


def test_dtypes_follow_the_target():
    n = mg.tensor([1, 2])
    for write in (lambda: n.add_(0.5), lambda: n.div_(2), lambda: n.mul_(mg.ones(2)), lambda: n.exp_()):
        with pytest.raises(DtypeError, match="int64"):
            write()
    n += True
    assert n.tolist() == [2, 3]
    x = mg.ones(2)
    x += mg.ones(2, dtype=mg.float64)
    assert x.dtype == mg.float32
    x += 1
    assert x.tolist() == [3, 3]


def test_the_target_is_never_broadcast():
    x = mg.ones(3)
    with pytest.raises(ShapeError, match=r"\(2, 3\)"):
        x += mg.ones(2, 3)
    y = mg.ones(2, 3)
    y += x
    assert y.tolist() == [[2] * 3] * 2


def test_operands_that_share_memory_with_the_target():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    x += x.T
    assert x.tolist() == [[2, 5], [5, 8]]
    x += x
    assert x.tolist() == [[4, 10], [10, 16]]


# ----- overwriting
def test_copy_fill_zero():
    w, v = leaf(1.0, 2.0), leaf(3.0, 4.0)
    x = w * 2
    x.copy_(v * 5)
    assert x.requires_grad
    gw, gv = grad(x.sum(), (w, v), materialize_grads=True)
    assert gw.tolist() == [0, 0]
    assert gv.tolist() == [5, 5]
    for write in (lambda t: t.zero_(), lambda t: t.fill_(0), lambda t: t.copy_(mg.zeros(2))):
        x = w * 2
        write(x)
        assert x.tolist() == [0, 0]
        assert x.requires_grad  # as in PyTorch: it is still what w was used for
        assert grad(x.sum(), w, materialize_grads=True)[0].tolist() == [0, 0]


def test_copy_broadcasts_casts_and_takes_arrays():
    x = mg.zeros(2, 3)
    x.copy_(mg.tensor([1, 2, 3]))
    assert x.tolist() == [[1, 2, 3]] * 2
    x.copy_(np.ones((2, 1)))
    assert x.tolist() == [[1, 1, 1]] * 2
    with pytest.raises(ShapeError, match="cannot be written"):
        x.copy_(mg.ones(4))
    with pytest.raises(DtypeError, match="list"):
        x.copy_([1, 2, 3])


def test_overwriting_casts_as_pytorch_does():
    n = mg.zeros(2, dtype=mg.int64)
    n.copy_(mg.tensor([1.7, -1.7]))
    assert n.tolist() == [1, -1]
    assert n.fill_(2.9).tolist() == [2, 2]
    with pytest.raises(DtypeError, match="nan"):
        n.fill_(float("nan"))
    assert mg.zeros(2, dtype=mg.bool).fill_(3).tolist() == [True, True]


def test_a_copied_tensor_has_a_record_of_its_own():
    v = leaf(1.0, 2.0)
    x = mg.zeros(2, dtype=mg.float64)
    x.copy_(v)
    assert not x.is_leaf
    seen = []
    x.register_hook(seen.append)
    (x * 3 + v).sum().backward()
    assert seen[0].tolist() == [3, 3]
    assert v.grad.tolist() == [4, 4]


# ----- leaves
def test_a_leaf_that_requires_grad_is_not_written_while_recording():
    w = leaf(1.0, 2.0)
    for write in (lambda: w.add_(1), lambda: w.mul_(w), lambda: w.zero_(), lambda: w.copy_(w * 2),
                  lambda: w.T.add_(1), lambda: w.reshape(2, 1).fill_(0), lambda: w.exp_()):
        with pytest.raises(InplaceError, match="leaf"):
            write()
    assert w.tolist() == [1, 2]
    assert w._version == 0
    with mg.no_grad():
        w -= 1
        w.reshape(2, 1).mul_(10)
    assert w.tolist() == [0, 10]
    assert w.is_leaf
    assert w.requires_grad
    assert w._version == 2


def test_an_untracked_leaf_becomes_tracked():
    w = leaf(1.0, 2.0)
    x = mg.ones(2, dtype=mg.float64)
    x *= w
    assert not x.is_leaf
    (x * x).sum().backward()
    assert w.grad.tolist() == [2, 4]


def test_gradient_descent_by_hand():
    w = mg.tensor(5.0, requires_grad=True)
    for expected in (4.6, 4.28):
        ((w - 3) ** 2).backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        assert w.item() == pytest.approx(expected)
        assert w.is_leaf
        assert w.requires_grad
    w.data -= 1
    assert w.item() == pytest.approx(3.28)


# ----- versions
def test_versions_are_shared_by_all_that_share_memory():
    x = mg.zeros(2, 3)
    y, z, d = x.T, x.reshape(6), x.detach()
    y += 1
    assert x._version == y._version == z._version == d._version == 1
    d.zero_()
    assert x._version == 2
    assert x.clone()._version == 0


@pytest.mark.parametrize("write", [
    lambda x: x.add_(1), lambda x: x.zero_(), lambda x: x.detach().add_(1), lambda x: x.T.add_(1),
    lambda x: x.data.mul_(2), lambda x: x.reshape(2, 1).exp_(),
])
def test_a_saved_value_that_was_overwritten_is_noticed(write):
    w = leaf(1.0, 2.0)
    x = w * 1
    y = x * w  # needs x
    write(x)
    with pytest.raises(InplaceError, match=r"gradient of mul .*overwritten in place") as error:
        y.sum().backward()
    assert str(error.value).count("test_inplace.py") == 2


def test_a_saved_output_that_was_overwritten_is_noticed():
    w = leaf(1.0, 2.0)
    y = w.exp()
    y *= 2
    with pytest.raises(InplaceError, match="exp"):
        y.sum().backward()


def test_writes_that_backward_does_not_mind():
    w = leaf(1.0, 2.0)
    x = w * 3  # a product with a number does not need w's product
    y = x + 1  # a sum needs nothing
    x *= 2
    (x + y).sum().backward()
    assert w.grad.tolist() == [9, 9]
    w = leaf(1.0, 2.0)
    x = w * 1
    x.mul_(w)  # needs the old x, of which it keeps a copy
    x.exp_()
    x.mul_(2)
    (g,) = grad(x.sum(), w)
    np.testing.assert_allclose(g.numpy(), 4 * w.detach().numpy() * np.exp(w.detach().numpy() ** 2))


def test_writes_under_no_grad_leave_the_record_alone():
    w = leaf(1.0, 2.0)
    x = w * 3
    with mg.no_grad():
        x += 100
    assert x.tolist() == [103, 106]
    x.sum().backward()
    assert w.grad.tolist() == [3, 3]


# ----- retain_grad and hooks
def test_retain_grad_moves_along():
    w = leaf(1.0, 2.0)
    x = w * 1
    x.retain_grad()
    x *= 2
    (x * 5).sum().backward()
    assert x.grad.tolist() == [5, 5]
    assert w.grad.tolist() == [10, 10]


def test_a_hook_stays_with_the_value_it_was_put_on():
    w = leaf(1.0, 2.0)
    x = w * 1
    seen = []
    x.register_hook(seen.append)
    x *= 2
    (x * 5).sum().backward()
    assert seen[0].tolist() == [10, 10]


# ----- memory that cannot be written
def test_overlapping_memory_is_not_written():
    for x in (mg.ones(1, 3).expand(2, 3), mg.ones(3).expand(2, 3), mg.tensor(1.0).expand(4)):
        for write in (lambda t: t.add_(1), lambda t: t.zero_(), lambda t: t.mul_(mg.ones(()))):
            with pytest.raises(InplaceError, match="share one place"):
                write(x)
    x = mg.ones(3, 1).expand(3, 1)
    x += 1
    assert x.tolist() == [[2], [2], [2]]
    w = leaf(1.0, 2.0)
    x = w * 1
    x.expand(3, 2)[1:2].mul_(5)  # of a row that was spread over three, one alone
    assert x.tolist() == [5, 10]
    assert grad(x.sum(), w)[0].tolist() == [5, 5]


def test_read_only_arrays_are_not_written():
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.raises(InplaceError, match="read-only"):
        mg.from_numpy(array).add_(1)
    with pytest.raises(InplaceError, match="read-only"):
        mg.from_numpy(array)[:1].add_(1)
    with pytest.raises(InplaceError, match="read-only"):
        mg.from_numpy(np.broadcast_to(np.ones(2), (1, 2))).add_(1)
    tape_owned = mg.ones(2, requires_grad=True).exp().detach()
    tape_owned += 1  # the tensor itself may be written: backward will notice


def test_results_of_untracked_integers_and_bools():
    n = mg.tensor([True, False])
    n |= mg.tensor([False, True])
    assert n.tolist() == [True, True]
    n.zero_()
    assert n.tolist() == [False, False]
    x = mg.tensor([1.0, 3.0])
    x.gt_(2)
    assert x.tolist() == [0, 1]
    assert x.dtype == mg.float32


# ----- axes
def test_axes_change_in_place_where_nothing_depends_on_them():
    w = leaf([1.0, 2.0], [3.0, 4.0])
    x = w * 1
    assert x.unsqueeze_(0) is x
    assert x.shape == (1, 2, 2)
    x.transpose_(1, 2).squeeze_(0)
    x.t_()
    x.mul_(2)
    x.swapaxes_(0, 1)
    assert x.tolist() == [[2, 6], [4, 8]]
    x[0].sum().backward()
    assert w.grad.tolist() == [[2, 0], [2, 0]]
    y = w * 1
    row = y[0]
    for tensor in (y, row):
        with pytest.raises(InplaceError, match=r"x = x\.unsqueeze_?\("):
            tensor.unsqueeze_(0)
    with pytest.raises(InplaceError, match="leaf"):
        w.t_()


def test_detach_in_place():
    w = leaf(1.0, 2.0)
    x = w * 2
    y = x * 3
    assert x.detach_() is x
    assert x.is_leaf
    assert not x.requires_grad
    y.sum().backward()
    assert w.grad.tolist() == [6, 6]
    with pytest.raises(InplaceError, match="view"):
        y[0].detach_()


def test_fill_diagonal():
    w = leaf([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    x = w * 1
    assert x.fill_diagonal_(9) is x
    assert x.tolist() == [[9, 2, 3], [4, 9, 6]]
    assert grad(x.sum(), w)[0].tolist() == [[0, 1, 1], [1, 0, 1]]
    tall = mg.zeros(7, 3).fill_diagonal_(1, wrap=True)
    expected = np.zeros((7, 3))
    np.fill_diagonal(expected, 1, wrap=True)
    np.testing.assert_array_equal(tall.numpy(), expected)
    cube = mg.zeros(2, 2, 2).fill_diagonal_(3)
    assert cube.tolist() == [[[3, 0], [0, 0]], [[0, 0], [0, 3]]]
