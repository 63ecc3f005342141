"""Arithmetic: + - * / and their relatives."""

from minigrad.core.dispatch import bind
from minigrad.ops import promotion
from minigrad.ops.elementwise import elementwise


# ----- add, subtract, multiply, divide
def add_kernel(xp, a, b):
    return xp.add(a, b)


def add_vjp_a(g, y, a, b):
    return g


def add_vjp_b(g, y, a, b):
    return g


def sub_kernel(xp, a, b):
    return xp.subtract(a, b)


def sub_vjp_a(g, y, a, b):
    return g


def sub_vjp_b(g, y, a, b):
    return -g


def mul_kernel(xp, a, b):
    return xp.multiply(a, b)


def mul_vjp_a(g, y, a, b):
    return g * b


def mul_vjp_b(g, y, a, b):
    return g * a


def div_kernel(xp, a, b):
    return xp.true_divide(a, b)


def div_vjp_a(g, y, a, b):
    return g / b


def div_vjp_b(g, y, a, b):
    return -g * y / b


def neg_kernel(xp, x):
    return xp.negative(x)


def neg_vjp(g, y, x):
    return -g


add_p = elementwise("add", add_kernel, (add_vjp_a, add_vjp_b), ((), ()))
sub_p = elementwise("sub", sub_kernel, (sub_vjp_a, sub_vjp_b), ((), ()), promote=promotion.to_number)
mul_p = elementwise("mul", mul_kernel, (mul_vjp_a, mul_vjp_b), ({1}, {0}))
div_p = elementwise("div", div_kernel, (div_vjp_a, div_vjp_b), ({1}, {"y", 1}), promote=promotion.to_float)
neg_p = elementwise("neg", neg_kernel, (neg_vjp,), ((),), promote=promotion.to_number)


def add(a, b):
    """a + b, elementwise with broadcasting."""
    return bind(add_p, a, b)


def sub(a, b):
    """a - b, elementwise with broadcasting."""
    return bind(sub_p, a, b)


def mul(a, b):
    """a * b, elementwise with broadcasting."""
    return bind(mul_p, a, b)


def div(a, b):
    """a / b, elementwise with broadcasting; integers give the default float dtype."""
    return bind(div_p, a, b)


def neg(x):
    """-x, elementwise."""
    return bind(neg_p, x)
