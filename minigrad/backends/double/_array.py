"""`ndarray`: CuPy's array class over NumPy memory. It has the operators, methods and attributes that CuPy's has,
with CuPy's parameters, and no others; what would quietly bring data to the host raises.
"""

import sys

import numpy as np

from minigrad.backends.double._indexing import read, write
from minigrad.backends.double._memory import (
    SCALAR_TYPES,
    DeviceArray,
    check_dtype,
    describe,
    host_value,
    uninitialised,
    wrap,
)
from minigrad.backends.double._methods import Methods
from minigrad.backends.double._operators import Operators
from minigrad.backends.double._stride_tricks import owner_of

# attributes of CuPy's arrays for which the double has no device
ON_DEVICE_ONLY = frozenset({"cstruct", "data", "device", "flat", "mdspan", "reduced_view", "toDlpack"})


class Flags:
    """Memory layout of a device array. CuPy's arrays are always writable, so there is no `writeable` flag."""

    __slots__ = ("c_contiguous", "f_contiguous", "owndata")

    def __init__(self, flags):
        self.c_contiguous = flags.c_contiguous
        self.f_contiguous = flags.f_contiguous
        self.owndata = flags.owndata

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        names = {"C_CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "OWNDATA": "owndata"}
        if name not in names:
            raise KeyError(f"{name!r} is not a flag of a device array; there are {sorted(names)}")
        return getattr(self, names[name])

    def __repr__(self):
        return (f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n"
                f"  OWNDATA : {self.owndata}")


class ndarray(Operators, Methods):
    """An array in device memory.

    Made by `asarray`, `zeros` and the like; calling the class gives uninitialised memory, as in CuPy.
    The memory is reached from the host by `get()` only, which copies.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        if memptr is not None or strides is not None:
            raise NotImplementedError("ndarray: memptr and strides exist on a GPU only; use as_strided for views")
        self._data = uninitialised(host_value("ndarray", "shape", shape), dtype, order)

    def __getattr__(self, name):
        if name in ON_DEVICE_ONLY:
            raise AttributeError(f"'ndarray' object: CuPy's arrays have {name!r}, but the double has no device for it")
        if hasattr(np.ndarray, name):
            raise AttributeError(f"'ndarray' object has no attribute {name!r}: NumPy's arrays have it, CuPy's have not")
        raise AttributeError(f"'ndarray' object has no attribute {name!r}")

    # ---- attributes

    @property
    def shape(self):
        return self._data.shape

    @property
    def dtype(self):
        return self._data.dtype

    @property
    def ndim(self):
        return self._data.ndim

    @property
    def size(self):
        return self._data.size

    @property
    def itemsize(self):
        return self._data.itemsize

    @property
    def nbytes(self):
        return self._data.nbytes

    @property
    def strides(self):
        return self._data.strides

    @property
    def flags(self):
        return Flags(self._data.flags)

    @property
    def base(self):
        """None for an array that owns its memory, else an array over all the memory that this view is part of."""
        return None if self._data.base is None else wrap(owner_of(self._data))

    @property
    def T(self):
        return wrap(self._data.T)

    @property
    def mT(self):
        return wrap(self._data.mT)

    @property
    def real(self):
        return wrap(self._data.real)

    @property
    def imag(self):
        return wrap(self._data.imag if self._data.dtype.kind == "c" else np.zeros_like(self._data, order="C"))

    # ---- to the host, by name only

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A copy in host memory (a NumPy array); `out` may be a NumPy array of this shape and dtype."""
        if out is None:
            return self._data.copy(order)
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype:
            raise TypeError(f"get: out must be a NumPy array of dtype {self.dtype}, got {describe(out)}")
        if out.shape != self.shape:
            raise ValueError(f"get: out must have shape {self.shape}, got {out.shape}")
        out[...] = self._data
        return out

    def set(self, arr, stream=None):
        """Copy a NumPy array of this very shape and dtype into this (contiguous) array."""
        if not isinstance(arr, np.ndarray):
            raise TypeError(f"set: only a numpy.ndarray can be set, got {describe(arr)}")
        if arr.dtype != self.dtype:
            raise TypeError(f"set: {arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"set: shape mismatch, this array has {self.shape}, the host array {arr.shape}")
        if not self.flags.forc:
            raise RuntimeError("set: cannot set a non-contiguous array; set a contiguous one and assign that")
        self._data[...] = arr

    def item(self):
        return self._data.item()

    def tolist(self):
        return self._data.tolist()

    def tobytes(self, order="C"):
        return self._data.tobytes(order)

    def tofile(self, fid, sep="", format="%s"):
        self._data.tofile(fid, sep, format)

    def dump(self, file):
        self._data.dump(file)

    def dumps(self):
        return self._data.dumps()

    def __int__(self):
        return int(self._data)

    def __float__(self):
        return float(self._data)

    def __complex__(self):
        return complex(self._data)

    def __bool__(self):
        return bool(self._data)

    def __bytes__(self):
        return bytes(self._data)

    def __repr__(self):
        return repr(self._data)

    def __str__(self):
        return str(self._data)

    def __format__(self, spec):
        return format(self._data.item() if self._data.ndim == 0 else self._data, spec)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. "
                        "Please use `.get()` to construct a NumPy array explicitly.")

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return from_host, (self.get(),)

    # ---- as a container

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        if self._data.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return rows(self._data)

    def __getitem__(self, key):
        return wrap(read(self._data, key))

    def __setitem__(self, key, value):
        write(self._data, key, value)

    def fill(self, value):
        if isinstance(value, (DeviceArray, np.ndarray)) and value.ndim > 0:
            raise ValueError(f"fill: the value must be a scalar or 0-d, got {describe(value)}")
        write(self._data, ..., value)

    # ---- calls of NumPy's own functions: answered by the double's function of that name, as CuPy does

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        function = getattr(namespace(), ufunc.__name__, None)
        if function is None:
            return NotImplemented
        for value in inputs:
            if not isinstance(value, (DeviceArray, np.ndarray)) and type(value) not in SCALAR_TYPES:
                return NotImplemented
        if isinstance(kwargs.get("out"), tuple) and len(kwargs["out"]) == 1:
            kwargs["out"] = kwargs["out"][0]
        return function(*inputs, **kwargs) if method == "__call__" else getattr(function, method)(*inputs, **kwargs)

    def __array_function__(self, func, types, args, kwargs):
        for kind in types:
            if not issubclass(kind, (DeviceArray, np.ndarray)):
                return NotImplemented
        function = namespace()
        for name in (*func.__module__.split(".")[1:], func.__name__):
            function = getattr(function, name, None)
        return NotImplemented if function is None else function(*args, **kwargs)


DeviceArray._concrete = ndarray


def rows(data):
    """The rows of an array one after the other, as views."""
    for row in range(len(data)):
        yield wrap(data[row, ...])


def from_host(array):
    """A device array with the values of a NumPy array (always a copy)."""
    return wrap(np.array(array, dtype=check_dtype(array.dtype), order="C"))


def namespace():
    """The double as a module: where NumPy's functions look for their counterparts."""
    return sys.modules["minigrad.backends.double"]
