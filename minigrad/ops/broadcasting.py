"""Broadcasting, its undoing, and sizes that only the running graph knows.

A size that is known is a Python int; one that is not (a `Dim`) becomes a 0-d graph node where arithmetic needs it
(`size_of`), and a whole shape is taken from an operand at run time (``*_like``).
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_sizes, is_known, known_product, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32, int64
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError

__all__ = ["broadcast_like", "broadcast_to", "reshape_like", "size_of", "sum_to", "sum_to_like"]


# ----- sum to a shape
def sum_to_kernel(xp, x, *, shape):
    lead = x.ndim - len(shape)
    axes = tuple(range(lead))
    keep = False
    for i, size in enumerate(shape):
        if size == 1 and x.shape[lead + i] != 1:
            axes += (lead + i,)
            keep = True
    if not axes:
        return x
    # half precision is summed in float32: its own sums stop growing at 2048 ones
    dtype = float32 if x.dtype == float16 else x.dtype
    y = xp.add.reduce(x, axis=axes, dtype=dtype, keepdims=keep)
    if keep and lead:
        y = y.reshape(shape)
    return y if dtype == x.dtype else y.astype(x.dtype)


def sum_to_infer(x, *, shape):
    check_broadcasts("sum_to", shape, x.shape)
    return Aval(shape, x.dtype)


def sum_to_vjp(g, y, x, *, shape):
    return broadcast_like(g, x)


def sum_to_like_kernel(xp, x, like):
    return sum_to_kernel(xp, x, shape=like.shape)


def sum_to_like_infer(x, like):
    check_broadcasts("sum_to_like", like.shape, x.shape)
    return Aval(like.shape, x.dtype)


def sum_to_like_vjp(g, y, x, like):
    return broadcast_like(g, x)


# ----- broadcast to a shape
def broadcast_to_kernel(xp, x, *, shape):
    return xp.broadcast_to(x, shape)


def broadcast_to_infer(x, *, shape):
    check_broadcasts("broadcast_to", x.shape, shape)
    return Aval(shape, x.dtype)


def broadcast_to_vjp(g, y, x, *, shape):
    return sum_to_like(g, x)


def broadcast_like_kernel(xp, x, like):
    return xp.broadcast_to(x, like.shape)


def broadcast_like_infer(x, like):
    check_broadcasts("broadcast_like", x.shape, like.shape)
    return Aval(like.shape, x.dtype)


def broadcast_like_vjp(g, y, x, like):
    return sum_to_like(g, x)


def check_broadcasts(name, shape, target):
    """Raise ShapeError unless an array of `shape` broadcasts to exactly `target`."""
    if shape is None or target is None:
        return
    fits = len(shape) <= len(target)
    if fits:
        for size, wanted in zip(shape[::-1], target[::-1], strict=False):
            common = broadcast_sizes(size, wanted)
            fits = fits and common is not None and may_equal(common, wanted)
    if not fits:
        raise ShapeError(f"{name}: shape {shape_text(shape)} does not broadcast to {shape_text(target)}")


# ----- reshape to a shape
def reshape_kernel(xp, x, *, shape):
    return x.reshape(shape)


def reshape_infer(x, *, shape):
    return Aval(reshaped_shape("reshape", x.shape, shape), x.dtype)


def reshape_vjp(g, y, x, *, shape):
    return reshape_like(g, x)


def reshaped_shape(name, old, new):
    """The shape of something of shape `old` reshaped to `new`, in which one size may be -1.

    Raises:
        ShapeError: the number of elements differs, or more than one size is left open.
    """
    for size in new:
        if size.__class__ is not Dim and size < -1:
            raise ShapeError(f"{name}: {size} in {shape_text(new)} is no size; -1 stands for one size to be computed")
    if new.count(-1) > 1:
        raise ShapeError(f"{name}: only one size can be -1, but the new shape is {shape_text(new)}")
    fixed, unknown = known_product([size for size in new if size != -1])
    if old is None:
        return tuple([Dim() if size == -1 else size for size in new])
    count, open_sizes = known_product(old)
    may_be_empty = len(open_sizes) > 0
    for size in tuple(unknown):
        if size in open_sizes:  # the same unknown size on both sides
            open_sizes.remove(size)
            unknown.remove(size)
    if open_sizes or unknown or (may_be_empty and (fixed == 0 or count % fixed or (-1 not in new and count != fixed))):
        left_open = Dim()
        if not unknown and len(open_sizes) == 1 and count == fixed:
            left_open = open_sizes[0]
        return tuple([left_open if size == -1 else size for size in new])
    if -1 in new:
        if fixed == 0:
            raise ShapeError(f"{name}: the -1 in {shape_text(new)} could be any size, because another size is 0; write"
                             " the number")
        if count % fixed:
            raise ShapeError(f"{name}: {count} elements, of shape {shape_text(old)}, cannot be arranged as"
                             f" {shape_text(new)}: {count} is not a multiple of {fixed}")
        return tuple([count // fixed if size == -1 else size for size in new])
    if count != fixed:
        raise ShapeError(f"{name}: shape {shape_text(old)} has {count} elements, the new shape {shape_text(new)} has"
                         f" {fixed}")
    return tuple(new)


# ----- reshape to the shape of another value
def reshape_like_kernel(xp, x, like):
    return x.reshape(like.shape)


def reshape_like_infer(x, like):
    if like.shape is not None:
        reshaped_shape("reshape_like", x.shape, like.shape)
    return Aval(like.shape, x.dtype)


def reshape_like_vjp(g, y, x, like):
    return reshape_like(g, x)


# ----- sizes
def size_of_kernel(xp, x, *, axis):
    return xp.asarray(x.shape[axis], dtype=int64)


def size_of_infer(x, *, axis):
    if x.shape is not None and not -len(x.shape) <= axis < len(x.shape):
        raise AxisError(f"size_of: axis {axis} is out of range for shape {shape_text(x.shape)}")
    return Aval((), int64)


sum_to_p = declare("sum_to", sum_to_kernel, sum_to_infer, vjps=(sum_to_vjp,), reads=((),), views=True)
sum_to_like_p = declare("sum_to_like", sum_to_like_kernel, sum_to_like_infer, vjps=(sum_to_like_vjp, None),
                        reads=((), ()), views=True)
broadcast_to_p = declare("broadcast_to", broadcast_to_kernel, broadcast_to_infer, vjps=(broadcast_to_vjp,),
                         reads=((),), views=True)
broadcast_like_p = declare("broadcast_like", broadcast_like_kernel, broadcast_like_infer,
                           vjps=(broadcast_like_vjp, None), reads=((), ()), views=True)
reshape_p = declare("reshape", reshape_kernel, reshape_infer, vjps=(reshape_vjp,), reads=((),), views=True)
reshape_like_p = declare("reshape_like", reshape_like_kernel, reshape_like_infer, vjps=(reshape_like_vjp, None),
                         reads=((), ()), views=True)
size_of_p = declare("size_of", size_of_kernel, size_of_infer)


def sum_to(x, shape):
    """Sum `x` over the axes along which `shape` was broadcast to it: the inverse of broadcasting, for gradients."""
    if x.shape == shape:
        return x
    return bind(sum_to_p, x, shape=tuple(shape))


def sum_to_like(x, like):
    """`sum_to` the shape of `like`, which may be unknown until the graph runs."""
    if is_known(like.shape):
        return sum_to(x, like.shape)
    if x.shape == like.shape and x.shape is not None:
        return x
    return bind(sum_to_like_p, x, like)


def broadcast_to(x, shape):
    """`x` broadcast to `shape`, in which -1 keeps a size; a view, in which several elements share memory.

    PyTorch: broadcast_to; `expand` also takes sizes that are known only at run time.

    Raises:
        ShapeError: it does not broadcast to that shape.
    """
    if getattr(x, "shape", None) == shape:
        return x
    if -1 in shape:
        shape = kept_sizes("broadcast_to", x, shape)
    return bind(broadcast_to_p, x, shape=tuple(shape))


def kept_sizes(name, x, shape):
    """`shape` with each -1 replaced by the size that `x` has there."""
    if x.shape is None:
        raise ShapeError(f"{name}: a -1 keeps a size, but the rank of the operand is unknown")
    lead = len(shape) - len(x.shape)
    result = list(shape)
    for i, size in enumerate(shape):
        if size.__class__ is int and size == -1:
            if i < lead:
                raise ShapeError(f"{name}: the -1 at place {i} of {tuple(shape)} stands for a new axis, which has no"
                                 " size to keep")
            result[i] = x.shape[i - lead]
    return tuple(result)


def broadcast_like(x, like):
    """`x` broadcast to the shape of `like`, which may be unknown until the graph runs."""
    if is_known(like.shape):
        return broadcast_to(x, like.shape)
    if x.shape == like.shape and x.shape is not None:
        return x
    return bind(broadcast_like_p, x, like)


def reshape_like(x, like):
    """The elements of `x` in the shape of `like`, which may be unknown until the graph runs."""
    if x.shape == like.shape and x.shape is not None:
        return x
    if is_known(like.shape):
        return bind(reshape_p, x, shape=like.shape)
    return bind(reshape_like_p, x, like)


def size_of(x, axis):
    """The size of `x` along `axis`: an int, or a 0-d int64 node where it is unknown until the graph runs."""
    if x.shape is not None:
        if not -len(x.shape) <= axis < len(x.shape):
            raise AxisError(f"size_of: axis {axis} is out of range for shape {shape_text(x.shape)}")
        size = x.shape[axis]
        if size.__class__ is not Dim:
            return size
    return bind(size_of_p, x, axis=axis)
