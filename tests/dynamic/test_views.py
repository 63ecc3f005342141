"""Views and in-place writes: chains of views, writes to the base, writes through a view, and random programs of both.

The oracle for random programs carries, beside each value, its derivatives by the parameters (forward mode), so it
needs no tape and no versions: whatever minigrad computes must agree with it, or be an InplaceError.
"""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.errors import InplaceError


def leaf(array):
    return mg.tensor(np.asarray(array, dtype=np.float64), requires_grad=True)


def test_a_write_through_a_view_reaches_the_base():
    w = leaf([1.0, 2.0, 3.0])
    x = w * 2
    x[1:].mul_(w[0])
    assert x.tolist() == [2, 4, 6]
    (x * mg.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert w.grad.tolist() == [2 + 40 + 600, 20, 200]


def test_a_write_to_the_base_reaches_its_views():
    w = leaf([1.0, 2.0])
    x = w * 1
    view = x[0]
    x *= 5
    assert view.item() == 5
    (g,) = grad(view, w)
    assert g.tolist() == [5, 0]


def test_a_write_through_one_view_reaches_the_others():
    w, v = leaf([1.0, 2.0, 3.0, 4.0]), leaf([7.0, 8.0])
    x = w * 1
    matrix, row = x.reshape(2, 2), x.reshape(2, 2)[1]
    matrix.T[1].copy_(v)
    assert x.tolist() == [1, 7, 3, 8]
    assert row.tolist() == [3, 8]
    gw, gv = grad((row * mg.tensor([1.0, 10.0], dtype=mg.float64)).sum(), (w, v))
    assert gw.tolist() == [0, 0, 1, 0]
    assert gv.tolist() == [0, 10]


def test_a_chain_of_many_views():
    w = leaf(np.arange(24.0))
    x = w * 1
    view = x.reshape(2, 3, 4).permute(2, 0, 1)[1:3, 1].T.unsqueeze(0)[0, 1]
    view.mul_(10)
    places = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)[1:3, 1].T[1]
    x.sum().backward()
    expected = np.ones(24)
    expected[places] = 10
    np.testing.assert_array_equal(w.grad.numpy(), expected)


def test_views_that_depend_on_how_the_base_lies_in_memory():
    w = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x = w.T * 1  # lies in memory as w does, so that x.T.reshape(6) is a view
    x.T.reshape(6)[1:3].mul_(5)
    assert x.tolist() == [[1, 4], [10, 5], [15, 6]]
    seed = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=mg.float64)  # lies the other way round
    (g,) = grad(x, w, seed, retain_graph=True)
    assert g.tolist() == [[1, 15, 25], [2, 4, 6]]
    (g,) = grad(x, w, seed.T.clone().T, create_graph=True)
    assert g.tolist() == [[1, 15, 25], [2, 4, 6]]


def test_a_very_long_chain_of_views_needs_no_recursion():
    w = leaf(np.ones(4))
    view = x = w * 1
    for _ in range(1500):
        view = view.reshape(2, 2).reshape(4)
    view[:2].mul_(3)
    (g,) = grad(x.sum(), w, retain_graph=True)
    assert g.tolist() == [3, 3, 1, 1]
    (g,) = grad(view.sum(), w)
    assert g.tolist() == [3, 3, 1, 1]


def test_second_derivatives_go_through_writes():
    w = leaf([2.0, 3.0])
    x = w * w
    x[0:1].mul_(w[1])
    (g,) = grad(x.sum(), w, create_graph=True)  # x = (a²b, b²)
    assert g.tolist() == [12, 4 + 6]
    (h,) = grad(g.sum(), w)  # 2ab + a² + 2b
    assert h.tolist() == [6 + 4, 4 + 2]


def test_untracked_base_with_a_tracked_value():
    w = leaf([5.0, 6.0])
    out = mg.zeros(2, 2, dtype=mg.float64)
    out[0] = w
    out[:, 1] = w * 2
    assert out.tolist() == [[5, 10], [0, 12]]
    out.sum().backward()
    assert w.grad.tolist() == [1 + 2, 2]


