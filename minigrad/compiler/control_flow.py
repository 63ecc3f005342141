"""Control flow: operations that run sub-graphs, and their gradients, which are control flow again.

`cond` runs one of two functions, `while` runs one as long as another says so. A function runs as a plan of its own,
compiled once for the shapes that it meets; under the reference interpreter it is interpreted.
"""

from minigrad.compiler.functions import run
from minigrad.core.aval import Aval
from minigrad.core.dims import Dim
from minigrad.core.dtypes import int64, is_float
from minigrad.errors import DtypeError, GraphError, ShapeError
from minigrad.graph.gradients import gradients
from minigrad.graph.node import Node
from minigrad.graph.sources import assign_p, identity, placeholder_p, source
from minigrad.graph.subgraph import Function, SubGraph, building
from minigrad.ops.broadcasting import broadcast_like, size_of
from minigrad.ops.comparison import gt


# ----- cond
def cond_kernel(xp, pred, *captures, true, false):
    return tuple(run(true if bool(pred) else false, xp, captures))


def cond_infer(pred, *captures, true, false):
    return tuple([joined(a, b) for a, b in zip(true.avals(), false.avals(), strict=True)])


def joined(a, b):
    """What is known of a value that is either `a` or `b`."""
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return Aval(None, a.dtype)
    return Aval(tuple([x if x == y else Dim() for x, y in zip(a.shape, b.shape, strict=True)]), a.dtype)


def cond_joint(g, y, pred, *captures, needed, true, false):
    wanted = [i for i, is_needed in enumerate(needed[1:]) if is_needed]
    floats = [i for i, node in enumerate(y) if is_float(node.dtype)]
    seeds = [zeros_like(y[i]) if g[i] is None else g[i] for i in floats]
    graph = y[0].graph.innermost()
    branches = [gradient_function(function, graph, wanted, floats) for function in (true, false)]
    found = graph.apply(cond_p, (pred, *captures, *seeds), {"true": branches[0], "false": branches[1]}, "cond_gradient")
    results = [None] * len(needed)
    for i, node in zip(wanted, found, strict=True):
        results[1 + i] = node
    return results


cond_p = source("cond", kernel=cond_kernel, infer=cond_infer, joint=cond_joint, reads=("y", "xs"), multiple=True,
                effects=True)


def gradient_function(function, outer, wanted, floats):
    """The function (inputs, gradients of the float results) -> gradients of the inputs at positions `wanted`."""
    with building(outer) as graph:
        inputs = [placeholder_for(graph, node) for node in function.inputs]
        seeds = [placeholder_for(graph, function.outputs[i]) for i in floats]
        outputs = function.inlined(graph, inputs)
        found = gradients_or_zeros([outputs[i] for i in floats], [inputs[i] for i in wanted], seeds)
    return Function(graph, [*inputs, *seeds], found)


def placeholder_for(graph, node):
    return graph.add(placeholder_p, (), {"aval": Aval(node.shape, node.dtype)}, "given").outputs[0]


def gradients_or_zeros(ys, xs, seeds):
    """Gradients in which zeros stand where no path leads."""
    pairs = [(y, g) for y, g in zip(ys, seeds, strict=True)]
    found = gradients([y for y, _ in pairs], xs, [g for _, g in pairs]) if pairs else [None] * len(xs)
    return [zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]


def zeros_like(node):
    return broadcast_like(node.graph.innermost().constant(0, dtype=node.dtype, name="zero"), node)


