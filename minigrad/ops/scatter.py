"""Gather and scatter along one dimension, and selection by masks.

In ``gather(x, dim, index)`` and its counterparts the index has as many dimensions as `x`; its element at (i, j, k)
takes the place of the coordinate of dimension `dim`. An index may be smaller than `x` in the other dimensions. Places
must be in range, and negative ones are refused; for tensors on a GPU the host waits to know.
"""

from minigrad.backends import backend_of
from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_shapes, broadcast_sizes, is_known, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, int64, is_scalar
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.arithmetic import floor_divide
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import broadcast_like, size_of, sum_to_like
from minigrad.ops.casting import cast
from minigrad.ops.comparison import eq, ne
from minigrad.ops.embedding import one_hot
from minigrad.ops.indexing import getitem, index_p, index_tensor, setitem, stored
from minigrad.ops.places import check_range, last_of_each, size_of_shape, zeros_with_added
from minigrad.ops.selection import where
from minigrad.ops.shaping import broadcast_tensors, expand, movedim, ravel, reshape, reshape_as, unsqueeze
from minigrad.ops.slicing import WHOLE, slice_by_sizes_p, slice_p

__all__ = ["gather", "index_reduce", "masked_fill", "masked_scatter", "masked_select", "scatter", "scatter_add",
           "scatter_reduce", "take_along_dim"]

WHOLE_AXIS = slice(None)


# ----- what gather, its gradient and scatter have in common
def along_places(xp, shape, index, axis):
    """The flat positions of the places that `index` names along `axis`, in the shape of the index."""
    places = index.astype(int64) * size_of_shape(shape[axis + 1:])
    for other in range(len(shape)):
        if other != axis:
            along = xp.arange(index.shape[other], dtype=int64) * size_of_shape(shape[other + 1:])
            places = places + along.reshape((-1,) + (1,) * (len(shape) - other - 1))
    return places


def check_index(name, shape, index, axis):
    """Raise unless an index of this aval can be used along `axis` of an array of `shape`."""
    if index.dtype.kind not in "iu":
        raise DtypeError(f"{name}: the index must be of integers, not {index.dtype}")
    if shape is None or index.shape is None:
        return
    fits = len(shape) == len(index.shape)
    for i, (size, limit) in enumerate(zip(index.shape, shape, strict=False)):
        if i != axis and Dim not in (size.__class__, limit.__class__):
            fits = fits and size <= limit
    if not fits:
        raise ShapeError(f"{name}: an index of shape {shape_text(index.shape)} does not fit shape {shape_text(shape)}:"
                         f" it needs as many dimensions, and no bigger size except along dimension {axis}")


def checked_index(xp, name, shape, index, axis):
    """The index as an array, if it can be used along `axis` of an array of `shape`."""
    index = xp.asarray(index)
    check_index(name, shape, index, axis)
    check_range(name, index, shape[axis], axis, "strict")
    return index


def check_source(name, source, index):
    """Raise unless `source`, if it is no number, has the shape of the index."""
    if is_scalar(source) or source.shape is None or index.shape is None:
        return
    fits = len(source.shape) == len(index.shape)
    if not fits or not all([may_equal(a, b) for a, b in zip(source.shape, index.shape, strict=True)]):
        raise ShapeError(f"{name}: the source, of shape {shape_text(source.shape)}, must have an element for each of"
                         f" the index, of shape {shape_text(index.shape)}")


# ----- gather; `unique` promises that no place is named twice
def gather_kernel(xp, x, index, *, axis, unique):
    index = checked_index(xp, "gather", x.shape, index, axis)
    key = []
    for other, size in enumerate(index.shape):
        key.append(xp.arange(size).reshape((-1,) + (1,) * (index.ndim - other - 1)) if other != axis else index)
    return x[tuple(key)]


def gather_infer(x, index, *, axis, unique):
    check_index("gather", x.shape, index, axis)
    return Aval(index.shape, x.dtype)


def gather_vjp(g, y, x, index, *, axis, unique):
    return ungather(g, x, index, axis, unique=unique)


