"""The kernel layer: which array library an array belongs to, and the few calls in which the libraries differ."""

from minigrad.backends.devices import (
    Device as Device,
    as_device as as_device,
    backend_of as backend_of,
    cuda_status as cuda_status,
    status as status,
    to_device as to_device,
    to_numpy as to_numpy,
    xp_of as xp_of,
)
