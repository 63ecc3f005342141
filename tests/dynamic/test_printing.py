"""Tensors as text: repr fits a debugger's line, str is laid out as PyTorch's."""

import contextvars

import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(("data", "text"), [
    (3.0, "tensor(3.)"), (3, "tensor(3)"), (True, "tensor(True)"),
    ([1.0, 2.0], "tensor([1., 2.])"), ([1.5, 2.0], "tensor([1.5000, 2.0000])"),
    ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"), ([1e9, 1.5], "tensor([1.0000e+09, 1.5000e+00])"),
    ([1.0, NAN, INF], "tensor([ 1., nan, inf])"), ([-INF, 0.5], "tensor([  -inf, 0.5000])"),
    ([], "tensor([])"), ([[1, 2], [3, 4]], "tensor([[1, 2], [3, 4]])"), ([1, 10], "tensor([ 1, 10])"),
])
def test_small_tensors(data, text):
    assert repr(mg.tensor(data)) == text


def test_what_stands_after_the_numbers():
    x = mg.tensor([[1.0, 2.0]], requires_grad=True)
    assert repr(x) == "tensor([[1., 2.]], requires_grad=True)"
    assert repr(x * 2) == "tensor([[2., 4.]], grad_fn=<mul>)"
    assert repr(mg.tensor([1, 2], dtype=mg.int32)) == "tensor([1, 2], dtype=int32)"
    assert repr(mg.tensor(1.0, dtype=mg.float64)) == "tensor(1., dtype=float64)"
    assert repr(mg.zeros(2, 0)) == "tensor([], size=(2, 0))"
    assert repr(mg.Parameter([1.0])) == "Parameter(tensor([1.], requires_grad=True))"


def test_large_tensors_are_summarised_in_a_line():
    assert repr(mg.zeros(64, 784)) == "tensor([[0., ..., 0.], ..., [0., ..., 0.]], shape=(64, 784))"
    assert repr(mg.arange(2000)) == "tensor([   0,    1, ..., 1998, 1999], shape=(2000,))"
    assert "shape=(3, 4, 5, 6)" in repr(mg.rand(3, 4, 5, 6))


@given(hnp.arrays(st.sampled_from(["float32", "float64", "int64", "bool"]),
                  hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=40)))
def test_repr_is_one_line_that_fits(array):
    for x in (mg.tensor(array), mg.tensor(array, dtype=mg.float16)):
        text = repr(x)
        assert "\n" not in text
        assert len(text) <= 120
        assert isinstance(str(x), str)


def test_str_lays_out_rows():
    assert str(mg.tensor([[1, 2], [3, 4]])) == "tensor([[1, 2],\n        [3, 4]])"
    assert str(mg.zeros(1000, 1000)).count("\n") == 6
    assert str(mg.ones(2, requires_grad=True)) == "tensor([1., 1.], requires_grad=True)"


def test_format():
    assert f"{mg.tensor(1.5):.3f}" == "1.500"
    assert f"{mg.tensor(7):>3d}" == "  7"
    assert f"{mg.tensor([1.0])}" == "tensor([1.])"
    assert f"{mg.tensor(1.5)}" == "tensor(1.5000)"


def test_print_options_hold_in_their_context():
    def shown():
        mg.set_printoptions(precision=2, edgeitems=1, threshold=5)
        return str(mg.tensor([1.2345, 2.0])), str(mg.arange(10))

    assert contextvars.copy_context().run(shown) == ("tensor([1.23, 2.00])", "tensor([0, ..., 9])")
    assert str(mg.tensor([1.2345, 2.0])) == "tensor([1.2345, 2.0000])"

    def scientific(mode):
        mg.set_printoptions(sci_mode=mode)
        return str(mg.tensor([1e-6, 1.0]))

    assert contextvars.copy_context().run(scientific, False) == "tensor([0.0000, 1.0000])"
    assert contextvars.copy_context().run(scientific, True) == "tensor([1.0000e-06, 1.0000e+00])"
