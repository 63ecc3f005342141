"""Reductions: sum, mean, product, extremes, logic, norms.

`axes` of a primitive is a sorted tuple of axis numbers, or None for all axes. The gradient of a reduction is put back
in place by `restored`, which takes the shape from the operand, so that it works for sizes that only a running graph
knows.
"""

import math
from typing import NamedTuple

from minigrad.core.aval import Aval
from minigrad.core.dims import known_product, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, float16, float32, int64, is_scalar, uint8
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, sign
from minigrad.ops.axes import normal_axes, normal_axis, reduced_shape
from minigrad.ops.broadcasting import broadcast_like
from minigrad.ops.casting import cast
from minigrad.ops.copying import clone
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import pow as power
from minigrad.ops.promotion import to_float
from minigrad.ops.recurrences import cumprod_exclusive
from minigrad.ops.scatter import gather_p
from minigrad.ops.selection import maximum_p, minimum_p, where
from minigrad.ops.shaping import reshape, squeeze, unsqueeze

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "dist", "max", "mean", "min",
           "nanmean", "nansum", "norm", "prod", "sum", "vector_norm"]


def restored(g, x, axes, keepdim):
    """`g`, of the shape of a reduction's result, broadcast back to the shape of `x`."""
    return broadcast_like(with_axes(g, axes, keepdim), x)


def with_axes(y, axes, keepdim):
    """The result of a reduction with its axes as sizes 1, so that it broadcasts against the operand."""
    if axes is not None and not keepdim:
        for axis in axes:
            y = unsqueeze(y, axis)
    return y


def widened(x):
    """`x` for a kernel that adds up: half precision as float32, whose sums do not stop growing at 2048 ones."""
    return x.astype(float32) if x.dtype == float16 else x


def dot_over(xp, a, b, axes):
    """The sum of a * b over `axes` (one, a tuple, or None), which stay as size 1; without an array of the products."""
    if axes.__class__ is not tuple:
        axes = tuple(range(a.ndim)) if axes is None else (axes,)
    letters = "abcdefghijklmnopqrstuvwxyz"[:a.ndim]
    kept = "".join([letter for axis, letter in enumerate(letters) if axis not in axes])
    return xp.einsum(f"{letters},{letters}->{kept}", a, b).reshape(reduced_shape(a.shape, axes, True))


def summed_dtype(dtype):
    """The dtype of sums and products: int64 for integers and bools, the same for floats."""
    return int64 if dtype.kind in "biu" else dtype


# ----- sum
def sum_kernel(xp, x, *, axes, keepdim):
    if x.dtype == float16:
        return xp.add.reduce(x, axis=axes, keepdims=keepdim, dtype=float32).astype(float16)
    return xp.add.reduce(x, axis=axes, keepdims=keepdim, dtype=summed_dtype(x.dtype))


def sum_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), summed_dtype(x.dtype))


def sum_vjp(g, y, x, *, axes, keepdim):
    return restored(g, x, axes, keepdim)


sum_p = declare("sum", sum_kernel, sum_infer, vjps=(sum_vjp,), reads=((),))


# ----- how many elements a reduction takes in, where only the running graph knows
def count_elements_kernel(xp, x, *, axes):
    count = 1
    for axis in range(x.ndim) if axes is None else axes:
        count *= x.shape[axis]
    return xp.asarray(count, dtype=int64)


def count_elements_infer(x, *, axes):
    reduced_shape(x.shape, axes, False)
    return Aval((), int64)


count_elements_p = declare("count_elements", count_elements_kernel, count_elements_infer)


# ----- product: the derivative is the product of all others, exact where elements are zero
def prod_kernel(xp, x, *, axis, keepdim):
    if x.dtype == float16:
        return x.prod(axis=axis, keepdims=keepdim, dtype=float32).astype(float16)
    return x.prod(axis=axis, keepdims=keepdim, dtype=summed_dtype(x.dtype))


def prod_infer(x, *, axis, keepdim):
    return Aval(reduced_shape(x.shape, (axis,), keepdim), summed_dtype(x.dtype))


def prod_vjp(g, y, x, *, axis, keepdim):
    return restored(g, x, (axis,), keepdim) * product_of_others(x, axis)


def product_of_others(x, axis):
    """For each element the product of the others along `axis`: running products from both ends."""
    return cumprod_exclusive(x, axis) * cumprod_exclusive(x, axis, reverse=True)


