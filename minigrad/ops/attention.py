"""Attention."""

import math

from minigrad.core.dispatch import bind
from minigrad.ops.arithmetic import add
from minigrad.ops.comparison import logical_not
from minigrad.ops.diagonals import tril
from minigrad.ops.draws import dropout
from minigrad.ops.matmul import matmul_p
from minigrad.ops.reduction import sum as total
from minigrad.ops.selection import where
from minigrad.ops.softmax import softmax

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """softmax(query @ key.T * scale + mask) @ value (Vaswani 2017), for (..., L, E), (..., S, E), (..., S, V).

    Args:
        attn_mask: bool (..., L, S), True where a query may look; or floats that are added to the scores.
        dropout_p: so many of the weights are dropped.
        is_causal: query i looks at keys 0 to i only; not together with a mask.
        scale: by default 1 / sqrt(E).

    A query that may look at nothing gets zeros.
    """
    if is_causal and attn_mask is not None:
        raise ValueError("scaled_dot_product_attention: is_causal says what to look at; leave out attn_mask")
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = bind(matmul_p, query, key, transpose_a=False, transpose_b=True) * scale
    if is_causal:
        ones = total(scores * 0, tuple(range(scores.ndim - 2))) + 1 if scores.ndim > 2 else scores * 0 + 1
        scores = where(tril(ones) > 0, scores, -math.inf)
    elif attn_mask is not None:
        if attn_mask.dtype.kind == "b":
            scores = where(logical_not(attn_mask), -math.inf, scores)
        else:
            scores = add(scores, attn_mask)
    weights = softmax(scores, -1)
    if dropout_p:
        weights = dropout(weights, dropout_p, True)
    return bind(matmul_p, weights, value, transpose_a=False, transpose_b=False)
