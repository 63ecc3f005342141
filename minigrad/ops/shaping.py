"""Shapes: reshape, transpose, squeeze and expand. Nothing is computed; most results are views."""

import math

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_shapes, is_known, known_product, may_equal, shape_text
from minigrad.core.dispatch import Operand, bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError
from minigrad.ops.axes import normal_axes, normal_axis
from minigrad.ops.broadcasting import broadcast_like, broadcast_to, reshape_like, reshape_p, size_of, sum_to

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "expand", "expand_as", "flatten",
           "moveaxis", "movedim", "permute", "ravel", "reshape", "reshape_as", "squeeze", "sum_to_size", "swapaxes",
           "swapdims", "t", "transpose", "unflatten", "unsqueeze", "view_as"]


# ----- reshape with sizes that a graph learns at run time: further operands, where `shape` has None
def reshape_sizes_kernel(xp, x, *sizes, shape):
    numbers = iter(sizes)
    return x.reshape(tuple([int(next(numbers)) if size is None else size for size in shape]))


def reshape_sizes_infer(x, *sizes, shape):
    return Aval(tuple([Dim() if size is None or size == -1 else size for size in shape]), x.dtype)


def reshape_sizes_vjp(g, y, x, *sizes, shape):
    return reshape_like(g, x)


# ----- permute
def permute_kernel(xp, x, *, dims):
    return xp.transpose(x, dims)


def permute_infer(x, *, dims):
    return Aval(None if x.shape is None else tuple([x.shape[d] for d in dims]), x.dtype)


def permute_vjp(g, y, x, *, dims):
    inverse = [0] * len(dims)
    for position, d in enumerate(dims):
        inverse[d] = position
    return bind(permute_p, g, dims=tuple(inverse))


# ----- dimensions of size 1
def unsqueeze_kernel(xp, x, *, axis):
    return xp.expand_dims(x, axis)


def unsqueeze_infer(x, *, axis):
    return Aval(None if x.shape is None else (*x.shape[:axis], 1, *x.shape[axis:]), x.dtype)


def unsqueeze_vjp(g, y, x, *, axis):
    return squeeze(g, axis)


def squeeze_kernel(xp, x, *, axes):
    return x.reshape(without(x.shape, axes))


def squeeze_infer(x, *, axes):
    if x.shape is None:
        return Aval(None, x.dtype)
    for axis in axes:
        if not may_equal(x.shape[axis], 1):
            raise ShapeError(f"squeeze: dimension {axis} of shape {shape_text(x.shape)} is not 1")
    return Aval(without(x.shape, axes), x.dtype)


def without(shape, axes):
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def squeeze_vjp(g, y, x, *, axes):
    return reshape_like(g, x)


reshape_sizes_p = declare("reshape_sizes", reshape_sizes_kernel, reshape_sizes_infer, vjps=(reshape_sizes_vjp,),
                          reads=((),), views=True)
permute_p = declare("permute", permute_kernel, permute_infer, vjps=(permute_vjp,), reads=((),), views=True)
unsqueeze_p = declare("unsqueeze", unsqueeze_kernel, unsqueeze_infer, vjps=(unsqueeze_vjp,), reads=((),), views=True)
squeeze_p = declare("squeeze", squeeze_kernel, squeeze_infer, vjps=(squeeze_vjp,), reads=((),), views=True)


def given_sizes(sizes):
    """Sizes given as one sequence or one after the other, as a tuple."""
    if len(sizes) == 1 and isinstance(sizes[0], list | tuple):
        return tuple(sizes[0])
    return tuple(sizes)


def template(sizes):
    """(shape with None for the sizes that are graph values, those values)."""
    shape, values = [], []
    for size in sizes:
        if isinstance(size, Operand):
            shape.append(None)
            values.append(size)
        elif size.__class__ is Dim:
            raise ShapeError("a size that is unknown cannot be given as a number: use -1, or size_of(x, axis)")
        else:
            shape.append(int(size))
    return tuple(shape), values


