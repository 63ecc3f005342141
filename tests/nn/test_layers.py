"""Layers against what PyTorch 2.13 gave for the same weights and inputs: outputs, gradients, buffers.

`data/layers.npz` holds its results; weights and inputs are drawn here again, from the same seed in the same order.
"""

from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn as nn

RECORDED = Path(__file__).parent / "data" / "layers.npz"

# name, layer, shapes of the inputs, in the order in which the recording drew its numbers
LAYERS = [
    ("conv2d", lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), [(2, 4, 7, 8)]),
    ("conv1dc", lambda: nn.Conv1d(3, 4, 3, padding=2, padding_mode="circular"), [(2, 3, 7)]),
    ("convt", lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), [(2, 4, 5, 4)]),
    ("ln", lambda: nn.LayerNorm((3, 4)), [(2, 3, 4)]),
    ("gn", lambda: nn.GroupNorm(2, 4), [(2, 4, 5)]),
    ("bn", lambda: nn.BatchNorm2d(3), [(4, 3, 2, 2)]),
    ("bn1", lambda: nn.BatchNorm1d(3), [(4, 3)]),
    ("in", lambda: nn.InstanceNorm2d(3, affine=True), [(2, 3, 4, 4)]),
    ("mp", lambda: nn.MaxPool2d(3, 2, 1), [(2, 3, 7, 7)]),
    ("ap", lambda: nn.AvgPool2d(3, 2, 1), [(2, 3, 7, 7)]),
    ("aap", lambda: nn.AdaptiveAvgPool2d((3, 2)), [(2, 3, 7, 7)]),
    ("rnn", lambda: nn.RNN(3, 4, 2), [(5, 2, 3)]),
    ("lstm", lambda: nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True), [(2, 5, 3)]),
    ("gru", lambda: nn.GRU(3, 4), [(5, 2, 3)]),
    ("lstmc", lambda: nn.LSTMCell(3, 4), [(2, 3)]),
    ("gruc", lambda: nn.GRUCell(3, 4), [(2, 3)]),
    ("emb", lambda: nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 2), nn.Softmax(-1)), [(4, 3)]),
    ("bil", lambda: nn.Bilinear(3, 4, 5), [(2, 3), (2, 4)]),
]


def drawn():
    """{name: (layer with its weights, inputs)}."""
    rng = np.random.default_rng(0)
    made = {}
    for name, make, shapes in LAYERS:
        inputs = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
        layer = make()
        for parameter in layer.parameters():
            with mg.no_grad():
                parameter.copy_(mg.tensor(rng.standard_normal(parameter.shape).astype(np.float32) * 0.3))
        made[name] = layer, [mg.tensor(x) for x in inputs]
    return made


def flattened(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flattened(part)]
    return [value]


@pytest.fixture(scope="module")
def layers():
    return drawn()


@pytest.mark.parametrize("name", [name for name, _, _ in LAYERS])
def test_layer(layers, name):
    layer, inputs = layers[name]
    inputs[0].requires_grad_()
    outputs = flattened(layer(*inputs))
    loss = sum([(y * y).sum() for y in outputs])
    loss.backward()
    results = [y.detach().numpy() for y in outputs] + [inputs[0].grad.numpy()]
    results += [p.grad.numpy() for p in layer.parameters()] + [b.numpy() for b in layer.buffers()]
    with np.load(RECORDED) as recorded:
        expected = [recorded[f"{name}.{i}"] for i in range(len(results))]
        assert f"{name}.{len(results)}" not in recorded
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=2e-4, atol=2e-5)


def test_evaluation_uses_the_running_statistics():
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
