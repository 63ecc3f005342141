"""Making arrays: from the host, filled, in ranges, on grids. What describes the result (shapes, counts, bounds) must be
known on the host; `empty` and its relatives are filled with values that show when they are read.
"""

import numpy as np

from minigrad.backends.double._memory import (
    DeviceArray,
    check_dtype,
    describe,
    device_array,
    fresh,
    fresh_all,
    host_value,
    poison,
    raw_array,
    raw_operand,
    raw_sequence,
    refuse,
    uninitialised,
    wrap,
)

__all__ = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "asnumpy", "astype", "copy",
    "copyto", "diag", "diag_indices", "diagflat", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "get_array_module", "identity", "indices", "ix_", "linspace", "logspace", "meshgrid", "ones", "ones_like", "tri",
    "tril", "tril_indices", "triu", "triu_indices", "vander", "zeros", "zeros_like",
]


# ---- from the host, and back


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A device array of a device array, a host array, a scalar, or a nested list of numbers or of device arrays."""
    dtype = None if dtype is None else check_dtype(dtype)
    if isinstance(obj, DeviceArray):
        raw = np.array(obj._data, dtype=dtype, copy=copy, order=order, ndmin=ndmin)
        return obj if raw is obj._data else wrap(raw)
    if copy is False:
        raise ValueError("array: copy=False, but sending to the device always copies")
    if isinstance(obj, (list, tuple)):
        obj = joined(obj)
    raw = np.array(obj, dtype=dtype, order=order, ndmin=ndmin)
    return wrap(raw.astype(check_dtype(raw.dtype), copy=False))


def joined(items):
    """A list of numbers as it is, one of equal device arrays stacked; a mixture cannot be converted."""
    found = [isinstance(leaf, DeviceArray) for leaf in leaves(items)]
    if not any(found):
        return items
    if not all(found):
        raise TypeError("Implicit conversion to a NumPy array is not allowed: the list has device arrays and other "
                        "values; make arrays of all of them and use xp.stack")
    return nested_raw(items)


def leaves(items):
    """The elements of nested lists that are no lists, one after the other."""
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from leaves(item)
        else:
            yield item


def nested_raw(items):
    """Nested lists of device arrays with their memory in place of them."""
    return [nested_raw(item) if isinstance(item, (list, tuple)) else item._data for item in items]


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """A device array of `a`: `a` itself where it is one of the right dtype, else as `array`."""
    return array(a, dtype, copy, order or "K")


def asanyarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return array(a, dtype, copy, order or "K")


def ascontiguousarray(a, dtype=None):
    return at_least_1d(array(device_array("ascontiguousarray", "a", a), dtype, None, "C"))


def asfortranarray(a, dtype=None):
    return at_least_1d(array(device_array("asfortranarray", "a", a), dtype, None, "F"))


def at_least_1d(array):
    """0-d becomes shape (1,), the rest stays what it is."""
    return array if array.ndim else array.reshape(1)


def from_dlpack(array, *, device=None, copy=None):
    """Another library's array on the same device: of those only the double's own exist here."""
    return wrap(raw_array("from_dlpack", "array", array).view())


def astype(x, dtype, /, *, copy=True):
    return device_array("astype", "x", x).astype(dtype, copy=copy)


def copy(a, order="K"):
    return device_array("copy", "a", a).copy(order)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The values in a NumPy array: the one call, beside `get`, that brings data to the host."""
    if isinstance(a, DeviceArray):
        return a.get(stream, order, out)
    if out is None:
        return np.asarray(a, order=order)
    np.copyto(out, a)
    return out


def get_array_module(*args):
    """The double where one argument is a device array, else NumPy."""
    from minigrad.backends.double._array import namespace

    for arg in args:
        if isinstance(arg, DeviceArray):
            return namespace()
    return np


def copyto(dst, src, casting="same_kind", where=None):
    target = raw_array("copyto", "dst", dst)
    if isinstance(src, np.ndarray):
        if src.size != 1:
            raise ValueError(f"non-scalar numpy.ndarray cannot be used for copyto: src is a {describe(src)}")
        src = src.reshape(())[()]
    raw = raw_operand("copyto", "src", src)
    mask = True if where is None else raw_array("copyto", "where", where)
    with np.errstate(all="ignore"):
        np.copyto(target, raw, casting=casting, where=mask)


# ---- of a shape


def empty(shape, dtype=float, order="C"):
    return wrap(uninitialised(host_value("empty", "shape", shape), dtype, order))


def zeros(shape, dtype=float, order="C"):
    return wrap(np.zeros(host_value("zeros", "shape", shape), check_dtype(dtype), order))


def ones(shape, dtype=float, order="C"):
    return wrap(np.ones(host_value("ones", "shape", shape), check_dtype(dtype), order))


