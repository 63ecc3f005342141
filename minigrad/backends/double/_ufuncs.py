"""CuPy's universal functions: NumPy's loops with CuPy's call.

A call takes `out`, `dtype` and `casting` and nothing else (no `where`). Operands are device arrays and scalars; the
result is a device array, 0-d where all operands are. `at` exists for seven functions, `reduce` for two.
"""

import numpy as np

from minigrad.backends.double._elementwise import elementwise
from minigrad.backends.double._indexing import SCATTER_DTYPES, scatter
from minigrad.backends.double._memory import (
    fresh,
    host_value,
    quiet,
    raw_array,
    raw_indices,
    raw_operand,
    raw_optional,
    wrap,
)

REDUCIBLE = frozenset({"add", "multiply"})


class ufunc:
    """One universal function.

    Attributes:
        nin, nout, nargs: how many inputs and outputs it has, and both together.
        name: CuPy's name for it, used in messages.
    """

    def __init__(self, function):
        self._function = function
        self.name = f"cupy_{function.__name__}"
        self.nin = function.nin
        self.nout = function.nout
        self.nargs = function.nargs

    def __call__(self, *args, **kwargs):
        unknown = sorted(set(kwargs) - {"out", "dtype", "casting"})
        if unknown:
            raise TypeError(f"{self.name}: Wrong arguments {unknown}; CuPy's ufuncs have out, dtype and casting")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or "
                            f"{self.nargs} (with outputs), but given {len(args)}.")
        out = kwargs.pop("out", None)
        if len(args) > self.nin:
            if out is not None:
                raise ValueError(f"{self.name}: cannot specify 'out' as both a positional and a keyword argument")
            out = args[self.nin] if self.nout == 1 else args[self.nin:]
        result = elementwise(self._function, args[:self.nin], out=out, **kwargs)
        if self.nout > 1:
            given = out if isinstance(out, tuple) else (None,) * self.nout
            return tuple([wrap(raw) if place is None else place for raw, place in zip(result, given, strict=True)])
        if isinstance(out, tuple):
            out = out[0]
        return wrap(result) if out is None else out

    def at(self, a, indices, b=None):
        """`a[indices] = f(a[indices], b)` in place, where repeated places take part once each."""
        if self._function.__name__ not in SCATTER_DTYPES:
            raise NotImplementedError(f"`{self.name}.at` is not supported yet; CuPy has it for "
                                      f"{', '.join(sorted(SCATTER_DTYPES))}")
        scatter(self._function, raw_array(f"{self.name}.at", "a", a), indices, b)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        self._only_for_reducible("reduce")
        raw = raw_array(f"{self.name}.reduce", "array", array)
        with quiet():
            result = self._function.reduce(raw, axis=host_value(self.name, "axis", axis), dtype=dtype,
                                           out=raw_optional(self.name, "out", out), keepdims=keepdims)
        return fresh(result) if out is None else out

    def accumulate(self, array, axis=0, dtype=None, out=None):
        self._only_for_reducible("accumulate")
        raw = raw_array(f"{self.name}.accumulate", "array", array)
        with quiet():
            result = self._function.accumulate(raw, axis=axis, dtype=dtype, out=raw_optional(self.name, "out", out))
        return fresh(result) if out is None else out

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        if self._function is not np.add:
            raise NotImplementedError(f"`{self.name}.reduceat` is not supported yet; CuPy has it for add")
        raw = raw_array(f"{self.name}.reduceat", "array", array)
        places = raw_indices(f"{self.name}.reduceat", "indices", indices)
        with quiet():
            result = self._function.reduceat(raw, places, axis=axis, dtype=dtype,
                                             out=raw_optional(self.name, "out", out))
        return fresh(result) if out is None else out

    def outer(self, A, B, **kwargs):
        """The function of every pair of elements: shape `A.shape + B.shape`."""
        raw_A, raw_B = raw_array(f"{self.name}.outer", "A", A), raw_array(f"{self.name}.outer", "B", B)
        return self(wrap(raw_A.reshape(raw_A.shape + (1,) * raw_B.ndim)), B, **kwargs)

    def _only_for_reducible(self, method):
        if self._function.__name__ not in REDUCIBLE:
            raise NotImplementedError(f"`{self.name}.{method}` is not supported yet; CuPy has it for add and multiply")

    def __repr__(self):
        return f"<ufunc '{self.name}'>"


