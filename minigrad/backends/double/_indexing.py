"""Reading and writing by index, with CuPy's rules where they differ from NumPy's.

* integer arrays out of range wrap around silently (a plain int out of range raises);
* a full index gives a 0-d view, not a scalar;
* `a[index] = values` with repeated places has no defined winner: here the first value wins, in NumPy the last,
  so code that counts on either is found out;
* `a[...] = host_array` is refused.
"""

import numpy as np

from minigrad.backends.double._memory import SCALAR_TYPES, DeviceArray, describe

# which dtypes the atomic operations of CuPy's kernels have; other dtypes are refused
SCATTER_DTYPES = {
    "add": frozenset("ilqILQefd"),
    "maximum": frozenset("ilqILQfd"),
    "minimum": frozenset("ilqILQfd"),
    "subtract": frozenset("iI"),
    "bitwise_and": frozenset("ilqILQ"),
    "bitwise_or": frozenset("ilqILQ"),
    "bitwise_xor": frozenset("ilqILQ"),
}

BASIC_TYPES = frozenset({int, slice, type(None), type(Ellipsis)} | {np.dtype(char).type for char in "bBhHiIlLqQ"})


def is_basic(key):
    """True for an index of ints, slices, None and Ellipsis only: it selects a view."""
    if type(key) is not tuple:
        return type(key) in BASIC_TYPES
    for item in key:
        if type(item) not in BASIC_TYPES:
            return False
    return True


def read(data, key):
    """`data[key]`: a view for a basic index (0-d too), else a fresh array in C order."""
    if is_basic(key):
        result = data[key]
        if type(result) is np.ndarray:
            return result
        return data[(*key, ...) if type(key) is tuple else (key, ...)]
    result = np.asarray(data[host_key(data, key)])
    return result if result.flags.c_contiguous else np.ascontiguousarray(result)


def write(data, key, value):
    """`data[key] = value`, `value` being a device array or a scalar."""
    raw = assigned_value(value)
    with np.errstate(all="ignore"):
        if is_basic(key):
            refuse_overlap(data, key, raw)
            data[key] = raw
            return
        key = host_key(data, key)
        if has_integer_array(key):
            write_first_wins(data, key, raw)
        else:
            data[key] = raw


def write_first_wins(data, key, raw):
    """Write in reverse order, so that of several values for one place the first stays."""
    places = np.arange(data.size).reshape(data.shape)[key]
    values = np.asarray(raw)
    while values.ndim > places.ndim and values.shape[0] == 1:
        values = values[0]
    values = np.broadcast_to(values, places.shape)
    data.flat[places.ravel()[::-1]] = values.ravel()[::-1]


def scatter(function, data, key, value):
    """`function.at(data, key, value)`: repeated places take part once each.

    With an array of places CuPy runs an atomic operation, which exists for few dtypes; its maximum and minimum of
    floats pass over NaN, and compare float64 in float32.
    """
    raw = assigned_value(value)
    if is_basic(key):
        with np.errstate(all="ignore"):
            function.at(data, key, raw)
        return
    key = host_key(data, key)
    if has_integer_array(key):
        allowed = SCATTER_DTYPES[function.__name__]
        if data.dtype.char not in allowed:
            names = ", ".join(sorted({str(np.dtype(char)) for char in allowed}))
            raise TypeError(f"{function.__name__}.at: CuPy's atomic operation has only {names}, not {data.dtype}; "
                            f"cast to one of them and back")
        if data.dtype.kind == "f" and function in (np.maximum, np.minimum):
            function = np.fmax if function is np.maximum else np.fmin
            raw = np.asarray(raw, dtype=data.dtype).astype(np.float32).astype(data.dtype)
    with np.errstate(all="ignore"):
        function.at(data, key, raw)


def assigned_value(value):
    """What may be assigned: a device array, a scalar, or (as in CuPy) a 0-d host array."""
    if isinstance(value, DeviceArray):
        return value._data
    if type(value) in SCALAR_TYPES:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.item()
    if isinstance(value, (np.ndarray, list, tuple)):
        raise ValueError(f"non-scalar numpy.ndarray cannot be used for fill: assigned was a {describe(value)}; "
                         f"send it over with xp.asarray(...), or use a.set(host_array)")
    raise TypeError(f"a[index] = value: value must be a device array or a scalar, got {describe(value)}")


def refuse_overlap(data, key, raw):
    """Raise where CuPy would copy one block of memory onto itself, shifted: the result is not defined there."""
    if type(raw) is not np.ndarray or raw.dtype != data.dtype:
        return
    target = data[key]
    if type(target) is not np.ndarray or target.strides != raw.strides or target.shape != raw.shape:
        return
    same_start = target.__array_interface__["data"] == raw.__array_interface__["data"]
    if target.flags.c_contiguous and not same_start and np.may_share_memory(target, raw):
        raise ValueError(f"a[index] = value: both are overlapping blocks (shape {raw.shape}) of one array, which "
                         f"CuPy copies in no defined order; copy the value first: value.copy()")


def has_integer_array(key):
    """True where an index (made by `host_key`) has an array of places, so that places can repeat."""
    for item in key:
        if isinstance(item, np.ndarray) and item.dtype != bool:
            return True
    return False


def host_key(data, key):
    """An index with arrays or lists in it, as a tuple that NumPy takes; integer arrays are wrapped into range."""
    items = [index_item(item) for item in (key if type(key) is tuple else (key,))]
    used = [axes_used(item) for item in items]
    wrapped, axis = [], 0
    for item, axes in zip(items, used, strict=True):
        if item is Ellipsis:
            axes = data.ndim - sum(used)
        elif isinstance(item, np.ndarray) and item.dtype != bool and axis < data.ndim and data.shape[axis] > 0:
            item = item.astype(np.intp) % data.shape[axis]
        wrapped.append(item)
        axis += axes
    return tuple(wrapped)


def index_item(item):
    """One part of an index: device and host arrays and lists become NumPy arrays of ints or bools."""
    if isinstance(item, DeviceArray):
        item = item._data
    elif isinstance(item, (list, tuple)):
        # an empty list means no places, not an empty mask of the default dtype float64
        item = np.asarray(item) if len(item) else np.asarray(item, dtype=np.intp)
    if isinstance(item, np.ndarray) and item.dtype.kind not in "biu":
        raise IndexError(f"arrays used as indices must be of integer or boolean type, got {item.dtype}")
    return item


def axes_used(item):
    """How many axes of the indexed array one part of the index stands for (Ellipsis is counted by its caller)."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, np.ndarray) and item.dtype == bool:
        return item.ndim
    return 1
