"""Device memory and what may meet it: the rules that every operation of the double applies to its arguments.

`DeviceArray` only holds the memory. The `raw_*` functions turn one argument into what NumPy may compute with,
or refuse it as CuPy would: a host array, a list, or a dtype that a GPU does not have. `wrap` and `fresh` make device
arrays of what NumPy computed.
"""

import warnings

import numpy as np

SUPPORTED_DTYPES = frozenset("?bBhHiIlLqQefdFD")
SCALAR_TYPES = frozenset({bool, int, float, complex} | {np.dtype(char).type for char in SUPPORTED_DTYPES})


class DeviceArray:
    """An array's memory. `_data` is a NumPy array that stands for memory on the device."""

    __slots__ = ("_data",)

    # the class of all device arrays, which has the operators and methods; set where it is defined
    _concrete: type = None  # type: ignore[assignment]


# ---- making device arrays


def wrap(raw):
    """A device array over `raw`; a NumPy scalar becomes a 0-d array."""
    if type(raw) is not np.ndarray:
        raw = np.asarray(raw)
    array = object.__new__(DeviceArray._concrete)
    array._data = raw
    return array


def fresh(raw):
    """A device array over a newly computed `raw`, in C order as CuPy makes its results."""
    raw = np.asarray(raw)
    return wrap(raw if raw.flags.c_contiguous else np.ascontiguousarray(raw))


def fresh_all(results):
    """A tuple of device arrays over newly computed results."""
    return tuple([fresh(raw) for raw in results])


def view(raw):
    """A device array over a view that NumPy made read-only: CuPy's views can all be written through."""
    if not raw.flags.writeable:
        raw.flags.writeable = True
    return wrap(raw)


def uninitialised(shape, dtype, order="C"):
    """Memory as a GPU hands it out, with old data in it: NaN, the largest int, or True, so that reading it shows."""
    return poison(np.empty(shape, check_dtype(dtype), order))


def poison(raw):
    """Fill `raw` with the values that stand for 'not defined'."""
    if raw.dtype.kind in "fc":
        raw.fill(np.nan)
    elif raw.dtype.kind in "iu":
        raw.fill(np.iinfo(raw.dtype).max)
    else:
        raw.fill(True)
    return raw


class quiet:
    """Context in which NumPy says nothing: a GPU raises no floating point warnings, and CuPy warns of no empty mean."""

    def __enter__(self):
        self.state = np.errstate(all="ignore")
        self.caught = warnings.catch_warnings()
        self.state.__enter__()
        self.caught.__enter__()
        warnings.simplefilter("ignore", RuntimeWarning)

    def __exit__(self, *details):
        self.caught.__exit__(*details)
        self.state.__exit__(*details)


# ---- arguments


def check_dtype(dtype):
    """`dtype` as a `numpy.dtype`, or ValueError where CuPy has no such dtype (object, str, datetime, long double)."""
    dtype = np.dtype(dtype)
    if dtype.char not in SUPPORTED_DTYPES:
        raise ValueError(f"Unsupported dtype {dtype}: a device array holds bool, int, float or complex of at most "
                         f"64 bits a real number")
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def describe(value):
    """A short text for messages: the type, and the shape and dtype where there are any."""
    if isinstance(value, (DeviceArray, np.ndarray)):
        data = value._data if isinstance(value, DeviceArray) else value
        place = "device" if isinstance(value, DeviceArray) else "host (NumPy)"
        return f"{place} array of shape {data.shape} and dtype {data.dtype}"
    return f"{type(value).__name__} {value!r:.60}"


def refuse(function, parameter, value, expected):
    """Raise the TypeError for an argument that CuPy does not take."""
    fix = ""
    if isinstance(value, np.ndarray):
        fix = "; CuPy never mixes host and device arrays: send it over with xp.asarray(...)"
    elif isinstance(value, (list, tuple)):
        fix = "; CuPy converts no sequence by itself: make an array with xp.asarray(...)"
    raise TypeError(f"{function}: {parameter} must be {expected}, got {describe(value)}{fix}")


def device_array(function, parameter, value):
    """`value`, which must be a device array."""
    if isinstance(value, DeviceArray):
        return value
    return refuse(function, parameter, value, "a device array")


def raw_array(function, parameter, value):
    """The memory of an argument that must be a device array."""
    if isinstance(value, DeviceArray):
        return value._data
    return refuse(function, parameter, value, "a device array")


def raw_optional(function, parameter, value):
    """The memory of an argument that must be a device array, or None where it was not given (`out`)."""
    return None if value is None else raw_array(function, parameter, value)


def raw_operand(function, parameter, value):
    """An argument that may be a device array or a scalar."""
    if isinstance(value, DeviceArray):
        return value._data
    if type(value) in SCALAR_TYPES:
        return value
    return refuse(function, parameter, value, "a device array or a scalar")


def raw_indices(function, parameter, value):
    """An argument that may also be a list or tuple of plain numbers, which CuPy sends to the device."""
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, (DeviceArray, np.ndarray)):
                refuse(function, parameter, item, "a device array or a list of plain numbers")
        return np.asarray(value, dtype=np.intp)
    return raw_operand(function, parameter, value)


def raw_sequence(function, parameter, value):
    """An argument that is a list or tuple of device arrays, or one device array taken as a list of its rows."""
    if isinstance(value, DeviceArray):
        return list(value._data)
    if not isinstance(value, (list, tuple)):
        return refuse(function, parameter, value, "a list or tuple of device arrays")
    return [raw_array(function, f"each of {parameter}", item) for item in value]


def host_value(function, parameter, value):
    """An argument that describes (axis, shape, count, mode): the host must know it, so a device array is refused."""
    items = value if isinstance(value, (list, tuple)) else (value,)
    for item in items:
        if isinstance(item, DeviceArray):
            raise TypeError(f"{function}: {parameter} must be known on the host, got a {describe(item)}; an 'ndarray' "
                            f"object cannot be interpreted as an integer: use int(...) if a wait for the device is "
                            f"meant")
    return value


def axis_not_list(function, axis):
    """An axis argument for which CuPy takes an int or a tuple, but no list."""
    if isinstance(axis, list):
        raise TypeError(f"{function}: axis must be an int or a tuple of ints, got the list {axis}")
    return host_value(function, "axis", axis)
