"""Layers that multiply: Linear, Bilinear, Embedding; and those that only pass on."""

import math

from minigrad.dynamic.creation import empty
from minigrad.dynamic.parameter import Parameter
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.ops import draws, shaping
from minigrad.ops.embedding import embedding
from minigrad.ops.matmul import bilinear, linear


class Identity(Module):
    """Its input, whatever the arguments were. PyTorch: torch.nn.Identity."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """input @ weight.T + bias. PyTorch: torch.nn.Linear.

    Args:
        in_features, out_features: sizes of the last dimension of input and output.
        bias: whether to add a bias.

    Weights start uniform within 1 / sqrt(in_features) of 0.
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype, device=device))
        self.bias = Parameter(empty((out_features,), dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the initial values anew."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k] for each output k. PyTorch: torch.nn.Bilinear."""

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.weight = Parameter(empty((out_features, in1_features, in2_features), dtype=dtype, device=device))
        self.bias = Parameter(empty((out_features,), dtype=dtype, device=device)) if bias else None
        bound = 1 / math.sqrt(in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        return bilinear(input1, input2, self.weight, self.bias)


class Embedding(Module):
    """Rows of a table by number. PyTorch: torch.nn.Embedding.

    Args:
        num_embeddings, embedding_dim: rows of the table and their length.
        padding_idx: a row that starts as zeros and gets no gradient.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(empty((num_embeddings, embedding_dim), dtype=dtype, device=device))
        init.normal_(self.weight)
        if padding_idx is not None:
            self.weight.array[padding_idx] = 0

    def forward(self, input):
        return embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Flatten(Module):
    """The dimensions from start_dim to end_dim made one. PyTorch: torch.nn.Flatten."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return shaping.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension `dim` split into sizes. PyTorch: torch.nn.Unflatten."""

    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        return shaping.unflatten(input, self.dim, self.unflattened_size)


class Dropout(Module):
    """In training, each element is 0 with probability p and divided by 1 - p otherwise. PyTorch: torch.nn.Dropout."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = p

    def forward(self, input):
        return draws.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}"