def test_filling_a_preallocated_array_in_a_loop():
    p = leaf([[1.0, 2.0], [3.0, 4.0]])
    out = mg.zeros(2, dtype=mg.float64)
    for m in range(2):
        out[m] = (p[m] * p[0]).sum()
    total = out.sum()
    assert total.item() == 16
    total.backward()
    assert p.grad.tolist() == [[5, 8], [1, 2]]


# ----- assignment
def test_basic_assignment():
    x = mg.zeros(3, 4)
    x[0] = 1
    x[1, 2] = 2.5
    x[-1, ::2] = mg.tensor([7, 8])
    x[..., 3] = mg.tensor([[9.0, 9.0, 9.0]])
    x[1:2, :2] = np.full((1, 2), 4)
    x[2, None, 1:2] = 6
    expected = np.zeros((3, 4))
    expected[0] = 1
    expected[1, 2] = 2.5
    expected[-1, ::2] = [7, 8]
    expected[..., 3] = 9
    expected[1:2, :2] = 4
    expected[2, 1] = 6
    np.testing.assert_array_equal(x.numpy(), expected)
    x[:] = 0
    assert x.sum().item() == 0
    x[()] = 2
    assert x.sum().item() == 24


def test_assignment_through_arrays_and_masks():
    w = leaf([1.0, 2.0, 3.0, 4.0])
    v = leaf([10.0, 20.0])
    x = w * 1
    x[[0, 2]] = v
    x[x > 15] = 0
    assert x.tolist() == [10, 2, 0, 4]
    gw, gv = grad((x * x).sum(), (w, v))
    assert gw.tolist() == [0, 4, 0, 8]
    assert gv.tolist() == [20, 0]


def test_repeated_places_keep_the_last_value_and_its_gradient():
    v = leaf([[1.0], [2.0]])
    x = mg.zeros(3, 2, dtype=mg.float64)
    x[[1, 1]] = v
    assert x.tolist() == [[0, 0], [2, 2], [0, 0]]
    x.sum().backward()
    assert v.grad.tolist() == [[0], [2]]


def test_assignment_to_a_leaf_is_refused_while_recording():
    w = leaf([1.0, 2.0])
    for index in (0, slice(None), [0], mg.tensor([True, False])):
        with pytest.raises(InplaceError, match="leaf"):
            w[index] = 5
        with mg.no_grad():
            w[index] = 5
    assert w.tolist() == [5, 5]


def test_assignment_errors():
    x = mg.zeros(2, 3)
    with pytest.raises(IndexError):
        x[5] = 1
    with pytest.raises(IndexError):
        x[[0, 5]] = 1
    with pytest.raises(RuntimeError, match=r"\(4,\)"):
        x[0] = mg.ones(4)
    with pytest.raises(TypeError, match="str"):
        x[0] = "a"
    n = mg.zeros(2, dtype=mg.int64)
    n[0] = 1.5
    assert n.tolist() == [1, 0]


# ----- what is refused
def test_a_view_taken_under_no_grad():
    w = leaf([1.0, 2.0])
    x = w * 2
    with mg.no_grad():
        view = x[0]
    for write in (lambda: view.fill_(5), lambda: view.mul_(2), lambda: view.reshape(1).add_(w[0])):
        with pytest.raises(InplaceError, match=r"test_views.py:\d+.*no_grad"):
            write()
    with mg.no_grad():
        view.fill_(5)
    assert x.tolist() == [5, 4]
    x.mul_(3)  # changes what the view shows, which has no record that could follow
    assert view.item() == 15
    with pytest.raises(InplaceError, match="no_grad"):
        (view * w).sum().backward()


def test_a_view_of_a_tensor_that_became_a_leaf_later():
    x = mg.zeros(2)
    view = x[0]
    x.requires_grad_()
    with pytest.raises(InplaceError, match="leaf"):
        view.fill_(1)


