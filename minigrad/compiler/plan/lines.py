"""The NumPy text of the commonest primitives, so that a plan's line is the call that a NumPy user would write.

The text does exactly what the primitive's kernel does (a test compares them bit for bit). A primitive without an entry
is emitted as a call of its kernel, into which pdb steps. `{0}`, `{1}` are the operands.
"""

# elementwise ufuncs: these can also write into memory given as `out=`
UFUNCS = {
    "abs": "absolute", "add": "add", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "ceil": "ceil", "cos": "cos", "cosh": "cosh",
    "div": "true_divide", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "floor": "floor", "hypot": "hypot",
    "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2", "maximum": "maximum", "minimum": "minimum",
    "mul": "multiply", "neg": "negative", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "square": "square",
    "sub": "subtract", "tan": "tan", "tanh": "tanh", "trunc": "trunc",
}

# comparisons have a bool result, which no operand's memory fits
COMPARISONS = {
    "eq": "equal", "ge": "greater_equal", "gt": "greater", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan",
    "le": "less_equal", "logical_and": "logical_and", "logical_not": "logical_not", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "lt": "less", "ne": "not_equal",
}


def ufunc_of(prim):
    """The name of the ufunc that the primitive's kernel consists of, or None."""
    return UFUNCS.get(prim.name) or COMPARISONS.get(prim.name)


def matmul_text(operands, params):
    """``xp.matmul(a, b)`` with the operands' last two axes swapped where the parameters say so."""
    a, b = operands
    if params.get("transpose_a"):
        a = f"{a}.swapaxes(-1, -2)"
    if params.get("transpose_b"):
        b = f"{b}.swapaxes(-1, -2)"
    return f"xp.matmul({a}, {b})"