# ----- zeros with values added along an axis: the gradient of gather
def ungather_kernel(xp, g, index, *like, axis, shape, unique, check):
    shape = like[0].shape if shape is None else shape
    index = checked_index(xp, "scatter", shape, index, axis) if check else xp.asarray(index)
    places = along_places(xp, shape, index, axis).reshape(-1)
    if not unique:
        return zeros_with_added(xp, size_of_shape(shape), places, g.reshape(-1)).reshape(shape)
    y = xp.zeros((size_of_shape(shape),), dtype=g.dtype)
    y[places] = g.reshape(-1)
    return y.reshape(shape)


def ungather_infer(g, index, *like, axis, shape, unique, check):
    shape = like[0].shape if shape is None else shape
    check_index("scatter", shape, index, axis)
    check_source("scatter", g, index)
    return Aval(shape, g.dtype)


def ungather_vjp(h, y, g, index, *like, axis, shape, unique, check):
    return bind(gather_p, h, index, axis=axis, unique=unique)


def ungather(g, like, index, axis, unique=False, check=False):
    """Zeros of the shape of `like` with `g` added at the places of `index`; `check` their range if nobody did."""
    if is_known(like.shape):
        return bind(ungather_p, g, index, axis=axis, shape=like.shape, unique=unique, check=check)
    return bind(ungather_p, g, index, like, axis=axis, shape=None, unique=unique, check=check)


# ----- scatter: of several writes to one place the last one stays, and gets the gradient
def scatter_kernel(xp, x, source, index, *, axis):
    index = checked_index(xp, "scatter", x.shape, index, axis)
    places = along_places(xp, x.shape, index, axis).reshape(-1)
    y = x.copy().reshape(-1)
    backend_of(y).set_at(y, places, source if is_scalar(source) else source.reshape(-1))
    return y.reshape(x.shape)


def scatter_infer(x, source, index, *, axis):
    check_index("scatter", x.shape, index, axis)
    check_source("scatter", source, index)
    return Aval(x.shape, x.dtype)


def scatter_vjp_x(g, y, x, source, index, *, axis):
    return bind(scatter_p, g, 0.0, index, axis=axis)


def scatter_vjp_source(g, y, x, source, index, *, axis):
    if is_known(x.shape):
        stays = bind(last_scatters_p, index, axis=axis, shape=x.shape)
    else:
        stays = bind(last_scatters_p, index, x, axis=axis, shape=None)
    return where(stays, bind(gather_p, g, index, axis=axis, unique=False), 0.0)


def last_scatters_kernel(xp, index, *like, axis, shape):
    """For each write of a scatter: is it the last one to its place?"""
    shape = like[0].shape if shape is None else shape
    index = xp.asarray(index)
    return last_of_each(xp, along_places(xp, shape, index, axis), size_of_shape(shape))


def last_scatters_infer(index, *like, axis, shape):
    return Aval(index.shape, bool_)


# ----- the largest (or smallest) of the values scattered to each place; equal ones share the gradient
def scatter_extremum_kernel(xp, x, source, index, *, axis, largest, include_self):
    index = checked_index(xp, "scatter_reduce", x.shape, index, axis)
    y = x.copy().reshape(-1)
    if index.size == 0:
        return y.reshape(x.shape)
    places, values = along_places(xp, x.shape, index, axis).reshape(-1), source.reshape(-1)
    # sorted by value, then by place: the extremes of a place are its first and last value (NaN is last)
    order = xp.argsort(values, kind="stable")
    order = order[xp.argsort(places[order], kind="stable")]
    places, values = places[order], values[order]
    changes = places[1:] != places[:-1]
    edge = xp.ones((1,), dtype=bool_)
    last = xp.nonzero(xp.concatenate([changes, edge]))[0]
    found = values[last]
    if not largest:
        first = values[xp.nonzero(xp.concatenate([edge, changes]))[0]]
        found = xp.where(found != found, found, first)
    at = places[last]
    if include_self:
        found = xp.maximum(y[at], found) if largest else xp.minimum(y[at], found)
    y[at] = found
    return y.reshape(x.shape)


def scatter_extremum_infer(x, source, index, *, axis, largest, include_self):
    check_index("scatter_reduce", x.shape, index, axis)
    check_source("scatter_reduce", source, index)
    return Aval(x.shape, x.dtype)


