"""Rounding: constant between its jumps, so the derivatives are 0; and what is left after it."""

from minigrad.core.dispatch import bind
from minigrad.ops.elementwise import elementwise, flat

__all__ = ["ceil", "fix", "floor", "frac", "round", "trunc"]


def floor_kernel(xp, x):
    return xp.floor(x) if x.dtype.kind == "f" else xp.array(x)


def ceil_kernel(xp, x):
    return xp.ceil(x) if x.dtype.kind == "f" else xp.array(x)


def trunc_kernel(xp, x):
    return xp.trunc(x) if x.dtype.kind == "f" else xp.array(x)


def round_kernel(xp, x, *, decimals):
    return xp.round(x, decimals) if x.dtype.kind == "f" else xp.array(x)


def frac_kernel(xp, x):
    return x - xp.trunc(x) if x.dtype.kind == "f" else xp.zeros_like(x)


def flat_vjp(g, y, x, **params):
    return flat(g)


def frac_vjp(g, y, x):
    return g


floor_p = elementwise("floor", floor_kernel, (flat_vjp,), ((),))
ceil_p = elementwise("ceil", ceil_kernel, (flat_vjp,), ((),))
trunc_p = elementwise("trunc", trunc_kernel, (flat_vjp,), ((),))
round_p = elementwise("round", round_kernel, (flat_vjp,), ((),))
frac_p = elementwise("frac", frac_kernel, (frac_vjp,), ((),))


def floor(input):
    """Rounded down, elementwise; integers stay as they are."""
    return bind(floor_p, input)


def ceil(input):
    """Rounded up, elementwise; integers stay as they are."""
    return bind(ceil_p, input)


def trunc(input):
    """Rounded towards zero, elementwise; integers stay as they are."""
    return bind(trunc_p, input)


fix = trunc


def round(input, *, decimals=0):
    """Rounded to the nearest number with so many decimals, halves to the even one, elementwise."""
    return bind(round_p, input, decimals=decimals)


def frac(input):
    """What is left after rounding towards zero, with the sign of `input`."""
    return bind(frac_p, input)
