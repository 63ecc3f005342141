"""Layers that multiply or look up: Linear, Bilinear, Embedding; and those that only pass on."""

import math
from typing import Any, Self

from minigrad.dynamic.creation import empty
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.parameter import Parameter
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import ShapeError, TensorIndexError
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.ops import shaping
from minigrad.ops.embedding import embedding
from minigrad.ops.matmul import bilinear, linear


class Identity(Module):
    """Its input, whatever the arguments were. PyTorch: torch.nn.Identity."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """input @ weight.T + bias. PyTorch: torch.nn.Linear.

    Args:
        in_features, out_features: sizes of the last dimension of input and output.
        bias: whether to add a bias.

    Attributes:
        weight: (out_features, in_features), uniform within 1 / sqrt(in_features) of 0 at first.
        bias: (out_features,), likewise, or None.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype, device=device))
        self.bias: Parameter | None
        self.register_parameter("bias", Parameter(empty((out_features,), dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        uniform_within(1 / math.sqrt(self.in_features) if self.in_features else 0.0, self.weight, self.bias)

    def forward(self, input: Any) -> Any:
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def uniform_within(bound: float, *parameters: Parameter | None) -> None:
    """Fill parameters with uniform draws within `bound` of 0."""
    for parameter in parameters:
        if parameter is not None:
            init.uniform_(parameter, -bound, bound)


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k] for each output k. PyTorch: torch.nn.Bilinear.

    Args:
        in1_features, in2_features, out_features: sizes of the last dimensions of the inputs and the output.
        bias: whether to add a bias.
    """

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ShapeError(f"in1_features must be positive, got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), dtype=dtype, device=device))
        self.bias: Parameter | None
        self.register_parameter("bias", Parameter(empty((out_features,), dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        uniform_within(1 / math.sqrt(self.in1_features), self.weight, self.bias)

    def forward(self, input1: Any, input2: Any) -> Any:
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features},"
                f" bias={self.bias is not None}")


class Embedding(Module):
    """Rows of a table by number. PyTorch: torch.nn.Embedding.

    Args:
        num_embeddings, embedding_dim: rows of the table and their length.
        padding_idx: a row that starts as zeros and gets no gradient.
        max_norm, norm_type: not offered; see minigrad.nn.functional.embedding.
        scale_grad_by_freq: divide the gradient of a row by how often it was looked up.
        sparse: accepted; gradients are dense.

    Attributes:
        weight: the table; normal draws at first.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise TensorIndexError(f"padding_idx {padding_idx} is out of range for {num_embeddings} rows")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = Parameter(empty((num_embeddings, embedding_dim), dtype=dtype, device=device), not _freeze)
            self.reset_parameters()
        else:
            if _weight.shape != (num_embeddings, embedding_dim):
                raise ShapeError(f"a table of {num_embeddings} rows of {embedding_dim} cannot have shape"
                                 f" {tuple(_weight.shape)}")
            self.weight = Parameter(_weight, not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
                        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                        sparse: bool = False) -> Self:
        """An Embedding around a table that is there already; `freeze` keeps it as it is."""
        if embeddings.ndim != 2:
            raise ShapeError(f"a table has two dimensions, not shape {tuple(embeddings.shape)}")
        rows, width = embeddings.shape
        return cls(rows, width, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(self, input: Any) -> Any:
        return embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                         self.sparse)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text + (", sparse=True" if self.sparse else "")


class Flatten(Module):
    """The dimensions from start_dim to end_dim made one. PyTorch: torch.nn.Flatten."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Any) -> Any:
        return shaping.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension `dim` split into sizes. PyTorch: torch.nn.Unflatten."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, input: Any) -> Any:
        return shaping.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