def scatter_extremum_vjp(g, y, x, source, index, *, needed, axis, largest, include_self):
    from_source = eq(source, bind(gather_p, y, index, axis=axis, unique=False))
    wins = ungather(cast(from_source, g.dtype), x, index, axis)
    from_x = eq(x, y) if include_self else eq(counts(x, index, axis, g.dtype), 0)
    wins = wins + cast(from_x, g.dtype)
    share = g / where(eq(wins, 0), 1.0, wins)
    return (where(from_x, share, 0.0),
            where(from_source, bind(gather_p, share, index, axis=axis, unique=False), 0.0), None)


def counts(x, index, axis, dtype):
    """How many elements of the index name each place of `x`."""
    return ungather(cast(eq(index, index), dtype), x, index, axis)


# ----- the number of elements chosen before each place of a mask, in memory order
def ranks_in_mask_kernel(xp, mask):
    ranks = xp.cumsum(mask.reshape(-1), dtype=int64).reshape(mask.shape) - 1
    return xp.maximum(ranks, 0)


def ranks_in_mask_infer(mask):
    return Aval(mask.shape, int64)


# ----- broadcasting in all dimensions but one, where the common sizes are known at run time
def broadcast_beside_kernel(xp, x, other, *, axis):
    return xp.broadcast_to(x, shape_beside(x.shape, other.shape, axis))


def shape_beside(shape, other, axis):
    sizes = list(broadcast_shapes((*shape[:axis], 1, *shape[axis + 1:]), (*other[:axis], 1, *other[axis + 1:])))
    sizes[axis] = shape[axis]
    return tuple(sizes)


def broadcast_beside_infer(x, other, *, axis):
    if x.shape is None or other.shape is None:
        return Aval(None, x.dtype)
    return Aval(shape_beside(x.shape, other.shape, axis), x.dtype)


def broadcast_beside_vjp(g, y, x, other, *, axis):
    return sum_to_like(g, x)


gather_p = declare("gather", gather_kernel, gather_infer, vjps=(gather_vjp, None), reads=({1}, ()))
ungather_p = declare("ungather", ungather_kernel, ungather_infer, vjps=(ungather_vjp,), reads=({1},))
scatter_p = declare("scatter", scatter_kernel, scatter_infer, vjps=(scatter_vjp_x, scatter_vjp_source, None),
                    reads=({2}, {2}, ()))
last_scatters_p = declare("last_scatters", last_scatters_kernel, last_scatters_infer)
scatter_extremum_p = declare("scatter_extremum", scatter_extremum_kernel, scatter_extremum_infer,
                             joint=scatter_extremum_vjp, reads={"y", "xs"})
broadcast_beside_p = declare("broadcast_beside", broadcast_beside_kernel, broadcast_beside_infer,
                             vjps=(broadcast_beside_vjp, None), reads=((), ()), views=True)
ranks_in_mask_p = declare("ranks_in_mask", ranks_in_mask_kernel, ranks_in_mask_infer)


# ----- gather
def gather(input, dim, index):
    """The elements of `input` that `index` names along `dim`, in the shape of the index. PyTorch: torch.gather.

    ``out[i, j] = input[index[i, j], j]`` for ``dim=0``, ``input[i, index[i, j]]`` for ``dim=1``.

    Raises:
        TensorIndexError: a place is out of range.
        ShapeError: the index does not fit.
    """
    axis = normal_axis("gather", input, dim)
    index = index_tensor(index)
    y = bind(gather_p, at_least_vector(input), at_least_vector(index), axis=axis, unique=False)
    return reshape_as(y, index)


def at_least_vector(x):
    return reshape(x, (1,)) if x.ndim == 0 else x


def take_along_dim(input, indices, dim=None):
    """As `gather`, with input and indices broadcast against each other; flat without `dim`.

    PyTorch: torch.take_along_dim.
    """
    if dim is None:
        return bind(gather_p, ravel(input), ravel(indices), axis=0, unique=False)
    axis = normal_axis("take_along_dim", input, dim)
    if input.shape is None or indices.shape is None or len(input.shape) != len(indices.shape):
        return bind(gather_p, input, indices, axis=axis, unique=False)
    sizes = []
    for i, (a, b) in enumerate(zip(input.shape, indices.shape, strict=True)):
        sizes.append(-1 if i == axis else broadcast_sizes(a, b))
    if None in sizes:
        raise ShapeError(f"take_along_dim: shapes {shape_text(input.shape)} and {shape_text(indices.shape)} do not"
                         f" broadcast in the dimensions other than {axis}")
    return bind(gather_p, broadened(input, sizes, indices, axis), broadened(indices, sizes, input, axis), axis=axis,
                unique=False)


