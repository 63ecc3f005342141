"""Class numbers: the elements that they choose from rows of scores, one in each row along an axis.

Class numbers are integers in the shape of the scores without the axis of the classes. `ignore_index` is a number
among them, in range or not, whose rows do not count.
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import is_known, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.ops.axes import reduced_shape


def checked_labels(xp, labels, classes, ignore_index):
    """(class numbers with 0 for ignored ones, mask of the ignored ones or None, number of those that count).

    Raises:
        TensorIndexError: a class number is negative or too big. Looked at here, because a GPU would not notice; the
            host waits for it.
    """
    if labels.size == 0:
        return labels, None, 0
    low, high = int(labels.min()), int(labels.max())
    ignored, count = None, labels.size
    if ignore_index is not None and low <= ignore_index <= high:
        ignored = xp.equal(labels, ignore_index)
        labels = xp.where(ignored, 0, labels)
        count -= int(ignored.sum())
        low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= classes:
        hint = "" if ignore_index is None else f"; only ignore_index={ignore_index} may be outside"
        raise TensorIndexError(f"class number {low if low < 0 else high} is out of range for {classes} classes: class"
                               f" numbers are 0 to {classes - 1}{hint}")
    return labels, ignored, count


def label_place(xp, labels, axis):
    """The index of the elements that `labels` choose along `axis`."""
    place = []
    for i, size in enumerate(labels.shape):
        place.append(xp.arange(size).reshape((size,) + (1,) * (labels.ndim - 1 - i)))
    place.insert(axis, labels)
    return tuple(place)


def row_shape(name, x, labels, axis):
    """The shape of class numbers for scores `x`, as far as it is known.

    Raises:
        DtypeError, ShapeError: `labels` do not fit.
    """
    if labels.dtype.kind not in "iu":
        raise DtypeError(f"{name}: class numbers must be integers, not {labels.dtype}")
    rows = reduced_shape(x.shape, (axis,), False)
    if rows is None or labels.shape is None:
        return labels.shape if rows is None else rows
    if len(rows) != len(labels.shape) or not all(map(may_equal, rows, labels.shape)):
        raise ShapeError(f"{name}: scores of shape {shape_text(x.shape)} with the classes along dimension {axis} need"
                         f" class numbers of shape {shape_text(rows)}, not {shape_text(labels.shape)}")
    return rows


# ----- the score of each row's class (0 where it is ignored), and how many rows count
def pick_classes_kernel(xp, x, labels, *, axis, ignore_index):
    labels, ignored, count = checked_labels(xp, labels, x.shape[axis], ignore_index)
    picked = x[label_place(xp, labels, axis)] if labels.size else xp.zeros(labels.shape, dtype=x.dtype)
    if ignored is not None:
        picked = xp.where(ignored, 0, picked)
    return picked, xp.asarray(count, dtype=int64)


def pick_classes_infer(x, labels, *, axis, ignore_index):
    return Aval(row_shape("pick_classes", x, labels, axis), x.dtype), Aval((), int64)


def pick_classes_joint(g, y, x, labels, *, needed, axis, ignore_index):
    if g[0] is None:
        return None, None
    if is_known(x.shape):
        return bind(put_classes_p, g[0], labels, axis=axis, ignore_index=ignore_index, shape=x.shape), None
    return bind(put_classes_p, g[0], labels, x, axis=axis, ignore_index=ignore_index, shape=None), None


pick_classes_p = declare("pick_classes", pick_classes_kernel, pick_classes_infer, joint=pick_classes_joint, reads={1},
                         multiple=True)


# ----- zeros with a value at each row's class: the gradient of picking. `like` has the shape if it is no parameter
def put_classes_kernel(xp, g, labels, *like, axis, ignore_index, shape):
    shape = like[0].shape if shape is None else shape
    labels, ignored, _ = checked_labels(xp, labels, shape[axis], ignore_index)
    y = xp.zeros(shape, dtype=g.dtype)
    if labels.size:
        y[label_place(xp, labels, axis)] = g if ignored is None else xp.where(ignored, 0, g)
    return y


def put_classes_infer(g, labels, *like, axis, ignore_index, shape):
    shape = like[0].shape if shape is None else shape
    row_shape("put_classes", Aval(shape, g.dtype), labels, axis)
    return Aval(shape, g.dtype)


def put_classes_vjp(h, y, g, labels, *like, axis, ignore_index, shape):
    return bind(pick_classes_p, h, labels, axis=axis, ignore_index=ignore_index)[0]


put_classes_p = declare("put_classes", put_classes_kernel, put_classes_infer, vjps=(put_classes_vjp, None, None),
                        reads=({1}, (), ()))


# ----- 1 at the class of each row, 0 elsewhere, in the shape and dtype of `like`
def label_marks_kernel(xp, labels, like, *, axis):
    classes = xp.arange(like.shape[axis]).reshape((-1,) + (1,) * (like.ndim - 1 - axis))
    return xp.equal(xp.expand_dims(labels, axis), classes).astype(like.dtype)


def label_marks_infer(labels, like, *, axis):
    row_shape("label_marks", like, labels, axis)
    return Aval(like.shape, like.dtype)


label_marks_p = declare("label_marks", label_marks_kernel, label_marks_infer)
