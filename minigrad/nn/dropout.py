"""Dropout as modules."""

from typing import Any

from minigrad.nn import noise
from minigrad.nn.module import Module


class Dropout(Module):
    """In training, each element is 0 with probability p and divided by 1 - p otherwise (Srivastava 2014).

    PyTorch: torch.nn.Dropout.

    Raises:
        InvalidArgumentError: p is no probability.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        noise.check_probability(p)
        self.p = p
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        return noise.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """In training, each channel of (N, C, L) is 0 with probability p (Tompson 2014). PyTorch: torch.nn.Dropout1d."""

    def forward(self, input: Any) -> Any:
        return noise.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """In training, each channel of (N, C, H, W) is 0 with probability p. PyTorch: torch.nn.Dropout2d."""

    def forward(self, input: Any) -> Any:
        return noise.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    """In training, each channel of (N, C, D, H, W) is 0 with probability p. PyTorch: torch.nn.Dropout3d."""

    def forward(self, input: Any) -> Any:
        return noise.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    """Dropout that keeps the mean and variance of SELU's outputs (Klambauer 2017). PyTorch: torch.nn.AlphaDropout."""

    def forward(self, input: Any) -> Any:
        return noise.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(Dropout):
    """AlphaDropout of whole channels. PyTorch: torch.nn.FeatureAlphaDropout."""

    def forward(self, input: Any) -> Any:
        return noise.feature_alpha_dropout(input, self.p, self.training, self.inplace)
