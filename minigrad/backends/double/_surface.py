"""What CuPy's namespace has: the facts in `cupy_api.json`, and what an error says of a name that is not here.

The file was written by `python -m minigrad.backends.double.describe_cupy` from an installed CuPy. It is read when an
unknown name is asked for, and by the tests, which hold the double's signatures against it.
"""

import functools
import json
from importlib import resources

import numpy as np

# objects that CuPy takes from NumPy as they are
FROM_NUMPY = frozenset({
    "bool", "bool_", "broadcast_shapes", "byte", "cdouble", "complex128", "complex64", "complexfloating", "csingle",
    "double", "dtype", "e", "euler_gamma", "finfo", "float16", "float32", "float64", "floating", "generic", "half",
    "iinfo", "index_exp", "inexact", "inf", "int16", "int32", "int64", "int8", "int_", "intc", "integer", "intp",
    "isdtype", "issubdtype", "iterable", "long", "longlong", "mintypecode", "nan", "ndindex", "newaxis", "number",
    "pi", "promote_types", "s_", "short", "signedinteger", "single", "typename", "ubyte", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "unsignedinteger", "ushort",
})

WHAT_TO_DO = {
    "errstate": "CuPy gives no floating point warnings, so that nothing is to be silenced",
    "random": "draw on the host and send it over: other streams than NumPy's would make runs differ",
}


@functools.cache
def api():
    """The contents of `cupy_api.json`: a dict from kind of name to names and their signatures."""
    text = resources.files(__package__).joinpath("cupy_api.json").read_text(encoding="utf-8")
    return json.loads(text)


def from_numpy(name):
    """An object that CuPy shares with NumPy, or an AttributeError that says who has the name and who has not."""
    if name not in FROM_NUMPY:
        raise AttributeError(absent(name))
    return getattr(np, name)


def absent(name, part="names"):
    """The text of the AttributeError for a name of CuPy's namespace that is not here."""
    known = api()
    where = "module 'cupy'" if part == "names" else f"module 'cupy.{part}'"
    if name in known[part]:
        reason = WHAT_TO_DO.get(name, "kernels have not needed it so far; if one does, add it")
        return f"{where} has {name!r}, but its double in minigrad.backends.double has not: {reason}"
    source = np if part == "names" else getattr(np, part)
    if hasattr(source, name):
        fix = f"; {WHAT_TO_DO[name]}" if name in WHAT_TO_DO else ""
        return f"{where} has no attribute {name!r}: NumPy has it, CuPy {known['version']} has not{fix}"
    return f"{where} has no attribute {name!r}"
