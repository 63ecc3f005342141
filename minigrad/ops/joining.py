"""Joining tensors and taking them apart: cat and stack, split and unbind, repeat and tile.

The pieces of a tensor are views of it. The gradient of taking apart is one joining pass (`unsplit`), in which pieces
without a gradient stay zero.
"""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64, is_scalar
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import size_of
from minigrad.ops.indexing import index_select, narrow
from minigrad.ops.promotion import to_common
from minigrad.ops.shaping import (
    as_sizes,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    expand,
    is_node,
    known_rank,
    new_axis,
    ravel,
    reshape,
    unsqueeze,
)

__all__ = ["cartesian_prod", "cat", "chunk", "column_stack", "concat", "concatenate", "dsplit", "dstack",
           "hsplit", "hstack", "meshgrid", "repeat", "repeat_interleave", "row_stack", "split", "split_with_sizes",
           "stack", "tensor_split", "tile", "unbind", "vsplit", "vstack"]


# ----- cat
def cat_kernel(xp, *xs, axis):
    return xp.concatenate(xs, axis=axis)


def cat_infer(*xs, axis):
    shapes = [x.shape for x in xs if x.shape is not None]
    if not shapes:
        return Aval(None, xs[0].dtype)
    result = list(shapes[0])
    if not -len(result) <= axis < len(result):
        raise AxisError(f"cat: dimension {axis} is out of range for shape {shape_text(shapes[0])}")
    axis %= len(result)
    total = 0
    for shape in shapes:
        if len(shape) != len(result):
            raise mismatch(xs, axis)
        for i, size in enumerate(shape):
            if i != axis and not may_equal(size, result[i]):
                raise mismatch(xs, axis)
            if i != axis and result[i].__class__ is Dim:
                result[i] = size
        total = total + shape[axis] if total.__class__ is int and shape[axis].__class__ is int else None
    result[axis] = Dim() if total is None or len(shapes) < len(xs) else total
    return Aval(tuple(result), xs[0].dtype)


def mismatch(xs, axis):
    return ShapeError(f"cat: shapes {', '.join([shape_text(x.shape) for x in xs])} cannot be joined along dimension"
                      f" {axis}: all other sizes must be equal")


def cat_vjp(g, y, *xs, needed, axis):
    sizes = []
    for x in xs:
        sizes.append(x.shape[axis] if x.shape is not None else Dim())
    if Dim in [size.__class__ for size in sizes]:
        return cat_vjp_at_run_time(g, xs, needed, axis)
    if len(xs) == 1:
        return (g,)
    return bind(split_p, g, sizes=tuple(sizes), axis=axis)


def cat_vjp_at_run_time(g, xs, needed, axis):
    start = 0
    found = []
    for x, is_needed in zip(xs, needed, strict=True):
        size = size_of(x, axis)
        found.append(narrow(g, axis, start, size) if is_needed else None)
        start = start + size
    return tuple(found)


# ----- stack
def stack_kernel(xp, *xs, axis):
    return xp.stack(xs, axis=axis)


def stack_infer(*xs, axis):
    shape = xs[0].shape
    for x in xs[1:]:
        if shape is None or x.shape is None:
            shape = shape if x.shape is None else x.shape
            continue
        if len(x.shape) != len(shape) or not all([may_equal(a, b) for a, b in zip(x.shape, shape, strict=True)]):
            shapes = ", ".join([shape_text(x.shape) for x in xs])
            raise ShapeError(f"stack: the tensors must have one shape, got {shapes}")
        shape = tuple([b if a.__class__ is Dim else a for a, b in zip(shape, x.shape, strict=True)])
    if shape is None:
        return Aval(None, xs[0].dtype)
    axis = new_axis("stack", Aval(shape, xs[0].dtype), axis)
    return Aval((*shape[:axis], len(xs), *shape[axis:]), xs[0].dtype)


def stack_vjp(g, y, *xs, needed, axis):
    return bind(unbind_p, g, axis=axis)


# ----- split: `sizes` of the pieces; None for equal shares of a size that only the running graph knows
def split_kernel(xp, x, *, sizes, axis):
    share = x.shape[axis] // len(sizes) if sizes else 0
    pieces = []
    start = 0
    before = (slice(None),) * (axis % x.ndim)
    for size in sizes:
        stop = start + (share if size is None else size)
        pieces.append(x[(*before, slice(start, stop))])
        start = stop
    if start != x.shape[axis]:
        raise ShapeError(f"split: dimension {axis} of shape {shape_text(x.shape)} cannot be split into {len(sizes)}"
                         " equal parts" if None in sizes else f"split: sizes {sizes} do not add up to the size of"
                         f" dimension {axis} of shape {shape_text(x.shape)}")
    return tuple(pieces)


