"""minigrad: automatic differentiation that teaches, define-by-run and define-and-run on one core.

The names here are PyTorch's: `minigrad.tensor`, `minigrad.exp`, `minigrad.no_grad`, `minigrad.nn`, `minigrad.optim`.
TensorFlow 1.x's are in `minigrad.static`, TensorFlow 2's in `minigrad.tf2`. Importing minigrad loads the core, the
operations on NumPy arrays and the define-by-run engine; what `_LAZY` lists is loaded when it is first used.
"""

import sys as _sys
import warnings as _warnings
from importlib import import_module as _import_module

from minigrad.backends import Device as device  # noqa: F401
from minigrad.config import (
    default_dtype as get_default_dtype,  # noqa: F401
    set_default_dtype as set_default_dtype,
)
from minigrad.core.dtypes import (
    bool_ as bool,  # noqa: F401
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
)
from minigrad.core.generator import (
    Generator as Generator,
    default_generator as default_generator,
    fork_rng as fork_rng,
    manual_seed as manual_seed,
)
from minigrad.dynamic import autograd as autograd
from minigrad.dynamic.creation import (
    arange as arange,
    as_tensor as as_tensor,
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    from_dlpack as from_dlpack,
    from_numpy as from_numpy,
    full as full,
    full_like as full_like,
    linspace as linspace,
    logspace as logspace,
    ones as ones,
    ones_like as ones_like,
    tensor as tensor,
    zeros as zeros,
    zeros_like as zeros_like,
)
from minigrad.dynamic.drawing import (
    bernoulli as bernoulli,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    multinomial as multinomial,
    normal as normal,
    rand as rand,
    rand_like as rand_like,
    randint as randint,
    randint_like as randint_like,
    randn as randn,
    randn_like as randn_like,
    randperm as randperm,
    seed as seed,
    set_rng_state as set_rng_state,
)
from minigrad.dynamic.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from minigrad.dynamic.parameter import Parameter as Parameter
from minigrad.dynamic.tensor import Tensor as Tensor
from minigrad.ops import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    acosh as acosh,
    add as add,
    addbmm as addbmm,
    addcdiv as addcdiv,
    addcmul as addcmul,
    addmm as addmm,
    addmv as addmv,
    addr as addr,
    adjoint as adjoint,
    all as all,
    allclose as allclose,
    alpha_dropout as alpha_dropout,
    amax as amax,
    amin as amin,
    any as any,
    arccos as arccos,
    arccosh as arccosh,
    arcsin as arcsin,
    arcsinh as arcsinh,
    arctan as arctan,
    arctan2 as arctan2,
    arctanh as arctanh,
    argmax as argmax,
    argmin as argmin,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    baddbmm as baddbmm,
    bilinear as bilinear,
    bitwise_and as bitwise_and,
    bitwise_left_shift as bitwise_left_shift,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor,
    bmm as bmm,
    broadcast_tensors as broadcast_tensors,
    broadcast_to as broadcast_to,
    ceil as ceil,
    chain_matmul as chain_matmul,
    clamp as clamp,
    clamp_max as clamp_max,
    clamp_min as clamp_min,
    clip as clip,
    clone as clone,
    cos as cos,
    cosh as cosh,
    count_nonzero as count_nonzero,
    deg2rad as deg2rad,
    digamma as digamma,
    dist as dist,
    div as div,
    divide as divide,
    dot as dot,
    dropout as dropout,
    eq as eq,
    equal as equal,
    erf as erf,
    erfc as erfc,
    erfinv as erfinv,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    fix as fix,
    flatten as flatten,
    flip as flip,
    fliplr as fliplr,
    flipud as flipud,
    float_power as float_power,
    floor as floor,
    floor_divide as floor_divide,
    fmax as fmax,
    fmin as fmin,
    fmod as fmod,
    frac as frac,
    ge as ge,
    ger as ger,
    greater as greater,
    greater_equal as greater_equal,
    gt as gt,
    hypot as hypot,
    index_add as index_add,
    index_copy as index_copy,
    index_fill as index_fill,
    index_put as index_put,
    index_select as index_select,
    inner as inner,
    isclose as isclose,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    isneginf as isneginf,
    isposinf as isposinf,
    le as le,
    lerp as lerp,
    less as less,
    less_equal as less_equal,
    lgamma as lgamma,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
    log_softmax as log_softmax,
    logaddexp as logaddexp,
    logaddexp2 as logaddexp2,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    logit as logit,
    logsumexp as logsumexp,
    lt as lt,
    matmul as matmul,
    max as max,
    maximum as maximum,
    mean as mean,
    min as min,
    minimum as minimum,
    mm as mm,
    moveaxis as moveaxis,
    movedim as movedim,
    mul as mul,
    multiply as multiply,
    mv as mv,
    nan_to_num as nan_to_num,
    nanmean as nanmean,
    nansum as nansum,
    narrow as narrow,
    ne as ne,
    neg as neg,
    negative as negative,
    norm as norm,
    not_equal as not_equal,
    outer as outer,
    permute as permute,
    polygamma as polygamma,
    positive as positive,
    pow as pow,
    prod as prod,
    put as put,
    rad2deg as rad2deg,
    ravel as ravel,
    reciprocal as reciprocal,
    remainder as remainder,
    reshape as reshape,
    roll as roll,
    rot90 as rot90,
    round as round,
    rsqrt as rsqrt,
    rsub as rsub,
    select as select,
    select_scatter as select_scatter,
    sgn as sgn,
    sigmoid as sigmoid,
    sign as sign,
    signbit as signbit,
    sin as sin,
    sinc as sinc,
    sinh as sinh,
    slice_scatter as slice_scatter,
    softmax as softmax,
    sqrt as sqrt,
    square as square,
    squeeze as squeeze,
    sub as sub,
    subtract as subtract,
    sum as sum,
    swapaxes as swapaxes,
    swapdims as swapdims,
    t as t,
    take as take,
    tan as tan,
    tanh as tanh,
    tensordot as tensordot,
    transpose as transpose,
    true_divide as true_divide,
    trunc as trunc,
    unflatten as unflatten,
    unsqueeze as unsqueeze,
    vdot as vdot,
    where as where,
    xlogy as xlogy,
)

__version__ = "0.1.0"

# `from minigrad.autograd import Function` finds the module where it lives, as `import os.path` does
_sys.modules["minigrad.autograd"] = autograd

# Divisions by zero, logarithms of zero, overflows: results are IEEE values (inf, nan) and say nothing, as in PyTorch.
# Only warnings from NumPy calls in these modules are silenced; the user's own NumPy code warns as ever.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.(ops|backends|dynamic|compiler)")

half = float16
float = float32
double = float64
short = int16
int = int32
long = int64

# what is loaded when it is first used: name -> module
_LAZY = {
    "datasets": "minigrad.datasets",
}


def __getattr__(name):
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'minigrad' has no attribute {name!r}")
    return _import_module(module)


def __dir__():
    return sorted({*globals(), *_LAZY})
