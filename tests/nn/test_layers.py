"""Layers against what PyTorch 2.13 gave: repr, outputs, gradients, buffers.

Each row of `data/layers.json` names a layer, its options and the kinds of its inputs, and holds its results as
products with fixed random vectors. Inputs, weights and incoming gradients are drawn here from the number of the row.
"""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn as nn
from minigrad.errors import InvalidArgumentError, ShapeError

ROWS = json.loads((Path(__file__).parent / "data" / "layers.json").read_text(encoding="utf-8"))


def tuples(value):
    """JSON's lists as tuples."""
    return tuple([tuples(item) for item in value]) if isinstance(value, list) else value


def named(row):
    options = ", ".join([*map(str, row["args"]), *[f"{key}={value}" for key, value in row["options"].items()]])
    return f"{row['layer']}({options})".replace("'", "")


def layer_of(row):
    options = {key: mg.tensor(value) if key in ("weight", "pos_weight") else tuples(value)
               for key, value in row["options"].items()}
    layer = getattr(nn, row["layer"])(*tuples(row["args"]), **options)
    return layer.eval() if row.get("eval") else layer


def drawn(rng, kind, shape, limit=None):
    if kind == "integers":
        return rng.integers(0, limit, shape)
    if kind == "probabilities":
        return (rng.random(shape) * 0.9 + 0.05).astype(np.float32)
    if kind == "signs":
        return (rng.integers(0, 2, shape) * 2 - 1).astype(np.float32)
    return rng.standard_normal(shape).astype(np.float32)


def prepared(number, row):
    """(layer with its weights, inputs, the generator after them)."""
    rng = np.random.default_rng(number)
    layer = layer_of(row)
    inputs = [mg.tensor(drawn(rng, *tuples(spec))) for spec in row["inputs"]]
    with mg.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(mg.tensor((rng.standard_normal(parameter.shape) * 0.4).astype(np.float32)))
    for x in inputs[:1] if "Loss" in row["layer"] else inputs:
        if x.dtype == mg.float32:
            x.requires_grad_()
    return layer, inputs, rng


def flattened(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flattened(part)]
    return [] if value is None else [value]


def products(array):
    """(products with three fixed random vectors, a bound for their errors)."""
    flat = np.asarray(array, np.float64).reshape(-1)
    rng = np.random.default_rng(7)
    return [float(flat @ rng.standard_normal(flat.size)) for _ in range(3)], 1e-4 * (np.linalg.norm(flat) + 0.1)


@pytest.mark.parametrize(("number", "row"), list(enumerate(ROWS)), ids=[named(row) for row in ROWS])
@pytest.mark.filterwarnings("ignore:Softmax without dim")
def test_layer(number, row):
    layer, inputs, rng = prepared(number, row)
    assert repr(layer) == row["repr"]
    outputs = flattened(layer(*inputs))
    loss = 0
    for y in outputs:
        if y.requires_grad:
            loss = loss + (y * mg.tensor(rng.standard_normal(y.shape).astype(np.float32))).sum()
    loss.backward()
    gradients = [x.grad for x in inputs if x.requires_grad]
    gradients += [p.grad for p in layer.parameters() if p.grad is not None]
    results = [t.detach().numpy() for t in [*outputs, *gradients, *layer.buffers()]]
    assert [list(result.shape) for result in results] == [shape for shape, _ in row["results"]]
    for result, (_, expected) in zip(results, row["results"], strict=True):
        values, tolerance = products(result)
        np.testing.assert_allclose(values, expected, rtol=1e-4, atol=tolerance)


# ----- evaluation and running statistics
def test_evaluation_uses_the_running_statistics():
    mg.manual_seed(0)
    layer = nn.BatchNorm1d(3)
    x = mg.randn(50, 3) * 2 + 1
    for _ in range(100):
        layer(x)
    assert layer.num_batches_tracked.item() == 100
    layer.eval()
    y = layer(x)
    assert abs(y.mean().item()) < 0.05
    assert layer.num_batches_tracked.item() == 100
    with pytest.raises(ValueError, match="BatchNorm1d"):
        layer(mg.randn(2, 3, 4, 5))
    layer.reset_running_stats()
    assert layer.running_mean.tolist() == [0, 0, 0]
    assert layer.running_var.tolist() == [1, 1, 1]


