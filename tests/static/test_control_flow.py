"""cond and while_loop: what runs, what was only built, gradients, errors."""

import numpy as np
import pytest

import minigrad.static as tf
from minigrad.errors import DtypeError, GraphError, ShapeError


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.reset_default_graph()


@pytest.fixture(params=["plan", "interpreter"])
def session(request):
    def make():
        sess = tf.Session(interpreted=request.param == "interpreter")
        sess.run(tf.global_variables_initializer())
        return sess
    return make


def test_only_the_taken_branch_runs(session):
    p = tf.placeholder(tf.bool, [])
    a, b = tf.Variable(0), tf.Variable(0)
    built = []

    def left():
        built.append("left")
        return a.assign_add(1)

    def right():
        built.append("right")
        return b.assign_add(10)

    y = tf.cond(p, left, right)
    sess = session()
    assert sess.run(y, {p: True}) == 1
    assert sess.run([a, b]) == [1, 0]
    assert sess.run(y, {p: False}) == 10
    assert sess.run([a, b]) == [1, 10]
    assert built == ["left", "right"]


def test_writes_made_outside_run_whichever_branch_is_taken(session):
    p = tf.placeholder(tf.bool, [])
    a, b = tf.Variable(0), tf.Variable(0)
    bump_a, bump_b = a.assign_add(1), b.assign_add(1)
    y = tf.cond(p, lambda: tf.identity(bump_a), lambda: tf.identity(bump_b))
    sess = session()
    sess.run(y, {p: True})
    assert sess.run([a, b]) == [1, 1]


@pytest.mark.parametrize(("x0", "slope"), [(0.0, 1.0), (4.0, 0.25)])
def test_cond_differentiates_the_taken_branch_only(session, x0, slope):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x < 1.0, lambda: x * 1.0, lambda: tf.sqrt(x))
    g, = tf.gradients(y, x)
    assert session().run(g, {x: x0}) == slope


def test_second_derivative_of_cond(session):
    x, p = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x * x * x, lambda: x * x)
    g, = tf.gradients(y, x)
    gg, = tf.gradients(g, x)
    sess = session()
    assert sess.run([g, gg], {x: 2.0, p: True}) == [12, 12]
    assert sess.run([g, gg], {x: 2.0, p: False}) == [4, 2]


def test_nested_cond_and_structures(session):
    x = tf.placeholder(tf.float32, [])

    def small():
        return {"value": tf.cond(x < 0.0, lambda: -x, lambda: x), "which": tf.constant(1)}

    y = tf.cond(x < 10.0, small, lambda: {"value": x * 0.0, "which": tf.constant(2)})
    sess = session()
    assert sess.run(y, {x: -3.0}) == {"value": 3, "which": 1}
    assert sess.run(y, {x: 11.0}) == {"value": 0, "which": 2}


def test_case(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.case([(x < 0.0, lambda: tf.constant("n" == "p")), (x > 0.0, lambda: tf.constant(True))],
                default=lambda: tf.constant(False))
    sess = session()
    assert [bool(sess.run(y, {x: v})) for v in (-1.0, 1.0, 0.0)] == [False, True, False]


@pytest.mark.parametrize("double", [lambda v: v + v, lambda v: 2.0 * v])
def test_gradient_of_doubling(session, double):
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, v: i < 6, lambda i, v: (i + 1, double(v)), [tf.constant(0), x])
    g, = tf.gradients(y, x)
    assert session().run([y, g], {x: 5.0}) == [320, 64]


def test_nested_loops_with_a_capture(session):
    w = tf.placeholder(tf.float32, [])

    def outer(i, r):
        _, r = tf.while_loop(lambda j, v: j < 3, lambda j, v: (j + 1, v * w), [tf.constant(0), r])
        return i + 1, r

    _, r = tf.while_loop(lambda i, r: i < 2, outer, [tf.constant(0), tf.constant(1.0)])
    g, = tf.gradients(r, w)
    assert session().run([r, g], {w: 2.0}) == [64, 192]


def test_no_turn_at_all(session):
    x, w = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, v: i < 0, lambda i, v: (i + 1, v * w), [tf.constant(0), x])
    assert session().run([y, *tf.gradients(y, [x, w])], {x: 3.0, w: 4.0}) == [3, 1, 0]


def test_second_derivative_of_a_loop(session):
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * x), [tf.constant(0), tf.constant(1.0)])
    g, = tf.gradients(y, x)
    gg, = tf.gradients(g, x)
    assert session().run([y, g, gg], {x: 2.0}) == [16, 32, 48]


def test_a_variable_written_in_a_loop(session):
    v = tf.Variable(0.0)

    def body(i):
        with tf.control_dependencies([v.assign_add(2.0)]):
            return i + 1

    i = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    sess = session()
    assert sess.run(i) == 5
    assert sess.run(v) == 10


def test_a_loop_variable_that_changes_its_shape():
    a = tf.placeholder(tf.float32, [1])
    with pytest.raises(ShapeError, match="shape_invariants"):
        tf.while_loop(lambda v: tf.constant(True), lambda v: tf.concat([v, a], 0), [a])
    with pytest.raises(DtypeError):
        tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32) + 0.5, [tf.constant(0)])


def test_a_growing_loop_variable(session):
    a = tf.placeholder(tf.float32, [1])
    _, v = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.concat([v, a], 0)), [tf.constant(0), a],
                         shape_invariants=[[], [None]])
    total = tf.reduce_sum(v)
    assert session().run(total, {a: [2.0]}) == 8


def test_branches_that_do_not_fit():
    p = tf.placeholder(tf.bool, [])
    with pytest.raises(DtypeError, match="differ in dtype"):
        tf.cond(p, lambda: tf.constant(1.0), lambda: tf.constant(1))
    with pytest.raises(GraphError, match="1 and 2 results"):
        tf.cond(p, lambda: tf.constant(1.0), lambda: [tf.constant(1.0), tf.constant(1.0)])


def test_a_loop_of_an_rnn_equals_the_unrolled_one(session):
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.standard_normal((4, 4)).astype(np.float32) * 0.5)
    x = tf.placeholder(tf.float32, [5, 2, 4])
    start = tf.zeros([2, 4])
    _, looped = tf.while_loop(lambda t, h: t < 5, lambda t, h: (t + 1, tf.tanh(x[t] + tf.matmul(h, w))),
                              [tf.constant(0), start])
    h = start
    for t in range(5):
        h = tf.tanh(x[t] + tf.matmul(h, w))
    nodes = [looped, h, *tf.gradients(tf.reduce_sum(looped), w), *tf.gradients(tf.reduce_sum(h), w)]
    a, b, ga, gb = session().run(nodes, {x: rng.standard_normal((5, 2, 4))})
    np.testing.assert_allclose(a, b, rtol=1e-6)
    np.testing.assert_allclose(ga, gb, rtol=1e-5)
