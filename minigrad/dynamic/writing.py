"""In-place writes: the right number, or an error that names both lines, never a silent wrong gradient.

A write computes its value as a new tensor first, then copies it into the memory. Version counters on the shared
memory let backward notice when a value that it needs is gone; the written tensor's record becomes that of the value.
The methods (add_, copy_, ...) are in `inplace`.
"""

from minigrad.backends import backend_of, to_device
from minigrad.core.dims import broadcast_shapes, shape_text
from minigrad.core.dispatch import Operand, bind
from minigrad.core.dtypes import bool_, category, is_scalar
from minigrad.core.failures import explained
from minigrad.core.sites import describe, user_site
from minigrad.dynamic.barrier import refusing_record
from minigrad.dynamic.hooks import Hooks
from minigrad.dynamic.modes import grad_mode
from minigrad.dynamic.tape import Leaf, Storage, record_operation
from minigrad.dynamic.views import live_views, overwrite_p, write_view_p
from minigrad.errors import DeviceError, DtypeError, InplaceError, ShapeError, TensorIndexError
from minigrad.ops import indexing, places, slicing
from minigrad.ops.casting import cast


# ----- the ways to write
def write(target, value, name):
    """Write Tensor `value`, computed from `target`, into it, for in-place operation `name`; returns `target`.

    Raises:
        InplaceError: `target` is a leaf that requires grad (or a view of one) and recording is on, its elements
            overlap in memory (as after expand), or it is a view of a kind that cannot be written.
        DtypeError: the value's dtype cannot be stored in the target's.
        ShapeError: the value has more elements than the target.
    """
    if getattr(value, "array", None) is None:
        raise DtypeError(f"{name}: a {type(value).__name__} has no value that could be written into a tensor")
    recording = is_recording(target, value)
    check_target(target, name, recording)
    if category(value.dtype) > category(target.dtype):
        raise narrowing(target, value.dtype, name)
    if value.shape != target.shape:
        raise ShapeError(f"{name}: the result has shape {shape_text(value.shape)}, which cannot be stored in a tensor"
                         f" of shape {shape_text(target.shape)}; an in-place operation never broadcasts its target")
    if value.dtype != target.dtype:
        value = cast(value, target.dtype)
    target.array[...] = value.array
    note_write(target, user_site(2))
    if recording:
        rebase(target, value.record)
    return target


def overwrite(target, value, name):
    """Write `value` (Tensor, number or array), which does not depend on `target`, over it; returns `target`.

    As copy_ does, it casts to the target's dtype, whatever that loses, and broadcasts to its shape.

    Raises: as `write`.
    """
    recording = is_recording(target, value)
    check_target(target, name, recording)
    value = fitted(storable(target, value, name), target.shape, name)
    array = getattr(value, "array", value)
    if target.storage is not None and getattr(value, "storage", None) is target.storage:
        array = array.copy()  # not every array library copies overlapping memory rightly
    target.array[...] = array
    note_write(target, user_site(2))
    if recording:
        if target.base is not None:
            rebase_through_view(target, value)
        else:
            rebase(target, record_of(overwrite_p, (target, value), {}, target.array))
    return target


def assign(target, index, value, name):
    """``target[index] = value``: through a view for slices and ints, at places for integer and bool arrays.

    Raises: as `overwrite`, and TensorIndexError for an index that does not fit.
    """
    if index.__class__ is int:
        basic, sizes, arrays, axes = (index,), (), (), ()
    else:
        basic, sizes, arrays, axes = indexing.take_apart(target, index)
    if sizes or any([isinstance(a, Operand) and not hasattr(a, "array") for a in arrays]):
        raise TensorIndexError(f"{name}: a graph node cannot be the index of a tensor, which has its value now")
    if not arrays and not is_recording(target, value):
        check_target(target, name, False)
        put_slice(target, basic, value, name)
        note_write(target, user_site(2))
        return target
    part = bind(slicing.slice_p, target, index=basic) if basic or not arrays else target
    if not arrays:
        return overwrite(part, value, name)
    value = storable(part, value, name)
    arrays = [to_device(getattr(a, "array", a), part.device) for a in arrays]
    if is_recording(part, value):
        value = bind(indexing.index_put_p, before_write(part, value), value, *arrays, axes=axes, bounds="wrap")
        return write(part, value, name)
    check_target(part, name, False)
    put_at(part, value, arrays, axes)
    note_write(part, user_site(2))
    return part


def put_slice(target, basic, value, name):
    """Write `value` at a basic index of the array itself, with no view made."""
    try:
        part = target.array[slicing.slice_key(basic)]
    except IndexError as error:
        raise explained(slicing.slice_p, (target,), {"index": basic}, error) from error
    value = fitted(storable(target, value, name), part.shape, name)
    array = getattr(value, "array", value)
    if target.storage is not None and getattr(value, "storage", None) is target.storage:
        array = array.copy()
    part[...] = array


