"""Softmax, its logarithm, and the cross-entropies of rows: stable at any size of the logits.

A row of which every element is -inf (all masked) has softmax 0, log-softmax -inf and gradient 0; NaN in a row stays
NaN. PyTorch gives NaN for a masked row.
"""

from minigrad.config import default_dtype
from minigrad.core.aval import Aval
from minigrad.core.dims import may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.backends import to_numpy
from minigrad.ops import comparison
from minigrad.ops.axes import normal_axis
from minigrad.ops.casting import cast
from minigrad.ops.exponential import exp
from minigrad.ops.promotion import to_float
from minigrad.ops.reduction import sum as total
from minigrad.ops.selection import where
from minigrad.ops.shaping import unsqueeze

__all__ = ["cross_entropy_rows", "log_softmax", "soft_cross_entropy_rows", "softmax", "softmin"]


def shifted(xp, x, axis):
    """x minus the largest of its row, and -inf where the whole row is -inf or the largest is infinite elsewhere."""
    top = xp.max(x, axis=axis, keepdims=True)
    return x - xp.where(xp.isinf(top) & (top < 0), xp.zeros_like(top), top)


def same_shape_infer(x, *, axis):
    return Aval(x.shape, x.dtype)


# ----- softmax
def softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    e = xp.exp(shifted(xp, x, axis))
    s = xp.sum(e, axis=axis, keepdims=True, dtype=x.dtype)
    return e / xp.where(s == 0, xp.ones_like(s), s)


def softmax_vjp(g, y, x, *, axis):
    gy = g * y
    return gy - y * total(gy, axis, True)


softmax_p = declare("softmax", softmax_kernel, same_shape_infer, vjps=(softmax_vjp,), reads=({"y"},), promote=to_float)


# ----- log-softmax
def log_softmax_kernel(xp, x, *, axis):
    if x.size == 0:
        return xp.zeros_like(x)
    z = shifted(xp, x, axis)
    s = xp.sum(xp.exp(z), axis=axis, keepdims=True, dtype=x.dtype)
    return z - xp.log(xp.where(s == 0, xp.ones_like(s), s))


def log_softmax_vjp(g, y, x, *, axis):
    # in a masked row every y is -inf: e ** y is 0 there, and so is what g sends
    masked = comparison.isneginf(y)
    sent = where(masked, 0.0, g)
    return sent - exp(y) * total(sent, axis, True)


log_softmax_p = declare("log_softmax", log_softmax_kernel, same_shape_infer, vjps=(log_softmax_vjp,), reads=({"y"},),
                        promote=to_float)


# ----- cross-entropy of rows of logits (..., classes) and class numbers (...)
def cross_entropy_rows_kernel(xp, x, labels):
    if x.size == 0:
        return xp.zeros(labels.shape, dtype=x.dtype)
    z = shifted(xp, x, -1)
    s = xp.sum(xp.exp(z), axis=-1, dtype=x.dtype)
    own = xp.take_along_axis(z, xp.expand_dims(labels, -1), axis=-1).reshape(labels.shape)
    return xp.log(s) - own


def cross_entropy_rows_infer(x, labels):
    check_labels("cross_entropy_rows", x, labels)
    return Aval(labels.shape, x.dtype)


def check_labels(name, x, labels):
    """The shapes and dtypes of logits (..., classes) and class numbers (...) fit."""
    if labels.dtype.kind not in "iu":
        raise DtypeError(f"{name}: class numbers must be integers, not {labels.dtype}")
    if x.shape is None or labels.shape is None:
        return
    fits = len(x.shape) == len(labels.shape) + 1 and all(map(may_equal, x.shape, labels.shape))
    if not fits:
        raise ShapeError(f"{name}: logits of shape {shape_text(x.shape)} need class numbers of shape"
                         f" {shape_text(x.shape[:-1])}, not {shape_text(labels.shape)}")


def cross_entropy_rows_vjp(g, y, x, labels):
    return unsqueeze(g, -1) * bind(softmax_less_one_p, x, labels)


cross_entropy_rows_p = declare("cross_entropy_rows", cross_entropy_rows_kernel, cross_entropy_rows_infer,
                               vjps=(cross_entropy_rows_vjp, None), reads=({0, 1}, ()))


# ----- its gradient: softmax with 1 taken off at the class
def softmax_less_one_kernel(xp, x, labels):
    y = softmax_kernel(xp, x, axis=-1)
    if y.size:
        rows = y.reshape(-1, y.shape[-1])
        index = xp.arange(rows.shape[0]), labels.ravel()
        rows[index] = rows[index] - 1
        y = rows.reshape(x.shape)
    return y


