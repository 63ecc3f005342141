"""Multi-head attention and the transformer's layers."""

import copy
import math
from collections.abc import Callable
from typing import Any

from minigrad.core.dims import shape_text
from minigrad.core.dtypes import bool_, is_float
from minigrad.dynamic.creation import empty, full
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import InvalidArgumentError, ShapeError
from minigrad.nn import init
from minigrad.nn.containers import ModuleList
from minigrad.nn.dropout import Dropout
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.normalization import LayerNorm
from minigrad.nn.zeros import zeros_beside
from minigrad.ops.activations import gelu, relu
from minigrad.ops.arithmetic import add
from minigrad.ops.attention import scaled_dot_product_attention
from minigrad.ops.casting import cast
from minigrad.ops.comparison import logical_not
from minigrad.ops.diagonals import triu
from minigrad.ops.draws import dropout
from minigrad.ops.joining import cat, chunk
from minigrad.ops.matmul import linear, matmul
from minigrad.ops.reduction import mean
from minigrad.ops.selection import where
from minigrad.ops.shaping import reshape, transpose, unsqueeze
from minigrad.ops.softmax import softmax

LOWEST = float("-inf")


# ----- masks: PyTorch's modules say True where a query may NOT look; floats are added to the scores
def as_addend(mask: Any, beside: Any) -> Any:
    """A mask as numbers to add to scores: bool True becomes -inf."""
    if mask.dtype == bool_:
        return cast(where(mask, LOWEST, 0.0), beside.dtype)
    if not is_float(mask.dtype):
        raise InvalidArgumentError(f"a mask of attention must be bool (True: do not look) or float (added to the"
                                   f" scores), not {mask.dtype}")
    return mask


def merged_masks(attn_mask: Any, key_padding_mask: Any, query: Any, heads: int) -> Any:
    """One mask that broadcasts to scores (batch, heads, queries, keys), or None; bools stay bools where they can."""
    if attn_mask is not None and attn_mask.ndim == 3:  # (batch * heads, queries, keys)
        attn_mask = reshape(attn_mask, (-1, heads, *attn_mask.shape[1:]))
    if key_padding_mask is None:
        return attn_mask
    padding = unsqueeze(unsqueeze(key_padding_mask, 1), 1)
    if attn_mask is None:
        return padding
    if attn_mask.dtype == bool_ and padding.dtype == bool_:
        return attn_mask | padding
    return add(as_addend(attn_mask, query), as_addend(padding, query))