def put_at(part, value, arrays, axes):
    """Write `value` at places of the array itself, with nothing copied or recorded."""
    backend = backend_of(part.array)
    xp = backend.xp
    indexing.index_put_infer(part, value, *arrays, axes=axes, bounds="wrap")
    value = getattr(value, "array", value)
    if len(arrays) == 1 and arrays[0].dtype == bool_:
        part.array[indexing.array_key(axes, arrays)] = value
        return
    axes, arrays = places.integer_index(xp, "assignment", part.shape, axes, arrays, "wrap")
    backend.set_at(part.array, indexing.array_key(axes, arrays), value)


def check_alone(target, name):
    """Raise InplaceError unless the axes of `target` may be rearranged: while nothing depends on how they lie."""
    if grad_mode.get() and target.record.__class__ is Leaf:
        raise InplaceError(f"{name}: a leaf tensor that requires grad cannot change its shape in place")
    if target.base is not None or live_views(target):
        raise InplaceError(f"{name}: this tensor is a view or has views, which depend on its shape; use the operation"
                           f" without the underscore: x = x.{name[:-1]}(...)")


def rearrange(target, view):
    """Let `target` become `view`, which is a view of it that nobody else has; returns `target`."""
    target.array = view.array
    set_record(target, view.record)
    return target


def direct(target, other):
    """May `target op= other` be left to the array library, with no value computed first?

    Yes when nothing is recorded, and dtypes, shapes and devices are such that nothing has to be converted.
    """
    if isinstance(other, Operand):
        if is_recording(target, other):
            return False
        array = getattr(other, "array", None)
        if array.__class__ is not target.array.__class__ or array.dtype != target.array.dtype:
            return False
        if array.shape != target.array.shape and array.ndim:
            return False
        if target.storage is not None and other.storage is target.storage and array is not target.array:
            return False
    elif (other.__class__ is not float and other.__class__ is not int) or is_recording(target, None):
        return False
    if target.array.dtype.kind != "f":
        return False
    check_target(target, "an in-place operation", False)
    return True


def before_write(target, *operands):
    """`target` as an operand of an operation whose result is about to be written over it.

    If the operation is recorded, its gradient may need the old value: then it is a copy with the same record.
    """
    if grad_mode.get():
        for t in (target, *operands):
            if getattr(t, "record", None) is not None:
                old = tensor_like(target, target.array.copy())
                old.record = target.record
                return old
    return target


def tensor_like(target, array):
    """A plain untracked Tensor around `array` (made by way of `target`, as this module is below Tensor's)."""
    out = target.detach()
    out.array = array
    out.storage = None
    return out


# ----- what may be written
def is_recording(target, value):
    """True when the write has to be put on the tape."""
    if not grad_mode.get():
        return False
    if target.record is not None or getattr(value, "record", None) is not None:
        return True
    return target.base is not None and target.base.base.record is not None


def check_target(target, name, recording):
    """Raise InplaceError if `target` must not be written."""
    view = target.base
    if recording:
        base = target if view is None else view.base
        if base.record.__class__ is Leaf:
            what = "a leaf tensor" if base is target else "a view of a leaf tensor"
            raise InplaceError(f"{name}: {what} that requires grad is written in place while operations are recorded:"
                               " its old value would be lost to the gradient. Update parameters under no_grad(), or"
                               " write to a clone()")
        if target.record.__class__ is Leaf:
            raise InplaceError(f"{name}: a leaf tensor that requires grad is written in place while operations are"
                               " recorded; update it under no_grad(), or write to a clone()")
        for other in live_views(base):
            if other.record.__class__ is Leaf:
                raise InplaceError(f"{name}: a view of this memory was made a leaf that requires grad, and the write"
                                   " would change its value; write under no_grad(), or to a clone()")
        if view is not None and view.barred is not None:
            raise InplaceError(f"{name}: the view made at {describe(view.site)} cannot be written while operations are"
                               f" recorded: it {view.barred}")
    array = target.array
    if not array.flags.c_contiguous and overlapping(array):
        raise InplaceError(f"{name}: several elements of this tensor of shape {shape_text(array.shape)} share one place"
                           " in memory (as after expand or unfold), so a write has no meaning; clone() it first")
    if getattr(array.flags, "writeable", True) is False:
        if view is None or not view.base.array.flags.writeable:
            raise InplaceError(f"{name}: the memory of this tensor is read-only (it came from a read-only NumPy"
                               " array); clone() it first")
        array.flags.writeable = True  # NumPy bars what comes of broadcasting, although here no elements overlap