def test_the_mean_over_all_batches():
    layer = nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 2.0, 6.0):
        layer(mg.tensor([[value - 1], [value + 1]]))
    assert layer.running_mean.item() == pytest.approx(3)


# ----- in place
IN_PLACE = [nn.ReLU, nn.ReLU6, nn.SELU, nn.SiLU, nn.Mish, nn.Hardswish, nn.Hardsigmoid, nn.LeakyReLU, nn.ELU, nn.CELU,
            nn.Hardtanh]


@pytest.mark.parametrize("kind", IN_PLACE)
def test_in_place_writes_the_input_and_keeps_the_gradient(kind):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4, 5)).astype(np.float32)
    x, other = [mg.tensor(values, requires_grad=True) for _ in range(2)]
    kind()(other * 2).sum().backward()
    doubled = x * 2
    y = kind(inplace=True)(doubled)
    assert y is doubled
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), other.grad.numpy())
    assert repr(kind(inplace=True)).endswith("inplace=True)")
    with pytest.raises(RuntimeError, match="leaf"):
        kind(inplace=True)(x)


def test_forms_with_an_underscore():
    for name in ("relu_", "elu_", "selu_", "celu_", "leaky_relu_", "hardtanh_"):
        x = mg.tensor([-2.0, 3.0])
        expected = getattr(nn.functional, name[:-1])(x).tolist()
        assert getattr(nn.functional, name)(x) is x
        assert x.tolist() == expected
    x = mg.tensor([-2.0, 3.0])
    assert nn.functional.threshold_(x, 0.0, 7.0).tolist() == [7, 3]


# ----- dropout
@pytest.mark.parametrize(("layer", "shape", "independent"), [
    (nn.Dropout(0.4), (40, 50), (40, 50)),
    (nn.Dropout1d(0.4), (20, 30, 4), (20, 30, 1)),
    (nn.Dropout1d(0.4), (300, 4), (300, 1)),
    (nn.Dropout2d(0.4), (20, 30, 4, 5), (20, 30, 1, 1)),
    (nn.Dropout2d(0.4), (20, 30, 4), (20, 30, 1)),
    (nn.Dropout3d(0.4), (20, 30, 2, 2, 3), (20, 30, 1, 1, 1)),
    (nn.Dropout3d(0.4), (500, 2, 2, 3), (500, 1, 1, 1)),
])
def test_dropout_drops_elements_or_whole_channels(layer, shape, independent):
    mg.manual_seed(1)
    y = layer(mg.ones(shape)).numpy()
    assert set(np.unique(y.round(5))) == {0.0, np.float32(1 / 0.6).round(5)}
    first = y[tuple([slice(0, size) for size in independent])]
    np.testing.assert_array_equal(y, np.broadcast_to(first, shape))
    assert abs((first == 0).mean() - 0.4) < 5 * math.sqrt(0.24 / first.size)
    layer.eval()
    x = mg.ones(shape)
    assert layer(x) is x


@pytest.mark.parametrize("layer", [nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3)])
def test_alpha_dropout_keeps_mean_and_variance(layer):
    mg.manual_seed(2)
    x = mg.randn(300, 400, 2)
    y = layer(x)
    assert abs(y.mean().item()) < 0.02
    assert abs(y.var().item() - 1) < 0.03
    if isinstance(layer, nn.FeatureAlphaDropout):
        dropped = y.numpy()[..., 0] == y.numpy()[..., 1]
        assert abs(dropped.mean() - 0.3) < 0.01


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        nn.Dropout(1.5)
    assert nn.Dropout(1.0)(mg.ones(3)).tolist() == [0, 0, 0]
    assert nn.Dropout2d(1.0)(mg.ones(1, 2, 2, 2)).sum().item() == 0
    with pytest.raises(ShapeError, match="dropout2d"):
        nn.Dropout2d()(mg.ones(3))


def test_rrelu_draws_slopes_in_training():
    mg.manual_seed(0)
    x = -mg.ones(1000)
    y = nn.RReLU(0.1, 0.3)(x).numpy()
    assert -0.3 <= y.min() < -0.28
    assert -0.12 < y.max() <= -0.1
    y = nn.RReLU(0.1, 0.3).eval()(x).numpy()
    np.testing.assert_allclose(y, -0.2, rtol=1e-6)


