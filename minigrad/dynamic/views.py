"""Views: tensors that share memory with the tensor they were taken from, and what in-place writes do to them.

A view remembers its base and the primitive that takes it. When the base or one of its views is written, the record
of the base becomes that of the written value, and the records of the live views are made anew from it.
"""

import weakref

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.dynamic.tape import Storage


class View:
    """How a view was taken: tensor `base`, and the steps (primitive, further arguments, parameters) that lead to it."""

    __slots__ = ("base", "steps")

    def __init__(self, base, steps):
        self.base = base
        self.steps = steps


def owner(array):
    """The array that owns the memory of `array`."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return array


def link_view(out, args, prim, params):
    """Tie `out`, the result of a view primitive on args[0], to its base, if it does share memory with it."""
    source = args[0]
    if out.array is not source.array and owner(out.array) is not owner(source.array):
        return
    storage = source.storage
    if storage is None:
        storage = source.storage = Storage()
    out.storage = storage
    step = (prim, args[1:], params)
    if source.base is None:
        out.base = View(source, (step,))
    else:
        out.base = View(source.base.base, (*source.base.steps, step))
    if len(storage.views) % 16 == 0:
        storage.views = [ref for ref in storage.views if ref() is not None]
    storage.views.append(weakref.ref(out))


# ----- writing through a view, as a function of the base
def write_view_kernel(xp, x, value, *extra, view, view_params):
    y = x.copy()
    view.kernel(xp, y, *extra, **view_params)[...] = value
    return y


def write_view_infer(x, value, *extra, view, view_params):
    return Aval(x.shape, x.dtype)


def write_view_vjp_x(g, y, x, value, *extra, view, view_params):
    return bind(write_view_p, g, 0.0, *extra, view=view, view_params=view_params)


def write_view_vjp_value(g, y, x, value, *extra, view, view_params):
    return bind(view, g, *extra, **view_params)


write_view_p = declare("write_view", write_view_kernel, write_view_infer,
                       vjps=(write_view_vjp_x, write_view_vjp_value), reads=((), ()))