prod_p = declare("prod", prod_kernel, prod_infer, vjps=(prod_vjp,), reads=({0},))


# ----- extremes: equal ones share the gradient
def amax_kernel(xp, x, *, axes, keepdim):
    return x.max(axis=axes, keepdims=keepdim)


def amin_kernel(xp, x, *, axes, keepdim):
    return x.min(axis=axes, keepdims=keepdim)


def amax_infer(x, *, axes, keepdim):
    return extreme_aval("amax", x, axes, keepdim)


def amin_infer(x, *, axes, keepdim):
    return extreme_aval("amin", x, axes, keepdim)


def extreme_aval(name, x, axes, keepdim):
    """The Aval of the largest, smallest or middle element over `axes`, or a ShapeError where there is none."""
    shape = reduced_shape(x.shape, axes, keepdim)
    for axis in range(len(x.shape or ())) if axes is None else axes:
        if x.shape is not None and x.shape[axis] == 0:
            raise ShapeError(f"{name}: there is no such element of nothing, and dimension {axis} of shape"
                             f" {shape_text(x.shape)} is empty; give a dim that is not empty, or check the size first")
    return Aval(shape, x.dtype)


def extreme_vjp(g, y, x, *, axes, keepdim):
    share = bind(even_shares_p, x, with_axes(y, axes, keepdim), axes=axes)
    return restored(g, x, axes, keepdim) * share


amax_p = declare("amax", amax_kernel, amax_infer, vjps=(extreme_vjp,), reads=({"y", 0},))
amin_p = declare("amin", amin_kernel, amin_infer, vjps=(extreme_vjp,), reads=({"y", 0},))


# ----- which elements are the chosen one: 1 over their number for those equal to it, 0 for the others; all NaN for NaN
def even_shares_kernel(xp, x, chosen, *, axes):
    hits = xp.equal(x, chosen).astype(float32 if x.dtype == float16 else x.dtype)
    hits /= hits.sum(axis=axes, keepdims=True)
    return hits if hits.dtype == x.dtype else hits.astype(x.dtype)


def even_shares_infer(x, chosen, *, axes):
    return Aval(x.shape, x.dtype)


even_shares_p = declare("even_shares", even_shares_kernel, even_shares_infer)


# ----- positions
def argmax_kernel(xp, x, *, axis, keepdim):
    return xp.argmax(x, axis=axis, keepdims=keepdim)


def argmin_kernel(xp, x, *, axis, keepdim):
    return xp.argmin(x, axis=axis, keepdims=keepdim)


def argmax_infer(x, *, axis, keepdim):
    return position_aval("argmax", x, axis, keepdim)


def argmin_infer(x, *, axis, keepdim):
    return position_aval("argmin", x, axis, keepdim)


def position_aval(name, x, axis, keepdim):
    """The Aval of the position of an extreme along `axis` (None: in the flattened operand)."""
    return Aval(extreme_aval(name, x, None if axis is None else (axis,), keepdim).shape, int64)


argmax_p = declare("argmax", argmax_kernel, argmax_infer)
argmin_p = declare("argmin", argmin_kernel, argmin_infer)


# ----- logic
def all_kernel(xp, x, *, axes, keepdim):
    return xp.all(x, axis=axes, keepdims=keepdim)


def any_kernel(xp, x, *, axes, keepdim):
    return xp.any(x, axis=axes, keepdims=keepdim)


def logic_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), bool_)


all_p = declare("all", all_kernel, logic_infer)
any_p = declare("any", any_kernel, logic_infer)


# ----- the square root whose derivative at 0 is 0: for norms and standard deviations, whose subgradients include 0
def root_kernel(xp, x):
    return xp.sqrt(x)


def root_vjp(g, y, x):
    zero = comparison.eq(y, 0)
    return where(zero, 0.0, g * 0.5 / where(zero, 1.0, y))


root_p = elementwise("root", root_kernel, (root_vjp,), ({"y"},), promote=to_float)


class Extreme(NamedTuple):
    """Values along a dimension, and where they are. PyTorch: torch.return_types.max."""

    values: object
    indices: object


