"""Attention: values by definition, masks, rows that may look at nothing, gradients, open sizes, messages."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.static as tf
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.ops.attention import scaled_dot_product_attention as attention
from minigrad.testing.engines import engines_agree
from minigrad.testing.gradients import check_gradients

RNG = np.random.default_rng(8)


def normal(*shape):
    return RNG.standard_normal(shape)


def by_definition(q, k, v, bias=0.0, scale=None):
    scores = np.einsum("...le,...se->...ls", q, k) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("...ls,...sv->...lv", weights / weights.sum(-1, keepdims=True), v)


class With:
    """Attention with fixed options."""

    def __init__(self, **options):
        self.options = options

    def __call__(self, q, k, v):
        return attention(q, k, v, **self.options)


def agree(function, wanted, q, k, v):
    np.testing.assert_allclose(function(q, k, v), wanted, rtol=1e-11, atol=1e-13)
    check_gradients(function, q, k, v, max_elements=6)
    engines_agree(function, q, k, v, unknown=False)


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_attention(lead):
    q, k, v = normal(*lead, 3, 4), normal(*lead, 5, 4), normal(*lead, 5, 2)
    agree(attention, by_definition(q, k, v), q, k, v)
    agree(With(scale=0.3), by_definition(q, k, v, scale=0.3), q, k, v)
    causal = np.where(np.tri(3, 5), 0, -np.inf)
    agree(With(is_causal=True), by_definition(q, k, v, causal), q, k, v)


def test_masks():
    q, k, v = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2)
    floats = normal(3, 5)
    bools = RNG.random((2, 3, 5)) > 0.4
    bools[..., 0] = True
    agree(With(attn_mask=floats), by_definition(q, k, v, floats), q, k, v)
    agree(With(attn_mask=bools), by_definition(q, k, v, np.where(bools, 0, -np.inf)), q, k, v)

    def with_bias(q, k, v, bias):
        return attention(q, k, v, bias)

    check_gradients(with_bias, q, k, v, floats, max_elements=6)


def test_a_query_that_may_look_at_nothing_gets_zeros():
    q, k, v = [mg.tensor(normal(2, 3, 4), requires_grad=True) for _ in range(3)]
    mask = mg.ones(3, 3, dtype=mg.bool)
    mask[1] = False
    y = attention(q, k, v, mask)
    assert y[:, 1].abs().sum().item() == 0
    y.sum().backward()
    for x in (q, k, v):
        assert np.isfinite(x.grad.numpy()).all()
    assert q.grad[:, 1].abs().sum().item() == 0


def test_a_causal_mask_hides_what_comes_later():
    q, k, v = normal(4, 3), normal(4, 3), normal(4, 3)
    before = attention(q, k, v, is_causal=True)
    k[3], v[3] = np.nan, np.nan
    np.testing.assert_array_equal(attention(q[:3], k[:3], v[:3], is_causal=True), before[:3])


def test_shared_heads():
    q, k, v = normal(2, 6, 3, 4), normal(2, 2, 5, 4), normal(2, 2, 5, 4)
    wanted = by_definition(q, np.repeat(k, 3, 1), np.repeat(v, 3, 1))
    agree(With(enable_gqa=True), wanted, q, k, v)
    with pytest.raises(ShapeError, match="5 heads of queries cannot share 2 heads"):
        attention(q[:, :5], k, v, enable_gqa=True)


def test_dropout_of_weights():
    mg.manual_seed(0)
    q, k, v = mg.zeros(1, 4), mg.zeros(2000, 4), mg.ones(2000, 1)
    means = [attention(q, k, v, dropout_p=0.5).item() for _ in range(3)]
    assert len(set(means)) == 3
    assert np.allclose(means, 1, atol=0.1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_dtype_stays(dtype):
    q, k, v = [mg.tensor(normal(2, 3, 4), dtype=dtype, requires_grad=True) for _ in range(3)]
    y = attention(q, k, v, is_causal=True)
    y.sum().backward()
    assert [x.dtype for x in (y, q.grad, k.grad, v.grad)] == [dtype] * 4


@pytest.mark.parametrize("known", [(None, None, 4), (None, None, None)])
def test_open_sizes(known):
    q, k, v = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 4)
    tensors = [mg.tensor(x, requires_grad=True) for x in (q, k, v)]
    y = attention(*tensors, is_causal=True)
    (y * y).sum().backward()
    with tf.Graph().as_default(), tf.Session() as session:
        nodes = [tf.placeholder("float64", known) for _ in range(3)]
        z = attention(*nodes, is_causal=True)
        got = session.run([z, *tf.gradients(z * z, nodes)], dict(zip(nodes, (q, k, v), strict=True)))
    for value, wanted in zip(got, [y, *[t.grad for t in tensors]], strict=True):
        np.testing.assert_allclose(value, wanted.detach().numpy(), rtol=1e-11, atol=1e-13)


def test_messages():
    x = mg.ones(3, 4)
    with pytest.raises(InvalidArgumentError, match="leave out attn_mask"):
        attention(x, x, x, mg.ones(3, 3, dtype=mg.bool), is_causal=True)
    with pytest.raises(ShapeError, match="at least 2 dimensions"):
        attention(x[0], x, x)
    with pytest.raises(ShapeError, match="do not fit"):
        attention(x, mg.ones(3, 5), x)
