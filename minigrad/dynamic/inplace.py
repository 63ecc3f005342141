"""In-place writes: the right number, or an error that names both lines, never a silent wrong gradient.

A write computes its value as a new tensor first, then copies it into the memory. Version counters on the shared
memory let backward notice when a value that it needs is gone; the written tensor's record becomes that of the value.
"""

from minigrad.backends import backend_of
from minigrad.core.dims import shape_text
from minigrad.core.dtypes import category
from minigrad.core.sites import user_site
from minigrad.dynamic.modes import grad_mode
from minigrad.dynamic.tape import Leaf, Storage, record_operation
from minigrad.dynamic.views import write_view_p
from minigrad.errors import DtypeError, InplaceError, ShapeError
from minigrad.ops import arithmetic
from minigrad.ops.broadcasting import broadcast_to
from minigrad.ops.casting import cast


def write(target, value, name):
    """Write Tensor `value` into Tensor `target`, for in-place operation `name`; returns `target`.

    Raises:
        InplaceError: `target` is a leaf that requires grad (or a view of one) and recording is on, or the write goes
            through a view of a view.
        DtypeError: the value's dtype cannot be stored in the target's.
        ShapeError: the value does not broadcast to the target.
    """
    site = user_site(2)
    recording = grad_mode.get() and (target.record is not None or value.record is not None)
    if recording:
        refuse_leaf(target, name)
    if category(value.dtype) > category(target.dtype):
        raise DtypeError(f"{name}: a result of dtype {value.dtype} cannot be stored in a {target.dtype} tensor")
    if value.shape != target.shape:
        try:
            value = broadcast_to(value, target.shape)
        except ShapeError as error:
            raise ShapeError(f"{name}: a value of shape {shape_text(value.shape)} cannot be written into a tensor of"
                             f" shape {shape_text(target.shape)}") from error
    if value.dtype != target.dtype:
        value = cast(value, target.dtype)
    target.array[...] = value.array
    note_write(target, site)
    if recording:
        rebase(target, value)
    return target


def refuse_leaf(target, name):
    """Raise if `target` is a leaf that requires grad, or a view of one."""
    base = target if target.base is None else target.base.base
    if base.record.__class__ is Leaf:
        what = "a leaf tensor that requires grad" if base is target else "a view of a leaf tensor that requires grad"
        raise InplaceError(f"{name}: {what} is written in place while operations are recorded: its old value would be"
                           " lost to the gradient. Update parameters under no_grad(), or write to a clone()")


def note_write(target, site):
    """Count the write, so that backward notices if it needed the old value."""
    storage = target.storage
    if storage is None:
        storage = target.storage = Storage()
    storage.version += 1
    storage.writer = site


def rebase(target, value):
    """Give `target` (and the base and the other views of its memory) records that go through `value`."""
    if target.base is None:
        target.record = value.record
        refresh_views(target)
    else:
        base = target.base.base
        base.record = written_through(base, target.base.steps, value)
        refresh_views(base)


def written_through(base, steps, value):
    """The record of `base` after `value` was written into the view of it that `steps` lead to."""
    prim, extra, params = steps[0]
    if len(steps) > 1:
        part = Unlinked(*viewed(base, steps[0]))
        value = Unlinked(part.array, written_through(part, steps[1:], value))
    args = (base, value, *extra)
    return record_of(write_view_p, args, {"view": prim, "view_params": params}, base.array)


def refresh_views(base):
    """Make the records of the live views of `base` anew, from its own new record."""
    if base.storage is None:
        return
    for ref in base.storage.views:
        view = ref()
        if view is not None and view.base.base is base:
            part = base
            for step in view.base.steps:
                part = Unlinked(*viewed(part, step))
            view.record = part.record


class Unlinked:
    """An array with a record, for the steps between a base and its view; never seen by users."""

    __slots__ = ("array", "record", "storage")

    def __init__(self, array, record):
        self.array = array
        self.record = record
        self.storage = None


def viewed(base, step):
    """(array, record) of the view of `base` that one step takes."""
    prim, extra, params = step
    arrays = [base.array]
    for a in extra:
        arrays.append(getattr(a, "array", a))
    array = prim.kernel(backend_of(base.array).xp, *arrays, **params)
    return array, record_of(prim, (base, *extra), params, array)


def record_of(prim, args, params, y):
    """The record of `prim` applied to `args` with result `y`, which is not computed again; None if none is tracked."""
    arrays, inputs = [], []
    for a in args:
        arrays.append(getattr(a, "array", a))
        inputs.append(getattr(a, "record", None))
    if tracked_mask(inputs) == 0:
        return None
    return record_operation(prim, args, arrays, inputs, tracked_mask(inputs), params, y, None)


class InplaceMethods:
    """The in-place operations of a Tensor: their names end in an underscore, as in PyTorch."""

    __slots__ = ()

    def __iadd__(self, other):
        return write(self, arithmetic.add(self, other), "add_")

    def __isub__(self, other):
        return write(self, arithmetic.sub(self, other), "sub_")

    def __imul__(self, other):
        return write(self, arithmetic.mul(self, other), "mul_")

    def __itruediv__(self, other):
        return write(self, arithmetic.div(self, other), "div_")

    def add_(self, other, *, alpha=1):
        """self += alpha * other, in place."""
        return write(self, arithmetic.add(self, other if alpha == 1 else arithmetic.mul(other, alpha)), "add_")

    def sub_(self, other, *, alpha=1):
        """self -= alpha * other, in place."""
        return write(self, arithmetic.sub(self, other if alpha == 1 else arithmetic.mul(other, alpha)), "sub_")

    def mul_(self, other):
        """self *= other, in place."""
        return write(self, arithmetic.mul(self, other), "mul_")

    def div_(self, other):
        """self /= other, in place."""
        return write(self, arithmetic.div(self, other), "div_")

    def neg_(self):
        """self = -self, in place."""
        return write(self, arithmetic.neg(self), "neg_")
