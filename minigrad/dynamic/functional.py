"""Derivatives of functions of tensors: Jacobian, Hessian, and their products with vectors.

PyTorch: torch.autograd.functional. Inputs and outputs are a tensor or a tuple of them; results nest accordingly.
Rows are computed one backward at a time.
"""

from minigrad.core.dims import shape_text
from minigrad.dynamic.creation import zeros_like
from minigrad.dynamic.grad import grad
from minigrad.dynamic.modes import enable_grad
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import BackwardError, ShapeError
from minigrad.ops.joining import stack

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def vjp(func, inputs, v=None, create_graph=False):
    """(func(inputs), v · Jacobian): `v` has the output's shape, and may be left out for a single number."""
    xs, single = fresh_inputs(inputs, create_graph)
    with enable_grad():
        ys, result = called(func, xs)
        vs = None if v is None else as_tuple(v)
        gs = found(ys, xs, vs, create_graph)
    return plain(result, create_graph), unpacked(gs, single)


def jvp(func, inputs, v=None, create_graph=False):
    """(func(inputs), Jacobian · v): `v` has the input's shape. Two backward sweeps, which give one forward product."""
    xs, _ = fresh_inputs(inputs, create_graph)
    vs = [ones_for(xs[0])] if v is None else as_tuple(v)
    check_shapes("jvp", xs, vs)
    with enable_grad():
        ys, result = called(func, xs)
        # v·J is linear in v: its own derivative with respect to v, applied to the tangent, is J·tangent
        duals = [zeros_like(y).requires_grad_() for y in ys]
        rows = found(ys, xs, duals, True)
        tangents = found(rows, duals, vs, create_graph)
    return plain(result, create_graph), unpacked(tangents, isinstance(result, Tensor))


def jacobian(func, inputs, create_graph=False):
    """The derivatives of every output element by every input element, of shape (*output.shape, *input.shape).

    For tuples, a tuple over outputs of tuples over inputs.
    """
    xs, single = fresh_inputs(inputs, create_graph)
    with enable_grad():
        ys, result = called(func, xs)
        blocks = []
        for y in ys:
            rows = [[] for _ in xs]
            for i in range(y.numel()):
                seed = one_hot(y, i)
                for row, g in zip(rows, found([y], xs, [seed], create_graph, retain_graph=True), strict=True):
                    row.append(g.reshape(-1))
            block = []
            for x, row in zip(xs, rows, strict=True):
                block.append(stacked(row, x).reshape((*y.shape, *x.shape)))
            blocks.append(unpacked(block, single))
    return unpacked(blocks, isinstance(result, Tensor))


def hessian(func, inputs, create_graph=False):
    """The second derivatives of a function with one number as result, of shape (*input.shape, *input.shape)."""
    xs, single = fresh_inputs(inputs, create_graph)
    rows = jacobian(gradient_function(func), tuple(xs), create_graph)
    return rows[0][0] if single else rows


def hvp(func, inputs, v, create_graph=False):
    """(func(inputs), Hessian · v) for a function with one number as result."""
    xs, single = fresh_inputs(inputs, True)
    vs = as_tuple(v)
    check_shapes("hvp", xs, vs)
    with enable_grad():
        ys, result = called(func, xs)
        gs = found([one_number(ys)], xs, None, True)
        products = found(gs, xs, vs, create_graph)
    return plain(result, create_graph), unpacked(products, single)


def vhp(func, inputs, v, create_graph=False):
    """(func(inputs), v · Hessian); equal to `hvp`, as a Hessian is symmetric."""
    return hvp(func, inputs, v, create_graph)


class gradient_function:
    """The function from inputs to the gradient of `func`, itself differentiable."""

    def __init__(self, func):
        self.func = func

    def __call__(self, *xs):
        ys, _ = called(self.func, xs)
        return tuple(found([one_number(ys)], xs, None, True))


def as_tuple(tensors):
    return tuple(tensors) if isinstance(tensors, (tuple, list)) else (tensors,)


def unpacked(items, single):
    return items[0] if single else tuple(items)


def fresh_inputs(inputs, create_graph):
    """(tracked tensors with the values of `inputs`, was it a single one?); connected to them if `create_graph`."""
    xs = []
    for x in as_tuple(inputs):
        if create_graph and x.requires_grad:
            xs.append(x.clone())
        else:
            xs.append(wrap(x.array).requires_grad_())
    return xs, isinstance(inputs, Tensor)


def called(func, xs):
    """(list of outputs, what func returned)."""
    result = func(*xs)
    ys = as_tuple(result)
    for y in ys:
        if not isinstance(y, Tensor):
            raise BackwardError(f"the function must return a Tensor or a tuple of them, not a {type(y).__name__}")
    return list(ys), result


def found(ys, xs, seeds, create_graph, retain_graph=None):
    """The gradients of `ys` by `xs`; zeros where there is no path."""
    tracked, gradients = [], []
    for i, y in enumerate(ys):
        if y.requires_grad:
            tracked.append(y)
            gradients.append(None if seeds is None else seeds[i])
    if not tracked:
        return [zeros_like(x) for x in xs]
    return list(grad(tracked, xs, gradients, retain_graph, create_graph, materialize_grads=True))


def plain(result, create_graph):
    """The function's result without its records, unless they are wanted."""
    if create_graph:
        return result
    return result.detach() if isinstance(result, Tensor) else tuple(y.detach() for y in result)


def one_number(ys):
    """The single output, which must be one number."""
    if len(ys) != 1 or ys[0].numel() != 1:
        shapes = ", ".join(shape_text(y.shape) for y in ys)
        raise ShapeError(f"a Hessian is of a function that returns one number; this one returns {shapes}")
    return ys[0]


def check_shapes(name, xs, vs):
    if [x.shape for x in xs] != [v.shape for v in vs]:
        raise ShapeError(f"{name}: v must have the shapes of the inputs, {', '.join(shape_text(x.shape) for x in xs)},"
                         f" not {', '.join(shape_text(v.shape) for v in vs)}")


def ones_for(x):
    if x.numel() != 1:
        raise ShapeError(f"jvp: an input of shape {shape_text(x.shape)} needs a v of that shape")
    return wrap(x.xp.ones(x.shape, x.dtype))


def one_hot(y, i):
    """Zeros of the shape of `y` with a one at flat position i."""
    array = y.xp.zeros((y.numel(),), y.dtype)
    array[i] = 1
    return wrap(array.reshape(y.shape))


def stacked(rows, x):
    """Flat rows under one another, differentiably."""
    return stack(rows) if rows else wrap(x.xp.zeros((0, x.numel()), x.dtype))
