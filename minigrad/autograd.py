"""Gradients as functions, custom operations, grad modes. PyTorch: torch.autograd."""

from minigrad.dynamic import functional as functional
from minigrad.dynamic.anomaly import (
    detect_anomaly as detect_anomaly,
    is_anomaly_enabled as is_anomaly_enabled,
    set_detect_anomaly as set_detect_anomaly,
)
from minigrad.dynamic.function import (
    Function as Function,
    FunctionCtx as FunctionCtx,
    once_differentiable as once_differentiable,
)
from minigrad.dynamic.grad import backward as backward, grad as grad
from minigrad.dynamic.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
