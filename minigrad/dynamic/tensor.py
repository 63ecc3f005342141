"""The Tensor of the define-by-run engine: an array, and the record that made it.

`Tensor.process` is the engine: it computes a primitive now and, where a gradient is wanted, puts it on the tape.
The operators and named operations come from `ops.methods`, where graph Nodes find the same ones; what only a value
that exists can do (backward, item, in-place writes, conversion) is here and in the mixins that it inherits.
"""

import numpy as np

from minigrad.backends import backend_of, to_numpy
from minigrad.backends.devices import NAMESPACES, device_of
from minigrad.config import default_dtype
from minigrad.core.dispatch import Operand
from minigrad.core.dtypes import float32, float64, is_scalar
from minigrad.core.failures import explained
from minigrad.dynamic.backward import bad_seed, run_backward, untracked, warn_of_no_leaf
from minigrad.dynamic.conversion import Conversion
from minigrad.dynamic.hooks import Hooks
from minigrad.dynamic.inplace import InplaceMethods
from minigrad.dynamic.modes import grad_mode
from minigrad.dynamic.tape import Consumer, Leaf, Output, Storage, check_versions, consumed, record_operation
from minigrad.dynamic.views import bar_views, link_view
from minigrad.errors import BackwardError, DtypeError, GradDtypeError, MinigradError
from minigrad.ops.methods import OperandMethods