def split_infer(x, *, sizes, axis):
    if x.shape is None:
        return tuple([Aval(None, x.dtype) for _ in sizes])
    whole = x.shape[axis]
    if whole.__class__ is int:
        if None in sizes:
            if whole % len(sizes):
                raise ShapeError(f"split: dimension {axis} of shape {shape_text(x.shape)} cannot be split into"
                                 f" {len(sizes)} equal parts")
            sizes = (whole // len(sizes),) * len(sizes)
        elif sum(sizes) != whole:
            raise ShapeError(f"split: sizes {sizes} do not add up to the size of dimension {axis} of shape"
                             f" {shape_text(x.shape)}")
    share = Dim()
    result = []
    for size in sizes:
        shape = list(x.shape)
        shape[axis] = share if size is None else size
        result.append(Aval(tuple(shape), x.dtype))
    return tuple(result)


def split_vjp(g, y, x, *, needed, sizes, axis):
    return (unsplit(g, sizes, axis),)


def unsplit(gs, sizes, axis):
    """The pieces `gs` joined along `axis`, zeros where one is None."""
    present = tuple([g is not None for g in gs])
    return bind(unsplit_p, *[g for g in gs if g is not None], present=present, sizes=sizes, axis=axis)


def unsplit_kernel(xp, *gs, present, sizes, axis):
    if all(present):
        return xp.concatenate(gs, axis=axis)
    share = gs[0].shape[axis]
    sizes = [share if size is None else size for size in sizes]
    shape = list(gs[0].shape)
    shape[axis] = sum(sizes)
    y = xp.zeros(tuple(shape), dtype=gs[0].dtype)
    pieces = iter(gs)
    before = (slice(None),) * (axis % len(shape))
    start = 0
    for size, is_there in zip(sizes, present, strict=True):
        if is_there:
            y[(*before, slice(start, start + size))] = next(pieces)
        start += size
    return y


def unsplit_infer(*gs, present, sizes, axis):
    shape = gs[0].shape
    if shape is None:
        return Aval(None, gs[0].dtype)
    whole = 0
    for size in sizes:
        size = shape[axis] if size is None else size
        whole = whole + size if whole.__class__ is int and size.__class__ is int else Dim()
    return Aval((*shape[:axis], whole, *shape[axis + 1:]), gs[0].dtype)


def unsplit_vjp(h, y, *gs, needed, present, sizes, axis):
    pieces = bind(split_p, h, sizes=sizes, axis=axis)
    return tuple([piece for piece, is_there in zip(pieces, present, strict=True) if is_there])


# ----- unbind
def unbind_kernel(xp, x, *, axis):
    before = (slice(None),) * axis
    return tuple([x[(*before, i, ...)] for i in range(x.shape[axis])])


def unbind_infer(x, *, axis):
    if x.shape is None or x.shape[axis].__class__ is Dim:
        raise ShapeError(f"unbind: the number of results is the size of dimension {axis}, which is unknown")
    shape = (*x.shape[:axis], *x.shape[axis + 1:])
    return tuple([Aval(shape, x.dtype) for _ in range(x.shape[axis])])


def unbind_vjp(g, y, x, *, needed, axis):
    gs = [None if part is None else unsqueeze(part, axis) for part in g]
    return (unsplit(gs, (1,) * len(gs), axis),)


cat_p = declare("cat", cat_kernel, cat_infer, joint=cat_vjp, promote=to_common)
stack_p = declare("stack", stack_kernel, stack_infer, joint=stack_vjp, promote=to_common)
split_p = declare("split", split_kernel, split_infer, joint=split_vjp, multiple=True, views=True)
unsplit_p = declare("unsplit", unsplit_kernel, unsplit_infer, joint=unsplit_vjp)
unbind_p = declare("unbind", unbind_kernel, unbind_infer, joint=unbind_vjp, multiple=True, views=True)


# ----- joining
def cat(tensors, dim=0):
    """The tensors joined along the existing dimension `dim`. PyTorch: torch.cat.

    All other sizes must be equal; dtypes are promoted to the common one. Empty one-dimensional tensors are allowed
    beside tensors of more dimensions, and count for nothing.

    Raises:
        ShapeError: sizes differ, or there are no tensors.
    """
    tensors = operands("cat", tensors)
    if any([x.shape == (0,) for x in tensors]) and any([x.ndim != 1 for x in tensors]):
        tensors = [fitted(x, tensors, dim) for x in tensors]
    if tensors[0].ndim == 0:
        raise ShapeError("cat: tensors without dimensions cannot be joined; use stack")
    axis = normal_axis("cat", tensors[0], dim)
    return bind(cat_p, *tensors, axis=axis)


def fitted(x, tensors, dim):
    """An empty vector `x` as an empty tensor that the others can be joined with."""
    if x.shape != (0,):
        return x
    other = next(other for other in tensors if other.shape != (0,))
    shape = list(other.shape)
    shape[normal_axis("cat", other, dim)] = 0
    return reshape(x, tuple(shape))


def operands(name, tensors):
    """A sequence of tensors (or one tensor, along its first dimension) as a list."""
    if hasattr(tensors, "dtype"):
        tensors = unbind(tensors)
    tensors = list(tensors)
    if not tensors:
        raise ShapeError(f"{name}: expected at least one tensor, got an empty sequence")
    for x in tensors:
        if not hasattr(x, "dtype"):
            raise DtypeError(f"{name}: expected tensors, got a {type(x).__name__}")
    return tensors


def concat(tensors, dim=0):
    """Another name of `cat`."""
    return cat(tensors, dim)


def concatenate(tensors, dim=0):
    """Another name of `cat`."""
    return cat(tensors, dim)


def stack(tensors, dim=0):
    """Tensors of one shape joined along a new dimension `dim`. PyTorch: torch.stack.

    Raises:
        ShapeError: shapes differ, or there are no tensors.
    """
    tensors = operands("stack", tensors)
    return bind(stack_p, *tensors, axis=new_axis("stack", tensors[0], dim))


def hstack(tensors):
    """Joined along the second dimension, vectors along their only one. PyTorch: torch.hstack."""
    tensors = atleast_1d(operands("hstack", tensors))
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


def vstack(tensors):
    """Joined along the first dimension, each tensor with at least two. PyTorch: torch.vstack."""
    return cat(atleast_2d(operands("vstack", tensors)), 0)


def row_stack(tensors):
    """Another name of `vstack`."""
    return vstack(tensors)


def dstack(tensors):
    """Joined along the third dimension, each tensor with at least three. PyTorch: torch.dstack."""
    return cat(atleast_3d(operands("dstack", tensors)), 2)


def column_stack(tensors):
    """Joined along the second dimension, vectors as columns. PyTorch: torch.column_stack."""
    columns = []
    for x in operands("column_stack", tensors):
        columns.append(reshape(x, (-1, 1)) if x.ndim < 2 else x)
    return cat(columns, 1)


# ----- taking apart
def split(tensor, split_size_or_sections, dim=0):
    """The tensor in pieces along `dim`, as a tuple of views. PyTorch: torch.split.

    Args:
        split_size_or_sections: the size of each piece (the last may be smaller), or a list of sizes.
    """
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size = operator.index(split_size_or_sections)
    axis, whole = known_axis("split", tensor, dim)
    if size < 0 or (size == 0 and whole > 0):
        raise ShapeError(f"split: pieces of size {size} are not possible; the size must be positive")
    sizes = [size] * (whole // size) if size else [0]
    if size and (whole % size or not sizes):
        sizes.append(whole % size)
    return bind(split_p, tensor, sizes=tuple(sizes), axis=axis)


def known_axis(name, x, dim):
    """(axis, its size), which has to be known because it decides how many results there are."""
    if known_rank(name, x) == 0:
        raise AxisError(f"{name}: a tensor without dimensions cannot be taken apart")
    axis = normal_axis(name, x, dim)
    size = x.shape[axis]
    if size.__class__ is Dim:
        raise ShapeError(f"{name}: the number of results depends on the size of dimension {axis} of shape"
                         f" {shape_text(x.shape)}, which is unknown; split_with_sizes and chunk need only their own"
                         " numbers")
    return axis, size


def split_with_sizes(input, split_sizes, dim=0):
    """The tensor in pieces of the given sizes along `dim`; they must add up to its size."""
    axis = normal_axis("split", input, dim)
    sizes = tuple([operator.index(size) for size in split_sizes])
    if not sizes or min(sizes) < 0:
        raise ShapeError(f"split: sizes must be given and not negative, got {sizes}")
    return bind(split_p, input, sizes=sizes, axis=axis)


def chunk(input, chunks, dim=0):
    """The tensor in at most `chunks` pieces of equal size along `dim`, the last may be smaller. PyTorch: torch.chunk.

    Along a size that only the running graph knows, the pieces must turn out to be equal.
    """
    chunks = operator.index(chunks)
    if chunks < 1:
        raise ShapeError(f"chunk: the number of chunks must be at least 1, not {chunks}")
    axis = normal_axis("chunk", input, dim)
    if known_rank("chunk", input) and input.shape[axis].__class__ is Dim:
        return bind(split_p, input, sizes=(None,) * chunks, axis=axis)
    axis, whole = known_axis("chunk", input, dim)
    if whole == 0:
        return bind(split_p, input, sizes=(0,) * chunks, axis=axis)
    return split(input, -(-whole // chunks), axis)


def tensor_split(input, indices_or_sections, dim=0):
    """The tensor in pieces along `dim`, as NumPy's array_split. PyTorch: torch.tensor_split.

    Args:
        indices_or_sections: a number of pieces, the first ones larger by one where they cannot be equal; or the
            positions before which to cut.
    """
    axis, whole = known_axis("tensor_split", input, dim)
    if getattr(indices_or_sections, "ndim", 0):
        indices_or_sections = indices_or_sections.tolist()
    if not isinstance(indices_or_sections, (list, tuple)):
        count = operator.index(indices_or_sections)
        if count < 1:
            raise ShapeError(f"tensor_split: the number of sections must be at least 1, not {count}")
        each, more = divmod(whole, count)
        return bind(split_p, input, sizes=(each + 1,) * more + (each,) * (count - more), axis=axis)
    cuts = []
    for cut in indices_or_sections:
        cuts.append(range(whole)[:cut].stop)
    pieces = []
    for start, stop in zip([0, *cuts], [*cuts, whole], strict=True):
        pieces.append(narrow(input, axis, start, max(stop - start, 0)))
    return tuple(pieces)


def hsplit(input, indices_or_sections):
    """Pieces along the second dimension, of a vector along its only one."""
    if known_rank("hsplit", input) == 0:
        raise AxisError("hsplit: expected at least 1 dimension")
    return even_split("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections):
    """Pieces along the first dimension of a tensor with at least two."""
    if known_rank("vsplit", input) < 2:
        raise AxisError(f"vsplit: expected at least 2 dimensions, got shape {shape_text(input.shape)}")
    return even_split("vsplit", input, indices_or_sections, 0)


def dsplit(input, indices_or_sections):
    """Pieces along the third dimension."""
    if known_rank("dsplit", input) < 3:
        raise AxisError(f"dsplit: expected at least 3 dimensions, got shape {shape_text(input.shape)}")
    return even_split("dsplit", input, indices_or_sections, 2)


def even_split(name, input, sections, axis):
    """As `tensor_split`, but a number of pieces must divide the size."""
    if not isinstance(sections, (list, tuple)) and not getattr(sections, "ndim", 0):
        size = input.shape[axis]
        if size.__class__ is int and size % operator.index(sections):
            raise ShapeError(f"{name}: dimension {axis} of shape {shape_text(input.shape)} cannot be split into"
                             f" {sections} equal parts")
    return tensor_split(input, sections, axis)


def unbind(input, dim=0):
    """The slices along `dim`, which disappears, as a tuple of views. PyTorch: torch.unbind."""
    axis, _ = known_axis("unbind", input, dim)
    return bind(unbind_p, input, axis=axis)


# ----- repeating
def repeat(input, *sizes):
    """`input` laid out `sizes` times along its dimensions; more sizes add dimensions in front. PyTorch: Tensor.repeat.

    Sizes may be 0-d Nodes.
    """
    sizes = as_sizes(sizes[0]) if len(sizes) == 1 else sizes
    rank = known_rank("repeat", input)
    lead = len(sizes) - rank
    if lead < 0:
        raise ShapeError(f"repeat: {len(sizes)} numbers of repetitions for the {rank} dimensions of shape"
                         f" {shape_text(input.shape)}")
    # each dimension gets one in front of it, which is broadcast and then merged with it
    wide, merged = [], []
    for i, count in enumerate(sizes):
        if count.__class__ is int and count < 0:
            raise ShapeError(f"repeat: the numbers of repetitions cannot be negative, got {tuple(sizes)}")
        wide += [count, -1]
        merged.append((count, 1 if i < lead else input.shape[i - lead]))
    x = input
    for axis in range(rank):
        x = unsqueeze(x, 2 * axis)
    for _ in range(lead):
        x = unsqueeze(unsqueeze(x, 0), 0)
    return reshape(expand(x, wide), products(input, merged)) if wide else reshape(x, ())


def products(x, pairs):
    """The sizes ``count * size`` for (count, size of an axis of `x`); -1 for the unknown one if it is alone."""
    open_pairs = [(count, size) for count, size in pairs if size.__class__ is Dim or is_node(count)]
    result = []
    for count, size in pairs:
        if size.__class__ is not Dim and not is_node(count):
            result.append(count * size)
        elif len(open_pairs) == 1 and not any([count == 0 or size == 0 for count, size in pairs]):
            result.append(-1)
        elif size.__class__ is Dim:
            result.append(count * size_of(x, x.shape.index(size)))
        else:
            result.append(count * size)
    return tuple(result)


def tile(input, *dims):
    """As `repeat`, but fewer numbers than dimensions are filled up with ones in front. PyTorch: torch.tile."""
    dims = as_sizes(dims[0]) if len(dims) == 1 else dims
    return repeat(input, (1,) * (known_rank("tile", input) - len(dims)) + tuple(dims))


def repeat_index_kernel(xp, repeats, *, total):
    ends = xp.cumsum(repeats)
    if total is None:
        total = int(ends[-1]) if ends.size else 0
    return xp.searchsorted(ends, xp.arange(total, dtype=int64), side="right").astype(int64)


def repeat_index_infer(repeats, *, total):
    return Aval((Dim() if total is None else total,), int64)


repeat_index_p = declare("repeat_index", repeat_index_kernel, repeat_index_infer)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Each element of `input` repeated in place, along `dim` (None: of the flattened input).

    PyTorch: torch.repeat_interleave.

    Args:
        repeats: a number, or a tensor with one for each element along `dim`; the device is waited for to learn the
            total, unless `output_size` tells it.
    """
    if dim is None:
        input, dim = ravel(input), 0
    axis = normal_axis("repeat_interleave", input, dim)
    if is_scalar(repeats) or (repeats.ndim == 0 and not is_node(repeats)):
        count = operator.index(repeats)
        if count < 0:
            raise ShapeError(f"repeat_interleave: repeats cannot be negative, got {count}")
        return repeated_in_place(input, count, axis)
    if repeats.ndim == 1 and repeats.shape[0] == 1 and input.shape[axis] != 1:
        repeats = expand(repeats, (size_of(input, axis),))
    if repeats.ndim != 1 or not may_equal(repeats.shape[0], input.shape[axis]):
        raise ShapeError(f"repeat_interleave: repeats of shape {shape_text(repeats.shape)} for dimension {axis} of"
                         f" shape {shape_text(input.shape)}; expected one number for each element")
    return index_select(input, axis, bind(repeat_index_p, repeats, total=output_size))


def repeated_in_place(x, count, axis):
    """Each element `count` times along `axis`."""
    wide, merged = [], []
    for i in range(x.ndim):
        wide.append(-1)
        merged.append((count if i == axis else 1, x.shape[i]))
    wide.insert(axis + 1, count)
    return reshape(expand(unsqueeze(x, axis + 1), wide), products(x, merged))


# ----- grids
def meshgrid(*tensors, indexing="ij"):
    """Coordinate grids of vectors, as views; "xy" swaps the first two dimensions. PyTorch: torch.meshgrid."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if indexing not in ("ij", "xy"):
        raise ShapeError(f"meshgrid: indexing must be 'ij' or 'xy', not {indexing!r}")
    for x in tensors:
        if x.ndim > 1:
            raise ShapeError(f"meshgrid: expected vectors, got shape {shape_text(x.shape)}")
    order = list(range(len(tensors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    sizes = [1 if x.ndim == 0 else size_of(x, 0) for x in tensors]
    sizes = [sizes[i] for i in order]
    grids = []
    for i, x in enumerate(tensors):
        shape = [1] * len(tensors)
        shape[order.index(i)] = -1
        grids.append(expand(reshape(x, tuple(shape)), sizes))
    return tuple(grids)


def cartesian_prod(*tensors):
    """All combinations of elements of the vectors, one a row. PyTorch: torch.cartesian_prod."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([ravel(grid) for grid in meshgrid(*tensors)], 1)
