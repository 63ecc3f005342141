"""Other shapes for the same elements: reshape, permute, expand and their relatives. Their results are views.

Sizes may be left to the running graph: a size given as a graph Node becomes an operand of its own, and an unknown
size of the operand itself (a `Dim` of ``x.shape``) is looked up when the graph runs. The parameters of a primitive
then hold a template of the shape: "?" stands for the next size operand, ``("size", i)`` for the operand's own size
along axis i.
"""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_shapes, is_known, shape_text
from minigrad.core.dispatch import Operand, bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import (
    broadcast_like,
    broadcast_to,
    check_broadcasts,
    kept_sizes,
    reshape_like,
    reshape_p as reshape_p,
    reshaped_shape,
    sum_to,
    sum_to_like,
)
from minigrad.ops.elementwise import common_shape

__all__ = ["H", "T", "adjoint", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "expand", "expand_as",
           "flatten", "mH", "mT", "moveaxis", "movedim", "permute", "ravel", "reshape", "reshape_as", "squeeze",
           "sum_to_size", "swapaxes", "swapdims", "t", "transpose", "unflatten", "unsqueeze", "view", "view_as"]

AT_RUN_TIME = "?"


# ----- axes and sizes as users write them
def new_axis(name, x, dim):
    """The place `dim` for one axis more than `x` has, as a non-negative int where the rank is known.

    Raises:
        AxisError: it is out of range.
    """
    dim = operator.index(dim)
    rank = x.ndim
    if rank is None:
        return dim
    if not -rank - 1 <= dim <= rank:
        raise AxisError(f"{name}: dimension {dim} is out of range for a new axis of shape {shape_text(x.shape)}; it"
                        f" must be in [{-rank - 1}, {rank}]")
    return dim + rank + 1 if dim < 0 else dim


def distinct_axes(name, x, dims):
    """Axis numbers as a tuple of non-negative ints, in the order given.

    Raises:
        AxisError: one is out of range, or named twice.
    """
    axes = tuple([normal_axis(name, x, operator.index(dim)) for dim in dims])
    if len(set(axes)) < len(axes):
        raise AxisError(f"{name}: a dimension is named twice in {tuple(dims)}")
    return axes


def known_rank(name, x):
    """The rank of `x`, or a ShapeError when it is unknown."""
    if x.ndim is None:
        raise ShapeError(f"{name}: the rank of the operand is unknown; give it a shape first (set_shape, reshape)")
    return x.ndim


def is_node(size):
    """True for a size that only the running graph knows."""
    return isinstance(size, Operand) and not hasattr(size, "array")


def as_sizes(size):
    """A shape (or axes) as users write it, one int, a sequence or a vector (a Node too), as a tuple."""
    if isinstance(size, (tuple, list)):
        return tuple(size)
    if getattr(size, "ndim", 0):
        return tuple(size) if is_node(size) else tuple(size.tolist())
    return (size,)


def size_template(x, sizes):
    """(template, size operands): `sizes` as a parameter and the Nodes among them as operands."""
    template, operands = [], []
    for size in sizes:
        if is_node(size):
            template.append(AT_RUN_TIME)
            operands.append(size)
        elif size.__class__ is Dim and x.shape is not None and size in x.shape:
            template.append(("size", x.shape.index(size)))
        else:
            size = operator.index(size)
            if size < -1:
                raise ShapeError(f"{size} in {shape_text(sizes)} is no size; -1 stands for one to be computed or kept")
            template.append(size)
    return tuple(template), operands


def is_plain(template):
    """True for a template that holds numbers only."""
    for size in template:
        if size.__class__ is not int:
            return False
    return True


def sizes_at_run_time(template, shape, sizes):
    """The sizes that a template stands for, for an operand of `shape` and the values of its size operands."""
    remaining = iter(sizes)
    result = []
    for size in template:
        if size == AT_RUN_TIME:
            size = int(next(remaining))
        elif size.__class__ is tuple:
            size = shape[size[1]]
        result.append(size)
    return tuple(result)