def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum over `dim` (an int, a tuple, or None for all); integers and bools give int64, nothing gives 0.

    Raises:
        AxisError: `dim` is out of range or named twice.
    """
    if dtype is not None:
        input = cast(input, dtype)
    return bind(sum_p, input, axes=normal_axes("sum", input, dim), keepdim=keepdim)


def count_of(x, axes):
    """The number of elements that a reduction over `axes` takes in: an int, or a 0-d node where sizes are unknown."""
    if x.shape is not None:
        count, unknown = known_product(x.shape if axes is None else [x.shape[axis] for axis in axes])
        if not unknown:
            return count
    return bind(count_elements_p, x, axes=axes)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean over `dim`; NaN where there is nothing to average. Floats only, unless `dtype` says what to cast to.

    Raises:
        DtypeError: integers or bools without a `dtype`.
    """
    if dtype is not None:
        input = cast(input, dtype)
    if input.dtype.kind != "f":
        raise DtypeError(f"mean is defined for floats, not for {input.dtype}; pass dtype=, for example float32")
    axes = normal_axes("mean", input, dim)
    if input.dtype == float16:  # the sum may be too big for half precision although the mean is not
        wide = cast(input, float32)
        return cast(bind(sum_p, wide, axes=axes, keepdim=keepdim) / count_of(wide, axes), float16)
    return bind(sum_p, input, axes=axes, keepdim=keepdim) / count_of(input, axes)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum over `dim`, in which NaN counts as 0."""
    if input.dtype.kind == "f":
        input = where(comparison.isnan(input), 0.0, input)
    return sum(input, dim, keepdim, dtype=dtype)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean over `dim` of what is not NaN; NaN where nothing is left."""
    if dtype is not None:
        input = cast(input, dtype)
    if input.dtype.kind != "f":
        raise DtypeError(f"nanmean is defined for floats, not for {input.dtype}; pass dtype=, for example float32")
    count = sum(comparison.logical_not(comparison.isnan(input)), dim, keepdim)
    return nansum(input, dim, keepdim) / count