def cond(pred, true_fn, false_fn):
    """The results of `true_fn()` where `pred` holds and of `false_fn()` elsewhere, as a list of nodes.

    Both functions are called once, to build; what they make runs only when its branch is taken. Variables that they
    write are written only then too.

    Raises:
        GraphError: the functions give different numbers of results.
        DtypeError: their results differ in dtype.
    """
    outer = pred.graph.innermost()
    built = []
    for function in (true_fn, false_fn):
        with building(outer) as graph:
            outputs = [as_output(graph, thing) for thing in function()]
        built.append((graph, outputs))
    (true_graph, true_outputs), (false_graph, false_outputs) = built
    if len(true_outputs) != len(false_outputs):
        raise GraphError(f"cond: the branches give {len(true_outputs)} and {len(false_outputs)} results")
    for a, b in zip(true_outputs, false_outputs, strict=True):
        if a.dtype != b.dtype:
            raise DtypeError(f"cond: the branches give {a!r} (made at {a.operation.where}) and {b!r} (made at"
                             f" {b.operation.where}), which differ in dtype")
    written = list(dict.fromkeys([*true_graph.written, *false_graph.written]))
    branches = []
    for graph, outputs in built:
        branches.append([*outputs, *[value_after(graph, v) for v in written]])
    captured = list(dict.fromkeys([*true_graph.captured_nodes(), *false_graph.captured_nodes()]))
    functions = []
    for (graph, _), outputs in zip(built, branches, strict=True):
        stand_ins = dict(zip(graph.captured_nodes(), graph.captures.values(), strict=True))
        inputs = [stand_ins[node] if node in stand_ins else placeholder_for(graph, node) for node in captured]
        functions.append(Function(graph, inputs, outputs, effects_of(graph)))
    results = outer.apply(cond_p, (pred, *captured), {"true": functions[0], "false": functions[1]})
    return committed(outer, results, len(true_outputs), written)


def value_after(graph, variable):
    """The value that a variable has after a branch ran: what it wrote, or what was there."""
    return graph.written[variable] if variable in graph.written else graph.capture(variable)


def effects_of(graph):
    """The operations of a sub-graph that run whether or not a result needs them."""
    return [operation for operation in graph.operations if operation.prim.effects and operation.prim is not cond_p]


def as_output(graph, thing):
    """A result of a branch or body as a node of its sub-graph."""
    if isinstance(thing, Node):
        return thing if thing.graph is graph else graph.capture(thing)
    return graph.constant(thing)


def committed(outer, results, count, written):
    """The first `count` results, held back until the variables that were written have their new values."""
    if not written:
        return list(results[:count])
    writes = []
    for variable, value in zip(written, results[count:], strict=True):
        writes.append(outer.write(assign_p, variable, (variable, value), {}, "write").operation)
    if isinstance(outer, SubGraph):
        return list(results[:count])
    with outer.control_dependencies(writes):
        return [identity(node) for node in results[:count]]


# ----- while
def while_kernel(xp, *args, condition, body, count, split, history):
    values, condition_captures, body_captures = list(args[:count]), args[count:split], args[split:]
    states = [[] for _ in range(count)]
    while bool(run(condition, xp, (*values, *condition_captures))[0]):
        if history:
            for kept, value in zip(states, values, strict=True):
                kept.append(xp.asarray(value))
        values = run(body, xp, (*values, *body_captures))
    values = [xp.array(value) for value in values]  # nobody else's memory, also after no turn at all
    if not history:
        return tuple(values)
    stacks = []
    for kept, value in zip(states, args[:count], strict=True):
        empty = xp.zeros((0, *xp.asarray(value).shape), dtype=xp.asarray(value).dtype)
        stacks.append(xp.stack(kept) if kept else empty)
    return (*values, *stacks)


def while_infer(*args, condition, body, count, split, history):
    avals = [joined(a, b) for a, b in zip([as_aval(a) for a in args[:count]], body.avals(), strict=True)]
    if not history:
        return tuple(avals)
    return (*avals, *[Aval(None if a.shape is None else (Dim(), *a.shape), a.dtype) for a in avals])


def as_aval(a):
    return a if isinstance(a, Aval) else Aval((), type(a))


def while_joint(g, y, *args, needed, condition, body, count, split, history):
    # the loop runs again with every turn's state kept, then backwards through the turns
    graph = y[0].graph.innermost()
    if history:
        states, state_seeds = y[count:], g[count:]
    else:
        states = graph.apply(while_p, args, {"condition": condition, "body": body, "count": count, "split": split,
                                             "history": True}, "while_history")[count:]
        state_seeds = [None] * count
    floats = [i for i in range(count) if is_float(y[i].dtype)]
    wanted = [i for i in range(split, len(args)) if needed[i]]
    turns = size_of(states[0], 0)
    start = [turns if isinstance(turns, Node) else graph.constant(turns, dtype=int64)]
    start += [zeros_like(y[i]) if g[i] is None else g[i] for i in floats]
    start += [zeros_like(args[i]) for i in wanted]

    def more(turn, *rest):
        return gt(turn, 0)

    def turn_back(turn, *rest):
        inner = turn.graph
        turn = turn - 1
        values = [inner.operand(while_p, state)[turn] for state in states]
        captures = [inner.operand(while_p, a) for a in args[split:]]
        seeds, sums = rest[:len(floats)], rest[len(floats):]
        outputs = body.inlined(inner, [*values, *captures])
        targets = [values[i] for i in floats] + [captures[i - split] for i in wanted]
        found = gradients_or_zeros([outputs[i] for i in floats], targets, seeds)
        back = found[:len(floats)]
        for position, i in enumerate(floats):
            if state_seeds[i] is not None:
                back[position] = back[position] + inner.operand(while_p, state_seeds[i])[turn]
        return [turn, *back, *[s + f for s, f in zip(sums, found[len(floats):], strict=True)]]

    found = while_loop(more, turn_back, start, graph)
    results = [None] * len(args)
    for i, node in zip(floats, found[1:], strict=False):
        results[i] = node
    for i, node in zip(wanted, found[1 + len(floats):], strict=True):
        results[i] = node
    return results