class Tensor(Conversion, InplaceMethods, OperandMethods):
    """An n-dimensional array that remembers how it was computed. PyTorch: torch.Tensor.

    Made by `minigrad.tensor` and the other creation functions; `Tensor(data)` makes one from anything array-like,
    in the default float dtype, as torch.Tensor does.

    Attributes:
        array: the raw NumPy or CuPy array.
        record: how it was made (see `dynamic.tape`), None when untracked.
        storage: bookkeeping of the memory it shares with its views, None until needed.
    """

    __slots__ = ("__dict__", "__weakref__", "array", "record", "storage")
    level = 1
    _grad = None  # set on the instance when there is one
    base = None  # for a view: a `views.View`

    def __init__(self, data=()):
        self.array = default_float_array(data)
        self.record = None
        self.storage = None

    # ----- the engine
    def process(self, prim, args, params):
        """Compute `prim` on `args` now and, where a gradient is wanted, record it."""
        array_type = self.array.__class__
        tracked = 0  # which inputs have records, as a bit mask under a leading 1 (see Primitive.find_saves)
        arrays = None
        if len(args) == 2:
            a, b = args
            if isinstance(a, Tensor) and isinstance(b, Tensor):
                x = a.array
                z = b.array
                dtype = x.dtype
                # most calls: nothing to promote
                if dtype is z.dtype and (dtype is float32 or dtype is float64) and x.__class__ is z.__class__:
                    arrays = x, z
                    inputs = a.record, b.record
                    if inputs[0] is not None:
                        tracked = 0b111 if inputs[1] is not None else 0b101
                    elif inputs[1] is not None:
                        tracked = 0b110
        if arrays is None:
            other = other_operand(args)
            if other is not None:
                return other.process(prim, args, params)
            array_type, args, arrays, inputs, tracked = settle(self, prim, args)
        try:
            if params:
                y = prim.kernel(NAMESPACES[array_type], *arrays, **params)
            elif len(arrays) == 2:
                y = prim.kernel(NAMESPACES[array_type], arrays[0], arrays[1])
            else:
                y = prim.kernel(NAMESPACES[array_type], *arrays)
        except Exception as error:
            raise explained(prim, args, params, error) from error
        if prim.multiple:
            return wrap_outputs(array_type, prim, args, arrays, inputs, tracked, params, y)
        if y.__class__ is not array_type and y.__class__ not in NAMESPACES:
            y = NAMESPACES[array_type].asarray(y)
        out = new_tensor(Tensor)
        out.array = y
        out.record = None
        out.storage = None
        if tracked and prim.differentiable and y.dtype.kind == "f" and grad_mode.get():
            out.record = record_operation(prim, args, arrays, inputs, tracked, params, y, out)
        if prim.views:
            link_view(out, args, prim, params)
        return out

    def captured(self):
        """The value for a graph that this tensor meets: a constant there."""
        return to_numpy(self.array), False

    # ----- gradients
    @property
    def grad(self):
        """The gradient that backward() accumulated here, a Tensor or None."""
        g = self._grad
        if g is None and self.record is not None and self.record.__class__ is not Leaf:
            warn_of_no_leaf(self.record)
        return g

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, Tensor):
                raise DtypeError(f"grad must be a Tensor or None, not {type(value).__name__}")
            if value.shape != self.shape or value.dtype != self.dtype:
                raise DtypeError(f"grad must have the tensor's shape and dtype, {self.dtype}{self.shape},"
                                 f" not {value.dtype}{value.shape}")
        self._grad = value

    def accumulate_grad(self, g, given):
        """Add `g` (an array, or a Tensor when gradients are recorded too) to `.grad`.

        `given` holds the ids of the arrays that became somebody's `.grad` in this backward: no two share memory.
        """
        old = self._grad
        if isinstance(g, Tensor):
            self._grad = g if old is None else old + g
        elif old is None:
            g = self.xp.asarray(g)
            if id(g) in given or g.base is not None:
                g = g.copy()
            given.add(id(g))
            self._grad = wrap(g)
        elif old.record is not None:
            self._grad = old + wrap(self.xp.asarray(g))
        else:
            old.array += g
            if old.storage is not None:
                old.storage.version += 1

    @property
    def requires_grad(self):
        """True when operations on this tensor are recorded."""
        return self.record is not None

    @requires_grad.setter
    def requires_grad(self, value):
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Start (or stop) recording operations on this leaf tensor; returns it.

        Raises:
            GradDtypeError: the dtype is not a float one.
            BackwardError: asked to stop on a tensor that operations made (use detach()).
        """
        if not requires_grad:
            if self.record is not None and not self.is_leaf:
                raise BackwardError("requires_grad can only be switched off on a leaf; use detach() to get an"
                                    " untracked tensor with the same values")
            self.record = None
        elif self.record is None:
            if self.array.dtype.kind != "f":
                raise GradDtypeError(f"only float tensors can require gradients, this one is {self.dtype}: write 1."
                                     " instead of 1, or give a float dtype (dtype=minigrad.float32)")
            self.record = Leaf(self)
        return self

    @property
    def is_leaf(self):
        """True for tensors that no recorded operation made."""
        return self.record is None or self.record.__class__ is Leaf

    @property
    def grad_fn(self):
        """The record of the operation that made this tensor; None for a leaf."""
        return None if self.is_leaf else self.record

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Compute the gradients of this tensor with respect to its leaves and add them to their `.grad`.

        Args:
            gradient: the gradient to start from, of this tensor's shape; may be left out for a single number.
            retain_graph: keep what the tape saved, so that backward can be called again; default: create_graph.
            create_graph: record the gradient computation too, for second derivatives.
            inputs: add to the `.grad` of these tensors only (one or a sequence; they need not be leaves).

        Raises:
            BackwardError: untracked, already freed, or a seed missing or of the wrong shape.
            InplaceError: a value that a gradient needs was overwritten in place.
        """
        if self.record is None:
            raise untracked(self, "backward()")
        array = self.array
        if gradient is None:
            if array.size != 1:
                raise bad_seed(self, None)
            seed = NAMESPACES[array.__class__].asarray(1, dtype=array.dtype)
            if array.ndim:
                seed = seed.reshape(array.shape)
        else:
            seed = seed_array(self, gradient)
        if inputs is not None:
            inputs = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        if create_graph:
            seed = gradient if isinstance(gradient, Tensor) else wrap(seed)
            with_graph(run_backward, [self.record], [seed], True, saved_tensors, into=inputs)
        else:
            run_backward([self.record], [seed], retain_graph, into=inputs)

    def retain_grad(self):
        """Make backward() fill `.grad` of this tensor although it is not a leaf."""
        if self.record is None:
            raise untracked(self, "retain_grad()")
        if not self.is_leaf:
            hooks_of(self).retain(self)

    def register_hook(self, hook):
        """Call `hook(grad)` when the gradient of this tensor is complete; what it returns replaces the gradient.

        Returns a handle with `remove()`.
        """
        if self.record is None:
            raise untracked(self, "register_hook()")
        return hooks_of(self).add(hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(tensor)` when backward() has added to the `.grad` of this leaf: to take a step and drop it, say.

        Returns a handle with `remove()`.
        """
        if self.record.__class__ is not Leaf:
            raise BackwardError("register_post_accumulate_grad_hook: only leaf tensors that require grad accumulate it")
        return hooks_of(self).add_afterwards(hook)

    @property
    def retains_grad(self):
        """True when retain_grad() makes backward() fill `.grad` of this tensor, which is not a leaf."""
        return self.record is not None and self.record.hooks is not None and self.record.hooks.kept is not None

    def detach(self):
        """The same values without the record; shares memory."""
        out = wrap(self.array)
        out.storage = shared_storage(self)
        return out

    @property
    def data(self):
        """The values as an untracked tensor that shares memory. PyTorch: Tensor.data."""
        return self.detach()

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            raise DtypeError(f"data must be a Tensor, not {type(value).__name__}")
        bar_views(self)
        self.array = value.array
        self.storage = shared_storage(value)
        if self.base is not None:
            self.base = None
        if self.record.__class__ is Leaf:
            self.record.shape = value.array.shape

    # ----- what it is
    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def ndim(self):
        return self.array.ndim

    @property
    def device(self):
        return device_of(self.array)

    @property
    def xp(self):
        """The array library that holds this tensor."""
        return backend_of(self.array).xp


new_tensor = object.__new__


def wrap(array, record=None):
    """A Tensor around `array` itself (no copy)."""
    out = new_tensor(Tensor)
    out.array = array
    out.record = record
    out.storage = None
    return out


def other_operand(args):
    """The first operand among `args` that belongs to another engine, or None."""
    for a in args:
        if isinstance(a, Operand) and not isinstance(a, Tensor):
            return a
    return None


def settle(tensor, prim, args):
    """Bring operands of several kinds and dtypes together, for `process`.

    NumPy arrays and scalars are lifted, the primitive's policy promotes. Returns (array type, args, arrays, inputs,
    tracked).
    """
    dtype = tensor.array.dtype
    array_type = tensor.array.__class__
    settled = dtype.kind == "f"
    for a in args:
        if isinstance(a, Tensor):
            if a.array.dtype is not dtype or a.array.__class__ is not array_type:
                settled = False
        elif a.__class__ is not float and a.__class__ is not int:
            settled = False
    if not settled:
        tensor = with_device(tensor, args)
        array_type = tensor.array.__class__
        args = promoted(tensor, prim, args)
    arrays = []
    inputs = []
    tracked = 0
    bit = 1
    for a in args:
        if isinstance(a, Tensor):
            arrays.append(a.array)
            inputs.append(a.record)
            if a.record is not None:
                tracked |= bit
        else:
            arrays.append(a)
            inputs.append(None)
        bit += bit
    if tracked:
        tracked |= bit
    return array_type, args, arrays, inputs, tracked


def with_device(tensor, args):
    """The operand whose device the others come to: `tensor`, or, if it has no dimensions, one that has some."""
    if tensor.array.ndim == 0:
        for a in args:
            if isinstance(a, Tensor) and a.array.ndim:
                return a
    return tensor


def promoted(tensor, prim, args):
    """`args` as Tensors and Python scalars, in the dtypes that the primitive's policy brings them to."""
    args = tuple([lift(tensor, prim, a) for a in args])
    if prim.promote is None:
        return args
    try:
        return prim.promote(prim, args)
    except MinigradError:
        raise
    except Exception as error:
        raise explained(prim, args, {}, error) from error


def lift(tensor, prim, a):
    """Operand `a` as a Tensor on the device of `tensor`, or as a Python scalar, which is weak."""
    if isinstance(a, Tensor):
        if a.array.__class__ is not tensor.array.__class__ and a.array.ndim == 0:
            return wrap(backend_of(tensor.array).from_host(to_numpy(a.array)))
        return a
    if a.__class__ is bool or a.__class__ is int or a.__class__ is float:
        return a
    if a.__class__ in NAMESPACES:
        return wrap(a)
    if is_scalar(a):
        return a.item() if hasattr(a, "item") else float(a)
    raise DtypeError(f"{prim.name}: a {type(a).__name__} cannot be an operand; expected a Tensor, a number or an array"
                     " (make one with minigrad.tensor)")


def wrap_outputs(array_type, prim, args, arrays, inputs, tracked, params, ys):
    """The Tensors of a primitive with several outputs, recorded where a gradient is wanted."""
    arrays_out = []
    outs = []
    for y in ys:
        if y.__class__ is not array_type:
            y = NAMESPACES[array_type].asarray(y)
        arrays_out.append(y)
        outs.append(wrap(y))
    outs = tuple(outs)
    if tracked and prim.differentiable and grad_mode.get():
        op = record_operation(prim, args, arrays, inputs, tracked, params, tuple(arrays_out), outs)
        for slot, out in enumerate(outs):
            if out.array.dtype.kind == "f":
                out.record = Output(op, slot, out.array.shape)
    if prim.views:
        for out in outs:
            link_view(out, args, prim, params)
    return outs


def saved_tensors(op):
    """The values of record `op` for its rules, as Tensors that know how they were made (create_graph)."""
    if op.values.__class__ is Consumer:
        raise consumed(op)
    check_versions(op)
    y, *xs = op.values
    values = []
    if op.prim.multiple:
        parts = []
        for slot, part in enumerate(y):
            if part.__class__ in NAMESPACES:
                part = wrap(part, Output(op, slot, part.shape) if part.dtype.kind == "f" else None)
            parts.append(part)
        values.append(tuple(parts))
    else:
        values.append(wrap(y, op) if y.__class__ in NAMESPACES else y)
    for x, source in zip(xs, op.inputs, strict=True):
        values.append(wrap(x, source) if x.__class__ in NAMESPACES else x)
    return values


def seed_array(tensor, gradient):
    """The user's `gradient` as an array to start backward from."""
    seed = gradient.array if isinstance(gradient, Tensor) else tensor.xp.asarray(gradient, dtype=tensor.dtype)
    if seed.shape != tensor.shape:
        raise bad_seed(tensor, seed)
    return seed if seed.dtype == tensor.dtype else seed.astype(tensor.dtype)


def with_graph(function, *args, **kwargs):
    """Call `function` with recording on, whatever the caller's mode."""
    token = grad_mode.set(True)
    try:
        return function(*args, **kwargs)
    finally:
        grad_mode.reset(token)


def hooks_of(tensor):
    """The hooks on the tensor's record, made when first asked for."""
    record = tensor.record
    if record.hooks is None:
        record.hooks = Hooks(wrap)
    return record.hooks


def shared_storage(tensor):
    """The tensor's Storage, made when first asked for."""
    if tensor.storage is None:
        tensor.storage = Storage()
    return tensor.storage


def default_float_array(data):
    """The array for `Tensor(data)`: the default float dtype, a copy."""
    if isinstance(data, Tensor):
        return data.array.astype(default_dtype())
    return np.array(data, dtype=default_dtype())