def test_a_view_that_was_made_a_leaf():
    x = mg.zeros(2, dtype=mg.float64)
    view = x[0].requires_grad_()
    w = leaf([3.0, 4.0])
    for write in (lambda: x.mul_(w), lambda: view.fill_(1), lambda: x[1].copy_(w[0])):
        with pytest.raises(InplaceError, match="leaf"):
            write()
    with mg.no_grad():
        x.fill_(5)
    assert view.item() == 5
    assert view.is_leaf


def test_a_view_of_a_tensor_whose_data_was_replaced():
    w = leaf([3.0, 4.0])
    x = w * 1
    view = x[0]
    x.data = mg.ones(2, dtype=mg.float64)
    with pytest.raises(InplaceError, match=r"data was replaced"):
        view.mul_(2)
    with mg.no_grad():
        view.mul_(2)
    assert x.tolist() == [1, 1]
    assert view.item() == 6


def test_a_custom_function_that_returns_a_view():
    class Row(Function):
        @staticmethod
        def forward(ctx, x):
            return x[0]

        @staticmethod
        def backward(ctx, g):
            return mg.stack([g, g * 0])

    w = leaf([[1.0, 2.0], [3.0, 4.0]])
    x = w * 1
    row = Row.apply(x)
    (g,) = grad(row.sum(), w, retain_graph=True)
    assert g.tolist() == [[1, 1], [0, 0]]
    with pytest.raises(InplaceError, match="cannot be written"):
        row.mul_(2)
    x.mul_(5)  # row shows it, and its record cannot
    assert row.tolist() == [5, 10]
    with pytest.raises(InplaceError, match="cannot follow"):
        row.sum().backward()


def test_a_detached_tensor_has_views_of_its_own():
    w = leaf([1.0, 2.0])
    x = w * 1
    d = x.detach()
    d[0].mul_(w[1])
    assert d.requires_grad
    assert x.tolist() == [2, 2]
    gw = grad(d.sum(), w)[0]
    assert gw.tolist() == [0, 1]
    assert grad(x.sum(), w)[0].tolist() == [1, 1]


def test_a_write_to_the_base_after_a_view_was_saved():
    w = leaf([1.0, 2.0])
    x = w * 1
    y = x[0] * w[1]
    x[1] = 7  # the same memory: a version is counted for all of it
    with pytest.raises(InplaceError, match=r"overwritten in place at .*test_views.py"):
        y.backward()


def test_views_die_with_their_names():
    x = mg.zeros(4)
    for _ in range(100):
        x[0]
    assert len(x.storage.views) <= 32


# ----- random programs
class Dual:
    """Values of one memory with their derivatives by all parameters: (n,) and (n, number of parameters)."""

    def __init__(self, values, derivatives):
        self.values = values
        self.derivatives = derivatives


class Alias:
    """A tensor of the program: the minigrad tensor, and the places of its elements in a Dual."""

    def __init__(self, tensor, memory, places):
        self.tensor = tensor
        self.memory = memory
        self.places = places

    def read(self):
        return self.memory.values[self.places], self.memory.derivatives[self.places]

    def write(self, values, derivatives):
        self.memory.values[self.places] = values
        self.memory.derivatives[self.places] = derivatives

    def fresh(self, tensor, values, derivatives):
        places = np.arange(values.size).reshape(values.shape)
        return Alias(tensor, Dual(values.reshape(-1).copy(), derivatives.reshape(values.size, 8).copy()), places)


def parameters(draw):
    """Two parameters of four elements, with their Duals."""
    aliases = []
    for i in range(2):
        values = np.array(draw(st.lists(st.floats(-1, 1), min_size=4, max_size=4)))
        derivatives = np.zeros((4, 8))
        derivatives[np.arange(4), 4 * i + np.arange(4)] = 1
        aliases.append(Alias(leaf(values), Dual(values.copy(), derivatives), np.arange(4)))
    return aliases


