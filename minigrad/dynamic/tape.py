"""The tape: what is remembered of an operation so that its gradient can be computed later.

A tracked Tensor holds the record that made it: an `Operation` (a primitive was applied) or a `Leaf` (the user made
it). Records hold records and arrays, never output Tensors, so there are no cycles and an intermediate dies with its
last name. Records are numbered as they are made, and an input is always older than its consumer: newest first is a
reverse topological order, which is all that the reverse sweep needs.
"""

import weakref
from itertools import count
from sys import _getframe

from minigrad.core.aval import Aval
from minigrad.core.sites import IS_OURS, describe
from minigrad.errors import BackwardError, InplaceError
from minigrad.ops.broadcasting import sum_to

next_number = count(1).__next__


class Storage:
    """The memory that a tensor and its views share: how often, and where last, it was written in place.

    Made when it is first needed (a value is saved, a view is taken); before that nothing depends on the memory.

    Attributes:
        version: number of in-place writes so far.
        writer: site of the latest one.
        saved: True once a tape saved an array of this memory; `Tensor.numpy()` is read-only from then on.
        views: weak references to the views of the memory's first owner.
    """

    # class attributes, not __init__: most storages of a training step are made and never change
    version = 0
    writer = None
    saved = False
    views = ()


class Consumer:
    """The backward call that consumed a record's saved values; it stands in their place afterwards.

    Attributes:
        code, instruction: the site of that call.
    """

    __slots__ = ("code", "instruction")

    def take(self, op):
        """The values of record `op` for its rules, as arrays, which the record lets go of."""
        values = op.values
        if values.__class__ is Consumer:
            raise consumed(op)
        versions = op.versions
        if versions:
            for i in range(0, len(versions), 2):
                if versions[i].version != versions[i + 1]:
                    raise overwritten(op, versions[i], versions[i + 1])
        op.values = self
        return values


def saved_arrays(op):
    """The values of record `op` for its rules, as arrays, which the record keeps (retain_graph)."""
    if op.values.__class__ is Consumer:
        raise consumed(op)
    check_versions(op)
    return op.values


def check_versions(op):
    """Raise if a value that `op` saved was overwritten in place since."""
    versions = op.versions
    for i in range(0, len(versions), 2):
        if versions[i].version != versions[i + 1]:
            raise overwritten(op, versions[i], versions[i + 1])


def consumed(op):
    """The error for a second walk through a record whose values are gone."""
    where = describe((op.values.code, op.values.instruction))
    return BackwardError(
        f"backward through {op.prim.name} (recorded at {describe(op.site)}) a second time: its saved values were freed"
        f" by the backward at {where}. Pass retain_graph=True to the first call if both are needed")


def overwritten(op, storage, version):
    """The error for a saved value that was overwritten in place."""
    return InplaceError(
        f"the gradient of {op.prim.name} (recorded at {describe(op.site)}) needs a value that was overwritten in place"
        f" at {describe(storage.writer)}: its memory is at version {storage.version}, expected {version}. Write the"
        " result to a new tensor instead, or clone() the value before it is overwritten")


class Unread:
    """Stands in for a value that a gradient rule did not declare to read: any use of it raises."""

    __slots__ = ()

    def __repr__(self):
        return "<a value that the gradient rule did not declare to read>"


UNREAD = Unread()
NO_VERSIONS = ()


class Record:
    """What Leaf, Operation and Output have in common; `Tensor.grad_fn` shows one of them."""

    __slots__ = ("__weakref__", "hooks", "number", "shape")
    prim = None
    operation = None
    inputs = ()

    def match(self, g):
        """Undo broadcasting: sum `g` to this record's shape."""
        return sum_to(g, self.shape)

    @property
    def next_functions(self):
        """((record, 0), ...) of the inputs, None where no gradient flows. PyTorch: grad_fn.next_functions."""
        return tuple((source, 0) for source in self.inputs)

    def name(self):
        return self.prim.name

    def __repr__(self):
        return f"<{self.name()} of shape {self.shape}>"


class Leaf(Record):
    """The record of a tensor that the user made and that wants a gradient; `deliver` adds to its `.grad`."""

    __slots__ = ("tensor",)

    def __init__(self, tensor):
        self.number = next_number()
        self.shape = tensor.array.shape
        self.hooks = None
        self.tensor = weakref.ref(tensor)

    def deliver(self, g, given):
        """Add gradient `g` to the tensor's `.grad`, if the tensor is still alive."""
        tensor = self.tensor()
        if tensor is not None:
            tensor.accumulate_grad(g, given)
            if self.hooks is not None:
                self.hooks.accumulated(tensor)

    @property
    def variable(self):
        """The leaf tensor, None when it is gone. PyTorch: AccumulateGrad.variable."""
        return self.tensor()

    def name(self):
        return "AccumulateGrad"


