"""Layers that pad the last dimensions."""

from typing import Any

from minigrad.nn.module import Module
from minigrad.ops.columns import numbers
from minigrad.ops.padding import pad


class Padding(Module):
    """What the padding layers share.

    Args:
        padding: a number for all ends, or (left, right), (left, right, top, bottom) and so on, from the last dimension.
    """

    rank = 0
    mode = "constant"
    value: float | None = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = numbers("padding", padding, 2 * self.rank, least=-(2**62))

    def forward(self, input: Any) -> Any:
        return pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return str(self.padding)


class ConstantPadding(Padding):
    """Padding with one number."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(ConstantPadding):
    """`value` at the ends of the last dimension. PyTorch: torch.nn.ConstantPad1d."""

    rank = 1


class ConstantPad2d(ConstantPadding):
    """`value` around the last two dimensions. PyTorch: torch.nn.ConstantPad2d."""

    rank = 2


class ConstantPad3d(ConstantPadding):
    """`value` around the last three dimensions. PyTorch: torch.nn.ConstantPad3d."""

    rank = 3


class ZeroPad1d(Padding):
    """Zeros at the ends of the last dimension. PyTorch: torch.nn.ZeroPad1d."""

    rank = 1
    value = 0.0


class ZeroPad2d(Padding):
    """Zeros around the last two dimensions. PyTorch: torch.nn.ZeroPad2d."""

    rank = 2
    value = 0.0


class ZeroPad3d(Padding):
    """Zeros around the last three dimensions. PyTorch: torch.nn.ZeroPad3d."""

    rank = 3
    value = 0.0


class ReflectionPad1d(Padding):
    """The last dimension mirrored at its ends, which are not repeated. PyTorch: torch.nn.ReflectionPad1d."""

    rank, mode = 1, "reflect"


class ReflectionPad2d(Padding):
    """The last two dimensions mirrored at their ends. PyTorch: torch.nn.ReflectionPad2d."""

    rank, mode = 2, "reflect"


class ReflectionPad3d(Padding):
    """The last three dimensions mirrored at their ends. PyTorch: torch.nn.ReflectionPad3d."""

    rank, mode = 3, "reflect"


class ReplicationPad1d(Padding):
    """The ends of the last dimension repeated. PyTorch: torch.nn.ReplicationPad1d."""

    rank, mode = 1, "replicate"


class ReplicationPad2d(Padding):
    """The ends of the last two dimensions repeated. PyTorch: torch.nn.ReplicationPad2d."""

    rank, mode = 2, "replicate"


class ReplicationPad3d(Padding):
    """The ends of the last three dimensions repeated. PyTorch: torch.nn.ReplicationPad3d."""

    rank, mode = 3, "replicate"


class CircularPad1d(Padding):
    """The last dimension as if it were a circle. PyTorch: torch.nn.CircularPad1d."""

    rank, mode = 1, "circular"


class CircularPad2d(Padding):
    """The last two dimensions as if they were circles. PyTorch: torch.nn.CircularPad2d."""

    rank, mode = 2, "circular"


class CircularPad3d(Padding):
    """The last three dimensions as if they were circles. PyTorch: torch.nn.CircularPad3d."""

    rank, mode = 3, "circular"
