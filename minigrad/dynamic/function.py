"""Custom operations: a forward and a backward written by the user, on the tape like a primitive.

PyTorch: torch.autograd.Function. Each subclass gets one unregistered Primitive with one joint gradient rule, which
calls the user's `backward`; what `save_for_backward` kept lies in the record, where in-place writes are noticed and
from where it goes when backward consumed it.
"""

from functools import wraps

from minigrad.backends import backend_of
from minigrad.backends.devices import NAMESPACES
from minigrad.core.aval import Aval
from minigrad.core.dims import broadcast_shapes, shape_text
from minigrad.core.primitive import Primitive
from minigrad.core.sites import user_site
from minigrad.dynamic.barrier import refusing_record
from minigrad.dynamic.modes import GradMode, grad_mode
from minigrad.dynamic.tape import Leaf, Operation, Output, next_number
from minigrad.dynamic.tensor import Tensor, shared_storage, wrap
from minigrad.dynamic.writing import check_target, note_write, rebase
from minigrad.errors import BackwardError, DtypeError, InplaceError, ShapeError, TrackedError
from minigrad.ops.casting import cast

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What forward hands to backward: `save_for_backward`, and any attribute. PyTorch: the ctx of a Function.

    Attributes:
        needs_input_grad: for each argument of forward, whether its gradient is wanted.
        saved_tensors: what was saved.
    """

    def __init__(self, needs_input_grad):
        self.needs_input_grad = needs_input_grad
        self.to_save = ()
        self.saved = None
        self.dirty = ()
        self.without_gradient = ()
        self.materialize_grads = True
        self.sources = self.avals = ()  # records and Avals of the arguments, once it is on the tape

    def save_for_backward(self, *tensors):
        """Keep inputs, outputs or other tensors (or None) for backward, which finds them in `saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise DtypeError(f"save_for_backward takes Tensors and None, not a {type(t).__name__}; keep other"
                                 " things as attributes: ctx.name = value")
        self.to_save = tensors

    @property
    def saved_tensors(self):
        return self.to_save if self.saved is None else self.saved

    def mark_dirty(self, *tensors):
        """Say that forward wrote these inputs in place; it must return them."""
        self.dirty = tensors

    def mark_non_differentiable(self, *outputs):
        """Say that these outputs carry no gradient."""
        self.without_gradient = outputs

    def set_materialize_grads(self, value):
        """Whether backward gets zeros (the default) or None for outputs that nothing depends on."""
        self.materialize_grads = bool(value)


class Function:
    """Base of custom operations. PyTorch: torch.autograd.Function.

    Subclass it with two static methods and call `apply`::

        class Cube(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x * x

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * 3 * x * x

        y = Cube.apply(x)

    forward runs unrecorded; backward returns one gradient (or None) for each argument of forward after ctx. When it
    is written with operations on tensors it can be differentiated itself; when it computes on raw arrays, or is
    marked `once_differentiable`, asking for second derivatives raises. As in newer PyTorch, forward may leave ctx out
    where a static method `setup_context(ctx, inputs, output)` is defined.
    """

    _primitive = None

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs (a Tensor or a tuple) from the arguments of apply."""
        raise NotImplementedError("a Function needs a static method forward(ctx, ...)")

    @staticmethod
    def backward(ctx, *gradients):
        """Compute the gradients of the inputs from those of the outputs."""
        raise NotImplementedError("a Function needs a static method backward(ctx, ...) for its gradient")

    @classmethod
    def apply(cls, *args):
        """Run forward on `args` and, if a gradient is wanted, put it on the tape."""
        needs = tuple(isinstance(a, Tensor) and a.record is not None for a in args)
        ctx = FunctionCtx(needs)
        versions = [None if not isinstance(a, Tensor) or a.storage is None else a.storage.version for a in args]
        with GradMode(False):
            setup = getattr(cls, "setup_context", None)
            if setup is None:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                setup(ctx, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        for out in outputs:
            if out is not None and not isinstance(out, Tensor):
                raise DtypeError(f"{cls.__name__}.forward must return Tensors, not a {type(out).__name__}")
        for x in ctx.dirty:
            if not any(x is out for out in outputs):
                raise InplaceError(f"{cls.__name__}: a tensor marked dirty must be returned by forward")
        if not (any(needs) and grad_mode.get()):
            return result
        outputs = recorded(cls, ctx, args, versions, outputs)
        return outputs if isinstance(result, tuple) else outputs[0]


def recorded(cls, ctx, args, versions, outputs):
    """The outputs with the records of one application of Function `cls`."""
    operation = Operation()
    operation.number = next_number()
    operation.prim = primitive_of(cls)
    operation.params = {"function": cls, "context": ctx}
    operation.inputs = ctx.sources = tuple([a.record if isinstance(a, Tensor) else None for a in args])
    operation.hooks = None
    operation.shape = None
    operation.code, operation.instruction = user_site(2)
    ctx.avals = tuple([Aval(a.shape, a.dtype) if isinstance(a, Tensor) else None for a in args])
    for x in ctx.dirty:
        check_target(x, cls.__name__, True)
        before = [v for a, v in zip(args, versions, strict=True) if a is x]
        if x.storage is None or x.storage.version in before:
            note_write(x, operation.site)  # forward wrote it in a way that nobody noticed
    results = []
    for slot, out in enumerate(outputs):
        results.append(recorded_output(ctx, operation, slot, out, args))
    keep(ctx, operation, args, outputs, results)
    for slot, out in enumerate(outputs):
        if any(out is x for x in ctx.dirty):
            rebase(out, results[slot].record)
            results[slot] = out
    return tuple(results)


def recorded_output(ctx, operation, slot, out, args):
    """Output `slot` with its record; a tensor of its own where forward returned an input as it is."""
    if out is None:
        return None
    result = out
    if any(out is a for a in args):
        result = wrap(out.array)
        result.storage = shared_storage(out)
    silent = any(out is other for other in ctx.without_gradient)
    if not silent and out.array.dtype.kind == "f":
        result.record = Output(operation, slot, out.array.shape)
    return result


def keep(ctx, operation, args, outputs, results):
    """Move what the context saves into the record, with its versions."""
    saved, versions = [], []
    for t in ctx.to_save:
        if t is None:
            saved.append(None)
            continue
        record = t.record
        for out, result in zip(outputs, results, strict=True):
            if out is t and result is not None:
                record = result.record
        saved.append((t.array, record))
        storage = shared_storage(t)
        storage.saved = True
        versions.append(storage)
        versions.append(storage.version)
    ctx.to_save = ()
    avals = tuple([None if out is None else Aval(out.shape, out.dtype) for out in outputs])
    # the saved ones take the place of the first input, which the rule does not read
    operation.values = (avals, Saved(saved), *([None] * (len(args) - 1)))
    operation.versions = versions


class Saved:
    """Arrays with their records, as `save_for_backward` kept them."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items

    def detached(self):
        return Saved([None if item is None else (item[0], None) for item in self.items])

    def tensors(self):
        return tuple([None if item is None else wrap(*item) for item in self.items])


# ----- the primitive and its gradient rule
def primitive_of(cls):
    """The Primitive of a Function class (unregistered: it is the user's)."""
    if cls.__dict__.get("_primitive") is None:
        cls._primitive = Primitive(cls.__name__, function_kernel, function_infer, vjps=(), reads=frozenset(),
                                   joint=function_vjp, promote=None, multiple=True, shapes=True, views=False,
                                   random=False, effects=True)
    return cls._primitive


def function_kernel(xp, *arrays, function, context):
    raise BackwardError(f"{function.__name__} is a custom Function: call {function.__name__}.apply on Tensors")


def function_infer(*avals, function, context):
    raise BackwardError(f"{function.__name__} is a custom Function: call {function.__name__}.apply on Tensors")


def function_vjp(g, y, saved, *unread, needed, function, context):
    """The joint rule of every Function: hands the gradients to the user's backward, checks what it returns."""
    raw = not any([isinstance(part, Tensor) for part in g])
    (known, *_) = [part for part in g if part is not None]
    xp = backend_of(getattr(known, "array", known)).xp
    gradients = []
    for part, aval in zip(g, y, strict=True):
        gradients.append(incoming(part, aval, context, xp, raw))
    try:
        results = user_backward(function, context, gradients, saved, not raw)
    except TrackedError:
        if raw:
            raise
        # it wants plain arrays: give it untracked tensors; its results will not be differentiable
        plain = [None if t is None else t.detach() for t in gradients]
        results = user_backward(function, context, plain, saved.detached(), False)
    results = results if isinstance(results, tuple) else (results,)
    if len(results) > len(needed) and all(r is None for r in results[len(needed):]):
        results = results[:len(needed)]
    if len(results) != len(needed):
        raise BackwardError(f"{function.__name__}.backward returned {len(results)} gradients, but forward has"
                            f" {len(needed)} inputs: return one for each, None where there is none")
    checked = []
    for position, (result, is_needed) in enumerate(zip(results, needed, strict=True)):
        if result is None or not is_needed:
            checked.append(None)
            continue
        result = fitted(result, function, context.avals[position], position)
        if raw:
            checked.append(result.array)
        elif result.record is None:
            checked.append(not_again(result.array, function, context, gradients, position))
        else:
            checked.append(result)
    return tuple(checked)


def user_backward(function, context, gradients, saved, recording):
    """What the user's backward returns for these gradients."""
    context.saved = saved.tensors()
    try:
        with GradMode(recording):
            return function.backward(context, *gradients)
    finally:
        context.saved = None


def incoming(part, aval, context, xp, raw):
    """The gradient of one output as backward gets it: a Tensor, or None.

    In a recorded sweep it always has a record: so a result without one shows that backward left the tape.
    """
    if part is None:
        if aval is None or not context.materialize_grads:
            return None
        part = xp.zeros(aval.shape, aval.dtype)
    tensor = part if isinstance(part, Tensor) else wrap(part)
    if raw or tensor.record is not None:
        return tensor
    tensor = wrap(tensor.array)
    tensor.record = Leaf(tensor)
    return tensor


def fitted(result, function, aval, position):
    """A gradient from the user's backward as a Tensor of the input's dtype, its shape checked."""
    if result.__class__ in NAMESPACES:
        result = wrap(result)
    elif not isinstance(result, Tensor):
        raise DtypeError(f"{function.__name__}.backward must return Tensors, arrays or None, not a"
                         f" {type(result).__name__} (for input {position})")
    try:
        fits = broadcast_shapes(aval.shape, result.shape) == result.shape
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"{function.__name__}.backward returned a gradient of shape {shape_text(result.shape)} for"
                         f" input {position}, which has shape {shape_text(aval.shape)}")
    return cast(result, aval.dtype)


def not_again(array, function, context, gradients, position):
    """A gradient that backward computed off the tape: usable, but a sweep back through it raises."""
    text = (f"{function.__name__} is not differentiable twice: its backward computed the gradient of input {position}"
            " off the tape (on raw arrays, detached, or marked once_differentiable). Write backward with operations on"
            " tensors to get second derivatives")
    sources = [t.record for t in gradients if t is not None] + [s for s in context.sources if s is not None]
    return wrap(array, refusing_record(array.shape, sources, BackwardError, text))


def once_differentiable(backward):
    """Decorator for a Function's backward that must not be differentiated itself; a second derivative raises.

    PyTorch: torch.autograd.function.once_differentiable.
    """
    @wraps(backward)
    def off_the_tape(ctx, *gradients):
        with GradMode(False):
            return backward(ctx, *gradients)

    return off_the_tape