class Operation(Record):
    """The record of one applied primitive.

    Attributes:
        number: position on the tape.
        prim, params: what was applied.
        inputs: for each input the record that made it, None where no gradient is wanted.
        values: (y, x0, x1, ...): the saved arrays, and Avals (or UNREAD) for the rest; a `Freed` once they are gone.
        versions: storage, version, storage, version, ... of the saved tensors, to notice in-place writes.
        code, instruction: the site of the user's line.
        shape: of the output (None for a primitive with several outputs: see `Output`).
        hooks: what `register_hook` put on the output, or None.
    """

    __slots__ = ("code", "inputs", "instruction", "params", "prim", "values", "versions")

    @property
    def site(self):
        return self.code, self.instruction


class Output(Record):
    """One of several outputs of an Operation."""

    __slots__ = ("operation", "slot")

    def __init__(self, operation, slot, shape):
        self.number = next_number()
        self.operation = operation
        self.slot = slot
        self.shape = shape
        self.hooks = None

    @property
    def next_functions(self):
        return ((self.operation, self.slot),)

    def name(self):
        return f"{self.operation.prim.name}[{self.slot}]"


def record_operation(prim, args, arrays, inputs, tracked, params, y, out):
    """Put the application of `prim` on the tape, saving what its rules will read, and return its record.

    `y` and `out` are the output array and its Tensor (tuples of them for a primitive with several outputs).
    """
    op = Operation()
    op.number = next_number()
    op.prim = prim
    op.params = params
    op.inputs = inputs
    op.hooks = None
    try:
        keep = prim.saves[tracked]
    except KeyError:
        keep = prim.find_saves(tracked)
    if prim.shapes:
        op.shape = None if prim.multiple else y.shape
        values = abstract_values(prim, y, arrays)
    else:
        op.shape = y.shape
        values = [UNREAD] * (len(inputs) + 1) if keep else NOTHING_READ[len(inputs)]
    op.values = values
    op.versions = save(keep, values, args, arrays, y, out) if keep else NO_VERSIONS
    try:
        frame = _getframe(4)
    except ValueError:  # called from fewer frames than a user's line takes: a module that applies a primitive itself
        frame = _getframe(1)
    code = frame.f_code
    while IS_OURS[code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    op.code = code
    op.instruction = frame.f_lasti
    return op


# values of an Operation whose rules read nothing, by number of inputs
NOTHING_READ = tuple((UNREAD,) * (n + 1) for n in range(9))


def abstract_values(prim, y, arrays):
    """(y, x0, x1, ...) as Avals, for rules that look at shapes; scalars stay."""
    if prim.multiple:
        outputs = []
        for part in y:
            outputs.append(Aval(part.shape, part.dtype))
        values = [tuple(outputs)]
    else:
        values = [Aval(y.shape, y.dtype)]
    for x in arrays:
        values.append(Aval(x.shape, x.dtype) if hasattr(x, "dtype") else x)
    return values


def save(keep, values, args, arrays, y, out):
    """Put the arrays at positions `keep` into `values`; returns their storages and versions, flat."""
    if len(keep) == 1 and keep[0]:  # most rules that read anything read one operand
        position = keep[0]
        values[position] = arrays[position - 1]
        tensor = args[position - 1]
        if hasattr(tensor, "storage"):
            storage = tensor.storage
            if storage is None:
                storage = tensor.storage = Storage()
            storage.saved = True
            return storage, storage.version
        return NO_VERSIONS
    versions = []
    for position in keep:
        if position:
            values[position] = arrays[position - 1]
            tensor = args[position - 1]
        else:
            values[0] = y
            tensor = out
        try:
            storage = tensor.storage
        except AttributeError:  # a scalar operand, which nothing can overwrite, or the tuple of several outputs
            note_parts(versions, tensor)
            continue
        if storage is None:
            storage = tensor.storage = Storage()
        storage.saved = True
        versions.append(storage)
        versions.append(storage.version)
    return versions


def note_parts(versions, outs):
    """Append storage and version of each of several outputs."""
    if outs.__class__ is tuple:
        for tensor in outs:
            storage = tensor.storage
            if storage is None:
                storage = tensor.storage = Storage()
            storage.saved = True
            versions.append(storage)
            versions.append(storage.version)
