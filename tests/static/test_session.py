"""Sessions: fetches, feeds, state, errors that teach, and classic programs."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn as nn
import minigrad.static as tf
from minigrad.errors import DtypeError, FeedError, FetchError, GraphError, ShapeError, UninitializedError


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.reset_default_graph()


def test_fetches_keep_their_structure():
    a, b = tf.constant(2.0, name="a"), tf.constant(3.0)
    with tf.Session() as sess:
        result = sess.run({"pair": [a, b], "more": (a * b, {"deep": "a:0"}), "none": tf.group(a)})
    assert result == {"pair": [2.0, 3.0], "more": (6.0, {"deep": 2.0}), "none": None}


def test_feeds_of_placeholders_and_of_inner_tensors():
    x = tf.placeholder(tf.float32, [None], name="x")
    y = x * 2.0
    z = y + 1.0
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(z, {x: [1, 2]}), [3, 5])
        np.testing.assert_array_equal(sess.run(z, {y: [10.0]}), [11])
        np.testing.assert_array_equal(sess.run(z, {"x:0": np.zeros(3)}), [1, 1, 1])


def test_a_feed_that_does_not_fit_is_refused_by_name():
    x = tf.placeholder(tf.float32, [None, 3], name="images")
    with tf.Session() as sess:
        with pytest.raises(FeedError, match=r"\(2, 4\).*images.*\(None, 3\)"):
            sess.run(x + 1.0, {x: np.zeros((2, 4))})
        with pytest.raises(FeedError, match="images"):
            sess.run(x + 1.0)
        with pytest.raises(FeedError, match="is a tensor"):
            sess.run(x + 1.0, {x: x})
        with pytest.raises(FeedError, match="images"):
            sess.run(x + 1.0, {x: "text"})


def test_a_fetch_that_is_no_tensor_is_refused():
    loss = tf.constant(1.0)
    with tf.Session() as sess:
        loss = sess.run(loss)
        with pytest.raises(FetchError, match="overwritten"):
            sess.run(loss)
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(FetchError, match="another graph"):
        sess.run(other)


def test_variables_belong_to_sessions():
    v = tf.Variable(1.0, name="v")
    w = tf.Variable([1.0, 2.0], name="w")
    bump = v.assign_add(2.0)
    init = tf.global_variables_initializer()
    one, two = tf.Session(), tf.Session()
    with pytest.raises(UninitializedError, match=r"'v'.*'w'"):
        one.run([v, w])
    one.run(init)
    two.run(init)
    one.run(bump)
    one.run(bump)
    assert one.run(v) == 5
    assert two.run(v) == 1


def test_a_failing_run_changes_nothing():
    v = tf.Variable(1.0)
    bump = v.assign_add(1.0)
    x = tf.placeholder(tf.float32, [None])
    with tf.control_dependencies([bump]):
        bad = tf.check_numerics(x, "bad x")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad x"):
            sess.run([bad, bump], {x: [np.nan]})
        assert sess.run(v) == 1


def test_a_fetched_value_is_the_callers():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        value = sess.run(v)
        value += 100
        np.testing.assert_array_equal(sess.run(v), [1, 2])


def test_dtypes_do_not_mix():
    x, n = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int32, [2])
    with pytest.raises(DtypeError, match="cast"):
        x + n
    with pytest.raises(DtypeError):
        n + 1.5
    assert (n + 1).dtype == np.int32
    assert (x + 1).dtype == np.float32
    assert tf.constant([1, 2]).dtype == np.int32
    assert tf.constant([1.0]).dtype == np.float32


def test_a_plan_is_made_once_for_each_shape():
    x = tf.placeholder(tf.float32, [None])
    y = x * 2.0
    sess = tf.Session()
    for size in (3, 4, 3, 4):
        sess.run(y, {x: np.zeros(size, np.float32)})
    assert len(sess._plans) == 2


def test_the_same_name_is_shared_only_where_asked_for():
    with tf.variable_scope("layer"):
        first = tf.get_variable("w", [2, 3])
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("w", [2, 3]) is first
    with tf.variable_scope("layer"), pytest.raises(GraphError, match=r"exists already, made at .*test_session\.py"):
        tf.get_variable("w", [2, 3])
    with tf.variable_scope("layer", reuse=True), pytest.raises(GraphError, match="does not exist"):
        tf.get_variable("nothing", [2])
    assert first.name == "layer/w:0"


def test_random_numbers_follow_the_seeds():
    tf.set_random_seed(1)
    a, b = tf.random_normal([3], seed=5), tf.random_uniform([3], seed=5)
    c = tf.random_normal([3])
    with tf.Session() as sess:
        first, again = sess.run([a, a]), sess.run(a)
        np.testing.assert_array_equal(first[0], first[1])
        assert not np.array_equal(first[0], again)
        assert not np.array_equal(sess.run(b), sess.run(c))
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(a), first[0])


def test_minimize_says_where_no_path_leads():
    v = tf.Variable([1.0, 2.0], name="v")
    loss = tf.reduce_sum(tf.cast(tf.argmax(v), tf.float32))
    with pytest.raises(GraphError, match="'v'"):
        tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@pytest.mark.parametrize("make", [
    lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.RMSPropOptimizer(0.05),
    lambda: tf.train.AdagradOptimizer(0.5)])
def test_optimisers_find_a_minimum(make):
    v = tf.Variable([3.0, -2.0])
    train = make().minimize(tf.reduce_sum(tf.square(v - tf.constant([1.0, 1.0]))))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(200):
            sess.run(train)
        np.testing.assert_allclose(sess.run(v), [1, 1], atol=0.1)


def test_plans_and_the_interpreter_agree_on_a_training_run():
    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
    labels = tf.placeholder(tf.int64, [None])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.matmul(x, w)))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    init = tf.global_variables_initializer()
    rng = np.random.default_rng(0)
    batches = [{x: rng.standard_normal((n, 4), dtype=np.float32), labels: rng.integers(0, 3, n)} for n in (5, 5, 2)]
    results = []
    for options in ({"interpreted": True}, {"numerics": "exact"}, {"numerics": "fast"}, {"passes": []}):
        sess = tf.Session(**options)
        sess.run(init)
        results.append(([sess.run([train, loss], batch)[1] for batch in batches], sess.run(w)))
    for losses, weights in results[1:]:
        assert losses == results[0][0]
        np.testing.assert_array_equal(weights, results[0][1])


def test_squeeze_refuses_what_is_not_one():
    with pytest.raises(ShapeError):
        tf.squeeze(tf.zeros([2, 3]), [0])


def test_saver_round_trip(tmp_path):
    v, w = tf.Variable([1.0, 2.0], name="layer/v"), tf.Variable(3, name="w")
    bump = v.assign(v * 2.0)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(bump)
        path = saver.save(sess, str(tmp_path / "model"), global_step=7)
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    with tf.Session() as sess:
        saver.restore(sess, path)
        np.testing.assert_array_equal(sess.run(v), [2, 4])
        assert sess.run(w) == 3
        with pytest.raises(GraphError, match="no checkpoint"):
            saver.restore(sess, path + "-nope")


def test_a_module_runs_in_both_engines():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int64, [None])
    loss = nn.CrossEntropyLoss()(model(x), y)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert len(tf.trainable_variables()) == 4
    rng = np.random.default_rng(0)
    images, labels = rng.standard_normal((6, 4), dtype=np.float32), np.arange(6) % 3
    sess = tf.Session(numerics="exact")
    sess.run(tf.global_variables_initializer())
    static = [float(sess.run([train, loss], {x: images, y: labels})[1]) for _ in range(3)]
    before = model[0].weight.numpy(force=True).copy()
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    dynamic = []
    for _ in range(3):
        value = nn.CrossEntropyLoss()(model(mg.tensor(images)), mg.tensor(labels))
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        dynamic.append(value.item())
    assert static == dynamic
    trained = model[0].weight.numpy(force=True).copy()
    assert not np.array_equal(before, trained)
    model[0].weight.write_back(before)
    sess.write_back(model)
    np.testing.assert_array_equal(model[0].weight.numpy(force=True), trained)
