"""Shapes and places: reshaping, transposing, joining, splitting, repeating, padding, windows."""

import numpy as np

from minigrad.backends.double._memory import (
    DeviceArray,
    axis_not_list,
    check_dtype,
    device_array,
    fresh,
    host_value,
    poison,
    quiet,
    raw_array,
    raw_operand,
    raw_optional,
    raw_sequence,
    view,
    wrap,
)

__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to",
    "column_stack", "concat", "concatenate", "delete", "diagonal", "dsplit", "dstack", "expand_dims", "flip",
    "fliplr", "flipud", "hsplit", "hstack", "matrix_transpose", "moveaxis", "ndim", "pad", "permute_dims", "ravel",
    "repeat", "reshape", "resize", "roll", "rollaxis", "rot90", "shape", "size", "split", "squeeze", "stack",
    "swapaxes", "tile", "transpose", "vsplit", "vstack",
]

# mode -> the options that go with it
PAD_MODES = {
    "constant": {"constant_values"}, "edge": set(), "empty": set(), "linear_ramp": {"end_values"},
    "maximum": {"stat_length"}, "mean": {"stat_length"}, "minimum": {"stat_length"}, "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"}, "wrap": set(),
}


# ---- what an array says of itself


def shape(a):
    return a.shape if isinstance(a, DeviceArray) else np.shape(a)


def ndim(a):
    return a.ndim if isinstance(a, DeviceArray) else np.ndim(a)


def size(a, axis=None):
    raw = raw_array("size", "a", a)
    return raw.size if axis is None else raw.shape[axis]


# ---- the same elements in another shape


def reshape(a, newshape, order="C", *, copy=None):
    return device_array("reshape", "a", a).reshape(newshape, order=order, copy=copy)


def ravel(a, order="C"):
    return device_array("ravel", "a", a).ravel(order)


def transpose(a, axes=None):
    return device_array("transpose", "a", a).transpose(axes)


def permute_dims(a, axes=None):
    return device_array("permute_dims", "a", a).transpose(axes)


def matrix_transpose(x, /):
    raw = raw_array("matrix_transpose", "x", x)
    if raw.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {raw.ndim}")
    return wrap(raw.swapaxes(-1, -2))