def template_shape(template, shape, sizes):
    """As `sizes_at_run_time`, of what is known: a new unknown size for each size operand without a value."""
    remaining = iter(sizes)
    result = []
    for size in template:
        if size == AT_RUN_TIME:
            size = next(remaining)
            if not isinstance(size, int):
                size = Dim()
        elif size.__class__ is tuple:
            size = Dim() if shape is None else shape[size[1]]
        result.append(size)
    return tuple(result)


# ----- reshape with sizes known at run time
def reshape_by_sizes_kernel(xp, x, *sizes, shape):
    return x.reshape(sizes_at_run_time(shape, x.shape, sizes))


def reshape_by_sizes_infer(x, *sizes, shape):
    new = template_shape(shape, x.shape, sizes)
    unknown = [size for size in new if size.__class__ is Dim]
    if is_known(x.shape) and len(unknown) == 1 and -1 not in new and 0 not in new:
        # one size is open, and the number of elements is known
        new = tuple([-1 if size is unknown[0] else size for size in new])
    return Aval(reshaped_shape("reshape", x.shape, new), x.dtype)


def reshape_by_sizes_vjp(g, y, x, *sizes, shape):
    return reshape_like(g, x)


# ----- axes of size 1
def unsqueeze_kernel(xp, x, *, axis):
    if axis < 0:  # counts from the end, where the rank was not known
        return x[(..., None, *[slice(None)] * (-axis - 1))]
    return x[(*[slice(None)] * axis, None, ...)]


def unsqueeze_infer(x, *, axis):
    if x.shape is None:
        return Aval(None, x.dtype)
    axis = new_axis("unsqueeze", x, axis)
    return Aval((*x.shape[:axis], 1, *x.shape[axis:]), x.dtype)


def unsqueeze_vjp(g, y, x, *, axis):
    return bind(squeeze_p, g, axes=(axis,))


def squeeze_kernel(xp, x, *, axes):
    return x.squeeze() if axes is None else x.squeeze(axes)


def squeeze_infer(x, *, axes):
    shape = x.shape
    if shape is None:
        return Aval(None, x.dtype)
    if axes is None:
        return Aval(tuple([size for size in shape if size != 1]) if is_known(shape) else None, x.dtype)
    axes = distinct_axes("squeeze", x, axes)
    for axis in axes:
        if shape[axis] != 1 and shape[axis].__class__ is not Dim:
            raise ShapeError(f"squeeze: axis {axis} of shape {shape_text(shape)} is not of size 1")
    return Aval(tuple([size for i, size in enumerate(shape) if i not in axes]), x.dtype)


def squeeze_vjp(g, y, x, *, axes):
    return reshape_like(g, x)


# ----- order of axes
def permute_kernel(xp, x, *, axes):
    return x.transpose(axes)


def permute_infer(x, *, axes):
    if x.shape is None:
        return Aval(tuple([Dim() for _ in axes]), x.dtype)
    if len(axes) != len(x.shape):
        raise AxisError(f"permute: {len(axes)} axes were given for shape {shape_text(x.shape)}")
    return Aval(tuple([x.shape[axis] for axis in axes]), x.dtype)


def permute_vjp(g, y, x, *, axes):
    inverse = [0] * len(axes)
    for i, axis in enumerate(axes):
        inverse[axis] = i
    return bind(permute_p, g, axes=tuple(inverse))


# ----- broadcasting with sizes known at run time
def broadcast_by_sizes_kernel(xp, x, *sizes, shape):
    return xp.broadcast_to(x, sizes_at_run_time(shape, x.shape, sizes))


def broadcast_by_sizes_infer(x, *sizes, shape):
    new = template_shape(shape, x.shape, sizes)
    check_broadcasts("expand", x.shape, new)
    return Aval(new, x.dtype)