def test_gumbel_softmax():
    mg.manual_seed(0)
    logits = mg.log(mg.tensor([[0.1, 0.2, 0.7]])).expand(4000, 3).clone().requires_grad_()
    soft = nn.functional.gumbel_softmax(logits, tau=0.5)
    np.testing.assert_allclose(soft.sum(-1).detach().numpy(), 1, rtol=1e-5)
    hard = nn.functional.gumbel_softmax(logits, hard=True)
    assert set(np.unique(hard.detach().numpy().round(6))) == {0.0, 1.0}
    np.testing.assert_allclose(hard.mean(0).detach().numpy(), [0.1, 0.2, 0.7], atol=0.04)
    (hard * mg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert (logits.grad.numpy() != 0).any()


# ----- what does not fit
def test_what_makes_no_layer_is_said():
    with pytest.raises(ShapeError, match="groups=2 must divide in_channels=3"):
        nn.Conv2d(3, 4, 3, groups=2)
    with pytest.raises(ValueError, match="padding_mode"):
        nn.Conv2d(3, 4, 3, padding_mode="mirror")
    with pytest.raises(ValueError, match="stride of 1"):
        nn.Conv2d(3, 4, 3, stride=2, padding="same")
    with pytest.raises(ValueError, match="padding_mode must be one of zeros,"):
        nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect")
    with pytest.raises(ShapeError, match="num_groups"):
        nn.GroupNorm(3, 4)
    with pytest.raises(IndexError, match="padding_idx"):
        nn.Embedding(3, 4, padding_idx=3)
    with pytest.raises(InvalidArgumentError, match="reduction"):
        nn.MSELoss(reduction="average")
    with pytest.raises(ValueError, match="hidden_size"):
        nn.LSTM(3, 0)
    with pytest.raises(ShapeError, match="multiple of num_heads"):
        nn.MultiheadAttention(5, 2)
    with pytest.raises(ShapeError, match=r"output_size.*dimension 0 can be 7 to 8"):
        nn.ConvTranspose2d(1, 1, 3, stride=2)(mg.ones(1, 1, 3, 3), output_size=(9, 7))


def test_old_names_of_reductions():
    with pytest.warns(UserWarning, match="reduction='sum'"):
        assert nn.MSELoss(size_average=False).reduction == "sum"
    with pytest.warns(UserWarning, match="reduction='none'"):
        assert nn.MSELoss(reduce=False).reduction == "none"


def test_softmax_without_dim_warns():
    with pytest.warns(UserWarning, match=r"Softmax\(dim=1\)"):
        y = nn.Softmax()(mg.ones(2, 4))
    assert y.tolist() == [[0.25] * 4] * 2


# ----- other things that layers do
def test_the_size_of_a_transposed_convolution_can_be_asked_for():
    down, up = nn.Conv2d(1, 1, 3, stride=2), nn.ConvTranspose2d(1, 1, 3, stride=2)
    for size in (7, 8):
        x = mg.ones(1, 1, size, size)
        assert up(down(x), output_size=x.shape).shape == x.shape


def test_max_pooling_can_be_undone():
    x = mg.tensor(np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32), requires_grad=True)
    pool, undo = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
    y, positions = pool(x)
    back = undo(y, positions)
    assert back.shape == x.shape
    kept = back.detach().numpy()
    np.testing.assert_array_equal(kept, np.where(kept != 0, x.detach().numpy(), 0))
    assert (kept != 0).sum() == y.numel()
    back.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), kept != 0)
    with pytest.raises(ShapeError, match="too far"):
        undo(y, positions, output_size=(20, 20))


def test_tables_that_are_there_already():
    table = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    layer = nn.Embedding.from_pretrained(table)
    assert not layer.weight.requires_grad
    assert layer(mg.tensor([1, 0])).tolist() == [[3, 4], [1, 2]]
    assert nn.Embedding.from_pretrained(table, freeze=False).weight.requires_grad
    layer = nn.Embedding(4, 3, padding_idx=-1)
    assert layer.padding_idx == 3
    assert layer.weight[3].tolist() == [0, 0, 0]


def test_warnings_of_layers():
    with pytest.warns(UserWarning, match="dropout=0.5 works between layers"):
        nn.LSTM(2, 2, dropout=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nn.LSTM(2, 2, num_layers=2, dropout=0.5)
