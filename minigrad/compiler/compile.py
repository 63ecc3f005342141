"""The pipeline: lower, rewrite, emit."""

from minigrad.compiler.lowering import lower
from minigrad.compiler.plan.plan import Plan
from minigrad.compiler.rewrites.driver import rewrite

NUMERICS = ("exact", "fast")


def compile_plan(nodes, operations, fed, state_avals, xp, numerics="fast", passes=None, report=None):
    """A Plan that computes `nodes` and runs `operations`.

    Args:
        nodes, operations: what is fetched.
        fed: {Node: Aval} of what will be fed; other shapes or dtypes need another plan.
        state_avals: {Variable: Aval} of the variables that have a value.
        xp: the array library that the plan calls.
        numerics: "exact" equals the dynamic engine bit for bit; "fast" may also write results into the memory of
            values that nobody needs any more, and reorder arithmetic.
        passes: names of the rewrites to run; None runs all (see rewrites.driver.PASSES).
        report: a list that gets what every rewrite did, as text.
    """
    if numerics not in NUMERICS:
        raise ValueError(f"numerics must be one of {NUMERICS}, not {numerics!r}")
    program = lower(nodes, operations, fed, state_avals)
    program = rewrite(program, passes, report)
    return Plan(program, xp, reuse=numerics == "fast")
