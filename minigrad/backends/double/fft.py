"""`xp.fft`: discrete Fourier transforms of device arrays. float32 stays single precision."""

import numpy as np

from minigrad.backends.double._memory import fresh, host_value, raw_array, wrap

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]


def transformed(function, a, *args):
    """One of NumPy's transforms; sizes and axes are host numbers."""
    raw = raw_array(function.__name__, "a", a)
    for arg in args:
        host_value(function.__name__, "sizes and axes", arg)
    return fresh(function(raw, *args))


def fft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.fft, a, n, axis, norm)


def ifft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.ifft, a, n, axis, norm)


def rfft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.rfft, a, n, axis, norm)


def irfft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.irfft, a, n, axis, norm)


def hfft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.hfft, a, n, axis, norm)


def ihfft(a, n=None, axis=-1, norm=None):
    return transformed(np.fft.ihfft, a, n, axis, norm)


def fft2(a, s=None, axes=(-2, -1), norm=None):
    return transformed(np.fft.fft2, a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return transformed(np.fft.ifft2, a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return transformed(np.fft.rfft2, a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return transformed(np.fft.irfft2, a, s, axes, norm)


def fftn(a, s=None, axes=None, norm=None):
    return transformed(np.fft.fftn, a, s, axes, norm)


def ifftn(a, s=None, axes=None, norm=None):
    return transformed(np.fft.ifftn, a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    return transformed(np.fft.rfftn, a, s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    return transformed(np.fft.irfftn, a, s, axes, norm)


def fftshift(x, axes=None):
    return transformed(np.fft.fftshift, x, axes)


def ifftshift(x, axes=None):
    return transformed(np.fft.ifftshift, x, axes)


def fftfreq(n, d=1.0):
    return wrap(np.fft.fftfreq(n, d))


def rfftfreq(n, d=1.0):
    return wrap(np.fft.rfftfreq(n, d))
