"""Custom Functions: forward and backward by the user."""

import gc
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import Function, grad, once_differentiable
from minigrad.errors import BackwardError, DtypeError, InplaceError, ShapeError


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class RawCube(Function):
    """On NumPy arrays: correct once, not differentiable twice."""

    @staticmethod
    def forward(ctx, x):
        ctx.array = x.detach().numpy()
        return mg.tensor(ctx.array ** 3)

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.array ** 2 * g.numpy()


class OnceCube(Cube):
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


def leaf(*values):
    return mg.tensor(list(values), dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize("function", [Cube, RawCube, OnceCube])
def test_first_derivative(function):
    x = leaf(1.0, 2.0)
    y = function.apply(x)
    assert y.tolist() == [1, 8]
    assert y.grad_fn is not None
    y.sum().backward()
    assert x.grad.tolist() == [3, 12]


def test_second_derivative_where_backward_is_written_with_operations():
    x = leaf(1.0, 2.0)
    (g,) = grad(Cube.apply(x).sum(), x, create_graph=True)
    (second,) = grad(g.sum(), x, create_graph=True)
    (third,) = grad(second.sum(), x)
    assert second.tolist() == [6, 12]
    assert third.tolist() == [6, 6]


@pytest.mark.parametrize("function", [RawCube, OnceCube])
def test_no_second_derivative_off_the_tape(function):
    x = leaf(1.0, 2.0)
    y = function.apply(x).sum()
    (g,) = grad(y, x, create_graph=True)
    assert g.tolist() == [3, 12]
    with pytest.raises(BackwardError, match=f"{function.__name__} is not differentiable twice"):
        grad(g.sum(), x)
    with pytest.raises(BackwardError, match="not differentiable twice"):
        (g * g).sum().backward()


def test_second_derivative_of_a_linear_function_is_zero():
    class Triple(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = leaf(2.0)
    y = Triple.apply(x * x).sum()
    (g,) = grad(y, x, create_graph=True)
    (second,) = grad(g.sum(), x)
    assert g.item() == 12
    assert second.item() == 6


def test_several_inputs_and_outputs():
    class Sums(Function):
        @staticmethod
        def forward(ctx, a, factor, b):
            ctx.factor = factor
            assert ctx.needs_input_grad == (True, False, False)
            return a + b, a * factor

        @staticmethod
        def backward(ctx, g_sum, g_product):
            assert ctx.needs_input_grad == (True, False, False)
            return g_sum + ctx.factor * g_product, None, g_sum

    a, b = leaf(1.0, 2.0), mg.tensor([3.0, 4.0], dtype=mg.float64)
    total, product = Sums.apply(a, 5, b)
    product.sum().backward()
    assert a.grad.tolist() == [5, 5]
    (total * product.detach()).sum().backward() if False else None
    total, product = Sums.apply(a, 5, b)
    (total * 2 + product).sum().backward()
    assert a.grad.tolist() == [12, 12]
    assert b.grad is None


def test_unused_outputs_give_zeros_or_none():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, g, h):
            seen.append(None if h is None else h.tolist())
            return g, None

    x = leaf(1.0, 2.0)
    Two.apply(x, True)[0].sum().backward()
    Two.apply(x, False)[0].sum().backward()
    assert seen == [[0, 0], None]


def test_outputs_without_gradient():
    class Split(Function):
        @staticmethod
        def forward(ctx, x):
            whole = mg.tensor(np.floor(x.detach().numpy()))
            ctx.mark_non_differentiable(whole)
            return x * 2, whole

        @staticmethod
        def backward(ctx, g, _):
            return g * 2

    x = leaf(1.5)
    y, whole = Split.apply(x)
    assert y.requires_grad
    assert not whole.requires_grad
    y.sum().backward()
    assert x.grad.item() == 2


def test_inputs_written_in_place():
    class Double_(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    w = leaf(1.0, 2.0)
    x = w * 3
    view = x[0]
    y = Double_.apply(x)
    assert y is x
    assert x.tolist() == [6, 12]
    (x * x).sum().backward(retain_graph=True)
    assert w.grad.tolist() == [72, 144]
    w.grad = None
    view.backward()
    assert w.grad.tolist() == [6, 0]
    with pytest.raises(InplaceError, match="leaf"):
        Double_.apply(w)


def test_a_dirty_tensor_must_be_returned():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(InplaceError, match="returned"):
        Wrong.apply(leaf(1.0) * 2)


def test_an_input_returned_as_it_is_gets_a_record_of_its_own():
    class Identity(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 10

    x = leaf(1.0)
    y = Identity.apply(x)
    assert y is not x
    assert x.is_leaf
    y.sum().backward()
    assert x.grad.item() == 10


def test_the_other_way_of_writing_forward():
    class Scale(Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            assert y.tolist() == [6]
            return g * ctx.factor, None

    x = leaf(2.0)
    Scale.apply(x, 3).sum().backward()
    assert x.grad.item() == 3


def test_saved_outputs_keep_their_history():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    x = leaf(0.5)
    (g,) = grad(Exp.apply(x).sum(), x, create_graph=True)
    (second,) = grad(g.sum(), x, create_graph=True)
    (third,) = grad(second.sum(), x)
    assert third.item() == pytest.approx(np.exp(0.5))


def test_untracked_or_unrecorded_calls_make_no_record():
    x = leaf(2.0)
    assert Cube.apply(mg.tensor([2.0])).grad_fn is None
    with mg.no_grad():
        assert Cube.apply(x).grad_fn is None


def test_saved_values_that_were_overwritten():
    w = leaf(1.0, 2.0)
    x = w * 1
    y = Cube.apply(x)
    x += 1
    with pytest.raises(InplaceError, match=r"Cube.*overwritten"):
        y.sum().backward()


def test_a_second_backward_needs_retain_graph():
    y = Cube.apply(leaf(1.0)).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(BackwardError, match="retain_graph"):
        y.backward()


def test_what_is_saved_dies_with_the_tape():
    class Hold(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 2)
            return x * 3

        @staticmethod
        def backward(ctx, g):
            return g * 3

    gc.disable()
    try:
        y = Hold.apply(leaf(1.0))
        record = weakref.ref(y.grad_fn)
        del y
        assert record() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("returned", "error", "text"), [
    ((None, None), None, None), (mg.ones(3), ShapeError, r"shape \(3,\) for input 0, which has shape \(2,\)"),
    ("a", DtypeError, "str"), ((mg.ones(2), mg.ones(2)), BackwardError, "2 gradients, but forward has 1"),
])
def test_what_backward_may_return(returned, error, text):
    class Any(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return returned

    x = leaf(1.0, 2.0)
    y = Any.apply(x).sum()
    if error is None:
        y.backward()
        assert x.grad is None
        return
    with pytest.raises(error, match=text):
        y.backward()


def test_a_gradient_in_another_dtype_or_broadcast_is_brought_to_the_input():
    class Loose(Function):
        @staticmethod
        def forward(ctx, x, b):
            return x * 1 + b

        @staticmethod
        def backward(ctx, g):
            return g.float(), g

    x, b = mg.ones(3, 2, dtype=mg.float64, requires_grad=True), leaf(1.0, 2.0)
    Loose.apply(x, b).sum().backward()
    assert x.grad.dtype == mg.float64
    assert b.grad.tolist() == [3, 3]


def test_forward_and_saved_things_must_be_tensors():
    class Number(Function):
        @staticmethod
        def forward(ctx, x):
            return 3

    class Save(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)

    with pytest.raises(DtypeError, match="return Tensors"):
        Number.apply(leaf(1.0))
    with pytest.raises(DtypeError, match="attributes"):
        Save.apply(leaf(1.0))
    with pytest.raises(NotImplementedError, match="forward"):
        Function.apply(leaf(1.0))
