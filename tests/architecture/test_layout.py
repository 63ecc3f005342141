"""The floors of the package: imports flow down only, modules stay small, and importing it loads what it says."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad

ROOT = Path(minigrad.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py"))

# floor -> floors that its modules may import (besides their own)
BELOW = {
    "errors": set(),
    "config": {"errors"},
    "core": {"errors", "config", "backends"},
    "backends": {"errors", "config"},
    "ops": {"errors", "config", "core", "backends"},
    "autodiff": {"errors", "config", "core", "backends", "ops"},
    "dynamic": {"errors", "config", "core", "backends", "ops", "autodiff"},
    "graph": {"errors", "config", "core", "backends", "ops", "autodiff"},
    "compiler": {"errors", "config", "core", "backends", "ops", "autodiff", "graph"},
    "static": {"errors", "config", "core", "backends", "ops", "autodiff", "graph", "compiler"},
    "nn": {"errors", "config", "core", "backends", "ops", "autodiff", "dynamic", "utils"},
    "optim": {"errors", "config", "core", "backends", "ops", "autodiff", "dynamic", "nn"},
    "utils": {"errors", "config", "core", "backends", "ops", "autodiff", "dynamic"},
    "datasets": {"errors"},
    "autograd": {"dynamic"},
    "cuda": {"backends", "core"},
    "linalg": {"errors", "ops", "core"},
    "special": {"errors", "ops", "core"},
    "testing": {"errors", "config", "core", "backends", "ops", "autodiff", "dynamic", "graph", "compiler", "static"},
}
# the faces may import everything
FACES = {"__init__", "__main__", "main_job"}


def floor_of(path):
    """The first part of a module's path inside of the package."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_floors(path):
    """The floors that a module imports, inside of functions too."""
    floors = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0 or "double" in path.parts, f"{path}: relative imports hide the floor"
            names = [node.module or ""]
            if node.module == "minigrad":
                names = [f"minigrad.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "minigrad" and len(parts) > 1:
                floors.add(parts[1])
    return floors


def test_every_floor_is_in_the_table():
    assert {floor_of(path) for path in MODULES} <= set(BELOW) | FACES


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_imports_flow_down(path):
    floor = floor_of(path)
    if floor in FACES:
        return
    assert imported_floors(path) <= BELOW[floor] | {floor}


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_modules_are_at_most_600_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def loaded_after(statement):
    """The modules in sys.modules after `statement` in a fresh interpreter."""
    code = f"import sys; {statement}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light():
    bare = loaded_after("import numpy")
    loaded = loaded_after("import minigrad") - bare
    floors = {name.split(".")[1] for name in loaded if name.startswith("minigrad.")}
    assert floors <= {"errors", "config", "core", "backends", "ops", "autodiff", "dynamic"}
    assert not loaded & {"inspect", "ctypes", "subprocess", "cupy", "hypothesis", "matplotlib", "scipy"}
    assert not {name for name in loaded if name.startswith("minigrad.backends.double")}


def test_rules_and_kernels_are_named_functions():
    from minigrad.core.primitive import REGISTRY

    for primitive in REGISTRY.values():
        for function in (primitive.kernel, primitive.infer, primitive.joint, *primitive.vjps):
            assert function is None or function.__name__ != "<lambda>"
