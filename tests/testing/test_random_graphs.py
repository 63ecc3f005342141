"""Random programs give the same on Tensors, in the interpreter and in every plan, derivatives included."""

import numpy as np
from hypothesis import given, settings

from minigrad.testing import check_gradients, engines_agree
from minigrad.testing.engines import DynamicRunner, Operands, StaticRunner, random_like, same_bits, unequal
from minigrad.testing.graphs import Program, Step, programs

EXAMPLES = 4 * settings.default.max_examples  # they are cheap, and there are many ways to build a program


@settings(max_examples=2 * EXAMPLES)
@given(programs())
def test_engines_agree_on_values_and_gradients(program):
    engines_agree(program, *program.inputs(), order=1)


@settings(max_examples=EXAMPLES)
@given(programs(max_steps=5))
def test_engines_agree_on_second_derivatives(program):
    engines_agree(program, *program.inputs(), order=2)


@settings(max_examples=EXAMPLES)
@given(programs())
def test_arrays_give_what_tensors_give(program):
    arrays = program.inputs()
    tensors = DynamicRunner(program, Operands(arrays)).values(arrays)
    for y, t in zip(program(*arrays), tensors, strict=True):
        assert y.dtype == t.dtype
        assert np.array_equal(y, t)


@settings(max_examples=EXAMPLES)
@given(programs())
def test_next_run_of_a_plan_leaves_earlier_results_alone(program):
    first, second = program.inputs(), [np.asarray(x * 0.5) for x in program.inputs()]
    operands = Operands(first)
    dynamic = DynamicRunner(program, operands)
    for how in ("exact", "fast"):
        runner = StaticRunner(program, operands, how)
        seeds = random_like(dynamic.values(first), 1)
        earlier = runner.gradients(first, seeds), runner.values(first)
        kept = [[None if a is None else a.copy() for a in answer] for answer in earlier]
        runner.gradients(second, seeds)
        later = runner.values(second)
        for old, now in zip(kept[0] + kept[1], earlier[0] + earlier[1], strict=True):
            assert old is None or np.all(same_bits(old, now)), "a second run wrote into the results of the first"
        for y, wanted in zip(later, dynamic.values(second), strict=True):
            assert unequal(wanted, y, fast=how == "fast") is None


def test_program_is_readable_and_repeatable():
    program = Program([(2, 3), (3,)], "float32", 1, [Step("mul", (0, 1), {}), Step("total", (2,), {
        "dim": (0,), "keepdim": False}), Step("tanh", (0,), {})])
    assert repr(program).splitlines() == [
        "def program(v0, v1):  # float32, shapes [(2, 3), (3,)], seed 1", "    v2 = mul(v0, v1)",
        "    v3 = total(v2, dim=(0,), keepdim=False)", "    v4 = tanh(v0)", "    return v3, v4"]
    assert all(np.array_equal(a, b) for a, b in zip(program.inputs(), program.inputs(), strict=True))
    check_gradients(program, *program.inputs(), cast=True)
