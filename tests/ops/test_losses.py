"""Losses: analytic values, extremes, reductions, class weights, refusals, both engines."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import InvalidArgumentError, ShapeError, TensorIndexError
from minigrad.ops import losses
from minigrad.ops.softmax import log_softmax
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

INF = np.inf


def value_and_gradient(loss, x, *rest, **options):
    """``loss(x, ...)`` and its gradient by x, as arrays."""
    x = mg.tensor(np.asarray(x, dtype=np.float64), requires_grad=True)
    y = loss(x, *[mg.tensor(np.asarray(r)) for r in rest], **options)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def random_arrays(count, *shape, seed=0):
    generator = np.random.default_rng([seed, *shape])
    return [generator.normal(size=shape) for _ in range(count)]


# ----- losses that compare element by element
ELEMENTWISE = [losses.mse_loss, losses.l1_loss, losses.smooth_l1_loss, losses.huber_loss, losses.binary_cross_entropy,
               losses.binary_cross_entropy_with_logits]


@pytest.mark.parametrize("loss", ELEMENTWISE)
def test_unequal_shapes_are_refused(loss):
    for a, b in (((3, 1), (3,)), ((3,), (1,)), ((), (1,)), ((2, 3), (3, 2))):
        with pytest.raises(ShapeError, match="differ, and broadcasting"):
            loss(mg.full(a, 0.5), mg.full(b, 0.5))
    assert loss(mg.full((3, 1), 0.5), mg.full((3, 1), 0.5)).shape == ()


@pytest.mark.parametrize("loss", ELEMENTWISE)
def test_reductions(loss):
    p = np.random.default_rng(0).uniform(size=(2, 3))
    x, t = mg.tensor(p), mg.tensor(p[::-1].copy())
    each = loss(x, t, reduction="none")
    assert each.shape == (2, 3)
    np.testing.assert_allclose(loss(x, t).item(), each.mean().item())
    np.testing.assert_allclose(loss(x, t, reduction="sum").item(), each.sum().item())
    with pytest.raises(InvalidArgumentError, match="\"mean\", \"sum\" or \"none\", not 'avg'"):
        loss(x, t, reduction="avg")


def test_old_spellings_of_reductions():
    x, t = mg.tensor([1.0, 2.0]), mg.tensor([0.0, 0.0])
    assert losses.mse_loss(x, t, size_average=False).item() == 5
    assert losses.mse_loss(x, t, reduce=False).tolist() == [1, 4]
    assert losses.mse_loss(x, t, reduce=True).item() == 2.5


def test_values_of_distances():
    x, t = np.array([0.0, 0.5, -3.0]), np.zeros(3)
    assert losses.l1_loss(x, t, reduction="none").tolist() == [0, 0.5, 3]
    assert losses.smooth_l1_loss(x, t, reduction="none").tolist() == [0, 0.125, 2.5]
    assert losses.smooth_l1_loss(x, t, reduction="none", beta=0).tolist() == [0, 0.5, 3]
    assert losses.huber_loss(x, t, reduction="none", delta=2.0).tolist() == [0, 0.125, 4]
    assert value_and_gradient(losses.l1_loss, x, t, reduction="sum")[1].tolist() == [0, 1, -1]
    assert losses.mse_loss(x, t, weight=np.array([1.0, 4.0, 0.0]), reduction="sum") == 1
    with pytest.raises(InvalidArgumentError, match="delta must be above 0"):
        losses.huber_loss(x, t, delta=0)
    with pytest.raises(InvalidArgumentError, match="beta must be at least 0"):
        losses.smooth_l1_loss(x, t, beta=-1)


# ----- binary cross-entropy
@pytest.mark.parametrize(("x", "t", "loss", "gradient"), [
    (0.0, 0.0, 0.6931471805599453, 0.5),
    (-100.0, 0.0, 3.720075976020836e-44, 3.720075976020836e-44),
    (100.0, 0.0, 100.0, 1.0),
    (-50.0, 1.0, 50.0, -1.0),
    (37.42994775023705, 1.0, 5.551115123125776e-17, -5.551115123125776e-17),
    (-37.42994775023705, 0.0, 5.551115123125776e-17, 5.551115123125776e-17),
    (1e8, 1.0, 0.0, 0.0),
    (1e8, 0.0, 1e8, 1.0),
    (-1e8, 1.0, 1e8, -1.0),
    (-1e8, 0.0, 0.0, 0.0),
])
def test_binary_cross_entropy_of_logits(x, t, loss, gradient):
    y, g = value_and_gradient(losses.binary_cross_entropy_with_logits, [x], [t])
    np.testing.assert_allclose(y, loss, rtol=1e-15)
    np.testing.assert_allclose(g, [gradient], rtol=1e-15)
    y, g = value_and_gradient(losses.binary_cross_entropy_with_logits, [x], [t], pos_weight=mg.tensor([1.0]))
    np.testing.assert_allclose(y, loss, rtol=1e-15)
    np.testing.assert_allclose(g, [gradient], rtol=1e-15)


def test_binary_cross_entropy_of_logits_is_symmetric():
    x = np.random.default_rng(1).normal(size=20) * 30
    ones, zeros = np.ones(20), np.zeros(20)
    _, up = value_and_gradient(losses.binary_cross_entropy_with_logits, x, ones)
    _, down = value_and_gradient(losses.binary_cross_entropy_with_logits, -x, zeros)
    np.testing.assert_array_equal(up, -down)


def test_binary_cross_entropy_of_probabilities():
    x, t = np.array([0.0, 1.0, 0.25, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    y, g = value_and_gradient(losses.binary_cross_entropy, x, t, reduction="none")
    np.testing.assert_allclose(y, [0, 0, np.log(4), 100, 100])
    np.testing.assert_allclose(g, [0, 0, -4, -1e12, 1e12])
    with pytest.raises(InvalidArgumentError, match=r"between 0 and 1.*from -0.5 to 2.0.*with_logits"):
        losses.binary_cross_entropy(mg.tensor([-0.5, 2.0]), mg.tensor([0.0, 1.0]))


def test_weights_of_binary_cross_entropy():
    x, t = random_arrays(2, 4, 3)
    t = 1 / (1 + np.exp(-t))
    weight, pos_weight = np.array([1.0, 2.0, 0.0]), np.array([3.0, 1.0, 0.5])
    p = 1 / (1 + np.exp(-x))
    expected = -weight * (pos_weight * t * np.log(p) + (1 - t) * np.log(1 - p))
    ours = losses.binary_cross_entropy_with_logits(x, t, weight, pos_weight=pos_weight, reduction="none")
    np.testing.assert_allclose(ours, expected)
    np.testing.assert_allclose(losses.binary_cross_entropy(p, t, weight, reduction="sum"),
                               np.sum(-weight * (t * np.log(p) + (1 - t) * np.log(1 - p))))
    check_gradients(lambda a, b: losses.binary_cross_entropy_with_logits(a, b, pos_weight=mg.tensor(pos_weight)), x, t)


# ----- classes
def cross_entropy_by_hand(x, labels, weight, ignore_index, smoothing):
    """The mean over elements (N, C, ...), one at a time."""
    logp, classes = log_softmax(x, 1), x.shape[1]
    total = divisor = 0.0
    for place in np.ndindex(labels.shape):
        row = logp[(place[0], slice(None), *place[1:])]
        if labels[place] == ignore_index:
            continue
        own = weight[labels[place]]
        total += -(1 - smoothing) * own * row[labels[place]] - smoothing / classes * np.sum(weight * row)
        divisor += own
    return total / divisor


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignore_index", [-100, 1])
@pytest.mark.parametrize("extra", [(), (2,), (2, 3)])
def test_cross_entropy(smoothing, weighted, ignore_index, extra):
    x, = random_arrays(1, 4, 5, *extra)
    labels = np.random.default_rng(1).integers(0, 5, size=(4, *extra))
    labels[1] = ignore_index
    weight = np.array([0.5, 1.0, 2.0, 0.0, 1.5]) if weighted else None
    ours = losses.cross_entropy(x, labels, weight, ignore_index=ignore_index, label_smoothing=smoothing)
    expected = cross_entropy_by_hand(x, labels, np.ones(5) if weight is None else weight, ignore_index, smoothing)
    np.testing.assert_allclose(ours, expected)
    _, g = value_and_gradient(losses.cross_entropy, x, labels, weight=weight, ignore_index=ignore_index,
                              label_smoothing=smoothing)
    np.testing.assert_array_equal(g[1], 0)
    check_gradients(lambda t: losses.cross_entropy(t, labels, weight, ignore_index=ignore_index,
                                                   label_smoothing=smoothing), x, max_elements=5)


def test_cross_entropy_of_one_row_and_of_nothing():
    assert losses.cross_entropy(np.zeros(4), np.array(2)) == np.log(4)
    assert np.isnan(losses.cross_entropy(np.zeros((2, 3)), np.array([-100, -100])))
    assert np.isnan(losses.cross_entropy(np.zeros((0, 3)), np.zeros(0, np.int64)))
    assert losses.cross_entropy(np.zeros((0, 3)), np.zeros(0, np.int64), reduction="sum") == 0


def test_cross_entropy_of_probabilities():
    x, = random_arrays(1, 4, 5, 2)
    p = np.random.default_rng(2).uniform(size=x.shape)
    weight = np.arange(5.0)
    expected = -(p * log_softmax(x, 1) * weight[:, None]).sum(1)
    np.testing.assert_allclose(losses.cross_entropy(x, p, weight, reduction="none"), expected)
    np.testing.assert_allclose(losses.cross_entropy(x, p, weight), expected.mean())
    smooth = p * 0.9 + 0.02
    np.testing.assert_allclose(losses.cross_entropy(x, p, label_smoothing=0.1), losses.cross_entropy(x, smooth))


def test_nll_loss():
    logp, labels, weight = np.log([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0]), np.array([1.0, 3.0])
    np.testing.assert_allclose(losses.nll_loss(logp, labels), -(logp[0, 1] + logp[1, 0]) / 2)
    np.testing.assert_allclose(losses.nll_loss(logp, labels, weight), -(3 * logp[0, 1] + logp[1, 0]) / 4)
    np.testing.assert_allclose(losses.nll_loss(logp, labels, ignore_index=1), -logp[1, 0])
    _, g = value_and_gradient(losses.nll_loss, logp, [1, -100], reduction="sum")
    assert g.tolist() == [[0, -1], [0, 0]]


@pytest.mark.parametrize("loss", [losses.cross_entropy, losses.nll_loss])
def test_targets_that_do_not_fit(loss):
    with pytest.raises(TensorIndexError, match="class number 3 is out of range for 3 classes"):
        loss(mg.zeros(2, 3), mg.tensor([0, 3]))
    with pytest.raises(ShapeError, match=r"need class numbers of shape \(2,\)"):
        loss(mg.zeros(2, 3), mg.tensor([[0], [1]]))
    with pytest.raises(ShapeError, match="batch, classes"):
        loss(mg.tensor(0.0), mg.tensor(0))


# ----- other losses, against their formulas
def test_divergence():
    x, = random_arrays(1, 3, 4)
    logp, q = log_softmax(x, 1), np.full((3, 4), 0.25)
    q[0] = [0, 0.5, 0.5, 0]
    expected = np.where(q > 0, q * (np.log(np.where(q > 0, q, 1)) - logp), 0)
    np.testing.assert_allclose(losses.kl_div(logp, q, reduction="none"), expected)
    np.testing.assert_allclose(losses.kl_div(logp, q, reduction="batchmean"), expected.sum() / 3)
    np.testing.assert_allclose(losses.kl_div(logp, logp * 1, log_target=True), 0)


def test_likelihoods():
    x, t = np.array([0.5, 1.0]), np.array([2.0, 1.0])
    np.testing.assert_allclose(losses.poisson_nll_loss(x, t, reduction="none"), np.exp(x) - t * x)
    np.testing.assert_allclose(losses.poisson_nll_loss(x, t, log_input=False, reduction="none"), x - t * np.log(x))
    full = losses.poisson_nll_loss(x, t, full=True, reduction="none") - (np.exp(x) - t * x)
    np.testing.assert_allclose(full, [2 * np.log(2) - 2 + 0.5 * np.log(4 * np.pi), 0], atol=1e-12)
    var = np.array([4.0, 0.0])
    expected = 0.5 * (np.log([4, 1e-6]) + (x - t) ** 2 / [4, 1e-6])
    np.testing.assert_allclose(losses.gaussian_nll_loss(x, t, var, reduction="none"), expected)
    np.testing.assert_allclose(losses.gaussian_nll_loss(x, t, 4.0, full=True),
                               np.mean(0.5 * (np.log(8 * np.pi) + (x - t) ** 2 / 4)))
    # the bound has no part in the gradient, so that a variance can come back from below it
    _, g = value_and_gradient(lambda v: losses.gaussian_nll_loss(mg.tensor([1.0]), mg.tensor([0.0]), v), [0.0])
    np.testing.assert_allclose(g, [0.5 * (1e6 - 1e12)])


def test_margins():
    x, y, t = np.array([0.5, -0.5, 2.0]), np.array([1.0, 0.0, 0.0]), np.array([1, -1, -1])
    assert losses.hinge_embedding_loss(x, t, reduction="none").tolist() == [0.5, 1.5, 0]
    assert losses.margin_ranking_loss(x, y, t, 0.25, reduction="none").tolist() == [0.75, 0, 2.25]
    np.testing.assert_allclose(losses.soft_margin_loss(x, t, reduction="none"), np.log1p(np.exp(-t * x)))
    scores = np.array([[0.1, 0.2, 0.4, 0.8]])
    np.testing.assert_allclose(losses.multi_margin_loss(scores, np.array([3])), (0.3 + 0.4 + 0.6) / 4)
    np.testing.assert_allclose(losses.multi_margin_loss(scores, np.array([3]), 2), (0.09 + 0.16 + 0.36) / 4)
    np.testing.assert_allclose(losses.multi_margin_loss(scores[0], np.array(3), weight=np.full(4, 2.0)), 1.3 / 2)
    target = np.array([[3, 0, -1, 1]])
    np.testing.assert_allclose(losses.multilabel_margin_loss(scores, target), 0.85)
    with pytest.raises(InvalidArgumentError, match="p must be 1 or 2"):
        losses.multi_margin_loss(scores, np.array([3]), 3)
    with pytest.raises(TensorIndexError, match="class number 4"):
        losses.multi_margin_loss(scores, np.array([4]))
    multi = losses.multilabel_soft_margin_loss(x[None], np.array([[1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(multi, np.mean(np.log1p(np.exp(np.array([-0.5, -0.5, 2.0])))))


def test_angles():
    a, b = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 2.0], [3.0, 3.0]])
    target = np.array([1, -1])
    np.testing.assert_allclose(losses.cosine_embedding_loss(a, b, target, 0.25, reduction="none"), [1, 0.75])
    np.testing.assert_allclose(losses.cosine_embedding_loss(a[1], b[1], np.array(1)), 0, atol=1e-12)


def test_triplets():
    a, p, n = random_arrays(3, 4, 3)
    near, far, third = [np.linalg.norm(x - y + 1e-6, axis=1) for x, y in ((a, p), (a, n), (p, n))]
    np.testing.assert_allclose(losses.triplet_margin_loss(a, p, n), np.maximum(near - far + 1, 0).mean())
    swapped = np.maximum(near - np.minimum(far, third) + 1, 0)
    np.testing.assert_allclose(losses.triplet_margin_loss(a, p, n, swap=True, reduction="none"), swapped)
    ours = losses.triplet_margin_with_distance_loss(a, p, n, distance_function=losses.l1_loss, margin=0.5)
    np.testing.assert_allclose(ours, max(np.abs(a - p).mean() - np.abs(a - n).mean() + 0.5, 0))


# ----- both engines
X, T = random_arrays(2, 3, 4)
P = 1 / (1 + np.exp(-T))
SIGNS = np.sign(T)
LABELS = np.array([2, 0, 3])
COMPOSED = {
    "mse": lambda x: losses.mse_loss(x, T),
    "smooth_l1": lambda x: losses.smooth_l1_loss(x, T, beta=0.5),
    "huber": lambda x: losses.huber_loss(x, T),
    "bce": lambda x: losses.binary_cross_entropy(mg.sigmoid(x), P),
    "bce with logits": lambda x: losses.binary_cross_entropy_with_logits(x, P),
    "cross_entropy": lambda x: losses.cross_entropy(x, LABELS),
    "ignoring": lambda x: losses.cross_entropy(x, LABELS, ignore_index=0),
    "weighted": lambda x: losses.cross_entropy(x, LABELS, P[0]),
    "smoothed": lambda x: losses.cross_entropy(x, LABELS, label_smoothing=0.1),
    "probabilities": lambda x: losses.cross_entropy(x, P),
    "smoothed probabilities": lambda x: losses.cross_entropy(x, P, label_smoothing=0.1),
    "nll": lambda x: losses.nll_loss(x, LABELS),
    "kl_div": lambda x: losses.kl_div(x, P, reduction="batchmean"),
    "poisson": lambda x: losses.poisson_nll_loss(x, P, full=True),
    "gaussian": lambda x: losses.gaussian_nll_loss(x, T, P),
    "hinge": lambda x: losses.hinge_embedding_loss(x, SIGNS),
    "ranking": lambda x: losses.margin_ranking_loss(x, T, SIGNS),
    "soft margin": lambda x: losses.soft_margin_loss(x, SIGNS),
    "multi margin": lambda x: losses.multi_margin_loss(x, LABELS),
    "cosine": lambda x: losses.cosine_embedding_loss(x, T, SIGNS[:, 0]),
    "triplet": lambda x: losses.triplet_margin_loss(x, T, P),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_engines_agree(name):
    engines_agree(COMPOSED[name], X)
    check_gradients(COMPOSED[name], X, max_elements=4)
