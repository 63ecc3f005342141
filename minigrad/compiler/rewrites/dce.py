"""Dead code: what no result needs is left out."""


def remove_dead(program, log):
    """Remove the pure instructions (and the random ones) none of whose outputs is used."""
    used = set(program.results())
    kept = []
    for instruction in reversed(program.instructions):
        if instruction.prim.effects or any([value in used for value in instruction.outputs]):
            kept.append(instruction)
            used.update([a for a in instruction.inputs if not isinstance(a, int | float)])
        else:
            log(f"{instruction.name} ({instruction.prim.name}) is not needed")
    kept.reverse()
    return program.substituted({}, kept)
