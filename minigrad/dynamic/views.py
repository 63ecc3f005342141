"""Views: tensors that share memory with the tensor they were taken from, and what in-place writes do to them.

A view remembers its base (which owns the memory) and the primitives that lead from the base to it. When the base or
one of its views is written in place, the record of the base becomes that of the written value, and the records of
the live views are made anew from it (see `writing`).
"""

import weakref

from minigrad.backends import backend_of
from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.core.sites import user_site
from minigrad.dynamic.modes import grad_mode
from minigrad.dynamic.tape import Storage

# why a view may not be written in place while operations are recorded
UNDER_NO_GRAD = "was taken under no_grad(): take it where operations are recorded, or write under no_grad() too"
ONE_OF_SEVERAL = "is one of several that one operation returned: index the tensor instead, or clone() the view first"
BASE_HAS_OTHER_DATA = "was taken of a tensor whose .data was replaced since: take it anew"
BY_OPERANDS = "depends on another tensor for its place: clone() it first"


class View:
    """How a view was taken.

    Attributes:
        base: the tensor that the memory belongs to.
        parent: the View that this one was taken of; None when it was taken of the base itself.
        prim, params: the primitive that takes it.
        barred: why it may not be written in place while recording, None when it may.
        site: the user's line that took it.
    """

    __slots__ = ("barred", "base", "params", "parent", "prim", "site")

    def __init__(self, base, parent, prim, params, barred):
        self.base = base
        self.parent = parent
        self.prim = prim
        self.params = params
        self.barred = barred
        self.site = user_site(4) if barred is not None else None

    def steps(self):
        """((primitive, parameters), ...) that lead from the base to this view."""
        steps = []
        view = self
        while view is not None:
            steps.append((view.prim, FrozenParams(view.params)))
            view = view.parent
        return tuple(reversed(steps))


class FrozenParams(dict):
    """Parameters of a primitive, hashable so that they can be a parameter themselves."""

    __slots__ = ()

    def __hash__(self):
        return hash(tuple(sorted(self.items(), key=parameter_name)))


def parameter_name(item):
    return item[0]


def link_view(out, args, prim, params):
    """Tie `out`, the result of a view primitive on args[0], to its base, if it does share memory with it."""
    source = args[0]
    if out.array is not source.array:
        xp = backend_of(source.array).xp
        if not xp.may_share_memory(out.array, source.array):
            return
    storage = source.storage
    if storage is None:
        storage = source.storage = Storage()
    out.storage = storage
    origin = source.base
    barred = None
    if prim.multiple:
        barred = ONE_OF_SEVERAL
    elif len(args) > 1:
        barred = BY_OPERANDS
    elif not grad_mode.get():
        barred = UNDER_NO_GRAD
    if origin is None:
        out.base = View(source, None, prim, params, barred)
    else:
        out.base = View(origin.base, origin, prim, params, origin.barred or barred)
    views = storage.views
    if views.__class__ is tuple:
        views = storage.views = []
    elif len(views) % 16 == 15:
        views = storage.views = [ref for ref in views if ref() is not None]
    views.append(weakref.ref(out))


def bar_views(base):
    """Bar recorded writes to the live views of `base`, which is about to be given other memory."""
    for view in live_views(base):
        view.base.barred = BASE_HAS_OTHER_DATA
        view.base.site = user_site(2)


def live_views(base):
    """The views of `base` that still exist."""
    views = []
    for ref in () if base.storage is None else base.storage.views:
        view = ref()
        if view is not None and view.base is not None and view.base.base is base:
            views.append(view)
    return views


# ----- writing through a view, as a function of the base
def write_view_kernel(xp, x, value, *, steps):
    y = x.copy()
    part = y
    for prim, params in steps:
        part = prim.kernel(xp, part, **params)
    if part.size == 0:
        return y
    if xp.may_share_memory(part, y) and getattr(part.flags, "writeable", True):
        part[...] = value
        return y
    # the steps give no view of this copy, because of how it lies in memory, or one that NumPy bars: find the places
    places = xp.arange(x.size).reshape(x.shape)
    for prim, params in steps:
        places = prim.kernel(xp, places, **params)
    y = y.reshape((-1,))
    y[places.reshape((-1,))] = xp.broadcast_to(xp.asarray(value, dtype=x.dtype), places.shape).reshape((-1,))
    return y.reshape(x.shape)


def write_view_infer(x, value, *, steps):
    return Aval(x.shape, x.dtype)


def write_view_vjp_x(g, y, x, value, *, steps):
    return bind(write_view_p, g, 0.0, steps=steps)


def write_view_vjp_value(g, y, x, value, *, steps):
    for prim, params in steps:
        g = bind(prim, g, **params)
    return g


write_view_p = declare("write_view", write_view_kernel, write_view_infer,
                       vjps=(write_view_vjp_x, write_view_vjp_value), reads=((), ()))


# ----- writing over a whole tensor, as a function of what was there
def overwrite_kernel(xp, x, value):
    y = xp.empty(x.shape, x.dtype)
    y[...] = value
    return y


def overwrite_infer(x, value):
    return Aval(x.shape, x.dtype)


def overwrite_vjp_value(g, y, x, value):
    return g


overwrite_p = declare("overwrite", overwrite_kernel, overwrite_infer, vjps=(None, overwrite_vjp_value), reads=((), ()),
                      shapes=False)

