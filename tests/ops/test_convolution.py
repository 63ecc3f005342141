"""Convolution: values against SciPy and against loops, gradients to second order, open sizes, layouts, messages."""

import itertools

import numpy as np
import pytest
import scipy.signal

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops import convolution
from minigrad.ops.columns import batch_last, numbers
from minigrad.ops.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    convolve,
    fold_columns,
    unfold_columns,
)
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(5)


def normal(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


class With:
    """A function with fixed options."""

    def __init__(self, function, **options):
        self.function = function
        self.options = options

    def __call__(self, *operands):
        return self.function(*operands, **self.options)


def by_loops(x, w, stride, pads, dilation, groups):
    """A convolution by its definition."""
    rank = w.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    out = [(n - d * (k - 1) - 1) // s + 1
           for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for o in range(w.shape[0]):
        first = o // (w.shape[0] // groups) * w.shape[1]
        for place in itertools.product(*[range(n) for n in out]):
            index = [slice(p * s, p * s + d * (k - 1) + 1, d)
                     for p, s, d, k in zip(place, stride, dilation, w.shape[2:], strict=True)]
            window = x[(slice(None), slice(first, first + w.shape[1]), *index)]
            y[(slice(None), o, *place)] = np.sum(window * w[o], axis=tuple(range(1, rank + 2)))
    return y


SETTINGS = [{}, {"stride": 2}, {"padding": 1}, {"dilation": 2}, {"groups": 2}, {"padding": "same"},
            {"padding": "valid"}, {"stride": 3, "padding": 2, "dilation": 2, "groups": 2}]


def as_options(rank, kernel, stride=1, padding=0, dilation=1, groups=1):
    """Options of `by_loops`."""
    if padding == "valid":
        padding = 0
    pads = ((padding, padding),) * rank if padding != "same" else tuple([((k - 1) // 2, k // 2) for k in kernel])
    return {"stride": (stride,) * rank, "pads": pads, "dilation": (dilation,) * rank, "groups": groups}


# ----- values and gradients
@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize(("function", "size", "kernel"), [
    (conv1d, (9,), (3,)), (conv1d, (9,), (2,)), (conv2d, (6, 7), (2, 3)), (conv3d, (5, 4, 5), (2, 1, 2)),
])
def test_convolutions(function, size, kernel, options):
    groups = options.get("groups", 1)
    x, w, b = normal(2, 2 * groups, *size), normal(4, 2, *kernel), normal(4)
    wanted = by_loops(x, w, **as_options(len(size), kernel, **options)) + b.reshape(-1, *[1] * len(size))
    given = With(function, **options)
    got = given(mg.tensor(x), mg.tensor(w), mg.tensor(b))
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(given(mg.tensor(x[0]), mg.tensor(w), mg.tensor(b)).numpy(), wanted[0], rtol=1e-11,
                               atol=1e-12)
    check_gradients(given, x[:1], w, b, max_elements=6)
    unknown = options.get("padding") != "same"
    engines_agree(given, x, w, b, unknown=unknown)
    engines_agree(given, x.astype(np.float32), w.astype(np.float32), unknown=unknown)


@pytest.mark.parametrize("options", [
    {}, {"stride": 2}, {"padding": 1}, {"stride": 3, "output_padding": 2}, {"dilation": 2, "output_padding": 1},
    {"dilation": 3, "output_padding": 2, "padding": 1}, {"groups": 2},
    {"stride": 2, "padding": 1, "output_padding": 1, "dilation": 2, "groups": 2},
], ids=str)
@pytest.mark.parametrize(("function", "plain", "size", "kernel"), [
    (conv_transpose1d, conv1d, (4,), (3,)), (conv_transpose2d, conv2d, (3, 4), (2, 3)),
    (conv_transpose3d, conv3d, (2, 3, 2), (2, 2, 1)),
])
def test_transposed_convolutions(function, plain, size, kernel, options):
    """They are the gradient of a convolution by its input, whose size `output_padding` decides where strides do not."""
    if 1 in kernel:
        options = {**options, "padding": 0}
    groups = options.get("groups", 1)
    g, w, b = normal(2, 4, *size), normal(4, 2, *kernel), normal(2 * groups)
    given = With(function, **options)
    got = given(mg.tensor(g), mg.tensor(w), mg.tensor(b))
    image = mg.zeros(got.shape, dtype=mg.float64, requires_grad=True)
    forward = {name: value for name, value in options.items() if name != "output_padding"}
    y = plain(image, mg.tensor(w), **forward)
    y = y[(slice(None), slice(None), *[slice(n) for n in size])]  # without windows that output_padding made room for
    assert y.shape == g.shape
    y.backward(mg.tensor(g))
    np.testing.assert_allclose(got.numpy(), image.grad.numpy() + b.reshape(-1, *[1] * len(size)), rtol=1e-11)
    check_gradients(given, g[:1], w, b, max_elements=6)
    engines_agree(given, g, w, b)
    np.testing.assert_allclose(given(mg.tensor(g[0]), mg.tensor(w), mg.tensor(b)).numpy(), got.numpy()[0], rtol=1e-11)


def test_against_scipy():
    x, w = normal(1, 1, 12, 11), normal(1, 1, 4, 5)
    np.testing.assert_allclose(conv2d(x, w)[0, 0], scipy.signal.correlate2d(x[0, 0], w[0, 0], "valid"))
    np.testing.assert_allclose(conv_transpose2d(x, w)[0, 0], scipy.signal.convolve2d(x[0, 0], w[0, 0]))


def test_paddings_by_side():
    x, w = normal(2, 3, 5, 5), normal(4, 3, 3, 3)
    pads = ((1, 2), (0, 3))
    wanted = by_loops(x, w, (2, 1), pads, (1, 1), 1)
    np.testing.assert_allclose(convolve(x, w, (2, 1), pads, (1, 1)), wanted)
    check_gradients(With(convolve, stride=(2, 1), pads=pads, dilation=(1, 1)), x[:1], w, max_elements=9)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_rows_of_windows_that_do_not_fit_the_cache_at_once(monkeypatch, count):
    monkeypatch.setattr(convolution, "SLAB", count * 8 * 3 * 9 * 6 * 2)
    x, w = normal(2, 3, 7, 8), normal(4, 3, 3, 3)
    np.testing.assert_allclose(conv2d(x, w), by_loops(x, w, (1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    check_gradients(conv2d, x[:1], w, max_elements=9)
    grouped = With(conv2d, stride=2, groups=3, padding=1)
    check_gradients(grouped, x, normal(3, 1, 3, 3), max_elements=9)


def test_operands_in_any_layout():
    x, w = normal(5, 2, 6, 7), normal(3, 2, 2, 3)
    wanted = conv2d(x, w)
    for order in ((0, 1, 2, 3), (1, 2, 3, 0), (0, 2, 3, 1), (3, 2, 1, 0)):
        back = np.argsort(order)
        same = np.ascontiguousarray(x.transpose(order)).transpose(back)
        np.testing.assert_allclose(conv2d(same, w), wanted, rtol=1e-12)
        t = mg.tensor(x, requires_grad=True)
        conv2d(t, mg.tensor(w)).backward(mg.tensor(np.ascontiguousarray(wanted.transpose(order)).transpose(back)))
        np.testing.assert_allclose(t.grad.numpy(), conv_transpose2d(wanted, w), rtol=1e-12)
    np.testing.assert_allclose(conv2d(x[::2, ::-1], w[:, ::-1]), conv2d(x, w)[::2], rtol=1e-12)


def test_images_stay_in_their_memory_order():
    """What a convolution returns has the batch last in memory, so the next one need not turn it."""
    y = conv2d(normal(5, 2, 6, 7), normal(3, 2, 2, 3))
    relu = np.maximum(y, 0)
    assert np.shares_memory(batch_last(np, relu, ((0, 0), (0, 0)), relu.dtype), relu)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_stays(dtype):
    x = mg.tensor(normal(2, 3, 5, 5), dtype=dtype, requires_grad=True)
    w = mg.tensor(normal(4, 3, 3, 3), dtype=dtype, requires_grad=True)
    b = mg.tensor(normal(4), dtype=dtype, requires_grad=True)
    y = conv2d(x, w, b)
    y.sum().backward()
    assert [t.dtype for t in (y, x.grad, w.grad, b.grad)] == [dtype] * 4


def test_half_precision_is_summed_in_single():
    x, w = np.ones((1, 4096, 1, 1), np.float16), np.ones((1, 4096, 1, 1), np.float16)
    assert conv2d(x, w).item() == 4096


def test_empty_batches():
    x = mg.zeros(0, 3, 5, 5, requires_grad=True)
    w = mg.ones(4, 3, 3, 3, requires_grad=True)
    y = conv2d(x, w, mg.ones(4), padding=1)
    assert y.shape == (0, 4, 5, 5)
    y.sum().backward()
    assert x.grad.shape == x.shape
    assert w.grad.abs().sum().item() == 0


def test_gradients_of_what_is_wanted_only():
    x, w = mg.ones(1, 2, 4, 4), mg.ones(3, 2, 2, 2, requires_grad=True)
    conv2d(x, w, mg.zeros(3)).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 9)


# ----- graphs
@pytest.mark.parametrize("known", [(None, 3, 8, 8), (None, 3, None, None), (None, None, None, None)])
@pytest.mark.parametrize("options", [{"padding": 1}, {"stride": 2, "dilation": 2}])
def test_open_sizes(known, options):
    x, w, b = normal(2, 3, 8, 8), normal(4, 3, 3, 3), normal(4)
    given = With(conv2d, **options)
    tensors = [mg.tensor(a, requires_grad=True) for a in (x, w, b)]
    y = given(*tensors)
    (y * y).sum().backward()
    with tf.Graph().as_default(), tf.Session() as session:
        nodes = [tf.placeholder("float64", known), tf.placeholder("float64", w.shape), tf.placeholder("float64", [4])]
        z = given(*nodes)
        assert z.shape[1] == 4
        got = session.run([z, *tf.gradients(z * z, nodes)], dict(zip(nodes, (x, w, b), strict=True)))
    for value, wanted in zip(got, [y, *[t.grad for t in tensors]], strict=True):
        np.testing.assert_allclose(value, wanted.detach().numpy(), rtol=1e-11)


def test_shapes_that_a_graph_knows():
    with tf.Graph().as_default():
        x = tf.placeholder("float32", [None, 3, 28, 28])
        w = tf.zeros([6, 3, 5, 5])
        batch = x.shape[0]
        assert conv2d(x, w).shape == (batch, 6, 24, 24)
        assert conv2d(x, w, stride=2, padding=2).shape == (batch, 6, 14, 14)
        assert conv_transpose2d(x, tf.zeros([3, 2, 4, 4]), stride=2, padding=1).shape == (batch, 2, 56, 56)
        assert unfold_columns(x, 4, stride=4).shape == (batch, 48, 49)


def test_transposed_convolution_with_open_sizes():
    x, w = normal(2, 3, 4, 5), normal(3, 2, 3, 3)
    given = With(conv_transpose2d, stride=2, padding=1)
    with tf.Graph().as_default(), tf.Session() as session:
        node = tf.placeholder("float64", [None, 3, None, None])
        y = given(node, tf.constant(w))
        (gradient,) = tf.gradients(y * y, [node])
        got = session.run([y, gradient], {node: x})
    t = mg.tensor(x, requires_grad=True)
    y = given(t, mg.tensor(w))
    (y * y).sum().backward()
    np.testing.assert_allclose(got[0], y.detach().numpy())
    np.testing.assert_allclose(got[1], t.grad.numpy())


# ----- windows as columns
@pytest.mark.parametrize("options", [{}, {"stride": 2}, {"padding": 1}, {"dilation": 2},
                                     {"stride": (2, 3), "padding": (0, 1)}], ids=str)
def test_unfold_and_fold(options):
    x = normal(2, 3, 6, 7)
    given = With(unfold_columns, kernel_size=(2, 3), **options)
    columns = given(x)
    w = normal(4, 3, 2, 3)
    wanted = conv2d(x, w, **options)
    np.testing.assert_allclose((w.reshape(4, -1) @ columns).reshape(wanted.shape), wanted, rtol=1e-11)
    check_gradients(given, x[:1, :2], max_elements=9)
    engines_agree(given, x)
    np.testing.assert_array_equal(given(x[0]), columns[0])
    back = With(fold_columns, output_size=(6, 7), kernel_size=(2, 3), **options)
    c = normal(*columns.shape)
    np.testing.assert_allclose(np.sum(back(c) * x), np.sum(c * columns))  # adjoint of each other
    check_gradients(back, c[:1], max_elements=9)
    engines_agree(back, c)
    np.testing.assert_array_equal(back(c[0]), back(c)[0])


def test_fold_counts_how_often_windows_overlap():
    ones = mg.ones(1, 1, 4, 4)
    counts = fold_columns(unfold_columns(ones, 3), 4, 3)
    assert counts[0, 0].tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [2, 4, 4, 2], [1, 2, 2, 1]]


# ----- messages
@pytest.mark.parametrize(("shapes", "options", "text"), [
    (((1, 3, 5, 5), (4, 2, 3, 3)), {}, "has 3 channels, but weight .* groups=1 expects 2"),
    (((1, 4, 5, 5), (4, 4, 3, 3)), {"groups": 2}, "has 4 channels, but weight .* groups=2 expects 8"),
    (((1, 4, 5, 5), (3, 2, 3, 3)), {"groups": 2}, "3 output channels cannot be divided into 2 groups"),
    (((1, 3, 2, 5), (4, 3, 3, 3)), {}, "a window of 3 does not fit into size 2"),
    (((1, 3, 4, 5), (4, 3, 3, 3)), {"dilation": 2}, "a window of 5 does not fit into size 4"),
    (((3, 5), (4, 3, 3, 3)), {}, r"expected input with 4 dimensions \(or 3 without a batch\), got shape \(3, 5\)"),
    (((1, 3, 5, 5), (4, 3, 3)), {}, "different numbers of dimensions"),
    (((1, 3, 5, 5), (4, 3, 3, 3), (3,)), {}, "a bias of shape .* does not fit"),
    (((1, 3, 5, 5), (4, 3, 3, 3)), {"padding": "same", "stride": 2}, "needs stride 1"),
    (((1, 3, 5, 5), (4, 3, 3, 3)), {"stride": (1, 2, 3)}, "expected a number or 2 of them"),
])
def test_shapes_that_do_not_fit(shapes, options, text):
    with pytest.raises(ShapeError, match=text):
        conv2d(*[mg.ones(*shape) for shape in shapes], **options)
    with tf.Graph().as_default(), pytest.raises(ShapeError, match=text):
        conv2d(*[tf.ones(shape) for shape in shapes], **options)


@pytest.mark.parametrize("options", [{"stride": 0}, {"dilation": 0}, {"padding": -1}, {"groups": 0},
                                     {"padding": "full"}])
def test_settings_that_make_no_sense(options):
    with pytest.raises(InvalidArgumentError, match=r"at least|'same' or 'valid'"):
        conv2d(mg.ones(1, 2, 4, 4), mg.ones(2, 2, 2, 2), **options)


def test_mixed_dtypes_are_refused():
    x, w, wide = mg.ones(1, 2, 4, 4), mg.ones(2, 2, 2, 2), mg.ones(2, dtype=mg.float64)
    with pytest.raises(DtypeError, match="one dtype but got float32 and float64"):
        conv2d(x, w.double())
    with pytest.raises(DtypeError, match="one dtype but got float32 and float64"):
        conv2d(x, w, wide)
    with pytest.raises(DtypeError, match="one dtype but got float32 and float64"):
        conv_transpose2d(x, w.double())
    with pytest.raises(DtypeError, match="the bias is float64"):
        conv_transpose2d(x, w, wide)


def test_messages_of_transposed_convolutions_and_folds():
    x, w = mg.ones(1, 2, 4, 4), mg.ones(2, 2, 2, 2)
    with pytest.raises(ShapeError, match="output_padding 1 must be smaller than stride 1 or dilation 1"):
        conv_transpose2d(x, w, output_padding=1)
    with pytest.raises(ShapeError, match="the result would have size -1"):
        conv_transpose2d(x, w, padding=3)
    with pytest.raises(ShapeError, match=r"has 2 channels, weight .* expects 3"):
        conv_transpose2d(x, mg.ones(3, 2, 2, 2))
    with tf.Graph().as_default(), pytest.raises(ShapeError, match="follows from the sizes of the weight"):
        conv2d(tf.ones([1, 2, 4, 4]), tf.placeholder("float32", [2, 2, None, None]), padding="same")
    with pytest.raises(ShapeError, match=r"do not fit windows of \(2, 2\)"):
        fold_columns(mg.ones(1, 8, 8), 4, 2)
    with pytest.raises(ShapeError, match="expected columns"):
        fold_columns(mg.ones(1, 1, 8, 8), 4, 2)


def test_numbers():
    assert numbers("f", 2, 3) == (2, 2, 2)
    assert numbers("f", np.int64(2), 2) == (2, 2)
    assert numbers("f", [1, 2], 2) == (1, 2)
    assert numbers("f", (3,), 2) == (3, 3)
