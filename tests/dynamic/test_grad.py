"""autograd.grad, autograd.backward and Tensor.backward: accumulation, seeds, second derivatives, errors."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.autograd import backward, grad
from minigrad.errors import BackwardError, InplaceError


def leaf(*values):
    return mg.tensor(list(values), dtype=mg.float64, requires_grad=True)


# ----- the walk
def test_a_reused_intermediate_is_visited_once():
    a = mg.tensor(1.0, requires_grad=True)
    b = a + a
    c = b + b
    c.backward()
    assert a.grad.item() == 4
    x = mg.tensor(1.0, requires_grad=True)
    shared = x * 1.0
    (x * shared + (x * x) * 1.0 + x * shared).backward()
    assert x.grad.item() == 6
    a = mg.tensor(2.0, requires_grad=True)
    b = a * a
    (2 * b + 3 * b).backward()
    assert a.grad.item() == 20


def test_gradients_accumulate_in_memory_of_their_own():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    total = (x + y).sum()
    total.backward(retain_graph=True)
    assert not np.shares_memory(x.grad.array, y.grad.array)
    total.backward()
    assert x.grad.tolist() == [2, 2]
    assert y.grad.tolist() == [2, 2]
    x.grad.zero_()
    assert y.grad.tolist() == [2, 2]


@given(st.integers(1, 6), st.integers(1, 6))
def test_powers(n, times):
    x = mg.tensor(1.5, dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(n - 1):
        y = y * x
    for _ in range(times):
        y.backward(retain_graph=True)
    assert x.grad.item() == pytest.approx(times * n * 1.5 ** (n - 1))


# ----- grad
def test_grad_returns_and_leaves_grad_alone():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    gx, gw = grad((x * w).sum(), (x, w))
    assert gx.tolist() == [3, 4]
    assert gw.tolist() == [1, 2]
    assert x.grad is None
    assert w.grad is None
    assert not gx.requires_grad


def test_grad_of_intermediates_and_of_the_output_itself():
    x = leaf(1.0, 2.0)
    y = x * x
    z = y.sum()
    gy, gx, gz = grad(z, [y, x, z])
    assert gy.tolist() == [1, 1]
    assert gx.tolist() == [2, 4]
    assert gz.item() == 1


def test_several_outputs_with_seeds():
    x = leaf(1.0, 2.0)
    (g,) = grad([x * 2, x * x], x, [mg.tensor([1.0, 1.0], dtype=mg.float64), mg.tensor([0.0, 10.0])])
    assert g.tolist() == [2, 42]
    (g,) = grad([x.sum(), (x * 3).sum()], x)
    assert g.tolist() == [4, 4]


def test_results_share_no_memory():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = mg.ones(2, dtype=mg.float64)
    gx, gy = grad(x + y, (x, y), seed)
    gx += 1
    assert gy.tolist() == [1, 1]
    assert seed.tolist() == [1, 1]


def test_inputs_that_are_not_reached():
    x, unused = leaf(1.0), leaf(1.0)
    with pytest.raises(BackwardError, match=r"inputs\[1\]"):
        grad(x.sum(), (x, unused))
    assert grad(x.sum(), (x, unused), allow_unused=True)[1] is None
    assert grad(x.sum(), (x, unused), materialize_grads=True)[1].tolist() == [0]
    with pytest.raises(BackwardError, match="not tracked"):
        grad(x.sum(), mg.ones(1))
    with pytest.raises(BackwardError, match="not tracked"):
        grad(mg.ones(1), x)


def test_only_the_way_to_the_inputs_is_walked():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = (x * 2).exp()
    y = z + w * w
    assert grad(y.sum(), w)[0].tolist() == [6, 8]
    z.sum().backward()  # nothing that z needs was consumed
    assert x.grad.tolist() == pytest.approx((2 * np.exp([2.0, 4.0])).tolist())


# ----- second derivatives
def test_second_and_third_derivatives():
    x = mg.tensor(2.0, dtype=mg.float64, requires_grad=True)
    y = x * x * x * x - 2 * x * x
    (first,) = grad(y, x, create_graph=True)
    assert first.item() == 24
    (second,) = grad(first, x, create_graph=True)
    assert second.item() == 44
    (third,) = grad(second, x)
    assert third.item() == 48


def test_gradient_penalty_reaches_parameters():
    w, x = leaf(2.0), leaf(3.0)
    (g,) = grad((w * x * x).sum(), x, create_graph=True)
    (g * g).sum().backward()  # (2wx)^2: d/dw = 8 w x^2
    assert w.grad.item() == pytest.approx(8 * 2 * 9)


def test_create_graph_records_under_no_grad_too():
    x = leaf(3.0)
    y = (x * x).sum()
    with mg.no_grad():
        (g,) = grad(y, x, create_graph=True)
    assert g.requires_grad


def test_backward_with_create_graph_adds_tracked_gradients():
    x = leaf(3.0)
    (x * x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    (second,) = grad(x.grad.sum(), x)
    assert second.item() == 18


# ----- backward
def test_backward_of_several_and_into_given_inputs_only():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    backward([(x * w).sum(), x.sum()])
    assert x.grad.tolist() == [4, 5]
    assert w.grad.tolist() == [1, 2]
    y = x * 2
    backward((y * w).sum(), inputs=[y, w])
    assert x.grad.tolist() == [4, 5]
    assert w.grad.tolist() == [3, 6]
    assert y.grad.tolist() == [3, 4]
    with pytest.raises(BackwardError, match="empty"):
        backward(x.sum(), inputs=[])


def test_backward_on_a_leaf():
    x = mg.tensor(3.0, requires_grad=True)
    x.backward()
    assert x.grad.item() == 1


def test_entry_errors():
    x = leaf(1.0, 2.0)
    with pytest.raises(BackwardError, match="not tracked"):
        mg.ones(1).backward()
    with pytest.raises(BackwardError, match=r"\(2,\).*sum"):
        (x * x).backward()
    with pytest.raises(BackwardError, match=r"shape \(3,\)"):
        (x * x).backward(mg.ones(3))
    with pytest.raises(BackwardError, match="2 outputs, but 1"):
        grad([x.sum(), x.sum()], x, [None])
    with pytest.raises(BackwardError, match="float"):
        grad(3.0, x)
    with pytest.raises(BackwardError, match="is_grads_batched"):
        grad(x.sum(), x, is_grads_batched=True)


def test_a_second_backward_names_the_operation_and_the_first_call():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(BackwardError, match=r"retain_graph=True") as error:
        y.backward()
    assert str(error.value).count("test_grad.py") == 2


def test_a_seed_of_another_dtype_is_cast():
    x = leaf(1.0, 2.0)
    (x * x).backward(mg.ones(2))
    assert x.grad.dtype == mg.float64
    (x * x).backward([1.0, 1.0])
    assert x.grad.tolist() == [4, 8]


# ----- hooks
def test_hooks_see_and_replace_gradients():
    x = leaf(1.0, 2.0)
    seen = []

    def double(g):
        seen.append(g.tolist())
        return g * 2

    handle = x.register_hook(double)
    (x * 3).sum().backward()
    assert seen == [[3, 3]]
    assert x.grad.tolist() == [6, 6]
    handle.remove()
    handle.remove()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [9, 9]
    with x.register_hook(double):
        x.sum().backward()
    assert len(seen) == 2


def test_a_hook_cannot_change_what_others_get():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    kept = []

    def meddle(g):
        g *= 100
        kept.append(g)

    x.register_hook(meddle)
    (x + y).sum().backward()
    assert y.grad.tolist() == [1, 1]
    assert x.grad.tolist() == [100, 100]
    kept[0] += 1
    assert x.grad.tolist() == [100, 100]


def test_hooks_on_intermediates_see_the_complete_gradient():
    x = leaf(1.0, 2.0)
    y = x * 2
    seen = []
    y.register_hook(seen.append)
    (y + y * y).sum().backward()
    assert seen[0].tolist() == [5, 9]


def test_hooks_must_return_a_gradient():
    def wrong_shape(g):
        return g.sum()

    def no_tensor(g):
        return 3

    for hook, text in ((wrong_shape, r"wrong_shape.*\(2,\)"), (no_tensor, "int")):
        x = leaf(1.0, 2.0)
        x.register_hook(hook)
        with pytest.raises(BackwardError, match=text):
            x.sum().backward()


def test_hooks_are_recorded_with_create_graph():
    x = leaf(3.0)
    y = x * x

    def square(g):
        return g * g * x

    y.register_hook(square)
    (g,) = grad(y.sum(), x, create_graph=True)  # 2x * x
    (second,) = grad(g.sum(), x)
    assert g.item() == 18
    assert second.item() == 12


def test_hooks_after_accumulation():
    w = leaf(1.0, 2.0)
    seen = []

    def step(tensor):
        seen.append(tensor.grad.tolist())
        with mg.no_grad():
            tensor -= 0.5 * tensor.grad
        tensor.grad = None

    handle = w.register_post_accumulate_grad_hook(step)
    (w * w).sum().backward()
    assert seen == [[2, 4]]
    assert w.tolist() == [0, 0]
    assert w.grad is None
    handle.remove()
    w.sum().backward()
    assert w.grad.tolist() == [1, 1]
    with pytest.raises(BackwardError, match="leaf"):
        (w * 2).register_post_accumulate_grad_hook(step)


def test_retain_grad():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert y.grad.tolist() == [4, 8]
    assert x.grad.tolist() == [8, 16]
    with pytest.raises(BackwardError, match="not tracked"):
        mg.ones(1).retain_grad()


def test_grad_of_a_tensor_that_is_no_leaf_warns():
    x = mg.tensor([0.25, 0.75], requires_grad=True).reshape(2, 1, 1)
    x.sum().backward()
    with pytest.warns(UserWarning, match=r"reshape at .*test_grad.py:\d+.*retain_grad"):
        assert x.grad is None
    y = leaf(1.0) * 2
    y.retain_grad()
    assert y.grad is None
    assert mg.ones(1).grad is None


# ----- state of a tensor
def test_grad_can_be_set_to_fitting_tensors_only():
    x = leaf(1.0, 2.0)
    x.grad = mg.ones(2, dtype=mg.float64)
    assert x.grad.tolist() == [1, 1]
    x.grad = None
    for wrong in (mg.ones(3, dtype=mg.float64), mg.ones(2), [1.0, 1.0]):
        with pytest.raises(TypeError, match="grad must"):
            x.grad = wrong


def test_requires_grad_is_switched_on_leaves():
    x = leaf(1.0)
    y = x * 2
    assert not y.is_leaf
    assert y.grad_fn.name() == "mul"
    assert y.grad_fn.next_functions[0][0].variable is x
    with pytest.raises(BackwardError, match="detach"):
        y.requires_grad = False
    x.requires_grad = False
    assert not (x * 2).requires_grad


def test_an_overwritten_value_is_noticed():
    x = leaf(0.0)
    y = x.exp()
    y *= 2
    with pytest.raises(InplaceError, match=r"exp.*test_grad.py") as error:
        y.sum().backward()
    assert str(error.value).count("test_grad.py") == 2