def broadcast_by_sizes_vjp(g, y, x, *sizes, shape):
    return sum_to_like(g, x)


# ----- broadcasting with another value, where the common shape is known at run time
def broadcast_with_kernel(xp, x, other):
    return xp.broadcast_to(x, broadcast_shapes(x.shape, other.shape))


def broadcast_with_infer(x, other):
    return Aval(common_shape("broadcast_tensors", (x, other)), x.dtype)


def broadcast_with_vjp(g, y, x, other):
    return sum_to_like(g, x)


reshape_by_sizes_p = declare("reshape_by_sizes", reshape_by_sizes_kernel, reshape_by_sizes_infer,
                             vjps=(reshape_by_sizes_vjp,), reads=((),), views=True)
unsqueeze_p = declare("unsqueeze", unsqueeze_kernel, unsqueeze_infer, vjps=(unsqueeze_vjp,), reads=((),), views=True)
squeeze_p = declare("squeeze", squeeze_kernel, squeeze_infer, vjps=(squeeze_vjp,), reads=((),), views=True)
permute_p = declare("permute", permute_kernel, permute_infer, vjps=(permute_vjp,), reads=((),), views=True)
broadcast_by_sizes_p = declare("broadcast_by_sizes", broadcast_by_sizes_kernel, broadcast_by_sizes_infer,
                               vjps=(broadcast_by_sizes_vjp,), reads=((),), views=True)
broadcast_with_p = declare("broadcast_with", broadcast_with_kernel, broadcast_with_infer,
                           vjps=(broadcast_with_vjp, None), reads=((), ()), views=True)


# ----- reshape and its relatives
def reshape(input, *shape):
    """The elements of `input`, in row-major order, in another shape. PyTorch: torch.reshape.

    A view where memory allows it, else a copy.

    Args:
        shape: sizes, one by one or as a sequence. One may be -1, to be computed from the rest. Sizes may be graph
            Nodes (0-d integers) and unknown sizes of `input` itself.

    Raises:
        ShapeError: the number of elements differs.
    """
    if len(shape) == 1:
        shape = shape[0]
        if shape.__class__ is not tuple:
            shape = as_sizes(shape)
    for size in shape:
        if size.__class__ is not int or size < -1:
            template, sizes = size_template(input, shape)
            if sizes or not is_plain(template):
                return bind(reshape_by_sizes_p, input, *sizes, shape=template)
            shape = template
            break
    return bind(reshape_p, input, shape=shape)


def view(input, *shape):
    """`input` in another shape, as `reshape`. PyTorch: Tensor.view; here it copies where no view is possible."""
    return reshape(input, *shape)


def reshape_as(input, other):
    """`input` in the shape of `other`."""
    return reshape_like(input, other)


def view_as(input, other):
    """`input` in the shape of `other`."""
    return reshape_like(input, other)


def ravel(input):
    """All elements along one axis."""
    return reshape(input, (-1,))


