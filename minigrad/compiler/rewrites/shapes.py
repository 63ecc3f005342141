"""Shape arithmetic: with the fed shapes known, sizes are numbers, and what only looked at a shape looks no more."""

import numpy as np

from minigrad.compiler.program import Instruction, Value
from minigrad.core.aval import Aval
from minigrad.ops.broadcasting import (
    broadcast_like_p,
    broadcast_to_p,
    reshape_like_p,
    size_of_p,
    sum_to_like_p,
    sum_to_p,
)
from minigrad.ops.shaping import reshape_p

# what takes the shape of its second operand -> what takes the shape as a parameter
WITH_SHAPE = {broadcast_like_p: broadcast_to_p, sum_to_like_p: sum_to_p, reshape_like_p: reshape_p}
UNCHANGED = frozenset([broadcast_to_p, sum_to_p, reshape_p])


def fix_shapes(program, log):
    """Sizes become constants, ``*_like`` becomes the primitive with a fixed shape, no change of shape disappears."""
    replaced = {}
    kept = []
    for instruction in program.instructions:
        prim = instruction.prim
        if prim is size_of_p and instruction.inputs[0].aval.is_known:
            size = instruction.inputs[0].aval.shape[instruction.params["axis"]]
            data = np.asarray(size, dtype=np.int64)
            replaced[instruction.outputs[0]] = Value(Aval((), data.dtype), instruction.name, "constant", data=data)
            log(f"{instruction.name} is {size}")
            continue
        if prim in WITH_SHAPE and instruction.inputs[1].aval.is_known:
            shape = instruction.inputs[1].aval.shape
            avals = [value.aval for value in instruction.outputs]
            fixed = Instruction(WITH_SHAPE[prim], instruction.inputs[:1], {"shape": shape}, instruction.name,
                                instruction.site, avals)
            replaced[instruction.outputs[0]] = fixed.outputs[0]
            log(f"{instruction.name}: {prim.name} has the fixed shape {shape}")
            instruction = fixed
        if instruction.prim in UNCHANGED and instruction.inputs[0].aval == instruction.outputs[0].aval:
            replaced[instruction.outputs[0]] = instruction.inputs[0]
            log(f"{instruction.name} ({instruction.prim.name}) changes nothing")
            continue
        kept.append(instruction)
    return program.substituted(replaced, kept)