def softmax_less_one_infer(x, labels):
    check_labels("softmax_less_one", x, labels)
    return Aval(x.shape, x.dtype)


def softmax_less_one_vjp(g, y, x, labels):
    return softmax_vjp(g, softmax(x, -1), x, axis=-1)


softmax_less_one_p = declare("softmax_less_one", softmax_less_one_kernel, softmax_less_one_infer,
                             vjps=(softmax_less_one_vjp, None), reads=({0}, ()))


def softmax(input, dim=None, *, dtype=None):  # noqa: A002  PyTorch's argument names
    """e ** input over its sum along `dim` (default: the last)."""
    return rows("softmax", softmax_p, input, dim, dtype)


def log_softmax(input, dim=None, *, dtype=None):  # noqa: A002
    """log(softmax(input)) along `dim` (default: the last), without overflow."""
    return rows("log_softmax", log_softmax_p, input, dim, dtype)


def softmin(input, dim=None, *, dtype=None):  # noqa: A002
    """softmax(-input) along `dim`."""
    return softmax(-input, dim, dtype=dtype)


def rows(name, prim, x, dim, dtype):
    """`prim` along one dimension of floats; a value without dimensions is a row of one."""
    if dtype is not None:
        x = cast(x, dtype)
    elif x.dtype.kind != "f":
        x = cast(x, default_dtype())
    axis = normal_axis(name, x, -1 if dim is None else dim)
    if x.ndim == 0:
        return bind(prim, x.reshape((1,)), axis=0).reshape(())
    return bind(prim, x, axis=axis)


def cross_entropy_rows(input, labels):  # noqa: A002
    """-log(softmax(input))[label] for each row of logits (..., classes) and its class number.

    Raises:
        TensorIndexError: a class number is negative or too big (looked at where the values are known).
    """
    check_range("cross_entropy_rows", labels, input.shape[-1])
    return bind(cross_entropy_rows_p, input, labels)


def check_range(name, labels, classes):
    """Refuse class numbers out of range; a GPU's are copied to the host for it, and a graph's are not known yet."""
    array = getattr(labels, "array", labels)
    if not hasattr(array, "__array_interface__") and not hasattr(array, "get"):
        return
    host = to_numpy(array)
    if host.size and (host.min() < 0 or host.max() >= classes):
        wrong = host[(host < 0) | (host >= classes)].ravel()[0]
        raise TensorIndexError(f"{name}: class number {wrong} is out of range for {classes} classes")


def soft_cross_entropy_rows(input, labels, dim=-1, label_gradient=True):  # noqa: A002
    """-sum(labels * log(softmax(input))) along `dim`: the cross-entropy of rows of class probabilities.

    Args:
        label_gradient: False treats the labels as constants (TensorFlow's softmax_cross_entropy_with_logits).

    Raises:
        ShapeError: the shapes differ.
    """
    if input.shape is not None and labels.shape is not None:
        if len(input.shape) != len(labels.shape) or not all(map(may_equal, input.shape, labels.shape)):
            raise ShapeError(f"cross-entropy: logits of shape {shape_text(input.shape)} and class probabilities of shape"
                             f" {shape_text(labels.shape)} differ")
    axis = normal_axis("cross_entropy", input, dim)
    return bind(soft_cross_entropy_rows_p, input, labels, axis=axis, label_gradient=label_gradient)


# ----- cross-entropy of rows of probabilities
def soft_cross_entropy_rows_kernel(xp, x, labels, *, axis, label_gradient):
    y = labels * log_softmax_kernel(xp, x, axis=axis)
    y = xp.where(labels == 0, xp.zeros_like(y), y)
    return -xp.sum(y, axis=axis, dtype=x.dtype)


def soft_cross_entropy_rows_infer(x, labels, *, axis, label_gradient):
    if x.shape is None:
        return Aval(None, x.dtype)
    return Aval((*x.shape[:axis], *x.shape[axis + 1:]), x.dtype)


def soft_cross_entropy_rows_vjp_x(g, y, x, labels, *, axis, label_gradient):
    weight = total(labels, axis, True)
    return unsqueeze(g, axis) * (softmax(x, axis) * weight - labels)


def soft_cross_entropy_rows_vjp_labels(g, y, x, labels, *, axis, label_gradient):
    if not label_gradient:
        return None
    return -(unsqueeze(g, axis) * log_softmax(x, axis))


soft_cross_entropy_rows_p = declare("soft_cross_entropy_rows", soft_cross_entropy_rows_kernel,
                                    soft_cross_entropy_rows_infer,
                                    vjps=(soft_cross_entropy_rows_vjp_x, soft_cross_entropy_rows_vjp_labels),
                                    reads=({0, 1}, {0}), promote=to_float)