def flatten(input, start_dim=0, end_dim=-1):
    """Axes `start_dim` to `end_dim`, both included, made one. PyTorch: torch.flatten."""
    rank = known_rank("flatten", input)
    start = normal_axis("flatten", input, start_dim)
    end = normal_axis("flatten", input, end_dim)
    if start > end:
        raise AxisError(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    if rank == 0:
        return reshape(input, (1,))
    if start == end:
        return input
    product = 1
    for size in input.shape[start:end + 1]:
        product = -1 if product == -1 or size.__class__ is Dim else product * size
    return reshape(input, open_sizes((*input.shape[:start], product, *input.shape[end + 1:])))


def open_sizes(shape):
    """`shape` with its unknown size as -1 if there is but one, which needs no look-up at run time."""
    unknown = [size for size in shape if size.__class__ is Dim]
    if len(unknown) == 1 and -1 not in shape and 0 not in shape:
        return tuple([-1 if size.__class__ is Dim else size for size in shape])
    return shape


def unflatten(input, dim, sizes):
    """Axis `dim` split into several of the given sizes, one of which may be -1. PyTorch: torch.unflatten."""
    sizes = as_sizes(sizes)
    axis = normal_axis("unflatten", input, dim)
    size = input.shape[axis]
    if size.__class__ is not Dim and is_plain(sizes):
        try:
            sizes = reshaped_shape("unflatten", (size,), sizes)
        except ShapeError:
            raise ShapeError(f"unflatten: axis {axis} of shape {shape_text(input.shape)} cannot be split into sizes"
                             f" {shape_text(sizes)}") from None
    return reshape(input, open_sizes((*input.shape[:axis], *sizes, *input.shape[axis + 1:])))


def unsqueeze(input, dim):
    """`input` with an axis of size 1 put in at `dim`. PyTorch: torch.unsqueeze."""
    return bind(unsqueeze_p, input, axis=new_axis("unsqueeze", input, dim))


def squeeze(input, dim=None):
    """`input` without its axes of size 1, or without those of `dim` (an int or a tuple) that have size 1.

    An axis named in `dim` whose size only the running graph knows must turn out to be of size 1.
    PyTorch: torch.squeeze.
    """
    shape = input.shape
    if dim is None:
        if not is_known(shape):
            return bind(squeeze_p, input, axes=None)
        return bind(squeeze_p, input, axes=tuple([i for i, size in enumerate(shape) if size == 1]))
    axes = distinct_axes("squeeze", input, as_sizes(dim))
    if shape is not None:
        axes = tuple([axis for axis in axes if shape and (shape[axis] == 1 or shape[axis].__class__ is Dim)])
    return bind(squeeze_p, input, axes=axes)


# ----- order of axes
def permute(input, *dims):
    """The axes of `input` in the order `dims`; a view. PyTorch: torch.permute.

    Raises:
        AxisError: `dims` does not name every axis once.
    """
    if len(dims) == 1:
        dims = as_sizes(dims[0])
    axes = distinct_axes("permute", input, dims) if dims else ()
    if input.ndim is not None and len(axes) != input.ndim:
        raise AxisError(f"permute: the order {tuple(dims)} has {len(axes)} axes, but shape {shape_text(input.shape)}"
                        f" has {input.ndim}")
    return bind(permute_p, input, axes=axes)


def transpose(input, dim0, dim1):
    """`input` with two axes exchanged; a view. PyTorch: torch.transpose."""
    rank = known_rank("transpose", input)
    a = normal_axis("transpose", input, dim0)
    b = normal_axis("transpose", input, dim1)
    axes = list(range(rank))
    if rank:
        axes[a], axes[b] = b, a
    return bind(permute_p, input, axes=tuple(axes))


def swapaxes(input, axis0, axis1):
    """Another name of `transpose`."""
    return transpose(input, axis0, axis1)


def swapdims(input, dim0, dim1):
    """Another name of `transpose`."""
    return transpose(input, dim0, dim1)


def t(input):
    """The transpose of a matrix; itself with fewer than two axes. PyTorch: torch.t."""
    if known_rank("t", input) > 2:
        raise ShapeError(f"t: expected at most 2 axes, got shape {shape_text(input.shape)}; use mT or permute")
    return transpose(input, 0, 1) if input.ndim == 2 else input


def T(input):
    """`input` with the order of its axes reversed; what ``x.T`` is."""
    return bind(permute_p, input, axes=tuple(range(known_rank("T", input)))[::-1])


def mT(input):
    """`input` with its last two axes exchanged; what ``x.mT`` is."""
    if known_rank("mT", input) < 2:
        raise ShapeError(f"mT: expected a matrix or a batch of them, got shape {shape_text(input.shape)}")
    return transpose(input, -2, -1)


def adjoint(input):
    """`input` with its last two axes exchanged (there are no complex numbers here). PyTorch: torch.adjoint."""
    return mT(input)


def H(input):
    """The transpose of a matrix (there are no complex numbers here); what ``x.H`` is."""
    if known_rank("H", input) not in (0, 2):
        raise ShapeError(f"H: expected a matrix, got shape {shape_text(input.shape)}; use mH for batches")
    return T(input)


def mH(input):
    """`input` with its last two axes exchanged; what ``x.mH`` is."""
    return mT(input)


def movedim(input, source, destination):
    """`input` with the axes `source` (an int or a tuple) moved to `destination`; the others keep their order."""
    rank = known_rank("movedim", input)
    sources = distinct_axes("movedim", input, as_sizes(source))
    destinations = distinct_axes("movedim", input, as_sizes(destination))
    if len(sources) != len(destinations):
        raise AxisError(f"movedim: {len(sources)} axes cannot be moved to {len(destinations)} places")
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, axis)
    return bind(permute_p, input, axes=tuple(order[:rank]))


