"""Normalisations, distances and similarities: values by their formulas, running statistics, refusals, both engines."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import distances, normalization
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients


def random_array(*shape):
    return np.random.default_rng(list(shape)).normal(size=shape)


def standardized(x, axes, eps):
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps)


# ----- over the last dimensions
@pytest.mark.parametrize("shape", [5, (5,), (4, 5), (3, 4, 5)])
def test_layer_norm(shape):
    x = random_array(3, 4, 5)
    sizes = (shape,) if isinstance(shape, int) else shape
    weight, bias = random_array(*sizes), random_array(1, *sizes)[0]
    axes = tuple(range(3 - len(sizes), 3))
    expected = standardized(x, axes, 0.1) * weight + bias
    np.testing.assert_allclose(normalization.layer_norm(x, shape, weight, bias, 0.1), expected)
    np.testing.assert_allclose(normalization.layer_norm(x, shape), standardized(x, axes, 1e-5))
    check_gradients(lambda a, w, b: normalization.layer_norm(a, shape, w, b), x, weight, bias, max_elements=6,
                    rtol=1e-4)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_layer_norm_keeps_the_dtype(dtype):
    x = mg.tensor(random_array(4, 300).astype(dtype) * 50, requires_grad=True)
    weight = mg.ones(300, dtype=dtype, requires_grad=True)
    y = normalization.layer_norm(x, 300, weight)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.detach().numpy().astype(np.float64).std(1), 1, rtol=1e-3)
    y.sum().backward()
    assert x.grad.dtype == dtype
    assert weight.grad.dtype == dtype


def test_layer_norm_of_equal_elements():
    x = mg.full((2, 3), 7.0, requires_grad=True)
    y = normalization.layer_norm(x, 3)
    y[0, 0].backward()
    assert y.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert np.isfinite(x.grad.numpy()).all()


def test_layer_norm_refuses():
    x = mg.zeros(2, 3)
    with pytest.raises(ShapeError, match=r"normalized_shape \(2,\) must be the last sizes.*\(2, 3\)"):
        normalization.layer_norm(x, 2)
    with pytest.raises(ShapeError, match=r"weight must have normalized_shape \(3,\), not \(2,\)"):
        normalization.layer_norm(x, 3, mg.ones(2))
    with pytest.raises(DtypeError):
        normalization.layer_norm(mg.tensor([[1, 2]]), 2)
    with pytest.raises(ShapeError):
        normalization.layer_norm(x, ())


def test_rms_norm():
    x, weight = random_array(3, 4, 5), random_array(5)
    expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.1) * weight
    np.testing.assert_allclose(normalization.rms_norm(x, 5, weight, 0.1), expected)
    expected = x / np.sqrt((x * x).mean((1, 2), keepdims=True) + np.finfo(np.float64).eps)
    np.testing.assert_allclose(normalization.rms_norm(x, (4, 5)), expected)
    check_gradients(lambda a, w: normalization.rms_norm(a, 5, w, 0.1), x, weight, max_elements=6)
    with pytest.raises(DtypeError, match="rms_norm is defined for floats"):
        normalization.rms_norm(np.array([1, 2]), 2)


# ----- in groups, batches, instances
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("extra", [(2,), (3, 2)])
def test_group_norm(groups, extra):
    x, weight, bias = random_array(4, 6, *extra), random_array(6), random_array(1, 6)[0]
    rows = standardized(x.reshape(4, groups, -1), 2, 1e-5).reshape(x.shape)
    channels = (slice(None), *[None] * len(extra))
    np.testing.assert_allclose(normalization.group_norm(x, groups), rows)
    ours = normalization.group_norm(x, groups, weight, bias)
    np.testing.assert_allclose(ours, rows * weight[channels] + bias[channels])
    with pytest.raises(ShapeError, match="cannot be divided into 4 groups"):
        normalization.group_norm(x, 4)
    assert normalization.group_norm(np.zeros((0, 6, 2)), groups).shape == (0, 6, 2)


@pytest.mark.parametrize("shape", [(8, 3), (4, 3, 5), (2, 3, 4, 2)])
def test_batch_norm(shape):
    x, weight, bias = random_array(*shape), random_array(3), random_array(1, 3)[0]
    axes = (0, *range(2, len(shape)))
    channels = (slice(None), *[None] * (len(shape) - 2))
    mean, var, count = x.mean(axes), x.var(axes), x.size // 3
    running_mean = mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64)
    running_var = mg.tensor([1.0, 1.0, 2.0], dtype=mg.float64)
    before = running_mean.numpy().copy(), running_var.numpy().copy()
    y = normalization.batch_norm(mg.tensor(x), running_mean, running_var, mg.tensor(weight), mg.tensor(bias), True, 0.3)
    expected = standardized(x, axes, 1e-5) * weight[channels] + bias[channels]
    np.testing.assert_allclose(y.numpy(), expected)
    np.testing.assert_allclose(running_mean.numpy(), 0.7 * before[0] + 0.3 * mean)
    np.testing.assert_allclose(running_var.numpy(), 0.7 * before[1] + 0.3 * var * count / (count - 1))
    y = normalization.batch_norm(mg.tensor(x), running_mean, running_var, mg.tensor(weight), mg.tensor(bias))
    m, v = running_mean.numpy()[channels], running_var.numpy()[channels]
    np.testing.assert_allclose(y.numpy(), (x - m) / np.sqrt(v + 1e-5) * weight[channels] + bias[channels])
    np.testing.assert_allclose(normalization.batch_norm(x, None, None, training=True), standardized(x, axes, 1e-5))
    check_gradients(lambda a, w, b: normalization.batch_norm_with_stats(a, w, b), x, weight, bias, max_elements=6)


def test_updating_running_statistics_leaves_no_trace():
    x = mg.tensor(random_array(4, 2), requires_grad=True)
    running = mg.zeros(2, dtype=mg.float64), mg.ones(2, dtype=mg.float64)
    y = normalization.batch_norm(x, *running, training=True)
    assert not running[0].requires_grad
    assert not running[1].requires_grad
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 0, atol=1e-12)
    arrays = np.zeros(2), np.ones(2)
    normalization.batch_norm(random_array(4, 2), *arrays, training=True)
    assert arrays[0].tolist() == [0, 0]  # only tensors are written


def test_batch_norm_refuses():
    with pytest.raises(ShapeError, match=r"more than one value for each channel.*\(1, 3\)"):
        normalization.batch_norm(mg.zeros(1, 3), None, None, training=True)
    with pytest.raises(ShapeError, match="running_mean must have one element for each of the 3 channels"):
        normalization.batch_norm(mg.zeros(2, 3), mg.zeros(2), mg.ones(3))
    with pytest.raises(ShapeError, match="weight must have"):
        normalization.batch_norm(mg.zeros(2, 3), None, None, mg.ones(3, 1), training=True)
    with pytest.raises(ShapeError, match="batch, channels"):
        normalization.batch_norm(mg.tensor(0.0), None, None, training=True)


def test_instance_norm():
    x, weight, bias = random_array(2, 3, 5), random_array(3), random_array(1, 3)[0]
    rows = standardized(x, 2, 1e-5)
    np.testing.assert_allclose(normalization.instance_norm(x), rows)
    ours = normalization.instance_norm(x, weight=weight, bias=bias)
    np.testing.assert_allclose(ours, rows * weight[:, None] + bias[:, None])
    running = mg.zeros(3, dtype=mg.float64), mg.ones(3, dtype=mg.float64)
    normalization.instance_norm(mg.tensor(x), *running, momentum=0.5)
    np.testing.assert_allclose(running[0].numpy(), 0.5 * x.mean(2).mean(0))
    np.testing.assert_allclose(running[1].numpy(), 0.5 + 0.5 * x.var(2, ddof=1).mean(0))
    y = normalization.instance_norm(mg.tensor(x), *running, use_input_stats=False)
    mean, var = running[0].numpy()[:, None], running[1].numpy()[:, None]
    np.testing.assert_allclose(y.numpy(), (x - mean) / np.sqrt(var + 1e-5))
    with pytest.raises(ShapeError, match="running_mean and running_var are needed"):
        normalization.instance_norm(x, use_input_stats=False)
    with pytest.raises(ShapeError, match="more than one value"):
        normalization.instance_norm(np.zeros((2, 3, 1)))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_local_response_norm(size):
    x = random_array(2, 5, 3)
    squares = np.zeros_like(x)
    for channel in range(5):
        first = channel - size // 2
        near = [c for c in range(first, first + size) if 0 <= c < 5]
        squares[:, channel] = (x[:, near] ** 2).sum(1)
    expected = x / (2 + 0.5 * squares / size) ** 0.75
    np.testing.assert_allclose(normalization.local_response_norm(x, size, alpha=0.5, k=2.0), expected)
    with pytest.raises(ShapeError, match="at least three dimensions"):
        normalization.local_response_norm(np.zeros((2, 3)), size)


# ----- lengths and distances
@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_lengths_and_distances(p):
    x, y = random_array(3, 4), random_array(4)
    np.testing.assert_allclose(normalization.normalize(x, p), x / np.linalg.norm(x, p, axis=1, keepdims=True))
    expected = np.linalg.norm(x - y + 1e-6, p, axis=1)
    np.testing.assert_allclose(distances.pairwise_distance(x, y, p), expected)
    assert distances.pairwise_distance(x, y, p, keepdim=True).shape == (3, 1)
    rows = random_array(2, 5, 4)
    expected = np.linalg.norm(x[:, None] - rows[:, None], p, axis=-1)
    np.testing.assert_allclose(distances.cdist(x, rows, p), expected)


def test_no_length():
    x = mg.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    y = normalization.normalize(x)
    assert y[0].tolist() == [0, 0]
    distances.cdist(x, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[-1.2, -1.6], [1.2, 1.6]], rtol=1e-6)
    assert distances.cosine_similarity(x.detach(), x.detach()).tolist() == [0, 1]


def test_cosine_similarity():
    x, y = random_array(3, 4), random_array(1, 3, 4)[0]
    expected = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    np.testing.assert_allclose(distances.cosine_similarity(x, y), expected)
    np.testing.assert_allclose(distances.cosine_similarity(x, y[0], -1)[0], expected[0])
    check_gradients(distances.cosine_similarity, x, y)


def test_cdist_of_few_rows():
    assert distances.cdist(np.zeros((0, 2)), np.zeros((3, 2))).shape == (0, 3)
    assert distances.cdist(np.zeros((2, 0)), np.zeros((3, 0))).tolist() == [[0, 0, 0], [0, 0, 0]]
    with pytest.raises(ShapeError, match="rows of one length"):
        distances.cdist(np.zeros((2, 3)), np.zeros((2, 4)))


# ----- both engines
WEIGHT, BIAS = random_array(4), random_array(1, 4)[0]
COMPOSED = {
    "layer_norm": lambda x: normalization.layer_norm(x, (3,)),
    "rms_norm": lambda x: normalization.rms_norm(x, 3, None, 0.1),
    "group_norm": lambda x: normalization.group_norm(x, 2, WEIGHT, BIAS),
    "batch_norm": lambda x: normalization.batch_norm_with_stats(x, WEIGHT, BIAS),
    "evaluation": lambda x: normalization.batch_norm(x, BIAS, WEIGHT**2, WEIGHT, BIAS),
    "instance_norm": lambda x: normalization.instance_norm(x, weight=WEIGHT, bias=BIAS),
    "local_response_norm": lambda x: normalization.local_response_norm(x, 3),
    "normalize": normalization.normalize,
    "cosine_similarity": lambda x: distances.cosine_similarity(x, x * x),
    "cdist": lambda x: distances.cdist(x, x * x),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_engines_agree(name):
    known = name in ("layer_norm", "rms_norm", "group_norm")  # they are told sizes, which must be known
    engines_agree(COMPOSED[name], random_array(2, 4, 3), order=2, unknown=not known)
    if not known:
        engines_agree(COMPOSED[name], random_array(2, 4, 3))
