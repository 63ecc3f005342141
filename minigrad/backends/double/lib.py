"""`xp.lib`, of which CuPy has one module."""

from minigrad.backends.double import _stride_tricks

stride_tricks = _stride_tricks