def broadened(x, sizes, other, axis):
    """`x` broadcast to `sizes`, the common ones with `other` except along `axis`."""
    for size, wanted in zip(x.shape, sizes, strict=True):
        if wanted != size and wanted != -1:
            if Dim in [n.__class__ for n in sizes]:
                return bind(broadcast_beside_p, x, other, axis=axis)
            return expand(x, sizes)
    return x


# ----- scatter
def scatter_operands(name, input, dim, index, source):
    """(input, axis, index, source) with at least one dimension each, the source cut to the index."""
    axis = normal_axis(name, input, dim)
    index = at_least_vector(index_tensor(index))
    x = at_least_vector(input)
    if is_scalar(source):
        return x, axis, index, source
    source = stored(x, at_least_vector(source))
    if source.shape is None or index.shape is None or source.shape == index.shape:
        return x, axis, index, source
    if len(source.shape) != len(index.shape):
        raise ShapeError(f"{name}: the source, of shape {shape_text(source.shape)}, must have as many dimensions as the"
                         f" index, of shape {shape_text(index.shape)}")
    for i, (size, wanted) in enumerate(zip(source.shape, index.shape, strict=True)):
        if size.__class__ is int and wanted.__class__ is int:
            if size < wanted:
                raise ShapeError(f"{name}: the source, of shape {shape_text(source.shape)}, has no element for some of"
                                 f" the index, of shape {shape_text(index.shape)}")
            if size > wanted:
                source = bind(slice_p, source, index=(*[WHOLE] * i, (0, wanted, None)))
        elif size != wanted:
            source = bind(slice_by_sizes_p, source, size_of(index, i), index=(*[WHOLE] * i, (0, "?", None)))
    return x, axis, index, source


def filled(index, value, dtype):
    """A tensor of the shape of the index, full of the number `value`."""
    return cast(eq(index, index), dtype) * value


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """`input` with the elements of `src` (or one number) written to the places that `index` names along `dim`.

    Where a place is written twice, the last write stays and only it gets gradient. PyTorch: torch.scatter.

    Args:
        reduce: "add" or "multiply" combines with what is there instead.

    Raises:
        TensorIndexError: a place is out of range.
        ShapeError: index or source do not fit.
    """
    source = value if src is None else src
    x, axis, index, source = scatter_operands("scatter", input, dim, index, source)
    if reduce is None:
        return reshape_as(bind(scatter_p, x, source, index, axis=axis), input)
    if is_scalar(source):
        source = filled(index, source, x.dtype)
    names = {"add": "sum", "multiply": "prod"}
    if reduce not in names:
        raise DtypeError(f"scatter: reduce must be 'add' or 'multiply', not {reduce!r}; scatter_reduce has more")
    return scatter_reduce(input, dim, index, source, names[reduce])


def scatter_add(input, dim, index, src):
    """`input` with the elements of `src` added at the places that `index` names along `dim`.

    PyTorch: torch.scatter_add.
    """
    x, axis, index, source = scatter_operands("scatter_add", input, dim, index, src)
    return reshape_as(x + ungather(source, x, index, axis, check=True), input)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """`input` combined with all elements of `src` that `index` sends to a place. PyTorch: torch.scatter_reduce.

    Args:
        reduce: "sum", "prod", "mean", "amax" or "amin"; "prod" needs memory for every pair of a place and a source
            along `dim`. Equal extremes share the gradient evenly.
        include_self: whether the elements of `input` take part where something is sent.
    """
    x, axis, index, source = scatter_operands("scatter_reduce", input, dim, index, src)
    if reduce in ("amax", "amin"):
        y = bind(scatter_extremum_p, x, source, index, axis=axis, largest=reduce == "amax", include_self=include_self)
    elif reduce == "prod":
        y = scattered_product(x, source, index, axis, include_self)
    elif reduce in ("sum", "mean"):
        y = scattered_sum(x, source, index, axis, include_self, reduce == "mean")
    else:
        raise DtypeError(f"scatter_reduce: reduce must be 'sum', 'prod', 'mean', 'amax' or 'amin', not {reduce!r}")
    return reshape_as(y, input)


