"""The invariants of a program, checked after every rewrite."""

from minigrad.compiler.program import Value
from minigrad.errors import GraphError


def check_program(program):
    """Raise GraphError naming the first instruction that uses a value which is not there yet."""
    there = set(program.feeds) | set(program.states.values())
    for instruction in program.instructions:
        for a in instruction.inputs:
            if a.__class__ is Value and a.kind != "constant" and a not in there:
                raise GraphError(f"{instruction!r} uses {a!r}, which nothing before it computes")
        there.update(instruction.outputs)
    for value in program.results():
        if value.kind != "constant" and value not in there:
            raise GraphError(f"the result {value!r} is not computed")
