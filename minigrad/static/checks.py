"""Operations that look at values while a graph runs: Print, Assert, check_numerics, and Python functions."""

import numpy as np

from minigrad.backends import to_numpy
from minigrad.core.aval import Aval
from minigrad.core.dtypes import as_dtype
from minigrad.errors import InvalidArgumentError
from minigrad.graph import default_graph
from minigrad.graph.sources import source
from minigrad.ops import comparison
from minigrad.ops.reduction import all as every
from minigrad.static.conversion import operands
from minigrad.static.naming import named, tensor


# ----- check_numerics
def check_numerics_kernel(xp, x, *, message):
    host = to_numpy(x)
    if not np.isfinite(host).all():
        what = "NaN" if np.isnan(host).any() else "Inf"
        raise InvalidArgumentError(f"{message} : the tensor of shape {host.shape} had {what} values")
    return x


def same_infer(x, *others, **params):
    return Aval(x.shape, x.dtype)


def passing_vjp(g, y, x, *others, **params):
    return g


check_numerics_p = source("check_numerics", kernel=check_numerics_kernel, infer=same_infer, vjps=(passing_vjp,),
                          reads=(frozenset(),), effects=True, views=True)


def check_numerics(tensor_, message, name=None):
    """The tensor itself; the run fails when it has NaN or infinite values."""
    x = tensor(tensor_)
    return x.graph.innermost().apply(check_numerics_p, (x,), {"message": message}, name or "CheckNumerics")


# ----- Assert
def assert_kernel(xp, condition, *data, summarize):
    if not bool(to_numpy(condition).all()):
        shown = ", ".join([np.array2string(to_numpy(xp.asarray(d)), threshold=summarize) for d in data])
        raise InvalidArgumentError(f"assertion failed: {shown}")
    return condition


def assert_infer(condition, *data, summarize):
    return Aval(condition.shape, condition.dtype)


assert_p = source("assert", kernel=assert_kernel, infer=assert_infer, effects=True, views=True)


def Assert(condition, data, summarize=3, name=None):
    """An operation that fails the run when the condition does not hold, showing `data`."""
    condition = tensor(condition)
    data = tuple([tensor(d) for d in data])
    graph = condition.graph.innermost()
    return graph.apply(assert_p, (condition, *data), {"summarize": summarize}, name or "Assert").operation


def assert_equal(x, y, data=None, summarize=3, message="", name=None):
    """An operation that fails the run when the tensors differ anywhere."""
    x, y = operands("assert_equal", x, y, weak=False)
    return Assert(every(comparison.eq(x, y)), data or [x, y], summarize, name or "assert_equal")


# ----- Print
def print_kernel(xp, x, *data, message, summarize, first_n, counter):
    counter.count += 1
    if first_n < 0 or counter.count <= first_n:
        shown = "".join([f"[{np.array2string(to_numpy(xp.asarray(d)), threshold=summarize)}]" for d in data])
        print(f"{message}{shown}")  # noqa: T201  it is what the operation is for
    return x


print_p = source("print", kernel=print_kernel, infer=same_infer, vjps=(passing_vjp,), reads=(frozenset(),),
                 effects=True, views=True)


def Print(input_, data, message="", first_n=-1, summarize=3, name=None):
    """`input_` itself; when a run needs it, `data` is printed after `message`, the first `first_n` times."""
    x = tensor(input_)
    params = {"message": message, "summarize": summarize, "first_n": first_n, "counter": Counter()}
    return x.graph.innermost().apply(print_p, (x, *[tensor(d) for d in data]), params, name or "Print")


class Counter:
    """How often an operation ran."""

    def __init__(self):
        self.count = 0


# ----- a Python function as an operation
def py_func_kernel(xp, *args, function, dtypes, single):
    results = function(*[to_numpy(xp.asarray(a)) for a in args])
    results = (results,) if single else tuple(results or ())
    arrays = []
    for result, dtype in zip(results, dtypes, strict=True):
        arrays.append(xp.asarray(np.asarray(result, dtype=dtype)))
    return tuple(arrays)


def py_func_infer(*args, function, dtypes, single):
    return tuple([Aval(None, dtype) for dtype in dtypes])


py_func_p = source("py_func", kernel=py_func_kernel, infer=py_func_infer, multiple=True, effects=True)


def py_func(func, inp, Tout, stateful=True, name=None):
    """A Python function of NumPy arrays as an operation: called at every run that needs it. It has no gradient."""
    single = not isinstance(Tout, list | tuple)
    dtypes = tuple([as_dtype(t) for t in ([Tout] if single else Tout)])
    inputs = tuple([tensor(x) for x in inp])
    graph = inputs[0].graph.innermost() if inputs else default_graph()
    params = {"function": func, "dtypes": dtypes, "single": single}
    outputs = named(name, "PyFunc", graph.apply, py_func_p, inputs, params)
    return outputs[0] if single else list(outputs)
