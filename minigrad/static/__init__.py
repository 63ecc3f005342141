"""TensorFlow 1.x's dialect: build a graph, then run it in a session.

``import minigrad.static as tf`` takes the place of ``import tensorflow.compat.v1 as tf``.
"""

from minigrad.core.dtypes import (
    bool_ as bool,  # noqa: A004, F401  the dialect's names shadow Python's
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
)
from minigrad.static import (
    errors as errors,
    initializers as initializers,
    nn as nn,
    random_ops as random,
    train as train,
)
from minigrad.static.arrays import (
    boolean_mask as boolean_mask,
    broadcast_to as broadcast_to,
    concat as concat,
    count_nonzero as count_nonzero,
    expand_dims as expand_dims,
    gather as gather,
    invert_permutation as invert_permutation,
    is_tensor as is_tensor,
    matrix_band_part as matrix_band_part,
    one_hot as one_hot,
    pad as pad,
    rank as rank,
    reshape as reshape,
    reverse as reverse,
    shape as shape,
    size as size,
    slice_ as slice,  # noqa: A004
    split as split,
    squeeze as squeeze,
    stack as stack,
    strided_slice as strided_slice,
    tile as tile,
    transpose as transpose,
    unsorted_segment_sum as unsorted_segment_sum,
    unstack as unstack,
    where as where,
)
from minigrad.static.checks import (
    Assert as Assert,
    Print as Print,
    assert_equal as assert_equal,
    check_numerics as check_numerics,
    py_func as py_func,
)
from minigrad.static.conversion import convert_to_tensor as convert_to_tensor
from minigrad.static.framework import (
    GraphKeys as GraphKeys,
    add_to_collection as add_to_collection,
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    constant as constant,
    control_dependencies as control_dependencies,
    get_collection as get_collection,
    get_default_graph as get_default_graph,
    global_variables as global_variables,
    global_variables_initializer as global_variables_initializer,
    gradients as gradients,
    group as group,
    hessians as hessians,
    identity as identity,
    local_variables_initializer as local_variables_initializer,
    no_op as no_op,
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    reset_default_graph as reset_default_graph,
    set_random_seed as set_random_seed,
    stop_gradient as stop_gradient,
    trainable_variables as trainable_variables,
    tuple_ as tuple,  # noqa: A004
    variables_initializer as variables_initializer,
)
from minigrad.static.initializers import (
    constant_initializer as constant_initializer,
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
    zeros_initializer as zeros_initializer,
)
from minigrad.static.maths import (
    abs as abs,  # noqa: A004
    accumulate_n as accumulate_n,
    acos as acos,
    add as add,
    add_n as add_n,
    arg_max as arg_max,
    arg_min as arg_min,
    argmax as argmax,
    argmin as argmin,
    asin as asin,
    atan as atan,
    atan2 as atan2,
    cast as cast,
    ceil as ceil,
    clip_by_value as clip_by_value,
    cos as cos,
    cosh as cosh,
    cumprod as cumprod,
    cumsum as cumsum,
    digamma as digamma,
    div as div,
    divide as divide,
    einsum as einsum,
    equal as equal,
    erf as erf,
    exp as exp,
    expm1 as expm1,
    fill as fill,
    floor as floor,
    floordiv as floordiv,
    floormod as floormod,
    greater as greater,
    greater_equal as greater_equal,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    less as less,
    less_equal as less_equal,
    lgamma as lgamma,
    lin_space as lin_space,
    linspace as linspace,
    log as log,
    log1p as log1p,
    log_sigmoid as log_sigmoid,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    matmul as matmul,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    ones as ones,
    ones_like as ones_like,
    pow as pow,  # noqa: A004
    range_ as range,  # noqa: A004
    realdiv as realdiv,
    reciprocal as reciprocal,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    round as round,  # noqa: A004
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    tensordot as tensordot,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
    truediv as truediv,
    zeros as zeros,
    zeros_like as zeros_like,
)
from minigrad.static.naming import name_scope as name_scope
from minigrad.static.random_ops import (
    random_normal as random_normal,
    random_shuffle as random_shuffle,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
)
from minigrad.static.session import InteractiveSession as InteractiveSession, Session as Session
from minigrad.static.sessions import get_default_session as get_default_session
from minigrad.static.tensor import Graph as Graph, Tensor as Tensor, Variable as Variable
from minigrad.static.variable_scopes import (
    AUTO_REUSE as AUTO_REUSE,
    VariableScope as VariableScope,
    get_variable as get_variable,
    get_variable_scope as get_variable_scope,
    variable_scope as variable_scope,
)
from minigrad.graph import Operation as Operation
from minigrad.static.framework import reset_default_graph as _start

newaxis = None
string = str

# graphs made from here on have this dialect's tensors
_start()
