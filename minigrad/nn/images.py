"""Layers that change the sizes of images."""

from typing import Any

from minigrad.nn import resampling
from minigrad.nn.module import Module
from minigrad.ops.resizing import interpolate, pixel_shuffle, pixel_unshuffle


class Upsample(Module):
    """Images (N, C, *size) in another size. PyTorch: torch.nn.Upsample.

    Args:
        size: of the result, a number or one for each dimension; or
        scale_factor: result over input, a number or one for each dimension.
        mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners: keep the centres of the corner pixels where they are.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                 align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.size = size
        if isinstance(scale_factor, tuple | list):
            scale_factor = tuple([float(factor) for factor in scale_factor])
        elif scale_factor is not None:
            scale_factor = float(scale_factor)
        self.scale_factor = scale_factor
        self.mode, self.align_corners, self.recompute_scale_factor = mode, align_corners, recompute_scale_factor

    def forward(self, input: Any) -> Any:
        return interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                           self.recompute_scale_factor)

    def extra_repr(self) -> str:
        which = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        return f"{which}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images (N, C, H, W) in another size, each pixel the nearest one. PyTorch: torch.nn.UpsamplingNearest2d."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Images (N, C, H, W) in another size, the corners staying. PyTorch: torch.nn.UpsamplingBilinear2d."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """(..., C * r * r, H, W) to (..., C, H * r, W * r): channels become pixels (Shi 2016). PyTorch: PixelShuffle."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Any:
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(..., C, H * r, W * r) to (..., C * r * r, H, W): the inverse of PixelShuffle. PyTorch: PixelUnshuffle."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Any:
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """(N, C, ...) with channel i of each group next to those of the others (Zhang 2017). PyTorch: ChannelShuffle."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Any:
        return resampling.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
