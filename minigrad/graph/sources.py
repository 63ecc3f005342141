"""What graphs have and primitives are not: the sources of values, and the operations that only order or store them.

They have the form of a primitive, so that every walk over a graph treats them alike, but they are not registered:
they compute nothing, and the tape knows none of them.
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim
from minigrad.core.dtypes import int64
from minigrad.core.primitive import Primitive
from minigrad.ops.broadcasting import sum_to


def source(name, *, kernel=None, infer=None, vjps=(), reads=(), joint=None, multiple=False, views=False, effects=False):
    """The record of something that is not a primitive."""
    return Primitive(name, kernel, infer, vjps, reads, joint, None, multiple, True, views, False, effects)


def given_infer(*avals, aval, **params):
    return aval


def same_infer(x, *others):
    return Aval(x.shape, x.dtype)


def identity_kernel(xp, x):
    return x


def identity_vjp(g, y, x):
    return g


def default_kernel(xp, x, *, aval):
    return x


def default_vjp(g, y, x, *, aval):
    return g


def assign_kernel(xp, current, value):
    return value


def assign_infer(current, value):
    return Aval(getattr(value, "shape", ()), getattr(value, "dtype", current.dtype))


def fill_kernel(xp, value, *sizes):
    return xp.broadcast_to(value, tuple([int(size) for size in sizes]))


def fill_infer(value, *sizes):
    return Aval(tuple([size if isinstance(size, int) else Dim() for size in sizes]), value.dtype)


def fill_vjp(g, y, value, *sizes):
    return sum_to(g, ())


def shape_of_kernel(xp, x, *, dtype):
    return xp.asarray(x.shape, dtype=dtype)


def shape_of_infer(x, *, dtype):
    return Aval((Dim() if x.shape is None else len(x.shape),), dtype)


def draw_key_kernel(xp, run, *, seed):
    return xp.asarray([seed, int(run)], dtype=int64)


def draw_key_infer(run, *, seed):
    return Aval((2,), int64)


def nothing_infer(*avals):
    return ()


placeholder_p = source("placeholder", infer=given_infer)
placeholder_default_p = source("placeholder_with_default", kernel=default_kernel, infer=given_infer,
                               vjps=(default_vjp,), reads=(frozenset(),), views=True)
constant_p = source("constant", infer=given_infer)
variable_p = source("variable", infer=given_infer)
identity_p = source("identity", kernel=identity_kernel, infer=same_infer, vjps=(identity_vjp,), reads=(frozenset(),),
                    views=True)
stop_gradient_p = source("stop_gradient", kernel=identity_kernel, infer=same_infer, views=True)
assign_p = source("assign", kernel=assign_kernel, infer=assign_infer, views=True)
fill_p = source("fill", kernel=fill_kernel, infer=fill_infer, vjps=(fill_vjp,), reads=(frozenset(),), views=True)
shape_of_p = source("shape", kernel=shape_of_kernel, infer=shape_of_infer)
draw_key_p = source("draw_key", kernel=draw_key_kernel, infer=draw_key_infer)
no_op_p = source("no_op", infer=nothing_infer)

SOURCES = frozenset([placeholder_p, constant_p, variable_p])


def identity(x):
    """The same value as a node of its own, which control dependencies can hold back."""
    return x.graph.innermost().apply(identity_p, (x,), {})


def stop_gradient(x):
    """The same value, through which no gradient flows. TensorFlow: tf.stop_gradient."""
    return x.graph.innermost().apply(stop_gradient_p, (x,), {})