def scattered_sum(x, source, index, axis, include_self, mean):
    total = ungather(source, x, index, axis, check=True)
    if include_self and not mean:
        return x + total
    count = counts(x, index, axis, x.dtype)
    reached = ne(count, 0)
    if include_self:
        count = count + 1
    else:
        x = where(reached, 0, x)
        count = where(reached, count, 1)
    if not mean:
        return x + total
    return (x + total) / count if x.dtype.kind == "f" else floor_divide(x + total, count)


def scattered_product(x, source, index, axis, include_self):
    """Multiplied out as a tree, so that zeros need no special case in any derivative."""
    if not is_known(x.shape) or not is_known(index.shape):
        raise ShapeError("scatter_reduce: a product needs sizes that are known when the graph is built")
    if size_of_shape(index.shape) == 0:
        return x
    key = [slice(0, size) for size in index.shape]
    key[axis] = slice(None)
    key = tuple(key)
    hit = cast(one_hot(movedim(index, axis, -1), x.shape[axis]), bool_)
    factors = where(hit, unsqueeze(movedim(source, axis, -1), -1), 1)
    while factors.shape[-2] > 1:
        half = factors.shape[-2] // 2
        pairs = getitem(factors, (..., slice(0, half), WHOLE_AXIS)) * getitem(
            factors, (..., slice(half, 2 * half), WHOLE_AXIS))
        if factors.shape[-2] % 2:
            odd = getitem(pairs, (..., 0, WHOLE_AXIS)) * getitem(factors, (..., -1, WHOLE_AXIS))
            pairs = setitem(pairs, (..., 0, WHOLE_AXIS), odd)
        factors = pairs
    product = movedim(getitem(factors, (..., 0, WHOLE_AXIS)), -1, axis)
    there = getitem(x, key)
    if include_self:
        result = there * product
    else:
        reached = getitem(ne(counts(x, index, axis, int64), 0), key)
        result = where(reached, product, there)
    return setitem(x, key, result)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    """`input` combined with the slices of `source` along `dim` that the vector `index` sends to places.

    PyTorch: Tensor.index_reduce. `reduce` is "prod", "mean", "amax" or "amin".
    """
    axis = normal_axis("index_reduce", input, dim)
    if source.ndim == 0:
        return scatter_reduce(input, dim, index, source, reduce, include_self=include_self)
    shape = [1] * source.ndim
    shape[axis] = -1
    wide = broadcast_like(reshape(index, tuple(shape)), source)
    return scatter_reduce(input, axis, wide, source, reduce, include_self=include_self)


# ----- masks
def check_bool(name, mask):
    if mask.dtype != bool_:
        raise DtypeError(f"{name}: the mask must be bool, not {mask.dtype}; write mask != 0")


def masked_fill(input, mask, value):
    """`input` with the number (or 0-d tensor) `value` where the mask holds. PyTorch: torch.masked_fill.

    Raises:
        DtypeError: the mask is not bool.
        ShapeError: the value is not one number.
    """
    check_bool("masked_fill", mask)
    if getattr(value, "ndim", 0) != 0:
        raise ShapeError(f"masked_fill: the value must be one number, not of shape {shape_text(value.shape)}; use"
                         " where")
    if is_scalar(value) and input.dtype.kind != "f" and not isinstance(value, bool):
        value = bool(value) if input.dtype == bool_ else int(value)
    return where(mask, stored(input, value), input)


def masked_select(input, mask):
    """The elements where the mask holds, as a vector. PyTorch: torch.masked_select."""
    check_bool("masked_select", mask)
    input, mask = broadcast_tensors(at_least_vector(input), at_least_vector(mask))
    return bind(index_p, input, mask, axes=(0,), bounds="wrap")


def masked_scatter(input, mask, source):
    """`input` with consecutive elements of `source` in the places where the mask holds. PyTorch: torch.masked_scatter.

    Raises:
        TensorIndexError: the source has fewer elements than the mask has places.
    """
    check_bool("masked_scatter", mask)
    input, mask = broadcast_tensors(input, mask)
    source = ravel(stored(input, source))
    if source.shape == (0,):
        return setitem(input, mask, source)  # right if the mask has no place
    return where(mask, bind(index_p, source, bind(ranks_in_mask_p, mask), axes=(0,), bounds="wrap"), input)
