"""Running the reverse sweep over the tape, in records and arrays (Tensors come in only as `read` makes them)."""

from sys import _getframe
from warnings import warn

from minigrad.autodiff import reverse_sweep, useful_records
from minigrad.core.dims import shape_text
from minigrad.core.sites import IS_OURS, describe
from minigrad.dynamic.anomaly import anomaly_mode, unwatch, watch
from minigrad.dynamic.tape import Consumer, saved_arrays
from minigrad.errors import BackwardError


def run_backward(roots, seeds, keep=False, read=None, wanted=None, into=None):
    """Sweep from `roots` with gradients `seeds`.

    Args:
        roots, seeds: records and their incoming gradients.
        keep: the records keep what they saved (retain_graph).
        read: how values reach the rules; None reads arrays.
        wanted: numbers of records whose gradients are returned, and then nothing is added to any `.grad`;
            None adds to the `.grad` of every leaf.
        into: tensors whose `.grad` the gradients are added to, instead of every leaf's.
    """
    if read is None:
        read = saved_arrays
        if not keep:
            frame = _getframe(2)
            while IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
                frame = frame.f_back
            consumer = Consumer()
            consumer.code = frame.f_code
            consumer.instruction = frame.f_lasti
            read = consumer.take
    if into is not None:
        wanted = records_of(into)
    useful = None if wanted is None else useful_records(roots, wanted)
    if anomaly_mode.get():
        watched = watch(roots)
        try:
            found = reverse_sweep(roots, seeds, read, useful, wanted or ())
        finally:
            unwatch(watched)
    else:
        found = reverse_sweep(roots, seeds, read, useful, wanted or ())
    if into is not None:
        given = set()
        for tensor in into:
            if tensor.record.number in found:
                tensor.accumulate_grad(found[tensor.record.number], given)
    return found


def records_of(inputs):
    """The numbers of the records of tensors that gradients are wanted for."""
    if not inputs:
        raise BackwardError("backward: inputs is empty; leave it out to reach all leaves")
    wanted = set()
    for position, tensor in enumerate(inputs):
        if getattr(tensor, "record", None) is None:
            raise BackwardError(f"inputs[{position}] is not tracked: use requires_grad_() before it is used")
        wanted.add(tensor.record.number)
    return wanted


def warn_of_no_leaf(record):
    """Warn that `.grad` was asked of a tensor that is not a leaf, unless it is to be kept there."""
    if record.hooks is not None and record.hooks.kept is not None:
        return
    operation = record if record.operation is None else record.operation
    warn(f".grad of a tensor that is not a leaf: it was made by {record.name()} at {describe(operation.site)}, and"
         " backward() fills the .grad of leaves only. Look at the leaf that it was made from, or call retain_grad() on"
         " it before backward()", UserWarning, stacklevel=3)


def untracked(tensor, action):
    """The error for a tensor that has no record to go back along."""
    return BackwardError(
        f"{action} on a tensor of shape {shape_text(tensor.shape)} that is not tracked: it was not made from a tensor"
        " with requires_grad=True, or it was made under no_grad(), by detach(), or by an operation without a gradient"
        " (comparison, argmax, cast to an integer dtype)")


def bad_seed(tensor, seed):
    """The error for a missing seed, or one of the wrong shape."""
    if seed is None:
        return BackwardError(
            f"backward from a tensor of shape {shape_text(tensor.shape)} needs a gradient to start from: reduce it to"
            " a scalar first (for example y.sum().backward()), or pass one: y.backward(gradient) of the same shape")
    return BackwardError(f"the gradient to start from has shape {shape_text(seed.shape)}, but the tensor has shape"
                         f" {shape_text(tensor.shape)}")