def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product over `dim` (an int, a tuple, or None for all); integers give int64, nothing gives 1.

    The derivatives, of any order, are exact where elements are zero.
    """
    if dtype is not None:
        input = cast(input, dtype)
    axes = normal_axes("prod", input, dim)
    if axes is None:
        return bind(prod_p, reshape(input, (-1,)), axis=0, keepdim=False)
    for axis in reversed(axes):
        input = bind(prod_p, input, axis=axis, keepdim=keepdim)
    return input


def amax(input, dim=(), keepdim=False):
    """The largest over `dim` (all when it is empty); equal ones share the gradient evenly.

    Raises:
        ShapeError: there is nothing to take the largest of.
    """
    return bind(amax_p, input, axes=normal_axes("amax", input, dim), keepdim=keepdim)


def amin(input, dim=(), keepdim=False):
    """The smallest over `dim` (all when it is empty); equal ones share the gradient evenly.

    Raises:
        ShapeError: there is nothing to take the smallest of.
    """
    return bind(amin_p, input, axes=normal_axes("amin", input, dim), keepdim=keepdim)


def max(input, dim=None, keepdim=False, *, other=None):
    """The largest element (equal ones share the gradient); with `dim`, (values, indices) along it, the first of equal
    ones; with a tensor in place of `dim`, the larger of both, elementwise.
    """
    if other is not None or is_tensor(dim):
        return bind(maximum_p, input, dim if other is None else other)
    if dim is None:
        return bind(amax_p, input, axes=None, keepdim=False)
    axis = normal_axis("max", input, dim)
    indices = bind(argmax_p, input, axis=axis if input.ndim != 0 else None, keepdim=True)
    return chosen(input, axis, indices, keepdim)


def min(input, dim=None, keepdim=False, *, other=None):
    """The smallest element (equal ones share the gradient); with `dim`, (values, indices) along it, the first of equal
    ones; with a tensor in place of `dim`, the smaller of both, elementwise.
    """
    if other is not None or is_tensor(dim):
        return bind(minimum_p, input, dim if other is None else other)
    if dim is None:
        return bind(amin_p, input, axes=None, keepdim=False)
    axis = normal_axis("min", input, dim)
    indices = bind(argmin_p, input, axis=axis if input.ndim != 0 else None, keepdim=True)
    return chosen(input, axis, indices, keepdim)


def is_tensor(dim):
    """Is what stands in the place of a dimension a tensor, the second operand?"""
    return hasattr(dim, "dtype") and not is_scalar(dim)


def chosen(x, axis, indices, keepdim):
    """An Extreme: the elements of `x` at `indices`, one for each row along `axis`, which they keep as size 1."""
    if x.ndim == 0:
        return Extreme(clone(x), indices)
    values = bind(gather_p, x, indices, axis=axis, unique=True)
    if keepdim:
        return Extreme(values, indices)
    return Extreme(squeeze(values, axis), squeeze(indices, axis))


def argmax(input, dim=None, keepdim=False):
    """The index of the largest, the first of equal ones; without `dim` in the flattened tensor. int64.

    Raises:
        ShapeError: there is nothing to take the largest of.
    """
    return bind(argmax_p, input, axis=position_axis("argmax", input, dim), keepdim=keepdim)


def argmin(input, dim=None, keepdim=False):
    """The index of the smallest, the first of equal ones; without `dim` in the flattened tensor. int64.

    Raises:
        ShapeError: there is nothing to take the smallest of.
    """
    return bind(argmin_p, input, axis=position_axis("argmin", input, dim), keepdim=keepdim)


def position_axis(name, x, dim):
    """`dim` as a number from 0 up; None for the flattened operand, and for one without dimensions."""
    if dim is None:
        return None
    axis = normal_axis(name, x, dim)
    return None if x.ndim == 0 else axis


def all(input, dim=None, keepdim=False):
    """Are all elements non-zero, over `dim`; True where there are none. bool, but uint8 for uint8, as in PyTorch."""
    y = bind(all_p, input, axes=normal_axes("all", input, dim), keepdim=keepdim)
    return cast(y, uint8) if input.dtype == uint8 else y


def any(input, dim=None, keepdim=False):
    """Is any element non-zero, over `dim`; False where there are none. bool, but uint8 for uint8, as in PyTorch."""
    y = bind(any_p, input, axes=normal_axes("any", input, dim), keepdim=keepdim)
    return cast(y, uint8) if input.dtype == uint8 else y


def count_nonzero(input, dim=None):
    """How many elements are not zero, over `dim`; int64."""
    return sum(comparison.ne(input, 0), dim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The `ord`-norm of the elements over `dim`; where they are all 0, the derivative is 0.

    PyTorch: torch.linalg.vector_norm. `ord` is a number, inf or -inf; 0 counts what is not 0.

    Raises:
        DtypeError: not a float tensor.
        ShapeError: the norm of order inf, -inf or below 0 of nothing.
    """
    if dtype is not None:
        x = cast(x, dtype)
    if x.dtype.kind != "f":
        raise DtypeError(f"vector_norm is defined for floats, not for {x.dtype}; pass dtype=, for example float32")
    if ord == 2:
        return bind(root_p, sum(x * x, dim, keepdim))
    if ord == 1:
        return sum(absolute(x), dim, keepdim)
    if ord == 0:
        return sum(absolute(sign(x)), dim, keepdim)
    if ord == math.inf:
        return amax(absolute(x), dim, keepdim)
    if ord == -math.inf:
        return amin(absolute(x), dim, keepdim)
    return power_norm(x, ord, dim, keepdim)


def power_norm(x, order, dim, keepdim):
    """(sum of |x| ** order) ** (1 / order); the derivative is 0 where it is 0, and by elements that are 0."""
    size = absolute(x)
    zero = comparison.eq(size, 0)
    total = sum(where(zero, 0.0, power(where(zero, 1.0, size), order)), dim, keepdim)
    vanishes = comparison.eq(total, 0)
    y = power(where(vanishes, 1.0, total), 1.0 / order)
    if order < 0:  # one element that is 0 makes the sum infinite and the norm 0
        extreme_aval(f"vector_norm of order {order}", x, normal_axes("vector_norm", x, dim), keepdim)
        vanishes = any(zero, dim, keepdim)
    return where(vanishes, 0.0, y)


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """The `p`-norm of the elements over `dim`; "fro" is the 2-norm, "nuc" the sum of a matrix's singular values.

    PyTorch: torch.norm.
    """
    if p == "nuc":
        from minigrad.ops.linalg import matrix_norm

        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def dist(input, other, p=2):
    """The `p`-norm of input - other, which broadcast."""
    return vector_norm(input - other, p)
