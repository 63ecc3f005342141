"""Changing dtype."""

from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import as_dtype
from minigrad.core.primitive import declare


def cast_kernel(xp, x, *, dtype):
    return x.astype(dtype)


def cast_infer(x, *, dtype):
    return Aval(x.shape, dtype)


def cast_vjp(g, y, x, *, dtype):
    return cast(g, x.dtype)


cast_p = declare("cast", cast_kernel, cast_infer, vjps=(cast_vjp,), reads=((),))


def cast(x, dtype):
    """`x` in another dtype; itself when it has that dtype already.

    A float of NaN or out of range becomes whatever the array library's cast gives. The gradient is cast back;
    results of an integer or bool dtype carry none. PyTorch: Tensor.to; TensorFlow: tf.cast.
    """
    dtype = as_dtype(dtype)
    if getattr(x, "dtype", None) == dtype:
        return x
    return bind(cast_p, x, dtype=dtype)
