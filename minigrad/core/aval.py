"""Abstract values: what is known of an array without having it (its shape and dtype)."""

import numpy as np

from minigrad.core.dims import is_known, shape_text


class Aval:
    """Shape and dtype of a value; `shape` may hold unknown sizes (`Dim`), or be None for an unknown rank.

    A gradient rule gets an Aval in place of each value that it did not declare to read, so it may always ask for
    `x.shape` and `x.dtype`, and arithmetic on an undeclared value fails at once.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape, dtype):
        self.shape = shape
        self.dtype = dtype if dtype.__class__ is np.dtype else np.dtype(dtype)

    @property
    def ndim(self):
        return None if self.shape is None else len(self.shape)

    @property
    def is_known(self):
        return is_known(self.shape)

    def __eq__(self, other):
        return isinstance(other, Aval) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"{self.dtype}{shape_text(self.shape)}"


def aval_of(x):
    """The Aval of an array, Tensor, Node, Aval or Python scalar."""
    if isinstance(x, Aval):
        return x
    shape = getattr(x, "shape", None)
    if shape is None and not hasattr(x, "shape"):
        return Aval((), np.result_type(x))
    return Aval(shape, x.dtype)