def take_view(draw, alias):
    """A random view of a tensor."""
    t, places = alias.tensor, alias.places
    kinds = ["reshape", "unsqueeze"]
    if t.ndim:
        kinds += ["slice", "select", "step", "T"]
    kind = draw(st.sampled_from(kinds))
    if kind == "reshape":
        shape = draw(st.sampled_from([(-1,), (2, -1) if t.numel() % 2 == 0 and t.numel() else (-1,)]))
        if places.size == 0:
            return alias
        return Alias(t.reshape(shape), alias.memory, places.reshape(shape)) if t.is_contiguous() else alias
    if kind == "unsqueeze":
        return Alias(t.unsqueeze(0), alias.memory, places[None])
    if kind == "T":
        return Alias(t.T, alias.memory, places.T)
    if kind == "select":
        if t.shape[0] == 0:
            return alias
        i = draw(st.integers(-t.shape[0], t.shape[0] - 1))
        return Alias(t[i], alias.memory, places[i])
    if kind == "step":
        return Alias(t[::2], alias.memory, places[::2])
    start = draw(st.integers(0, t.shape[0]))
    return Alias(t[start:], alias.memory, places[start:])


def step(draw, aliases):
    """One random step of a program; InplaceErrors leave everything as it was."""
    alias = draw(st.sampled_from(aliases))
    kind = draw(st.sampled_from(["view", "view", "scale", "scale_", "sin_", "add_", "mul_", "mul", "copy_", "zero_",
                                 "assign", "scale_unrecorded"]))
    v, d = alias.read()
    if kind == "view":
        aliases.append(take_view(draw, alias))
        return
    if kind == "scale":
        aliases.append(alias.fresh(alias.tensor * 3, v * 3, d * 3))
        return
    partners = [other for other in aliases if other.places.shape == alias.places.shape]
    other = draw(st.sampled_from(partners))
    ov, od = other.read()
    if kind == "mul":
        aliases.append(alias.fresh(alias.tensor * other.tensor, v * ov, d * ov[..., None] + od * v[..., None]))
        return
    try:
        if kind == "scale_":
            alias.tensor.mul_(2)
            alias.write(v * 2, d * 2)
        elif kind == "sin_":
            alias.tensor.sin_()
            alias.write(np.sin(v), d * np.cos(v)[..., None])
        elif kind == "add_":
            alias.tensor.add_(other.tensor)
            alias.write(v + ov, d + od)
        elif kind == "mul_":
            alias.tensor.mul_(other.tensor)
            alias.write(v * ov, d * ov[..., None] + od * v[..., None])
        elif kind == "copy_":
            alias.tensor.copy_(other.tensor)
            alias.write(ov, od)
        elif kind == "zero_":
            alias.tensor.zero_()
            alias.write(v * 0, d * 0)
        elif kind == "assign" and alias.tensor.ndim and alias.tensor.shape[0]:
            alias.tensor[-1:] = other.tensor[:1]
            v, d = v.copy(), d.copy()
            v[-1:], d[-1:] = ov[:1], od[:1]
            alias.write(v, d)
        elif kind == "scale_unrecorded":  # changes values, by definition no derivatives
            with mg.no_grad():
                alias.tensor.mul_(2)
            alias.write(v * 2, d)
    except InplaceError:
        pass


@given(st.data())
def test_random_programs_are_right_or_refused(data):
    aliases = parameters(data.draw)
    leaves = [alias.tensor for alias in aliases]
    for _ in range(data.draw(st.integers(1, 12))):
        step(data.draw, aliases)
    for alias in aliases:
        np.testing.assert_allclose(alias.tensor.detach().numpy(), alias.read()[0], rtol=1e-12, atol=1e-12)
    chosen = data.draw(st.lists(st.sampled_from(aliases), min_size=1, max_size=3))
    outputs, expected = [], np.zeros(8)
    for alias in chosen:
        if alias.tensor.requires_grad:
            outputs.append(alias.tensor.sum())
        expected += alias.read()[1].reshape(-1, 8).sum(0)
    if not outputs:
        assert not expected.any()
        return
    try:
        gradients = grad(outputs, leaves, materialize_grads=True)
    except InplaceError:
        return
    np.testing.assert_allclose(np.concatenate([g.numpy() for g in gradients]), expected, rtol=1e-9, atol=1e-9)