def swapaxes(a, axis1, axis2):
    return device_array("swapaxes", "a", a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    return wrap(np.moveaxis(raw_array("moveaxis", "a", a), source, destination))


def rollaxis(a, axis, start=0):
    return wrap(np.rollaxis(raw_array("rollaxis", "a", a), axis, start))


def squeeze(a, axis=None):
    return device_array("squeeze", "a", a).squeeze(axis)


def expand_dims(a, axis):
    return wrap(np.expand_dims(raw_array("expand_dims", "a", a), axis_not_list("expand_dims", axis)))


def diagonal(a, offset=0, axis1=0, axis2=1):
    return device_array("diagonal", "a", a).diagonal(offset, axis1, axis2)


def atleast_1d(*arys):
    return at_least(np.atleast_1d, arys)


def atleast_2d(*arys):
    return at_least(np.atleast_2d, arys)


def atleast_3d(*arys):
    return at_least(np.atleast_3d, arys)


def at_least(function, arrays):
    """One array, or a list of them, with the dimensions that `function` sees to."""
    results = [wrap(function(raw)) for raw in raw_sequence(function.__name__, "arys", arrays)]
    return results[0] if len(results) == 1 else results


def flip(a, axis=None):
    return wrap(np.flip(raw_array("flip", "a", a), axis_not_list("flip", axis)))


def fliplr(a):
    return wrap(np.fliplr(raw_array("fliplr", "a", a)))


def flipud(a):
    return wrap(np.flipud(raw_array("flipud", "a", a)))


def rot90(a, k=1, axes=(0, 1)):
    return wrap(np.rot90(raw_array("rot90", "a", a), k, axes))


# ---- broadcasting: the results can be written through, which changes every place that shares the memory


def broadcast_to(array, shape):
    if not isinstance(shape, (tuple, list)):
        shape = (shape,)
    raw = raw_array("broadcast_to", "array", array)
    return view(np.broadcast_to(raw, host_value("broadcast_to", "shape", shape)))


def broadcast_arrays(*args):
    raw = [raw_operand("broadcast_arrays", "each argument", arg) for arg in args]
    common = np.broadcast_shapes(*[np.shape(item) for item in raw])
    return tuple([view(np.broadcast_to(item, common)) for item in raw])


# ---- joining and splitting


def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return join(np.concatenate, tup, axis, out, dtype, casting)


concat = concatenate


def stack(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return join(np.stack, tup, axis, out, dtype, casting)


def join(function, tup, axis, out, dtype, casting):
    raw = raw_sequence(function.__name__, "tup", tup)
    result = function(raw, axis=host_value(function.__name__, "axis", axis),
                      out=raw_optional(function.__name__, "out", out),
                      dtype=None if dtype is None else check_dtype(dtype), casting=casting)
    return fresh(result) if out is None else out


def vstack(tup, *, dtype=None, casting="same_kind"):
    return fresh(np.vstack(raw_sequence("vstack", "tup", tup), dtype=dtype, casting=casting))


def hstack(tup, *, dtype=None, casting="same_kind"):
    return fresh(np.hstack(raw_sequence("hstack", "tup", tup), dtype=dtype, casting=casting))


def dstack(tup):
    return fresh(np.dstack(raw_sequence("dstack", "tup", tup)))


def column_stack(tup):
    return fresh(np.column_stack(raw_sequence("column_stack", "tup", tup)))


def append(arr, values, axis=None):
    return fresh(np.append(raw_array("append", "arr", arr), raw_operand("append", "values", values), axis))


def split(ary, indices_or_sections, axis=0):
    return parts(np.split, ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    return parts(np.array_split, ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    return parts(np.vsplit, ary, indices_or_sections)


def hsplit(ary, indices_or_sections):
    return parts(np.hsplit, ary, indices_or_sections)


def dsplit(ary, indices_or_sections):
    return parts(np.dsplit, ary, indices_or_sections)


def parts(function, ary, indices_or_sections, *axis):
    """The list of views that `function` splits an array into."""
    raw = raw_array(function.__name__, "ary", ary)
    where = host_value(function.__name__, "indices_or_sections", indices_or_sections)
    return [wrap(part) for part in function(raw, where, *axis)]


def delete(arr, indices, axis=None):
    raw = raw_array("delete", "arr", arr)
    return fresh(np.delete(raw, indices._data if isinstance(indices, DeviceArray) else indices, axis))


# ---- more of the same elements


def repeat(a, repeats, axis=None):
    return device_array("repeat", "a", a).repeat(repeats, axis)


def tile(A, reps):
    return fresh(np.tile(raw_array("tile", "A", A), host_value("tile", "reps", reps)))


def resize(a, new_shape):
    return fresh(np.resize(raw_array("resize", "a", a), host_value("resize", "new_shape", new_shape)))


def roll(a, shift, axis=None):
    """`shift` may be a device array, which NumPy's function has not."""
    raw = raw_array("roll", "a", a)
    return fresh(np.roll(raw, shift._data if isinstance(shift, DeviceArray) else shift, axis))


def pad(array, pad_width, mode="constant", **kwargs):
    """As NumPy's, without mode "median"; widths and values are host numbers, and "empty" leaves old data around."""
    raw = raw_array("pad", "array", array)
    if callable(mode):
        raise NotImplementedError("pad: the double has no functions as modes")
    if mode not in PAD_MODES:
        raise ValueError(f"mode {mode!r} is not supported; CuPy has {sorted(PAD_MODES)}")
    unknown = set(kwargs) - PAD_MODES[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {sorted(unknown)}")
    for name, value in kwargs.items():
        host_value("pad", name, value)
    widths = np.asarray(host_value("pad", "pad_width", pad_width))
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    with quiet():
        if mode != "empty":
            return fresh(np.pad(raw, widths, mode, **kwargs))
        # pad with a mark where the new places are, so that they can be filled with old data
        marks = np.pad(np.zeros(raw.shape, bool), widths, constant_values=True)
        result = np.pad(raw, widths)
        result[marks] = poison(np.empty(1, raw.dtype))[0]
        return fresh(result)
