"""Helpers for gradients, parameters and sequences. PyTorch: torch.nn.utils."""

from minigrad.nn.utils import rnn as rnn
from minigrad.nn.utils.clipping import (
    clip_grad_norm_ as clip_grad_norm_,
    clip_grad_value_ as clip_grad_value_,
    clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
)
from minigrad.nn.utils.vectors import (
    parameters_to_vector as parameters_to_vector,
    vector_to_parameters as vector_to_parameters,
)
