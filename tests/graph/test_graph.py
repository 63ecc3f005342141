"""Graphs: names, shapes known and unknown, errors that leave nothing behind, gradients, verify, text."""

from pathlib import Path

import numpy as np
import pytest

from minigrad.core.dims import Dim
from minigrad.core.sites import position
from minigrad.errors import BackwardError, DtypeError, GraphError, ShapeError
from minigrad.graph import Graph, gradients, graph_text, verify
from minigrad.ops import arithmetic, comparison, reduction
from minigrad.ops.matmul import matmul


@pytest.fixture
def graph():
    return Graph()


def test_an_operation_is_made_and_nothing_computed(graph):
    x = graph.placeholder("float32", [None, 3])
    y = x * 2.0
    assert y.dtype == np.float32
    assert y.shape[1] == 3
    assert y.shape[0] is x.shape[0]  # the same unknown size, not just any
    assert y.operation.inputs == (x, 2.0)
    verify(graph)


def test_unknown_sizes_are_symbols(graph):
    x, y = graph.placeholder("float32", [None]), graph.placeholder("float32", [None])
    assert x.shape != y.shape
    assert isinstance((x + y).shape[0], Dim)
    assert str(x.shape) == "(None,)"


def test_unknown_rank(graph):
    x = graph.placeholder("float32")
    assert x.shape is None
    assert (x + 1.0).shape is None
    assert reduction.sum(x).shape == ()
    assert "unknown rank" in repr(x)


def test_names_are_unique_and_scoped(graph):
    x = graph.placeholder("float32", [], name="x")
    with graph.name_scope("layer"):
        first, second = x + 1.0, x + 2.0
    with graph.name_scope("layer"):
        third = x + 3.0
    assert [n.name for n in (first, second, third)] == ["layer/add:0", "layer/add_1:0", "layer_1/add:0"]
    assert graph.node_by_name("layer/add_1:0") is second


def test_the_users_line_is_remembered(graph):
    x = graph.placeholder("float32", [2])
    y = x * x
    file, line = position(y.operation.site)
    assert file == __file__
    assert "y = x * x" in Path(file).read_text(encoding="utf-8").splitlines()[line - 1]


def test_a_wrong_shape_is_refused_where_it_is_written(graph):
    x = graph.placeholder("float32", [2, 3])
    w = graph.placeholder("float32", [2, 3])
    before = len(graph.operations)
    with pytest.raises(ShapeError, match=r"\(2, 3\)") as caught:
        matmul(x, w)
    assert "test_graph.py" in "".join(caught.value.__notes__)
    assert len(graph.operations) == before


def test_a_failed_promotion_leaves_nothing_behind(graph):
    x, y = graph.placeholder("int64", [2]), graph.placeholder("float32", [3])
    before = len(graph.operations)
    with pytest.raises(ShapeError):
        arithmetic.add(x, y)
    assert len(graph.operations) == before
    with pytest.raises(DtypeError):
        x + "text"


def test_graphs_do_not_mix(graph):
    other = Graph()
    x, y = graph.placeholder("float32", []), other.placeholder("float32", [])
    with pytest.raises(GraphError, match="another graph"):
        x + y


def test_a_finalized_graph_refuses_changes(graph):
    x = graph.placeholder("float32", [])
    graph.finalize()
    with pytest.raises(GraphError, match=r"finalized at .*test_graph"):
        x + 1.0


def test_what_a_node_is_not(graph):
    x = graph.placeholder("float32", [None])
    for wrong in (bool, len, list, float, np.asarray):
        with pytest.raises(GraphError):
            wrong(x)
    with pytest.raises(GraphError, match="scatter_update"):
        x[0] = 1.0
    assert len({x: 1, x + 1.0: 2}) == 2  # nodes are keys
    assert (x == x) is True


def test_gradients_reuse_the_rules(graph):
    x = graph.placeholder("float32", [3])
    y = reduction.sum(x * x * x)
    g, = gradients([y], [x])
    gg, = gradients([g], [x])
    assert g.shape == gg.shape == (3,)
    verify(graph)


def test_gradients_where_no_path_leads(graph):
    x, z = graph.placeholder("float32", [3]), graph.placeholder("float32", [3])
    y = x * 1.0
    assert gradients([y], [z]) == [None]
    with pytest.raises(BackwardError):
        gradients([comparison.gt(x, 0.0)], [x])


def test_gradient_of_an_inner_node(graph):
    x = graph.placeholder("float32", [])
    inner = x * 2.0
    y = inner * inner
    g_inner, g_x = gradients([y], [inner, x])
    assert g_inner is not None
    assert g_x is not None


def test_text_has_a_line_an_operation(graph):
    x = graph.placeholder("float32", [None, 2], name="x")
    (x * 3.0 + 1.0)
    lines = graph_text(graph).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("mul: float32(None, 2) = mul(x, 3.0)")
    assert "# test_graph.py:" in lines[1]


def test_verify_finds_a_broken_graph(graph):
    x = graph.placeholder("float32", [2])
    y = x + 1.0
    y.operation.outputs[0].aval.shape = (3,)
    with pytest.raises(GraphError, match="shape rule"):
        verify(graph)
