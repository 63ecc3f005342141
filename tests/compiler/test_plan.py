"""Plans: what the rewrites do, that results stay, that no memory is shared with the caller, what a plan reads like."""

import linecache
import traceback

import numpy as np
import pytest

from minigrad.compiler import compile_plan, interpret
from minigrad.core.aval import Aval
from minigrad.errors import FeedError, MinigradError
from minigrad.graph import Graph, gradients
from minigrad.graph.sources import assign_p, identity
from minigrad.ops import arithmetic, draws, exponential, reduction, shaping
from minigrad.ops.matmul import matmul


def aval(array):
    return Aval(array.shape, array.dtype)


def compiled(nodes, feeds, state=None, numerics="fast", passes=None, report=None, operations=()):
    state = state or {}
    fed = {node: aval(array) for node, array in feeds.items()}
    known = {variable: aval(array) for variable, array in state.items()}
    return compile_plan(nodes, list(operations), fed, known, np, numerics, passes, report)


def run(plan, feeds, state=None):
    return plan([feeds[node] for node in plan.feeds], [(state or {})[v] for v in plan.states])


@pytest.fixture
def network():
    graph = Graph()
    x = graph.placeholder("float32", [None, 3], name="x")
    w = graph.variable(np.ones((3, 2), np.float32), name="w")
    loss = reduction.mean(exponential.exp(matmul(x, w) * 0.1))
    g, = gradients([loss], [w])
    update = graph.write(arithmetic.sub_p, w, (w, g * 0.5), {}, "update")
    feeds = {x: np.arange(12, dtype=np.float32).reshape(4, 3)}
    state = {w: np.full((3, 2), 0.25, np.float32)}
    return [loss, g, update], feeds, state


@pytest.mark.parametrize("numerics", ["exact", "fast"])
@pytest.mark.parametrize("passes", [[], ["shapes"], ["fold"], ["cse"], ["dce"], None])
def test_every_plan_equals_the_interpreter(network, numerics, passes):
    nodes, feeds, state = network
    expected, written = interpret(nodes, [], feeds, state)
    values, new = run(compiled(nodes, feeds, state, numerics, passes), feeds, state)
    for a, b in zip([*values, *new], [*expected, *written.values()], strict=True):
        np.testing.assert_array_equal(a, b)


def test_inputs_stay_and_results_are_nobody_elses(network):
    nodes, feeds, state = network
    before = [array.copy() for array in (*feeds.values(), *state.values())]
    plan = compiled(nodes, feeds, state)
    values, new = run(plan, feeds, state)
    for array, old in zip((*feeds.values(), *state.values()), before, strict=True):
        np.testing.assert_array_equal(array, old)
    kept = [value.copy() for value in values]
    for value in new:
        value += 1  # the caller owns what it got: nothing else changes with it
    for value, old in zip(values, kept, strict=True):
        np.testing.assert_array_equal(value, old)


def test_a_fetched_feed_or_constant_is_a_copy():
    graph = Graph()
    x = graph.placeholder("float32", [2])
    c = graph.constant(np.ones(2, np.float32))
    view = shaping.reshape(x, (1, 2))
    feeds = {x: np.zeros(2, np.float32)}
    values, _ = run(compiled([x, c, view], feeds), feeds)
    for value in values:
        value += 7
    np.testing.assert_array_equal(feeds[x], [0, 0])
    np.testing.assert_array_equal(c.operation.params["value"], [1, 1])


def test_rewrites_say_what_they_did(network):
    nodes, feeds, state = network
    factor = nodes[0].graph.constant(np.float32(2)) * 3.0
    report = []
    compiled([*nodes, nodes[0] * factor], feeds, state, report=report)
    text = "\n".join(report)
    assert "has the fixed shape (4, 2)" in text
    assert "(mul) is a constant" in text
    assert [line.split(":")[0] for line in report if not line.startswith(" ")] == ["shapes", "fold", "cse", "dce"]


def test_equal_expressions_are_computed_once():
    graph = Graph()
    x = graph.placeholder("float32", [2])
    y = exponential.exp(x) + exponential.exp(x)
    feeds = {x: np.zeros(2, np.float32)}
    assert str(compiled([y], feeds)).count("xp.exp(") == 1
    assert str(compiled([y], feeds, passes=[])).count("xp.exp(") == 2


@pytest.mark.parametrize(("a", "b"), [(0.0, -0.0), (1, 1.0), (1, True)])
def test_scalars_that_only_look_equal_are_not_merged(a, b):
    graph = Graph()
    x = graph.placeholder("float32", [1])
    y = [arithmetic.div(x, a), arithmetic.div(x, b)]
    feeds = {x: np.ones(1, np.float32)}
    plan = compiled(y, feeds)
    assert str(plan).count("xp.true_divide(") == 2


