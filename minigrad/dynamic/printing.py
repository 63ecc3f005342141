"""Tensors as text: `repr` is one line that fits a debugger, `str` (what print shows) sets out all dimensions."""

from collections import namedtuple
from contextvars import ContextVar

import numpy as np

from minigrad.backends import to_numpy
from minigrad.config import default_dtype
from minigrad.core.dims import shape_text
from minigrad.core.dtypes import bool_, int64

LINE = 120  # longest one-line form
Options = namedtuple("Options", "precision threshold edgeitems linewidth sci_mode")
options = ContextVar("minigrad_print_options", default=Options(4, 1000, 3, 80, None))  # noqa: B039  it is immutable
PLAIN_DTYPES = (bool_, int64)  # those that the numbers show by themselves, beside the default float dtype


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, sci_mode=None):
    """How print shows tensors, in this context. PyTorch: torch.set_printoptions.

    Args:
        precision: digits after the point (4).
        threshold: more elements than this are summarised (1000).
        edgeitems: elements shown at each end then (3).
        linewidth: characters in a line (80).
        sci_mode: True for exponents always, False for never; None chooses by the values.
    """
    given = (precision, threshold, edgeitems, linewidth)
    chosen = [old if new is None else new for new, old in zip(given, options.get()[:4], strict=True)]
    options.set(Options(*chosen, sci_mode))


def one_line(tensor):
    """``tensor([[1., 2.], [3., 4.]], requires_grad=True)``; larger tensors are summarised and show their shape."""
    array = to_numpy(tensor.array)
    notes = notes_on(tensor)
    if array.size <= 1000:
        text = finished(values_text(array, 1000, 3, 10 ** 6), notes)
        if len(text) <= LINE:
            return text
    for edge in (2, 1):
        shape = f"shape={shape_text(array.shape)}"
        text = finished(values_text(array, 0, edge, 10 ** 6), [shape, *notes])
        if len(text) <= LINE:
            return text
    return finished("...", [f"shape={shape_text(array.shape)}", *notes])


def laid_out(tensor):
    """The numbers row by row, as PyTorch prints them."""
    array = to_numpy(tensor.array)
    chosen = options.get()
    body = values_text(array, chosen.threshold, chosen.edgeitems, chosen.linewidth)
    return f"tensor({', '.join([body, *notes_on(tensor)])})"


def finished(body, notes):
    lines = " ".join([line.strip() for line in body.splitlines() if line.strip()])
    return f"tensor({', '.join([lines, *notes])})"


def notes_on(tensor):
    """What is said after the numbers: shape of an empty tensor, device, dtype, gradient."""
    notes = []
    array = tensor.array
    if array.size == 0 and array.ndim != 1:
        notes.append(f"size={shape_text(array.shape)}")
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if (array.dtype not in PLAIN_DTYPES and array.dtype != default_dtype()) or (
            array.size == 0 and array.dtype != default_dtype()):
        notes.append(f"dtype={array.dtype}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    return notes


def values_text(array, threshold, edge, width):
    """The numbers in brackets, summarised when there are more than `threshold`."""
    if array.size == 0:
        return "[]"
    if array.dtype.kind == "f":
        style = FloatStyle(shown_part(array, threshold, edge))
        formatter = {"float_kind": style.show}
    else:
        formatter = None
    return np.array2string(array, separator=", ", prefix="tensor(", threshold=threshold, edgeitems=edge,
                           max_line_width=width, formatter=formatter)


def shown_part(array, threshold, edge):
    """The numbers that will be shown: all, or those at the edges."""
    if array.size <= threshold:
        return array
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis=axis)
    return array


class FloatStyle:
    """One way of writing all the numbers of a tensor: as whole numbers, with four digits, or with exponents."""

    def __init__(self, values):
        finite = np.abs(values[np.isfinite(values)].astype(np.float64))
        nonzero = finite[finite != 0]
        self.kind = "fixed"
        self.digits = options.get().precision
        sci_mode = options.get().sci_mode
        if (finite == np.floor(finite)).all():
            self.kind = "whole" if finite.max(initial=0) <= 1e6 else "exponent"
        elif nonzero.max() > 1000 * nonzero.min() or nonzero.max() > 1e8 or nonzero.min() < 1e-4:
            self.kind = "exponent"
        if sci_mode:
            self.kind = "exponent"
        elif sci_mode is False and self.kind == "exponent":
            self.kind = "fixed"
        self.width = 0
        self.width = max((len(self.show(v)) for v in values.ravel().tolist()), default=0)

    def show(self, value):
        """One number as text, padded to the width of the widest."""
        if value != value or value in (np.inf, -np.inf):
            text = str(float(value))
        elif self.kind == "whole":
            text = f"{value:.0f}."
        elif self.kind == "exponent":
            text = f"{value:.{self.digits}e}"
        else:
            text = f"{value:.{self.digits}f}"
        return text.rjust(self.width)