def full(shape, fill_value, dtype=None, order="C"):
    """`fill_value` is a scalar or a device array that broadcasts to the shape."""
    if dtype is None:
        dtype = np.result_type(raw_operand("full", "fill_value", fill_value)) if isinstance(
            fill_value, DeviceArray) else np.asarray(fill_value).dtype
    result = empty(shape, dtype, order)
    copyto(result, fill_value, casting="unsafe")
    return result


def like(prototype, dtype, order, subok, shape):
    """Raw uninitialised memory like that of a device array."""
    raw = raw_array("empty_like", "a", prototype)
    if subok is not None:
        raise TypeError("subok is not supported yet")
    # CuPy takes () for 'shape not given'
    shape = host_value("empty_like", "shape", shape) or None
    return np.empty_like(raw, dtype=raw.dtype if dtype is None else check_dtype(dtype), order=order, subok=False,
                         shape=shape)


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    return wrap(poison(like(prototype, dtype, order, subok, shape)))


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    raw = like(a, dtype, order, subok, shape)
    raw.fill(0)
    return wrap(raw)


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    raw = like(a, dtype, order, subok, shape)
    raw.fill(1)
    return wrap(raw)


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    result = wrap(like(a, dtype, order, subok, shape))
    copyto(result, fill_value, casting="unsafe")
    return result


# ---- matrices


def eye(N, M=None, k=0, dtype=float, order="C"):
    size = host_value("eye", "N, M and k", (N, M, k))
    return wrap(np.eye(*size, dtype=check_dtype(dtype), order=order))


def identity(n, dtype=float):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=float):
    size = host_value("tri", "N, M and k", (N, M, k))
    return wrap(np.tri(*size, dtype=check_dtype(dtype)))


def tril(m, k=0):
    return fresh(np.tril(raw_array("tril", "m", m), host_value("tril", "k", k)))


def triu(m, k=0):
    return fresh(np.triu(raw_array("triu", "m", m), host_value("triu", "k", k)))


def diag(v, k=0):
    # a copy for matrices too: CuPy returns no view here
    return fresh(np.diag(raw_array("diag", "v", v), host_value("diag", "k", k)).copy())


def diagflat(v, k=0):
    return fresh(np.diagflat(raw_array("diagflat", "v", v), host_value("diagflat", "k", k)))


def vander(x, N=None, increasing=False):
    return fresh(np.vander(raw_array("vander", "x", x), N, increasing))


# ---- ranges and grids


def arange(start, stop=None, step=1, dtype=None):
    """Bounds are Python numbers; without a dtype the result is float64 where one of them is a float, else int64."""
    host_value("arange", "bounds", (start, stop, step))
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        is_float = any(isinstance(bound, (float, np.floating)) for bound in (start, stop, step))
        dtype = float if is_float else int
    return wrap(np.arange(start, stop, 1 if step is None else step, check_dtype(dtype)))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    if num < 0:
        raise ValueError("linspace with num<0 is not supported")
    result = np.linspace(raw_operand("linspace", "start", start), raw_operand("linspace", "stop", stop),
                         host_value("linspace", "num", num), endpoint, retstep, dtype, axis)
    return (fresh(result[0]), result[1]) if retstep else fresh(result)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    result = np.logspace(raw_operand("logspace", "start", start), raw_operand("logspace", "stop", stop),
                         host_value("logspace", "num", num), endpoint, base, dtype, axis)
    return fresh(result)


def meshgrid(*xi, **kwargs):
    """Grids of 1-d device arrays; options are `indexing`, `sparse` and `copy`."""
    unknown = sorted(set(kwargs) - {"indexing", "sparse", "copy"})
    if unknown:
        raise TypeError(f"meshgrid() got an unexpected keyword argument {unknown[0]!r}")
    for x in xi:
        if raw_array("meshgrid", "each of xi", x).ndim != 1:
            raise ValueError(f"meshgrid: input has to be 1d in CuPy, got a {describe(x)}")
    if len(xi) <= 1:
        return tuple(xi)
    return fresh_all(np.meshgrid(*[x._data for x in xi], **kwargs))


def indices(dimensions, dtype=int):
    return wrap(np.indices(host_value("indices", "dimensions", dimensions), check_dtype(dtype)))


def ix_(*args):
    return fresh_all(np.ix_(*raw_sequence("ix_", "args", args)))


def tril_indices(n, k=0, m=None):
    return fresh_all(np.tril_indices(*host_value("tril_indices", "n, k and m", (n, k, m))))


def triu_indices(n, k=0, m=None):
    return fresh_all(np.triu_indices(*host_value("triu_indices", "n, k and m", (n, k, m))))


def diag_indices(n, ndim=2):
    if not isinstance(n, (int, np.integer)):
        refuse("diag_indices", "n", n, "an int")
    return fresh_all(np.diag_indices(n, ndim))
