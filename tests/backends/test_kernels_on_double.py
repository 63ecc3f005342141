"""Every kernel and gradient rule runs on the strict double of CuPy and gives what it gives on NumPy.

The samples come from `minigrad.testing`. Besides, no source file names anything of `xp` that CuPy has not, on paths
that the samples do not take either.
"""

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import minigrad
from minigrad.backends import devices, double
from minigrad.backends.double import _surface
from minigrad.core.dispatch import bind
from minigrad.core.primitive import REGISTRY
from minigrad.testing import samples
from minigrad.testing.checks import contribution, in_dtype, outputs, promoted, run_checks
from minigrad.testing.engines import random_like

PACKAGE = Path(minigrad.__file__).parent

for package in ("ops", "dynamic", "graph", "compiler", "static"):  # those that declare primitives
    for found in pkgutil.walk_packages([str(PACKAGE / package)], f"minigrad.{package}."):
        import_module(found.name)

SAMPLES = samples.load()
NAMES = sorted(name for name in REGISTRY if name in SAMPLES and SAMPLES[name].reason is None)
# groups of cases for each primitive: few, because each has checks of its own elsewhere
EXAMPLES = max(settings.default.max_examples // 12, 2)
RTOL = {"float64": 1e-10, "float32": 1e-5, "float16": 1e-2}


@pytest.fixture(scope="module", autouse=True)
def cuda_means_the_double():
    """Device arrays of the double find the kernels of "cuda"."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINIGRAD_DEVICE", "double")
        devices.backend_for("cuda")
        yield


# ---- by running them


def sent(value):
    """A host array on the device, a tuple with its arrays there; all else as it is."""
    if isinstance(value, tuple):
        return tuple([sent(part) for part in value])
    return double.asarray(value) if isinstance(value, np.ndarray) else value


def kept(value):
    """The counterpart of `sent` for the host."""
    return value


def fetched(value):
    """A result on the host: device arrays as NumPy arrays, lists and tuples as lists; host arrays are refused."""
    if isinstance(value, (list, tuple)):
        return [fetched(part) for part in value]
    if value is None:
        return None
    assert type(value) is double.ndarray, f"the result is a {type(value).__name__}, not a device array"
    return value.get()


def applied(prim, case, send):
    """(promoted operands, outputs) of a primitive where `send` brings the operands of a case."""
    args = promoted(prim, tuple([send(a) for a in case.args]))
    return args, bind(prim, *args, **case.params)


def gradients(prim, args, y, g, params):
    """What the rules of a primitive give for its float arrays among `args`; None for the other operands."""
    found = []
    for position, a in enumerate(args):
        has_gradient = hasattr(a, "dtype") and a.dtype.kind == "f" and prim.has_rule(position)
        found.append(contribution(prim, position, g, y, args, params) if has_gradient else None)
    return found


def outcome(function, *args):
    """The result of a call, or the exception that it raised on purpose."""
    try:
        return function(*args)
    except AttributeError:  # a name that CuPy has not is never what is expected
        raise
    except Exception as error:
        return error


def assert_same(on_device, on_host, what):
    """Equal parts, shapes, dtypes and values (NaN equal to NaN)."""
    if isinstance(on_host, (list, tuple)):
        assert len(on_device) == len(on_host), what
        for ours, theirs in zip(on_device, on_host, strict=True):
            assert_same(ours, theirs, what)
    elif on_host is None:
        assert on_device is None, what
    else:
        on_host = np.asarray(on_host)
        assert on_device.dtype == on_host.dtype, what
        rtol = RTOL.get(str(on_host.dtype), 0)
        np.testing.assert_allclose(on_device, on_host, rtol=rtol, atol=rtol, err_msg=what, strict=True)


def check_on_double(prim, samples, case):
    """Kernel and rules on the double give what they give on NumPy, or raise what they raise there."""
    elements = sum(a.size for a in case.args if isinstance(a, np.ndarray))
    case = in_dtype(case, samples.dtypes[elements % len(samples.dtypes)])
    with np.errstate(all="ignore"):
        compare(prim, case)


def compare(prim, case):
    """Run a case on both and hold the results, the gradients and the operands afterwards against each other."""
    expected = outcome(applied, prim, case, kept)
    result = outcome(applied, prim, case, sent)
    if isinstance(expected, Exception):
        assert isinstance(result, type(expected)), f"NumPy gives {expected!r}, the double {result!r}"
        return
    if isinstance(result, Exception):
        raise result
    host_args, host_y = expected
    args, y = result
    assert_same(fetched(y), host_y, f"{prim.name} of {case}")
    seeds = random_like(outputs(prim, host_y), 1)
    if prim.differentiable and any(g is not None for g in seeds):
        g = tuple(seeds) if prim.multiple else seeds[0]
        wanted = gradients(prim, host_args, host_y, g, case.params)
        got = fetched(gradients(prim, args, y, sent(g), case.params))
        assert_same(got, wanted, f"gradients of {prim.name} of {case}")
    for device, host in zip(args, host_args, strict=True):
        if isinstance(host, np.ndarray):
            assert_same(device.get(), host, f"{prim.name} wrote into an operand of {case}")


def test_every_primitive_has_samples():
    assert sorted(set(REGISTRY) - set(SAMPLES)) == []


@pytest.mark.parametrize("name", NAMES)
def test_on_the_double_as_on_numpy(name):
    run_checks(REGISTRY[name], SAMPLES[name], check_on_double, examples=EXAMPLES, shrink=False)


# ---- by reading the source: names and keywords

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "double" not in path.parts)


def chain(node):
    """The dotted name of an attribute expression as a list, or None where it does not start at a plain name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


def found_on_double(names):
    """What `xp.a.b` is on the double; AttributeError where it has no such thing."""
    value = double
    for name in names:
        value = getattr(value, name)
    return value


def refused_keywords(function, call):
    """The keywords of a call that CuPy's function has not."""
    if isinstance(function, double.ufunc):
        known = {"out", "dtype", "casting"}
    else:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return []
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            return []
        known = {parameter.name for parameter in parameters}
    return [keyword.arg for keyword in call.keywords if keyword.arg is not None and keyword.arg not in known]


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(PACKAGE)) for path in SOURCES])
def test_sources_name_only_what_cupy_has(path):
    complaints = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = chain(node.func if isinstance(node, ast.Call) else node)
        if not names or names[0] != "xp" or len(names) < 2:
            continue
        try:
            function = found_on_double(names[1:])
        except AttributeError as error:
            if names[1] not in _surface.api()["names"]:  # what the double lacks but CuPy has may stand behind hasattr
                complaints.append(f"line {node.lineno}: {'.'.join(names)}: {error}")
            continue
        if isinstance(node, ast.Call) and callable(function):
            for keyword in refused_keywords(function, node):
                complaints.append(f"line {node.lineno}: {'.'.join(names)} has no parameter {keyword!r} in CuPy")
    assert complaints == []
