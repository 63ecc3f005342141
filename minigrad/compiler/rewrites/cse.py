"""Common subexpressions: equal instructions on the same values are computed once."""

import numpy as np

from minigrad.compiler.program import Value, stand_in


def merge_common(program, log):
    """Keep the first of several pure instructions with the same primitive, parameters and inputs."""
    replaced = {}
    first = {}  # key -> the instruction that stays
    kept = []
    for instruction in program.instructions:
        key = key_of(instruction, replaced) if instruction.is_pure else None
        earlier = first.get(key) if key is not None else None
        if earlier is None:
            kept.append(instruction)
            if key is not None:
                first[key] = instruction
            continue
        for old, new in zip(instruction.outputs, earlier.outputs, strict=True):
            replaced[old] = new
        log(f"{instruction.name} is the same as {earlier.name}")
    return program.substituted(replaced, kept)


def key_of(instruction, replaced):
    """What makes two instructions equal; None when the parameters cannot be compared."""
    inputs = []
    for a in instruction.inputs:
        if a.__class__ is not Value:
            inputs.append((a.__class__, repr(a)))  # 1, 1.0 and True differ, and so do 0.0 and -0.0
        elif a.kind == "constant":
            inputs.append(constant_key(a.data))
        else:
            inputs.append(stand_in(replaced, a))
    key = instruction.prim, tuple(inputs), tuple(sorted(instruction.params.items()))
    try:
        hash(key)
    except TypeError:
        return None
    return (*key, repr(key[2]))


def constant_key(data):
    """Constants are equal when their bytes are; big ones only when they are the same array."""
    if isinstance(data, np.ndarray) and data.size <= 1024:
        return data.shape, data.dtype, data.tobytes()
    return id(data)