class MultiheadAttention(Module):
    """Attention by several heads, each on a part of the features (Vaswani 2017). PyTorch: MultiheadAttention.

    Called with query (L, N, E), key (S, N, kdim) and value (S, N, vdim), or (N, L, E) and so on with batch_first, or
    without the batch; returns (output, weights of the heads' mean).

    Args:
        embed_dim: the number of features E, a multiple of num_heads.
        num_heads: so many heads.
        dropout: the probability with which weights are dropped in training.
        bias: whether the projections add biases.
        add_bias_kv: learn a further key and value.
        add_zero_attn: add a key and value of zeros.
        kdim, vdim: features of keys and values, by default E.
        batch_first: whether the batch comes first.
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ShapeError(f"embed_dim {embed_dim} must be a multiple of num_heads {num_heads}, both positive")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        options = {"device": device, "dtype": dtype}
        together = self.kdim == self.vdim == embed_dim
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim) if together else None,
                  "q_proj_weight": None if together else (embed_dim, embed_dim),
                  "k_proj_weight": None if together else (embed_dim, self.kdim),
                  "v_proj_weight": None if together else (embed_dim, self.vdim),
                  "in_proj_bias": (3 * embed_dim,) if bias else None,
                  "bias_k": (1, 1, embed_dim) if add_bias_kv else None,
                  "bias_v": (1, 1, embed_dim) if add_bias_kv else None}
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else Parameter(empty(shape, **options)))
        self.out_proj = Linear(embed_dim, embed_dim, bias, **options)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def projected(self, query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
        """Queries, keys and values of all heads side by side."""
        if self.in_proj_weight is not None:
            if query is key and key is value:
                q, k, v = chunk(linear(query, self.in_proj_weight, self.in_proj_bias), 3, -1)
                return q, k, v
            weights = chunk(self.in_proj_weight, 3, 0)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None, None, None) if self.in_proj_bias is None else chunk(self.in_proj_bias, 3, 0)
        q, k, v = [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]
        return q, k, v

    def forward(self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
                attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Any, Any]:
        """(output, weights or None).

        Args:
            key_padding_mask: (N, S), True for keys that nobody may look at (or floats that are added).
            need_weights: return the weights (N, L, S); without them they are not averaged.
            attn_mask: (L, S) or (N * num_heads, L, S), True where a query may not look (or floats that are added).
            average_attn_weights: the mean over the heads; else (N, num_heads, L, S).
            is_causal: PyTorch's hint that attn_mask is causal; the mask has to be given.
        """
        self.check_inputs(query, key, value)
        if is_causal and attn_mask is None:
            raise InvalidArgumentError("MultiheadAttention: is_causal only says what attn_mask is; give the mask too,"
                                       " for example Transformer.generate_square_subsequent_mask(length)")
        batched = query.ndim == 3
        q, k, v = self.projected(query, key, value)
        if not batched:
            q, k, v = [unsqueeze(x, 0) for x in (q, k, v)]
            key_padding_mask = None if key_padding_mask is None else unsqueeze(key_padding_mask, 0)
        elif not self.batch_first:
            q, k, v = [transpose(x, 0, 1) for x in (q, k, v)]
        mask = merged_masks(attn_mask, key_padding_mask, query, self.num_heads)
        k, v, mask = self.with_extras(k, v, mask)
        q, k, v = [self.split(x) for x in (q, k, v)]
        output, weights = self.attend(q, k, v, mask, need_weights)
        n, _, length, _ = output.shape
        output = self.out_proj(reshape(transpose(output, 1, 2), (n, length, self.embed_dim)))
        if weights is not None and average_attn_weights:
            weights = mean(weights, 1)
        if not batched:
            return output[0], None if weights is None else weights[0]
        return (output if self.batch_first else transpose(output, 0, 1)), weights

    def attend(self, q: Any, k: Any, v: Any, mask: Any, need_weights: bool) -> tuple[Any, Any]:
        """(outputs of the heads, their weights or None) for (N, heads, length, features of a head)."""
        p = self.dropout if self.training else 0.0
        if not need_weights:
            allowed = logical_not(mask) if mask is not None and mask.dtype == bool_ else mask
            return scaled_dot_product_attention(q, k, v, allowed, p), None
        scores = matmul(q * (1 / math.sqrt(self.head_dim)), transpose(k, -2, -1))
        if mask is not None:
            scores = where(mask, LOWEST, scores) if mask.dtype == bool_ else add(scores, mask)
        weights = softmax(scores, -1)
        if p:
            weights = dropout(weights, p, True)
        return matmul(weights, v), weights

    def split(self, x: Any) -> Any:
        """(N, length, E) as (N, heads, length, E / heads)."""
        n, length, _ = x.shape
        return transpose(reshape(x, (n, length, self.num_heads, self.head_dim)), 1, 2)

    def with_extras(self, k: Any, v: Any, mask: Any) -> tuple[Any, Any, Any]:
        """Keys and values with the learnt ones and those of zeros after them; everybody may look at these."""
        extras: list[tuple[Any, Any]] = []
        if self.bias_k is not None and self.bias_v is not None:
            extras.append((self.bias_k, self.bias_v))
        if self.add_zero_attn:
            extras.append((0.0, 0.0))
        for extra_k, extra_v in extras:
            column = zeros_beside(k[:, :1], self.embed_dim)
            k, v = cat([k, column + extra_k], 1), cat([v, column + extra_v], 1)
            if mask is not None:
                open_column = mask[..., :1] & False if mask.dtype == bool_ else zeros_beside(mask, 1)
                mask = cat([mask, open_column], -1)
        return k, v, mask

    def check_inputs(self, query: Any, key: Any, value: Any) -> None:
        """Raise unless query, key and value fit each other and the layer."""
        ranks = (query.ndim, key.ndim, value.ndim)
        if ranks not in ((2, 2, 2), (3, 3, 3)):
            raise ShapeError(f"MultiheadAttention: query, key and value must all have 3 dimensions, or 2 without a"
                             f" batch, got shapes {shape_text(query.shape)}, {shape_text(key.shape)} and"
                             f" {shape_text(value.shape)}")
        for name, x, size in (("query", query, self.embed_dim), ("key", key, self.kdim), ("value", value, self.vdim)):
            if isinstance(x.shape[-1], int) and x.shape[-1] != size:
                raise ShapeError(f"MultiheadAttention: the {name} must have {size} features, got shape"
                                 f" {shape_text(x.shape)}")


# ----- the transformer
def activation_of(activation: Any) -> Callable[[Any], Any]:
    """A function, from itself or "relu" or "gelu"."""
    if activation == "relu":
        return relu
    if activation == "gelu":
        return gelu
    if not callable(activation):
        raise InvalidArgumentError(f'activation must be "relu", "gelu" or a function, not {activation!r}')
    return activation


class FeedForward(Module):
    """What the transformer's layers share: two linear layers with an activation between them, and options.

    Args:
        d_model: the number of features.
        nhead: the number of heads.
        dim_feedforward: the features between the two linear layers.
        dropout: the probability of every dropout.
        activation: "relu", "gelu", or a function.
        layer_norm_eps: eps of the normalisations.
        batch_first: whether the batch comes before the length.
        norm_first: normalise before attention and feed-forward, not after (Xiong 2020).
        bias: whether linear layers and normalisations have biases.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int, dropout: float, activation: Any,
                 layer_norm_eps: float, batch_first: bool, norm_first: bool, bias: bool, device: Any,
                 dtype: Any) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options)
        if isinstance(self, TransformerDecoderLayer):
            self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        self.norm_first = norm_first
        count = 3 if isinstance(self, TransformerDecoderLayer) else 2
        for number in range(1, count + 1):
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, bias=bias, **options))
        for number in range(1, count + 1):
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_of(activation)

    def attended(self, x: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
        """The dropped-out self-attention of x."""
        output, _ = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask,
                                   is_causal=is_causal)
        return self.dropout1(output)

    def fed_forward(self, x: Any) -> Any:
        """What the two linear layers make of x."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(FeedForward):
    """Self-attention and feed-forward, each with a short cut and a normalisation (Vaswani 2017).

    PyTorch: torch.nn.TransformerEncoderLayer; the arguments are FeedForward's.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                         bias, device, dtype)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        x = src
        if self.norm_first:
            x = x + self.attended(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self.dropout2(self.fed_forward(self.norm2(x)))
        x = self.norm1(x + self.attended(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self.dropout2(self.fed_forward(x)))


class TransformerDecoderLayer(FeedForward):
    """Self-attention, attention to the encoder's output, and feed-forward (Vaswani 2017).

    PyTorch: torch.nn.TransformerDecoderLayer; the arguments are FeedForward's.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                         bias, device, dtype)

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Any:
        x = tgt
        looking = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self.attended(self.norm1(x), tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            x = x + self.attended_to(self.norm2(x), *looking)
            return x + self.dropout3(self.fed_forward(self.norm3(x)))
        x = self.norm1(x + self.attended(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.norm2(x + self.attended_to(x, *looking))
        return self.norm3(x + self.dropout3(self.fed_forward(x)))

    def attended_to(self, x: Any, memory: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
        """The dropped-out attention of x to the encoder's output."""
        output, _ = self.multihead_attn(x, memory, memory, key_padding_mask=padding, need_weights=False,
                                        attn_mask=mask, is_causal=is_causal)
        return self.dropout2(output)


class TransformerEncoder(Module):
    """Copies of one encoder layer, one after the other. PyTorch: torch.nn.TransformerEncoder.

    Args:
        encoder_layer: is copied `num_layers` times.
        norm: a normalisation of the output, or None.
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None,
                is_causal: bool | None = None) -> Any:
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask,
                        is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of one decoder layer, one after the other. PyTorch: torch.nn.TransformerDecoder."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Any:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                        bool(tgt_is_causal), memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder (Vaswani 2017). PyTorch: torch.nn.Transformer.

    Args:
        num_encoder_layers, num_decoder_layers: how many layers each has.
        custom_encoder, custom_decoder: take these instead.
        The other arguments are FeedForward's.
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = "relu",
                 custom_encoder: Module | None = None, custom_decoder: Module | None = None,
                 layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
                   device, dtype)
        norms = [LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype) for _ in range(2)]
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*options), num_encoder_layers, norms[0])
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*options), num_decoder_layers, norms[1])
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
                src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None,
                memory_key_padding_mask: Any = None, src_is_causal: bool | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Any:
        if isinstance(src.shape[-1], int) and (src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model):
            raise ShapeError(f"Transformer: src and tgt must have {self.d_model} features, got shapes"
                             f" {shape_text(src.shape)} and {shape_text(tgt.shape)}")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                            memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The mask (sz, sz) with which place i sees places 0 to i only: -inf above the diagonal, 0 elsewhere."""
        return triu(full((sz, sz), LOWEST, device=device, dtype=dtype), diagonal=1)