class derived_ufunc(ufunc):
    """A universal function of one input that NumPy has as a plain function, with the dtypes of the ufunc `like`.

    For bool, int8 and int16 these are float16 and float32, where NumPy's plain function goes to float64.
    """

    def __init__(self, function, like):
        super().__init__(like)
        self._plain = function
        self.name = f"cupy_{function.__name__}"

    def __call__(self, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        with quiet():
            result._data[...] = self._plain(raw_array(self.name, "the operand", args[0]))
        return result


class rounding_ufunc(ufunc):
    """A rounding function, which leaves integers and bools as they are (NumPy's makes floats of them before 2.1)."""

    def __call__(self, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        dtype = np.result_type(raw_operand(self.name, "the operand", args[0]))
        if dtype.kind in "biu" and result.dtype != dtype and len(args) == 1 and not kwargs:
            return result.astype(dtype)
        return result


# ---- arithmetic
add = ufunc(np.add)
subtract = ufunc(np.subtract)
multiply = ufunc(np.multiply)
divide = true_divide = ufunc(np.true_divide)
floor_divide = ufunc(np.floor_divide)
remainder = mod = ufunc(np.remainder)
fmod = ufunc(np.fmod)
divmod = ufunc(np.divmod)
power = pow = ufunc(np.power)
float_power = ufunc(np.float_power)
negative = ufunc(np.negative)
positive = ufunc(np.positive)
absolute = abs = ufunc(np.absolute)
fabs = ufunc(np.fabs)
sign = ufunc(np.sign)
reciprocal = ufunc(np.reciprocal)
square = ufunc(np.square)
sqrt = ufunc(np.sqrt)
cbrt = ufunc(np.cbrt)
gcd = ufunc(np.gcd)
lcm = ufunc(np.lcm)
conjugate = conj = ufunc(np.conjugate)

# ---- exponentials and logarithms
exp = ufunc(np.exp)
exp2 = ufunc(np.exp2)
expm1 = ufunc(np.expm1)
log = ufunc(np.log)
log2 = ufunc(np.log2)
log10 = ufunc(np.log10)
log1p = ufunc(np.log1p)
logaddexp = ufunc(np.logaddexp)
logaddexp2 = ufunc(np.logaddexp2)

# ---- angles
sin = ufunc(np.sin)
cos = ufunc(np.cos)
tan = ufunc(np.tan)
arcsin = asin = ufunc(np.arcsin)
arccos = acos = ufunc(np.arccos)
arctan = atan = ufunc(np.arctan)
arctan2 = atan2 = ufunc(np.arctan2)
hypot = ufunc(np.hypot)
sinh = ufunc(np.sinh)
cosh = ufunc(np.cosh)
tanh = ufunc(np.tanh)
arcsinh = asinh = ufunc(np.arcsinh)
arccosh = acosh = ufunc(np.arccosh)
arctanh = atanh = ufunc(np.arctanh)
degrees = rad2deg = ufunc(np.degrees)
radians = deg2rad = ufunc(np.radians)
sinc = derived_ufunc(np.sinc, np.sin)
i0 = derived_ufunc(np.i0, np.exp)

# ---- rounding and the parts of a float
floor = rounding_ufunc(np.floor)
ceil = rounding_ufunc(np.ceil)
trunc = fix = rounding_ufunc(np.trunc)
rint = ufunc(np.rint)
frexp = ufunc(np.frexp)
ldexp = ufunc(np.ldexp)
modf = ufunc(np.modf)
copysign = ufunc(np.copysign)
nextafter = ufunc(np.nextafter)
signbit = ufunc(np.signbit)
heaviside = ufunc(np.heaviside)

# ---- comparison and extremes
equal = ufunc(np.equal)
not_equal = ufunc(np.not_equal)
less = ufunc(np.less)
less_equal = ufunc(np.less_equal)
greater = ufunc(np.greater)
greater_equal = ufunc(np.greater_equal)
maximum = ufunc(np.maximum)
minimum = ufunc(np.minimum)
fmax = ufunc(np.fmax)
fmin = ufunc(np.fmin)
isfinite = ufunc(np.isfinite)
isinf = ufunc(np.isinf)
isnan = ufunc(np.isnan)

# ---- logic and bits
logical_and = ufunc(np.logical_and)
logical_or = ufunc(np.logical_or)
logical_xor = ufunc(np.logical_xor)
logical_not = ufunc(np.logical_not)
bitwise_and = ufunc(np.bitwise_and)
bitwise_or = ufunc(np.bitwise_or)
bitwise_xor = ufunc(np.bitwise_xor)
invert = bitwise_not = bitwise_invert = ufunc(np.invert)
left_shift = bitwise_left_shift = ufunc(np.left_shift)
right_shift = bitwise_right_shift = ufunc(np.right_shift)
bitwise_count = ufunc(np.bitwise_count)

__all__ = ["ufunc", *sorted(name for name, value in globals().items() if isinstance(value, ufunc))]