def reshape(input, *shape):  # noqa: A002  PyTorch's argument name
    """The same elements in another shape; one size may be -1. A view where the memory allows it.

    Raises:
        ShapeError: the number of elements differs.
    """
    sizes, values = template(given_sizes(shape))
    if values:
        return bind(reshape_sizes_p, input, *values, shape=sizes)
    return bind(reshape_p, input, shape=sizes)


def reshape_as(input, other):  # noqa: A002
    """`input` in the shape of `other`."""
    return reshape_like(input, other)


view_as = reshape_as


def ravel(input):  # noqa: A002
    """All elements in one dimension."""
    return reshape(input, (-1,))


def flatten(input, start_dim=0, end_dim=-1):  # noqa: A002
    """The dimensions from `start_dim` to `end_dim` made one."""
    if input.ndim == 0:
        return reshape(input, (1,))
    start, end = normal_axis("flatten", input, start_dim), normal_axis("flatten", input, end_dim)
    if start > end:
        raise AxisError(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    sizes = [size_of(input, axis) for axis in range(input.ndim)]
    product, unknown = known_product(input.shape[start:end + 1])
    return reshape(input, (*sizes[:start], -1 if unknown else product, *sizes[end + 1:]))


def unflatten(input, dim, sizes):  # noqa: A002
    """Dimension `dim` split into `sizes`, one of which may be -1."""
    axis = normal_axis("unflatten", input, dim)
    outer = [size_of(input, a) for a in range(input.ndim)]
    sizes = list(sizes)
    if -1 in sizes and isinstance(outer[axis], int):
        rest = -math.prod(sizes)
        if rest == 0 or outer[axis] % rest:
            raise ShapeError(f"unflatten: size {outer[axis]} cannot be split into {tuple(sizes)}")
        sizes[sizes.index(-1)] = outer[axis] // rest
    return reshape(input, (*outer[:axis], *sizes, *outer[axis + 1:]))


def permute(input, *dims):  # noqa: A002
    """The dimensions in the order `dims`.

    Raises:
        AxisError: `dims` does not name each dimension once.
    """
    dims = tuple([normal_axis("permute", input, d) for d in given_sizes(dims)])
    if sorted(dims) != list(range(len(dims))) or input.ndim is not None and len(dims) != input.ndim:
        raise AxisError(f"permute: {dims} does not name each dimension of shape {shape_text(input.shape)} once")
    return bind(permute_p, input, dims=dims)


def transpose(input, dim0, dim1):  # noqa: A002
    """Two dimensions swapped."""
    order = list(range(input.ndim))
    a, b = normal_axis("transpose", input, dim0), normal_axis("transpose", input, dim1)
    if input.ndim:
        order[a], order[b] = b, a
    return bind(permute_p, input, dims=tuple(order))


swapaxes = swapdims = transpose


def t(input):  # noqa: A002
    """A matrix transposed; what has fewer than two dimensions as it is."""
    if input.ndim > 2:
        raise ShapeError(f"t: expected at most 2 dimensions, got shape {shape_text(input.shape)}; use transpose")
    return bind(permute_p, input, dims=tuple(range(input.ndim))[::-1])


def movedim(input, source, destination):  # noqa: A002
    """Dimensions moved from positions `source` to positions `destination`."""
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    sources = [normal_axis("movedim", input, d) for d in sources]
    targets = [normal_axis("movedim", input, d) for d in targets]
    if len(set(sources)) != len(sources) or len(set(targets)) != len(targets) or len(sources) != len(targets):
        raise AxisError(f"movedim: {source} and {destination} have to name as many dimensions, each once")
    order = [d for d in range(input.ndim) if d not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return bind(permute_p, input, dims=tuple(order))


moveaxis = movedim


def unsqueeze(input, dim):  # noqa: A002
    """A dimension of size 1 more, at `dim`."""
    rank = input.ndim
    if not -rank - 1 <= dim <= rank:
        raise AxisError(f"unsqueeze: dimension {dim} is out of range for shape {shape_text(input.shape)}; it must be in"
                        f" [{-rank - 1}, {rank}]")
    return bind(unsqueeze_p, input, axis=dim % (rank + 1))


def squeeze(input, dim=None):  # noqa: A002
    """Without dimensions of size 1: all of them, or those named in `dim`; others stay."""
    if dim is None:
        axes = tuple([axis for axis, size in enumerate(input.shape) if size == 1])
    elif input.ndim == 0:
        normal_axes("squeeze", input, dim)
        axes = ()
    else:
        axes = normal_axes("squeeze", input, dim) or ()
        axes = tuple([axis for axis in axes if may_equal(input.shape[axis], 1)])
    return bind(squeeze_p, input, axes=axes)


def expand(input, *sizes):  # noqa: A002
    """`input` with dimensions of size 1 repeated to `sizes`, without copying; -1 keeps a size.

    Raises:
        ShapeError: a size other than 1 would change.
    """
    sizes = given_sizes(sizes)
    lead = len(sizes) - input.ndim
    if lead < 0:
        raise ShapeError(f"expand: shape {shape_text(input.shape)} has more dimensions than {sizes}")
    shape = []
    for i, size in enumerate(sizes):
        if size == -1:
            if i < lead:
                raise ShapeError(f"expand: -1 keeps a size, and dimension {i} of {sizes} is new")
            size = input.shape[i - lead]
        shape.append(size)
    if input.shape == tuple(shape):
        return bind(reshape_p, input, shape=input.shape) if is_known(input.shape) else input
    return broadcast_to(input, tuple(shape))


def expand_as(input, other):  # noqa: A002
    """`input` broadcast to the shape of `other`."""
    return broadcast_like(input, other)


def broadcast_tensors(*tensors):
    """All tensors in their common broadcast shape."""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    try:
        shape = broadcast_shapes(*[x.shape for x in tensors])
    except ValueError as error:
        shapes = ", ".join([shape_text(x.shape) for x in tensors])
        raise ShapeError(f"broadcast_tensors: shapes {shapes} do not broadcast: {error}") from None
    return tuple([broadcast_to(x, shape) for x in tensors])


def sum_to_size(input, *size):  # noqa: A002
    """`input` summed to a shape that broadcasts to its own."""
    return sum_to(input, given_sizes(size))


def atleast_1d(*tensors):
    """Each tensor with at least one dimension."""
    return each(tensors, to_1d)


def atleast_2d(*tensors):
    """Each tensor with at least two dimensions; new ones come first."""
    return each(tensors, to_2d)


def atleast_3d(*tensors):
    """Each tensor with at least three dimensions; a vector becomes (1, n, 1), a matrix (m, n, 1)."""
    return each(tensors, to_3d)


def each(tensors, change):
    """`change` of the one tensor given, or of each of several as a tuple."""
    if len(tensors) == 1:
        if isinstance(tensors[0], list | tuple):
            return tuple([change(x) for x in tensors[0]])
        return change(tensors[0])
    return tuple([change(x) for x in tensors])


def to_1d(x):
    return reshape(x, (1,)) if x.ndim == 0 else x


def to_2d(x):
    return x if x.ndim > 1 else unsqueeze(to_1d(x), 0)


def to_3d(x):
    if x.ndim > 2:
        return x
    return unsqueeze(to_2d(x), -1)


def T(input):  # noqa: A002, N802
    """All dimensions in reverse order."""
    return bind(permute_p, input, dims=tuple(range(input.ndim))[::-1])


def mT(input):  # noqa: A002, N802
    """The last two dimensions swapped."""
    return transpose(input, -2, -1)


H = adjoint = mT


view = reshape
