"""The reverse sweep: one walk from results back to inputs, for the tape and for the graph alike.

Records (of the tape) and operations (of the graph) are numbered as they are made, and an input is always older than
what consumes it. So working through them newest first visits each exactly once, after all its consumers, when its
gradient is complete. There is no recursion, whatever the depth.

What the walk asks of a record: `number`, `shape`, `prim`, `params`, `inputs` (for each input a record, or None where
no gradient is wanted), `hooks`, `match(g)` (undo broadcasting). A record without a `prim` is a leaf, which gets
`deliver(g, given)`, or one of several outputs of its `operation`, in place `slot`.
"""

from heapq import heappop, heappush

from minigrad.core.aval import aval_of
from minigrad.core.sites import describe


def reverse_sweep(roots, seeds, read, useful=None, wanted=()):
    """Propagate `seeds`, the gradients of the records `roots`, back to the leaves.

    Args:
        roots: records to start from.
        seeds: the gradient of each root: arrays, Tensors or Nodes.
        read: function giving the values (y, x0, x1, ...) of a record for its rules.
        useful: numbers of the records worth visiting (see `useful_records`); None means all.
        wanted: numbers of the records whose gradients are to be returned.

    Returns:
        A dict from the number of each wanted record that was reached to its gradient.
    """
    waiting = {}  # number -> (record, its gradient so far), for records that were not visited yet
    order = []  # heap of negated numbers: the newest comes out first
    found = {}
    given = set()  # ids of arrays that belong to somebody: a leaf that receives one of them copies it
    for record, seed in zip(roots, seeds, strict=True):
        given.add(id(seed))
        if record.number in waiting:
            seed = waiting[record.number][1] + seed
        else:
            heappush(order, -record.number)
        waiting[record.number] = record, seed
    while order:
        record, g = waiting.pop(-heappop(order))
        if record.hooks is not None:
            g = record.hooks.apply(g)
        if wanted and record.number in wanted:
            found[record.number] = g
        prim = record.prim
        if prim is None:
            if record.operation is not None:
                receive_output(waiting, order, record, g)
            elif useful is None:
                record.deliver(g, given)
            continue
        values = read(record)
        params = record.params
        if prim.multiple:
            g = tuple([g.get(slot) for slot in range(len(values[0]))])
        if prim.joint is not None:
            spread_joint(waiting, order, record, g, values, useful)
            continue
        vjps = prim.vjps
        position = -1
        for source in record.inputs:  # counting costs less here than zip: most operations have one tracked input
            position += 1
            if source is None or (useful is not None and source.number not in useful):
                continue
            if position >= len(vjps):
                break  # inputs beyond the rules have no gradient
            vjp = vjps[position]
            if vjp is None:
                continue
            try:
                if params:
                    contribution = vjp(g, *values, **params)
                else:
                    contribution = vjp(g, *values)
            except Exception as error:
                note_rule(record, vjp, g, error)
                raise
            if contribution is None:
                continue
            if contribution.shape != source.shape:
                contribution = source.match(contribution)
            number = source.number
            if number in waiting:
                waiting[number] = source, waiting[number][1] + contribution
            else:
                waiting[number] = source, contribution
                heappush(order, -number)
    return found


def receive(waiting, order, record, contribution):
    """Add a contribution to the gradient that `record` waits with."""
    number = record.number
    if number in waiting:
        waiting[number] = record, waiting[number][1] + contribution
    else:
        waiting[number] = record, contribution
        heappush(order, -number)


def receive_output(waiting, order, output, g):
    """Put the gradient of one output into its place in the tuple of gradients that its operation waits with.

    An output may have two records, the user's and the one through which a rule read the value: their gradients add up.
    """
    operation = output.operation
    number = operation.number
    if number not in waiting:
        waiting[number] = operation, {}
        heappush(order, -number)
    slots = waiting[number][1]
    slots[output.slot] = slots[output.slot] + g if output.slot in slots else g


def spread_joint(waiting, order, record, g, values, useful):
    """Run the one rule of a primitive whose inputs share it; `needed` tells it which gradients are wanted."""
    prim = record.prim
    needed = []
    for source in record.inputs:
        needed.append(source is not None and (useful is None or source.number in useful))
    try:
        contributions = prim.joint(g, *values, needed=tuple(needed), **record.params)
    except Exception as error:
        note_rule(record, prim.joint, g, error)
        raise
    for source, contribution, is_needed in zip(record.inputs, contributions, needed, strict=True):
        if is_needed and contribution is not None:
            if contribution.shape != source.shape:
                contribution = source.match(contribution)
            receive(waiting, order, source, contribution)


def note_rule(record, rule, g, error):
    """Add to `error`, raised by a gradient rule, what the rule was working on."""
    error.add_note(f"in {rule.__name__}, a gradient rule of {record.prim.name}, which was recorded at"
                   f" {describe(record.site)}; the incoming gradient is {gradient_text(g)}")


def gradient_text(g):
    """A gradient (or a tuple of them) as text: dtype and shape."""
    if isinstance(g, tuple):
        return "(" + ", ".join("None" if part is None else repr(aval_of(part)) for part in g) + ")"
    return repr(aval_of(g))


def useful_records(roots, wanted):
    """Numbers of the records between `roots` and the `wanted` numbers: those that can reach a wanted record.

    The sweep visits only these, so that a gradient nobody asked for is never computed.
    """
    seen = {}
    stack = list(roots)
    while stack:
        record = stack.pop()
        if record.number in seen:
            continue
        seen[record.number] = record
        if record.operation is not None:
            stack.append(record.operation)
        for source in record.inputs:
            if source is not None and source.number not in seen:
                stack.append(source)
    useful = set()
    for number in sorted(seen):  # oldest first: inputs before their consumers
        record = seen[number]
        if number in wanted or (record.operation is not None and record.operation.number in useful):
            useful.add(number)
            continue
        for source in record.inputs:
            if source is not None and source.number in useful:
                useful.add(number)
                break
    return useful
