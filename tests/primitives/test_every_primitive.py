"""Every check on every primitive: the cases come from its row in minigrad/testing/samples.

A primitive is added to these tests by declaring it; what is left to do is its row of samples, which the first test
asks for.
"""

import pkgutil
from importlib import import_module

import pytest
from hypothesis import settings

from minigrad.core.primitive import REGISTRY
from minigrad.testing.checks import KERNEL_CHECKS, RULE_CHECKS, check_derivatives, check_engines, run_checks
from minigrad.testing.samples import load

# the packages whose modules declare primitives
DECLARING = ("minigrad.ops", "minigrad.dynamic", "minigrad.graph", "minigrad.compiler", "minigrad.static")


def import_everything():
    """Import all modules of the packages that declare primitives, so that REGISTRY is complete."""
    for package in DECLARING:
        module = import_module(package)
        for found in pkgutil.walk_packages(module.__path__, f"{package}."):
            import_module(found.name)


import_everything()
SAMPLES = load()
NAMES = sorted(name for name in REGISTRY if name in SAMPLES and SAMPLES[name].reason is None)


def test_every_primitive_has_samples():
    missing = sorted(set(REGISTRY) - set(SAMPLES))
    assert not missing, f"primitives without a row in minigrad/testing/samples: {', '.join(missing)}"


def test_every_row_is_of_a_primitive():
    stray = sorted(set(SAMPLES) - set(REGISTRY))
    assert not stray, f"rows of samples without a primitive: {', '.join(stray)}"


def test_every_exception_tells_its_reason():
    for samples in SAMPLES.values():
        for switch in (samples.second_order, samples.gradient, samples.unknown_dims, samples.static):
            assert switch is True or len(switch) > 10, f"{samples}: a check is left out; say why"



@pytest.mark.parametrize("name", NAMES)
def test_kernel_shape_rule_and_gradient_rules(name):
    run_checks(REGISTRY[name], SAMPLES[name], (*KERNEL_CHECKS, *RULE_CHECKS))


@pytest.mark.parametrize("name", [name for name in NAMES if REGISTRY[name].differentiable])
def test_derivatives(name):
    run_checks(REGISTRY[name], SAMPLES[name], check_derivatives)


@pytest.mark.parametrize("name", NAMES)
def test_engines(name):
    # a case takes five runs of a graph, each of them compiled
    run_checks(REGISTRY[name], SAMPLES[name], check_engines, examples=max(2, settings.default.max_examples // 12))