def moveaxis(input, source, destination):
    """Another name of `movedim`."""
    return movedim(input, source, destination)


# ----- broadcasting
def numbers(sizes):
    """The ints among sizes."""
    return [size for size in sizes if size.__class__ is int]


def expand(input, *sizes):
    """`input` broadcast to `sizes`, in which -1 keeps a size; a view. PyTorch: Tensor.expand.

    Sizes may be graph Nodes (0-d integers).

    Raises:
        ShapeError: it does not broadcast to that shape.
    """
    size = as_sizes(sizes[0]) if len(sizes) == 1 else sizes
    new = kept_sizes("expand", input, size) if -1 in numbers(size) else size
    template, sizes = size_template(input, new)
    if sizes or not is_plain(template):
        return bind(broadcast_by_sizes_p, input, *sizes, shape=template)
    return broadcast_to(input, template)


def expand_as(input, other):
    """`input` broadcast to the shape of `other`."""
    return broadcast_like(input, other)


def broadcast_tensors(*tensors):
    """The tensors broadcast to their common shape, as a tuple. PyTorch: torch.broadcast_tensors."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = common_shape("broadcast_tensors", tensors)
    if is_known(shape):
        return tuple([broadcast_to(x, shape) for x in tensors])
    result = []
    for x in tensors:
        for other in tensors:
            if other is not x:
                x = bind(broadcast_with_p, x, other)
        result.append(x)
    return tuple(result)


def sum_to_size(input, *size):
    """`input` summed over the axes along which `size` broadcasts to it. PyTorch: Tensor.sum_to_size."""
    size = as_sizes(size[0]) if len(size) == 1 else size
    check_broadcasts("sum_to_size", size, input.shape)
    return sum_to(input, size)


# ----- at least so many axes
def atleast_1d(*tensors):
    """Tensors with at least one axis; one tensor gives one, several give a tuple."""
    return each(tensors, atleast_1d_of)


def atleast_2d(*tensors):
    """Tensors with at least two axes, new ones in front; one tensor gives one, several give a tuple."""
    return each(tensors, atleast_2d_of)


def atleast_3d(*tensors):
    """Tensors with at least three axes: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1)."""
    return each(tensors, atleast_3d_of)


def each(tensors, function):
    """`function` of each tensor, as a tuple unless there was a single one."""
    if len(tensors) == 1:
        if not isinstance(tensors[0], (tuple, list)):
            return function(tensors[0])
        tensors = tensors[0]
    return tuple([function(x) for x in tensors])


def atleast_1d_of(x):
    return x if known_rank("atleast_1d", x) else unsqueeze(x, 0)


def atleast_2d_of(x):
    x = atleast_1d_of(x)
    return x if x.ndim > 1 else unsqueeze(x, 0)


def atleast_3d_of(x):
    x = atleast_2d_of(x)
    return x if x.ndim > 2 else unsqueeze(x, -1)
