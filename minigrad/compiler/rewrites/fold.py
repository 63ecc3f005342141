"""Constant folding: what depends on constants only is computed once, when the plan is made."""

import numpy as np

from minigrad.compiler.program import Value
from minigrad.core.aval import Aval
from minigrad.core.dispatch import strengthened

MAX_SIZE = 1 << 16  # a bigger result is made at every run rather than kept: zeros((4096, 4096)) and the like


def fold_constants(program, log):
    """Replace pure instructions on constants by constants, computed by their own kernels."""
    replaced = {}
    kept = []
    for instruction in program.instructions:
        inputs = [replaced.get(a, a) if a.__class__ is Value else a for a in instruction.inputs]
        if instruction.is_pure and all([is_constant(a) for a in inputs]) and is_small(instruction):
            arrays = [a.data if a.__class__ is Value else a for a in inputs]
            try:
                y = instruction.prim.kernel(np, *strengthened(np, arrays), **instruction.params)
            except Exception:
                kept.append(instruction)
                continue
            results = y if instruction.prim.multiple else (y,)
            for value, result in zip(instruction.outputs, results, strict=True):
                result = np.asarray(result)
                constant = Value(Aval(result.shape, result.dtype), value.name, "constant", data=result)
                replaced[value] = constant
            log(f"{instruction.name} ({instruction.prim.name}) is a constant")
        else:
            kept.append(instruction)
    return program.substituted(replaced, kept)


def is_constant(a):
    return a.__class__ is not Value or a.kind == "constant"


def is_small(instruction):
    """Known to be worth keeping."""
    for value in instruction.outputs:
        if not value.aval.is_known or np.prod(value.aval.shape, dtype=np.int64) > MAX_SIZE:
            return False
    return True
