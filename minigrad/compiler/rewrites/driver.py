"""The driver: runs the rewrites in order and writes down what each of them did."""

from minigrad.compiler.rewrites.check import check_program
from minigrad.compiler.rewrites.cse import merge_common
from minigrad.compiler.rewrites.dce import remove_dead
from minigrad.compiler.rewrites.fold import fold_constants
from minigrad.compiler.rewrites.shapes import fix_shapes

# name -> rewrite(program, log) -> program; `log` is called with one line of text for everything that is done
PASSES = {"shapes": fix_shapes, "fold": fold_constants, "cse": merge_common, "dce": remove_dead}


def rewrite(program, passes=None, report=None):
    """Apply the rewrites named in `passes` (None: all), in the order of PASSES; `report` collects what they did."""
    chosen = PASSES if passes is None else {name: PASSES[name] for name in passes}
    for name, function in chosen.items():
        lines = []
        before = len(program.instructions)
        program = function(program, lines.append)
        check_program(program)
        if report is not None:
            report.append(f"{name}: {before} -> {len(program.instructions)} operations")
            report.extend(f"  {line}" for line in lines)
    return program
