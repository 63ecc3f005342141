"""Writes `cupy_api.json` from an installed CuPy: ``python -m minigrad.backends.double.describe_cupy``.

No GPU is needed. Run it when the double is to follow a newer CuPy, and read what changed in the file: the tests then
say which of the double's signatures no longer fit.
"""

import inspect
import json
import pathlib
import re


def signature(function):
    """A function's parameters as text, or None where Python cannot tell (some compiled functions)."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return documented_signature(function)
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain)).replace("<class 'float'>", "float").replace("<class 'int'>", "int")


def documented_signature(function):
    """The parameters that the first line of a compiled function's docstring gives, without their C types."""
    found = re.search(r"\((.*)\)", (function.__doc__ or "").partition("\n")[0])
    if found is None:
        return None
    parameters = [re.sub(r"^(int|Py_ssize_t|_ndarray_base) ", "", item.strip()) for item in found[1].split(",")]
    return f"({', '.join(parameters)})"


def surface(namespace):
    """Name -> signature of what is public in a module or class; "" for what cannot be called, or is a class."""
    names = {}
    for name in sorted(dir(namespace)):
        value = getattr(namespace, name)
        if name.startswith("_") or name == "annotations":
            continue
        names[name] = signature(value) if callable(value) and not isinstance(value, type) else ""
    return names


def describe():
    """All that the double needs to know of the CuPy that is installed."""
    import cupy

    names = surface(cupy)
    ufuncs = {}
    for name in names:
        value = getattr(cupy, name)
        if isinstance(value, cupy.ufunc):
            ufuncs[name] = {"nin": value.nin, "nout": value.nout, "types": " ".join(value.types)}
            names[name] = "ufunc"
    special = {name: "" for name in sorted(dir(cupy.ndarray)) if name.startswith("__")}
    return {"version": cupy.__version__, "names": names, "ufuncs": ufuncs,
            "ndarray": special | surface(cupy.ndarray), "linalg": surface(cupy.linalg), "fft": surface(cupy.fft),
            "stride_tricks": surface(cupy.lib.stride_tricks)}


def main():
    """Write the file beside this module."""
    text = json.dumps(describe(), indent=1, sort_keys=True)
    pathlib.Path(__file__).with_name("cupy_api.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