while_p = source("while", kernel=while_kernel, infer=while_infer, joint=while_joint, reads=("y", "xs"), multiple=True,
                 effects=True)


def while_loop(condition, body, start, outer=None, open_shapes=None):
    """The values of the loop variables after ``while condition(*values): values = body(*values)``, a list of nodes.

    Args:
        condition, body: functions of nodes, called once each, to build.
        start: the initial values, nodes.
        open_shapes: for each loop variable None, or the shape with unknown sizes that it may take on.

    Raises:
        ShapeError, DtypeError: a loop variable changes its shape or dtype from turn to turn.
    """
    outer = outer or start[0].graph.innermost()
    shapes = [node.shape if open_shapes is None or open_shapes[i] is None else open_shapes[i]
              for i, node in enumerate(start)]
    with building(outer) as condition_graph:
        condition_inputs = loop_inputs(condition_graph, start, shapes)
        going = as_output(condition_graph, condition(*condition_inputs))
    with building(outer) as body_graph:
        body_inputs = loop_inputs(body_graph, start, shapes)
        outputs = [as_output(body_graph, thing) for thing in body(*body_inputs)]
    check_invariants(start, body_inputs, outputs)
    start, written = list(start), list(body_graph.written)
    for variable in written:  # a variable that the body writes is one more loop variable
        stand_in = body_graph.capture(variable)
        del body_graph.captures[variable]
        body_inputs.append(stand_in)
        outputs.append(body_graph.written[variable])
        seen = condition_graph.captures.pop(variable, None)
        condition_inputs.append(placeholder_for(condition_graph, variable) if seen is None else seen)
        start.append(variable)
    condition_captures, body_captures = condition_graph.captured_nodes(), body_graph.captured_nodes()
    params = {
        "condition": Function(condition_graph, [*condition_inputs, *condition_graph.captures.values()], [going]),
        "body": Function(body_graph, [*body_inputs, *body_graph.captures.values()], outputs, effects_of(body_graph)),
        "count": len(start),
        "split": len(start) + len(condition_captures),
        "history": False,
    }
    results = outer.apply(while_p, (*start, *condition_captures, *body_captures), params)
    return committed(outer, results, len(start) - len(written), written)


def loop_inputs(graph, start, shapes):
    """Placeholders for the loop variables."""
    inputs = []
    for node, shape in zip(start, shapes, strict=True):
        inputs.append(graph.add(placeholder_p, (), {"aval": Aval(shape, node.dtype)}, "loop_variable").outputs[0])
    return inputs


def check_invariants(start, inputs, outputs):
    """Each loop variable comes out of the body as it went in."""
    if len(inputs) != len(outputs):
        raise GraphError(f"while_loop: the body takes {len(inputs)} values and returns {len(outputs)}")
    for number, (first, before, after) in enumerate(zip(start, inputs, outputs, strict=True)):
        name = f"while_loop: loop variable {number} (started as {first!r}, made at {first.operation.where})"
        if before.dtype != after.dtype:
            raise DtypeError(f"{name} is {before.dtype}, but the body returns {after.dtype}")
        known, new = before.shape, after.shape
        fits = known is None or (new is not None and len(known) == len(new))
        if fits and known is not None:
            fits = all([isinstance(a, Dim) or a == b for a, b in zip(known, new, strict=True)])
        if not fits:
            raise ShapeError(f"{name} has shape {known}, but the body returns {new}. If it is meant to change, say so"
                             " with shape_invariants")
