"""Gradients as functions: `autograd.grad` returns them, `autograd.backward` adds them to `.grad`."""

from minigrad.core.dims import shape_text
from minigrad.dynamic.backward import bad_seed, records_of, run_backward, untracked
from minigrad.dynamic.creation import zeros_like
from minigrad.dynamic.tensor import Tensor, saved_tensors, seed_array, with_graph, wrap
from minigrad.errors import BackwardError

__all__ = ["backward", "grad"]


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, is_grads_batched=False,
         allow_unused=None, materialize_grads=False):
    """The gradients of (the sum of) `outputs` with respect to `inputs`; no `.grad` changes. PyTorch: autograd.grad.

    Args:
        outputs, inputs: a tensor or a sequence of them.
        grad_outputs: the gradients to start from, each of its output's shape; None where that is a single number.
        retain_graph: keep what the tape saved, for another call; default: create_graph.
        create_graph: record the computation too, so that the results can be differentiated again.
        allow_unused: give None for an input that the outputs do not depend on, rather than raise.
        materialize_grads: give zeros for such an input.

    Returns:
        A tuple of Tensors, one for each input.

    Raises:
        BackwardError: an output or input is not tracked, an input is not reached, a seed is missing or misshapen,
            or the tape was consumed by an earlier backward.
        InplaceError: a value that a gradient needs was overwritten in place.
    """
    if is_grads_batched:
        raise BackwardError("grad: is_grads_batched is not supported; call grad once for each row")
    outputs, inputs = listed(outputs), listed(inputs)
    wanted = records_of(inputs)
    roots, seeds = starts(outputs, grad_outputs, create_graph, "grad()")
    if create_graph:
        found = with_graph(run_backward, roots, seeds, True, saved_tensors, wanted)
    else:
        found = run_backward(roots, seeds, retain_graph, None, wanted)
    if allow_unused is None:
        allow_unused = materialize_grads
    taken = {id(seed) for seed in seeds}
    results = []
    for position, x in enumerate(inputs):
        g = found.get(x.record.number)
        if g is not None:
            results.append(owned(x, g, taken))
        elif materialize_grads:
            results.append(zeros_like(x))
        elif allow_unused:
            results.append(None)
        else:
            raise BackwardError(
                f"grad: no path leads from the outputs back to inputs[{position}] (shape {shape_text(x.shape)}): it was"
                " not used, or only through detach(), no_grad(), an operation without a gradient, or an older value"
                " of it before an in-place write. allow_unused=True gives None for it, materialize_grads=True zeros")
    return tuple(results)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradients of (the sum of) `tensors` to the `.grad` of the leaves they depend on.

    PyTorch: autograd.backward.

    Args:
        tensors: a tensor or a sequence of them.
        grad_tensors: the gradients to start from; None where a tensor is a single number.
        retain_graph, create_graph: as for `grad`.
        inputs: fill the `.grad` of these tensors only (they need not be leaves).

    Raises:
        BackwardError, InplaceError: as for `grad`.
    """
    tensors = listed(tensors)
    if inputs is not None:
        inputs = listed(inputs)
    roots, seeds = starts(tensors, grad_tensors, create_graph, "backward()")
    if create_graph:
        with_graph(run_backward, roots, seeds, True, saved_tensors, into=inputs)
    else:
        run_backward(roots, seeds, retain_graph, into=inputs)


def listed(tensors):
    """A tensor or a sequence of them as a list."""
    return list(tensors) if isinstance(tensors, (tuple, list)) else [tensors]


def starts(outputs, gradients, create_graph, action):
    """(records, seeds) to start from: seeds are Tensors when the sweep is recorded too, else arrays."""
    gradients = [None] * len(outputs) if gradients is None else listed(gradients)
    if len(gradients) != len(outputs):
        raise BackwardError(f"{action}: {len(outputs)} outputs, but {len(gradients)} gradients to start from")
    roots, seeds = [], []
    for tensor, gradient in zip(outputs, gradients, strict=True):
        if not isinstance(tensor, Tensor):
            raise BackwardError(f"{action}: expected a Tensor, got a {type(tensor).__name__}")
        if tensor.record is None:
            raise untracked(tensor, action)
        if gradient is None:
            if tensor.array.size != 1:
                raise bad_seed(tensor, None)
            seed = tensor.xp.ones(tensor.shape, tensor.dtype)
        else:
            seed = seed_array(tensor, gradient)
        if create_graph:
            seed = gradient if isinstance(gradient, Tensor) and gradient.dtype == tensor.dtype else wrap(seed)
        roots.append(tensor.record)
        seeds.append(seed)
    return roots, seeds


def owned(x, g, taken):
    """Gradient `g` of `x` as a Tensor whose memory no other result shares (`taken`: ids that are spoken for)."""
    if isinstance(g, Tensor):
        return g
    array = x.xp.asarray(g)
    if id(array) in taken or array.base is not None:
        array = array.copy()
    taken.add(id(array))
    return wrap(array)
