"""How the operands of a primitive are brought to common dtypes: one policy function for each kind of primitive.

A policy is called ``policy(prim, args) -> args`` by the engines when the operands are not already of one float
dtype. It casts with `cast`, which is a primitive itself, so the gradient of a cast operand is cast back.
"""

from minigrad.config import default_dtype
from minigrad.core.dtypes import bool_, category, is_scalar, result_dtype
from minigrad.errors import DtypeError
from minigrad.ops.casting import cast


def to_common(prim, args):
    """All operands in their common dtype (add, multiply, maximum, ...)."""
    return _all_to(args, result_dtype(args))


def to_float(prim, args):
    """All operands in their common dtype, integers and booleans as the default float dtype (exp, true division)."""
    dtype = result_dtype(args)
    return _all_to(args, dtype if dtype.kind == "f" else default_dtype())


def to_number(prim, args):
    """As `to_common`, but refuses booleans, which have no negative and no difference."""
    dtype = result_dtype(args)
    if dtype.kind == "b":
        raise DtypeError(f"{prim.name} is not defined for bool tensors; cast them first, or use logical_not or"
                         " logical_xor")
    return _all_to(args, dtype)


def to_integer(prim, args):
    """All operands in their common integer or bool dtype; floats are refused (bitwise operations)."""
    dtype = result_dtype(args)
    if dtype.kind == "f":
        raise DtypeError(f"{prim.name} is defined for integer and bool tensors, not for {dtype}")
    return _all_to(args, dtype)


def to_whole(prim, args):
    """As `to_integer`, but refuses booleans too (shifts, greatest common divisors)."""
    dtype = result_dtype(args)
    if dtype.kind not in "iu":
        raise DtypeError(f"{prim.name} is defined for integer tensors, not for {dtype}")
    return _all_to(args, dtype)


def to_bool(prim, args):
    """All operands as booleans (logical operations): non-zero is True."""
    return _all_to(args, bool_)


def same_float(prim, args):
    """Operands of one dtype only; unequal ones are refused, as PyTorch does for matrix products."""
    dtypes = {a.dtype for a in args if not is_scalar(a)}
    if len(dtypes) > 1:
        names = " and ".join(sorted(str(d) for d in dtypes))
        raise DtypeError(f"{prim.name} expects operands of one dtype but got {names}; cast one of them"
                         " (for example x.to(y.dtype))")
    return args


def branches_to_common(prim, args):
    """For `where`: the first operand is a condition, the other two share their common dtype."""
    condition, *branches = args
    return (condition, *_all_to(branches, result_dtype(branches)))


def _all_to(args, dtype):
    """Cast the tensors among `args` to `dtype`; scalars stay as they are where they are weak against it."""
    result = []
    for a in args:
        if is_scalar(a):
            result.append(dtype.type(a) if category(dtype) == 0 else a)
        elif a.dtype is dtype or a.dtype == dtype:
            result.append(a)
        else:
            result.append(cast(a, dtype))
    return tuple(result)
