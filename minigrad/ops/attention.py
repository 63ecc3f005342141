"""Attention."""

import math

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_
from minigrad.core.primitive import declare
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.ops.arithmetic import add, rsqrt
from minigrad.ops.broadcasting import size_of
from minigrad.ops.casting import cast
from minigrad.ops.draws import dropout
from minigrad.ops.joining import repeat_interleave
from minigrad.ops.matmul import product
from minigrad.ops.selection import where
from minigrad.ops.softmax import softmax

__all__ = ["scaled_dot_product_attention"]


# ----- which of the keys 0, 1, ... query i may look at: those up to i
def causal_mask_kernel(xp, scores):
    return xp.tri(scores.shape[-2], scores.shape[-1], dtype=bool)


def causal_mask_infer(scores):
    return Aval((Dim(), Dim()) if scores.shape is None else scores.shape[-2:], bool_)


causal_mask_p = declare("causal_mask", causal_mask_kernel, causal_mask_infer)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """softmax(query @ key.T * scale + mask) @ value, for (..., L, E), (..., S, E) and (..., S, V).

    A query that may look at nothing gets zeros. Vaswani et al. (2017); PyTorch: torch.nn.functional.

    Args:
        attn_mask: bools (..., L, S), True where a query may look; or floats that are added to the scores.
        dropout_p: so many of the weights are dropped, whether a model is being trained or not.
        is_causal: query i looks at keys 0 to i only; not together with a mask.
        scale: by default 1 / sqrt(E).
        enable_gqa: several heads of queries, the dimension before the last two, share one head of keys and values.

    Raises:
        ShapeError: the shapes do not fit.
        DtypeError: query, key and value have different dtypes.
    """
    if is_causal and attn_mask is not None:
        raise InvalidArgumentError("scaled_dot_product_attention: is_causal is a mask already; leave out attn_mask, or"
                                   " combine them (attn_mask & tri)")
    for x in (query, key, value):
        if x.ndim is not None and x.ndim < 2:
            raise ShapeError("scaled_dot_product_attention: expected (..., rows, features) with at least 2 dimensions,"
                             f" got shape {shape_text(x.shape)}")
    if enable_gqa:
        key, value = shared_heads(query, key), shared_heads(query, value)
    if scale is None:
        features = size_of(query, -1)
        if not isinstance(features, int):
            scale = rsqrt(cast(features, query.dtype))
        else:
            scale = 1 / math.sqrt(features) if features else 1.0
    scores = product(query * scale, key, False, True)  # queries are fewer numbers than scores
    if is_causal:
        scores = where(bind(causal_mask_p, scores), scores, -math.inf)
    elif attn_mask is not None:
        scores = where(attn_mask, scores, -math.inf) if attn_mask.dtype == bool_ else add(scores, attn_mask)
    weights = softmax(scores, -1)
    if dropout_p:
        weights = dropout(weights, dropout_p, True)
    return product(weights, value)


def shared_heads(query, x):
    """Each head of keys or values as often as there are heads of queries for it."""
    heads, shared = query.shape[-3], x.shape[-3]
    if not isinstance(heads, int) or not isinstance(shared, int) or shared == 0 or heads % shared:
        raise ShapeError(f"scaled_dot_product_attention: {heads} heads of queries cannot share {shared} heads of keys"
                         " or values; expected a multiple")
    return x if heads == shared else repeat_interleave(x, heads // shared, dim=-3)
