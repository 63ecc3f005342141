"""Parameters as one vector. PyTorch: torch.nn.utils.parameters_to_vector."""

from collections.abc import Iterable

from minigrad.core.dims import shape_text
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import ShapeError
from minigrad.ops.joining import cat


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters one after the other, in one vector through which gradients flow."""
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the values that `parameters_to_vector` would put into `vec`.

    They share memory with it, as in PyTorch.

    Raises:
        ShapeError: the vector has another number of elements.
    """
    tensors = list(parameters)
    count = sum([p.numel() for p in tensors])
    if vec.ndim != 1 or vec.numel() != count:
        raise ShapeError(f"vector_to_parameters: expected a vector of {count} elements, got shape"
                         f" {shape_text(vec.shape)}")
    start = 0
    for p in tensors:
        p.data = vec.detach()[start:start + p.numel()].reshape(p.shape)
        start += p.numel()
