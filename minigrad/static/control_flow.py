"""cond, case and while_loop under TensorFlow 1.x's names."""

from minigrad.compiler import control_flow
from minigrad.errors import GraphError
from minigrad.graph import Node
from minigrad.graph.graph import open_shape
from minigrad.static.conversion import convert_to_tensor
from minigrad.static.naming import tensor


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None):
    """The result of `true_fn()` where `pred` holds, of `false_fn()` elsewhere; only that one runs.

    Both functions are called when the graph is built; what they make belongs to their branch. Operations that were
    made outside run whichever branch is taken. Results are a tensor, or a list, tuple or dict of tensors.
    """
    structures = []

    def branch(function):
        def build():
            result = function()
            leaves = flattened(result)
            structures.append(result)
            return leaves
        return build

    results = control_flow.cond(tensor(pred), branch(true_fn), branch(false_fn))
    return restored(structures[0], iter(results))


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate holds; `default()` when none does."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]

    def otherwise(rest):
        if not rest:
            return default

        def build():
            return cond(rest[0][0], rest[0][1], otherwise(rest[1:]))
        return build

    return otherwise(pairs)()


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False):
    """The loop variables after ``while cond(*loop_vars): loop_vars = body(*loop_vars)``.

    Args:
        cond, body: functions of the loop variables, called once each, when the graph is built.
        loop_vars: a list or tuple of tensors and numbers.
        shape_invariants: shapes with None where a loop variable may change its size; None for any that may not.
        maximum_iterations: stop after so many turns.
    """
    start = [tensor(v) for v in flattened(loop_vars)]
    shapes = None
    if shape_invariants is not None:
        shapes = [open_shape(shape) for shape in shape_invariants]

    def going(*values):
        return convert_to_tensor(cond(*restored_list(loop_vars, values)))

    def turn(*values):
        result = body(*restored_list(loop_vars, values))
        result = list(result) if isinstance(result, list | tuple) else [result]
        return [convert_to_tensor(leaf, v.dtype) for leaf, v in zip(flattened(result), start, strict=True)]

    if maximum_iterations is not None:
        return limited(going, turn, start, shapes, maximum_iterations, loop_vars)
    results = control_flow.while_loop(going, turn, start, None, shapes)
    return final(loop_vars, results)


def limited(going, turn, start, shapes, maximum, loop_vars):
    """A loop with one more variable, which counts the turns."""
    from minigrad.static.maths import logical_and

    counter = convert_to_tensor(0)

    def both(count, *values):
        return logical_and(count < maximum, going(*values))

    def counted(count, *values):
        return [count + 1, *turn(*values)]

    shapes = None if shapes is None else [(), *shapes]
    return final(loop_vars, control_flow.while_loop(both, counted, [counter, *start], None, shapes)[1:])


def final(loop_vars, results):
    """The results in the structure of the loop variables; a single one by itself."""
    if len(results) == 1 and len(loop_vars) == 1:
        return results[0]
    return restored(loop_vars, iter(results))


def restored_list(structure, values):
    """The loop variables as arguments of a function."""
    result = restored(structure, iter(values))
    return list(result) if isinstance(result, list | tuple) else [result]


def flattened(structure):
    """The leaves of nested lists, tuples and dicts."""
    if isinstance(structure, list | tuple):
        return [leaf for part in structure for leaf in flattened(part)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flattened(structure[key])]
    if structure is None:
        raise GraphError("a branch or loop body returned nothing: expected a tensor or a structure of tensors")
    if not isinstance(structure, Node) and hasattr(structure, "outputs"):
        return []  # an operation: it runs with its branch, and has no value
    return [tensor(structure)]


def restored(structure, leaves):
    """The structure with its leaves replaced by the next of `leaves`."""
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[restored(part, leaves) for part in structure])
    if isinstance(structure, list | tuple):
        return type(structure)([restored(part, leaves) for part in structure])
    if isinstance(structure, dict):
        return {key: restored(structure[key], leaves) for key in sorted(structure)}
    return next(leaves)
