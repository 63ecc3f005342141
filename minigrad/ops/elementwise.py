"""The family of elementwise primitives: what their declarations have in common."""

from minigrad.core.aval import Aval
from minigrad.core.dims import broadcast_shapes, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, is_scalar, result_dtype
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops import promotion


def common_shape(name, avals):
    """The broadcast shape of operands, or a ShapeError that names them."""
    shapes = [() if is_scalar(a) else a.shape for a in avals]
    try:
        return broadcast_shapes(*shapes)
    except ValueError as error:
        shapes = " and ".join([shape_text(shape) for shape in shapes])
        raise ShapeError(f"{name}: shapes {shapes} do not broadcast: {error}. Shapes are aligned at the right;"
                         " sizes must be equal or 1") from None


def elementwise(name, kernel, vjps=(), reads=(), *, promote=promotion.to_common, dtype=None):
    """Declare an elementwise primitive: broadcasts, result in the operands' common dtype (or in `dtype`).

    Its operands reach `infer` and the kernel already promoted by `promote`; its rules never look at shapes, because
    the reverse sweep undoes broadcasting.
    """
    if dtype is None:
        infer = _SameDtype(name)
    else:
        infer = _FixedDtype(name, dtype)
    return declare(name, kernel, infer, vjps=vjps, reads=reads, promote=promote, shapes=False)


class _SameDtype:
    """Shape rule of elementwise primitives whose result has the operands' dtype."""

    def __init__(self, name):
        self.__name__ = f"{name}_infer"
        self.name = name

    def __call__(self, *avals, **params):
        return Aval(common_shape(self.name, avals), result_dtype(avals))


class _FixedDtype:
    """Shape rule of elementwise primitives whose result has a dtype of its own (comparisons: bool)."""

    def __init__(self, name, dtype):
        self.__name__ = f"{name}_infer"
        self.name = name
        self.dtype = dtype

    def __call__(self, *avals, **params):
        return Aval(common_shape(self.name, avals), self.dtype)


def comparison(name, kernel, promote=promotion.to_common):
    """Declare an elementwise primitive with bool results and no gradient."""
    return elementwise(name, kernel, promote=promote, dtype=bool_)


def as_arrays(xp, operands):
    """The operands of a kernel, Python scalars among them as arrays without dimensions, of the dtype of the others.

    A ufunc takes scalars as they are; a kernel of several steps needs this, or its intermediate results would have
    the dtype that the array library gives to scalars.
    """
    dtype = result_dtype(operands)
    return [xp.asarray(a, dtype=dtype) if is_scalar(a) else a for a in operands]


# ----- the gradient of what is constant between its jumps
def flat_kernel(xp, g):
    return xp.zeros_like(g)


flat_p = elementwise("flat", flat_kernel)


def flat(g):
    """Zeros in place of `g`, also where that is infinite or NaN (which g * 0 would keep)."""
    return bind(flat_p, g)
