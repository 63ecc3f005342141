"""Images in other sizes: pixel shuffling, interpolation along each axis, gradients, open sizes, messages."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops.resizing import interpolate, pixel_shuffle, pixel_unshuffle, without_repeats
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(9)


def normal(*shape):
    return RNG.standard_normal(shape)


class With:
    """A function of one tensor with fixed arguments."""

    def __init__(self, function, *args, **options):
        self.function = function
        self.args = args
        self.options = options

    def __call__(self, x):
        return self.function(x, *self.args, **self.options)


# ----- channels and pixels
@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_pixel_shuffling(lead):
    x = normal(*lead, 8, 2, 3)
    y = pixel_shuffle(x, 2)
    assert y.shape == (*lead, 2, 4, 6)
    for c, i, j in np.ndindex(2, 4, 6):
        np.testing.assert_array_equal(y[..., c, i, j], x[..., c * 4 + i % 2 * 2 + j % 2, i // 2, j // 2])
    np.testing.assert_array_equal(pixel_unshuffle(y, 2), x)
    check_gradients(With(pixel_shuffle, 2), x, max_elements=6)
    check_gradients(With(pixel_unshuffle, 2), y, max_elements=6)
    engines_agree(With(pixel_shuffle, 2), x, unknown=False)


def test_pixel_shuffling_with_open_sizes():
    x = normal(2, 8, 2, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        node = tf.placeholder("float64", [None, 8, None, None])
        y = pixel_shuffle(node, 2)
        assert y.shape[1] == 2
        np.testing.assert_array_equal(session.run(y, {node: x}), pixel_shuffle(x, 2))
        np.testing.assert_array_equal(session.run(pixel_unshuffle(y, 2), {node: x}), x)


def test_messages_of_pixel_shuffling():
    with pytest.raises(ShapeError, match=r"6 channels of shape \(6, 2, 2\) cannot be divided by 2 \* 2"):
        pixel_shuffle(mg.ones(6, 2, 2), 2)
    with pytest.raises(ShapeError, match="cannot be divided by 2"):
        pixel_unshuffle(mg.ones(1, 3, 2), 2)
    with pytest.raises(ShapeError, match=r"expected .*channels, height, width"):
        pixel_shuffle(mg.ones(4, 4), 2)


# ----- interpolation
def test_nearest():
    x = np.arange(4.0).reshape(1, 1, 4)
    assert interpolate(x, 8).tolist() == [[[0, 0, 1, 1, 2, 2, 3, 3]]]
    assert interpolate(x, 3).tolist() == [[[0, 1, 2]]]
    assert interpolate(x, 3, mode="nearest-exact").tolist() == [[[0, 2, 3]]]
    assert interpolate(x, scale_factor=0.5).tolist() == [[[0, 2]]]
    np.testing.assert_array_equal(interpolate(x[..., None], (4, 2))[0, 0], np.repeat(x[0, 0, :, None], 2, 1))


def test_nearest_takes_integers_and_leaves_infinities_where_they_are():
    y = interpolate(mg.tensor([[[1, 2]]]), 4)
    assert (y.dtype, y.tolist()) == (np.int64, [[[1, 1, 2, 2]]])
    assert interpolate(np.array([[[np.inf, 1.0, np.nan]]]), 3).tolist()[0][0][:2] == [np.inf, 1]
    assert interpolate(np.array([[[np.inf, 1.0, 2.0, 3.0]]]), 8, mode="linear")[0, 0, 4:].tolist() == [1.75, 2.25, 2.75,
                                                                                                     3]


def test_linear():
    x = np.array([[[0.0, 10.0]]])
    assert interpolate(x, 4, mode="linear").tolist() == [[[0, 2.5, 7.5, 10]]]
    assert interpolate(x, 5, mode="linear", align_corners=True).tolist() == [[[0, 2.5, 5, 7.5, 10]]]
    assert interpolate(x, 1, mode="linear", align_corners=True).tolist() == [[[0]]]
    image = normal(1, 1, 3, 4)
    y = interpolate(image, (5, 7), mode="bilinear", align_corners=True)[0, 0]
    for i, j in np.ndindex(5, 7):
        row, column = i * 2 / 4, j * 3 / 6
        a, b = int(row), int(column)
        corners = image[0, 0, a:a + 2, b:b + 2]
        weights = np.outer([1 - row + a, row - a][:corners.shape[0]], [1 - column + b, column - b][:corners.shape[1]])
        assert y[i, j] == pytest.approx(np.sum(corners * weights))


@pytest.mark.parametrize("align_corners", [False, True])
def test_cubics_are_exact_for_lines(align_corners):
    x = np.arange(8.0).reshape(1, 1, 8, 1) + np.arange(8.0) * 2
    y = interpolate(x, 15, mode="bicubic", align_corners=align_corners)[0, 0]
    steps = np.diff(y, axis=0)[4:-4]
    if align_corners:  # a kernel of Keys with a = -0.75 is exact at elements and half-way
        np.testing.assert_allclose(steps, 0.5, atol=1e-12)
    np.testing.assert_allclose(y[7, 7], x[0, 0].mean(), atol=1e-12)


def test_scales_are_taken_as_given_or_recomputed():
    x = np.arange(3.0).reshape(1, 1, 3)
    given = interpolate(x, scale_factor=1.4, mode="linear")
    recomputed = interpolate(x, scale_factor=1.4, mode="linear", recompute_scale_factor=True)
    assert given.shape == recomputed.shape == (1, 1, 4)
    np.testing.assert_array_equal(recomputed, interpolate(x, 4, mode="linear"))
    np.testing.assert_allclose(given[0, 0, 1], 1.5 / 1.4 - 0.5)


@pytest.mark.parametrize(("mode", "rank"), [("nearest", 1), ("nearest", 3), ("nearest-exact", 2), ("linear", 1),
                                            ("bilinear", 2), ("trilinear", 3), ("bicubic", 2), ("area", 2)])
@pytest.mark.parametrize("options", [{"size": 5}, {"size": 2}, {"scale_factor": 1.5}])
def test_gradients_and_engines(mode, rank, options):
    x = normal(1, 2, *(3, 4, 2)[:rank])
    function = With(interpolate, mode=mode, **options)
    check_gradients(function, x, max_elements=8)
    engines_agree(function, x, unknown=False)
    y = function(mg.tensor(x, dtype=mg.float16))
    assert y.dtype == np.float16


def test_every_element_gets_its_share():
    """The weights of a linear interpolation add up to 1, so gradients add up to the number of results."""
    x = mg.ones(1, 1, 3, 4, requires_grad=True)
    interpolate(x, (7, 5), mode="bilinear").sum().backward()
    assert x.grad.sum().item() == pytest.approx(35)


def test_places_are_divided_into_parts_without_repeats():
    places = np.array([0, 0, 0, 1, 3, 3])
    parts = without_repeats(places)
    assert [part.tolist() for part in parts] == [[0, 3, 4], [1, 5], [2]]
    assert without_repeats(np.array([], int)) == []


@pytest.mark.parametrize("options", [{"size": (5, 7)}, {"scale_factor": 2}])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_open_sizes(options, mode):
    x = normal(2, 3, 4, 5)
    function = With(interpolate, mode=mode, **options)
    t = mg.tensor(x, requires_grad=True)
    y = function(t)
    (y * y).sum().backward()
    with tf.Graph().as_default(), tf.Session() as session:
        node = tf.placeholder("float64", [None, 3, None, None])
        z = function(node)
        assert z.shape[1] == 3
        got = session.run([z, *tf.gradients(z * z, [node])], {node: x})
    np.testing.assert_allclose(got[0], y.detach().numpy())
    np.testing.assert_allclose(got[1], t.grad.numpy())


@pytest.mark.parametrize(("options", "error", "text"), [
    ({}, InvalidArgumentError, "either size or scale_factor"),
    ({"size": 2, "scale_factor": 2}, InvalidArgumentError, "either size or scale_factor"),
    ({"size": 2, "mode": "linear"}, ShapeError, "'linear' is for 1 dimensions besides batch and channels"),
    ({"size": 2, "mode": "best"}, InvalidArgumentError, "there is no mode 'best'; use one of nearest"),
    ({"size": (2, 2, 2)}, ShapeError, "expected a number or 2 of them"),
    ({"size": 0}, ShapeError, "0 leaves nothing"),
    ({"scale_factor": 0.1}, ShapeError, "0.1 leaves nothing of a size of 4"),
    ({"size": 2, "align_corners": True}, InvalidArgumentError, "align_corners has no meaning for mode 'nearest'"),
    ({"size": 2, "mode": "bilinear", "antialias": True}, InvalidArgumentError, "antialias is not offered"),
])
def test_messages(options, error, text):
    with pytest.raises(error, match=text):
        interpolate(mg.ones(1, 1, 4, 4), **options)


def test_messages_about_the_input():
    with pytest.raises(ShapeError, match=r"expected images \(N, C, \*size\), got shape \(4, 4\)"):
        interpolate(mg.ones(4, 4), 2)
    with pytest.raises(DtypeError, match="defined for floats, not for int64"):
        interpolate(mg.ones(1, 1, 4, dtype=mg.int64), 2, mode="linear")
