"""Layers and losses. PyTorch: torch.nn."""

from minigrad.dynamic.parameter import Parameter as Parameter
from minigrad.nn import functional as functional, init as init, utils as utils
from minigrad.nn.activation import (
    CELU as CELU,
    ELU as ELU,
    GELU as GELU,
    GLU as GLU,
    SELU as SELU,
    Hardsigmoid as Hardsigmoid,
    Hardswish as Hardswish,
    Hardtanh as Hardtanh,
    LeakyReLU as LeakyReLU,
    LogSigmoid as LogSigmoid,
    LogSoftmax as LogSoftmax,
    Mish as Mish,
    PReLU as PReLU,
    ReLU as ReLU,
    ReLU6 as ReLU6,
    Sigmoid as Sigmoid,
    SiLU as SiLU,
    Softmax as Softmax,
    Softplus as Softplus,
    Softsign as Softsign,
    Tanh as Tanh,
    Tanhshrink as Tanhshrink,
)
from minigrad.nn.containers import (
    ModuleDict as ModuleDict,
    ModuleList as ModuleList,
    ParameterList as ParameterList,
    Sequential as Sequential,
)
from minigrad.nn.linear import (
    Bilinear as Bilinear,
    Dropout as Dropout,
    Embedding as Embedding,
    Flatten as Flatten,
    Identity as Identity,
    Linear as Linear,
    Unflatten as Unflatten,
)
from minigrad.nn.loss import (
    BCELoss as BCELoss,
    BCEWithLogitsLoss as BCEWithLogitsLoss,
    CrossEntropyLoss as CrossEntropyLoss,
    HuberLoss as HuberLoss,
    KLDivLoss as KLDivLoss,
    L1Loss as L1Loss,
    MSELoss as MSELoss,
    NLLLoss as NLLLoss,
    SmoothL1Loss as SmoothL1Loss,
)
from minigrad.nn.module import Module as Module