def overlapping(array):
    """May several elements of `array` share memory? (Never for slices, transposes and reshapes of an ordinary one.)"""
    reach = 0
    sizes = []
    for step, size in zip(array.strides, array.shape, strict=True):
        if size == 0:
            return False
        if size > 1:
            sizes.append((abs(step), size))
    for step, size in sorted(sizes):
        if step <= reach:
            return True
        reach += step * (size - 1)
    return False


def storable(target, value, name):
    """`value` as a number, or a Tensor of the target's dtype on its device."""
    if value.__class__ is float and target.array.dtype.kind == "f":
        return value
    if is_scalar(value):
        number = value.item() if hasattr(value, "item") else value
        if target.dtype.kind in "iu" and number.__class__ is float:
            try:
                return int(number)
            except (ValueError, OverflowError):
                raise DtypeError(f"{name}: {number} cannot be stored in a {target.dtype} tensor") from None
        return number
    tensor = value if hasattr(value, "record") else None
    if tensor is None:
        if isinstance(value, Operand) or not hasattr(value, "dtype"):
            raise DtypeError(f"{name}: a {type(value).__name__} cannot be written into a tensor; expected a Tensor,"
                             " a number or an array (make one with minigrad.tensor)")
        tensor = tensor_like(target, value)
    if tensor.array.__class__ is not target.array.__class__:
        if tensor.ndim:
            raise DeviceError(f"{name}: a tensor on {tensor.device} cannot be written into one on {target.device};"
                              f' move it with .to("{target.device}")')
        tensor = tensor.to(target.device)
    return tensor if tensor.dtype == target.dtype else cast(tensor, target.dtype)


def fitted(value, shape, name):
    """`value` without leading axes of size 1 that the places it goes to do not have; raises unless it broadcasts."""
    if is_scalar(value):
        return value
    original = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    try:
        fits = broadcast_shapes(shape, value.shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"{name}: a value of shape {shape_text(original)} cannot be written to places of shape"
                         f" {shape_text(shape)}")
    return value


def narrowing(target, dtype, name):
    return DtypeError(f"{name}: a result of dtype {dtype} cannot be stored in a {target.dtype} tensor; cast one of them"
                      f" first")


# ----- what a write does to versions and records
def note_write(target, site):
    """Count the write, so that backward notices if it needed the old value."""
    storage = target.storage
    if storage is None:
        storage = target.storage = Storage()
    storage.version += 1
    storage.writer = site


def rebase(target, record):
    """Give `target` `record`, that of the value written into it, and the other tensors of its memory theirs."""
    if target.base is None:
        set_record(target, record)
        refresh_views(target)
    else:
        rebase_through_view(target, Unlinked(target.array, record))


def rebase_through_view(target, value):
    """Give the base of view `target` a record that goes through `value`, written into the view, and renew the views."""
    base = target.base.base
    params = {"steps": target.base.steps()}
    set_record(base, record_of(write_view_p, (base, value), params, base.array))
    refresh_views(base)


def refresh_views(base):
    """Make the records of the live views of `base` anew, from its own new record."""
    for view in live_views(base):
        if view.base.barred is None:
            set_record(view, view_record(base, view.base))
        elif view.array.dtype.kind == "f":
            text = (f"the view made at {describe(view.base.site)} was changed by the in-place write at"
                    f" {describe(base.storage.writer)}, and its gradient cannot follow: it {view.base.barred}")
            sources = [record for record in (view.record, base.record) if record is not None]
            set_record(view, refusing_record(view.shape, sources, InplaceError, text))


def view_record(base, view):
    """The record of a view of `base`, which `base` has just got its own for."""
    part = base
    for prim, params in view.steps():
        array = prim.kernel(backend_of(base.array).xp, part.array, **params)
        part = Unlinked(array, record_of(prim, (part,), params, array))
    return part.record


def set_record(tensor, record):
    """Change the record of `tensor`; what retain_grad() asked for moves along."""
    old = tensor.record
    tensor.record = record
    if old is None or old.hooks is None or record is None:
        return
    kept = old.hooks.kept
    if kept is not None and kept() is tensor:
        old.hooks.kept = None
        if record.hooks is None:
            record.hooks = Hooks(old.hooks.wrap)
        record.hooks.retain(tensor)


class Unlinked:
    """An array with a record, for the steps between a base and its view; never seen by users."""

    __slots__ = ("array", "record", "storage")

    def __init__(self, array, record):
        self.array = array
        self.record = record
        self.storage = None


def record_of(prim, args, params, y):
    """The record of `prim` applied to `args` with result `y`, which is not computed again; None if none is tracked."""
    arrays, inputs = [], []
    tracked = 0
    bit = 1
    for a in args:
        arrays.append(getattr(a, "array", a))
        record = getattr(a, "record", None)
        inputs.append(record)
        if record is not None:
            tracked |= bit
        bit += bit
    if not tracked:
        return None
    return record_operation(prim, args, arrays, inputs, tracked | bit, params, y, None)