def test_ieee_results_stay():
    graph = Graph()
    x = graph.placeholder("float32", [4])
    nodes = [x * 0.0, x - x, x + 0.0, arithmetic.div(0.0, x)]
    feeds = {x: np.array([np.nan, np.inf, -0.0, 1.0], np.float32)}
    with np.errstate(all="ignore"):
        expected, _ = interpret(nodes, [], feeds, {})
        values, _ = run(compiled(nodes, feeds), feeds)
    for a, b in zip(values, expected, strict=True):
        assert a.tobytes() == b.tobytes()


def test_random_draws_are_neither_merged_nor_folded():
    graph = Graph()
    key = graph.constant(np.array([1, 2]))
    a, b = draws.uniform_draw(key, (3,)), draws.uniform_draw(key, (3,))
    report = []
    plan = compiled([a, b], {}, report=report)
    assert len(plan.program.instructions) == 2


def test_useless_operations_are_left_out_and_effects_are_not():
    graph = Graph()
    x = graph.placeholder("float32", [2])
    exponential.exp(x)
    y = x + 1.0
    feeds = {x: np.zeros(2, np.float32)}
    assert "exp" not in str(compiled([y], feeds, passes=[]))  # not needed, so not lowered


def test_the_plan_is_readable_and_registered(network):
    nodes, feeds, state = network
    plan = compiled(nodes, feeds, state)
    assert str(plan).startswith("def plan(x, w):\n")
    assert "# test_plan.py:" in str(plan)
    assert linecache.getlines(plan.filename) == str(plan).splitlines(keepends=True)
    filename = plan.filename
    del plan
    assert filename not in linecache.cache


def test_a_failing_line_names_the_users_line():
    graph = Graph()
    x, y = graph.placeholder("float32"), graph.placeholder("float32")
    z = x + y
    feeds = {x: np.ones(2, np.float32), y: np.ones(3, np.float32)}
    with pytest.raises(MinigradError) as caught:
        run(compiled([z], feeds), feeds)
    assert "test_plan.py" in "".join(traceback.format_exception(caught.value))


def test_a_missing_feed_names_the_path():
    graph = Graph()
    p = graph.placeholder("float32", [2], name="p")
    d = p + 1.0
    with pytest.raises(FeedError, match=r"'p'.*test_plan\.py.*p -> add"):
        compiled([d], {})


# ----- the order of reads and writes
def variable_and_writes():
    graph = Graph()
    v = graph.variable(np.float32(1), name="v")
    return graph, v, {v: np.asarray(np.float32(10))}


def both(nodes, state, operations=()):
    expected, expected_state = interpret(nodes, list(operations), {}, state)
    values, new = run(compiled(nodes, {}, state, operations=operations), {}, state)
    for a, b in zip(values, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    return [float(value) for value in values], {v: float(value) for v, value in expected_state.items()}, new


def test_an_unordered_read_sees_the_start_of_the_run():
    graph, v, state = variable_and_writes()
    bump = graph.write(arithmetic.add_p, v, (v, 1.0), {}, "bump")
    values, after, _ = both([v, bump, v * 2.0], state)
    assert values == [10, 11, 20]
    assert after == {v: 11}


def test_a_control_dependency_orders_a_read():
    graph, v, state = variable_and_writes()
    bump = graph.write(arithmetic.add_p, v, (v, 1.0), {}, "bump")
    with graph.control_dependencies([bump]):
        later = identity(v)
    values, _, _ = both([later, v], state)
    assert values == [11, 10]


def test_writes_that_nothing_orders_happen_in_the_order_of_making():
    graph, v, state = variable_and_writes()
    first = graph.write(arithmetic.add_p, v, (v, 1.0), {}, "first")
    second = graph.write(arithmetic.add_p, v, (v, 5.0), {}, "second")
    values, after, _ = both([second, first], state)
    assert values == [16, 11]
    assert after == {v: 16}


def test_a_write_may_use_what_was_read_before():
    graph, v, state = variable_and_writes()
    w = graph.variable(np.float32(2), name="w")
    state = {**state, w: np.asarray(np.float32(20))}
    swap_v = graph.write(assign_p, v, (v, w), {}, "swap_v")
    swap_w = graph.write(assign_p, w, (w, v), {}, "swap_w")
    values, after, _ = both([swap_v, swap_w], state)
    assert values == [20, 10]
    assert after == {v: 20, w: 10}
