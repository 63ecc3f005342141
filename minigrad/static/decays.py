"""Learning rates that change with the global step. TensorFlow: tf.train.exponential_decay and its relatives."""

import math

from minigrad.core.dtypes import float32
from minigrad.errors import GraphError
from minigrad.graph import Node
from minigrad.ops import comparison, exponential, rounding, selection, trigonometry
from minigrad.ops.casting import cast
from minigrad.static.naming import named


def progress(global_step, decay_steps, staircase=False):
    """global_step / decay_steps as float32, rounded down for a staircase."""
    if not isinstance(global_step, Node):
        raise GraphError("a decay needs the global step as a tensor or variable; see get_or_create_global_step")
    part = cast(global_step, float32) / float(decay_steps)
    return rounding.floor(part) if staircase else part


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * decay_rate ** (global_step / decay_steps)."""
    return named(name, "ExponentialDecay", _exponential, global_step, learning_rate, decay_steps, decay_rate, staircase)


def _exponential(global_step, learning_rate, decay_steps, decay_rate, staircase):
    return exponential.pow(float(decay_rate), progress(global_step, decay_steps, staircase)) * learning_rate


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * e ** (-decay_rate * global_step / decay_steps)."""
    return named(name, "NaturalExpDecay", _natural, global_step, learning_rate, decay_steps, decay_rate, staircase)


def _natural(global_step, learning_rate, decay_steps, decay_rate, staircase):
    return exponential.exp(progress(global_step, decay_steps, staircase) * -decay_rate) * learning_rate


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    return named(name, "InverseTimeDecay", _inverse, global_step, learning_rate, decay_steps, decay_rate, staircase)


def _inverse(global_step, learning_rate, decay_steps, decay_rate, staircase):
    return learning_rate / (progress(global_step, decay_steps, staircase) * decay_rate + 1.0)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                     name=None):
    """From learning_rate down to end_learning_rate in decay_steps steps, along a power."""
    return named(name, "PolynomialDecay", _polynomial, global_step, learning_rate, decay_steps, end_learning_rate,
                 power, cycle)


def _polynomial(global_step, learning_rate, decay_steps, end, power, cycle):
    part = progress(global_step, decay_steps)
    if cycle:
        part = part / selection.clamp(rounding.ceil(part), 1.0)
    part = selection.clamp(part, 0.0, 1.0)
    return exponential.pow(1.0 - part, float(power)) * (learning_rate - end) + end


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Half a cosine from learning_rate down to alpha * learning_rate in decay_steps steps (Loshchilov 2016)."""
    return named(name, "CosineDecay", _cosine, global_step, learning_rate, decay_steps, alpha)


def _cosine(global_step, learning_rate, decay_steps, alpha):
    part = selection.clamp(progress(global_step, decay_steps), 0.0, 1.0)
    wave = (trigonometry.cos(part * math.pi) + 1.0) * 0.5
    return (wave * (1 - alpha) + alpha) * learning_rate


def piecewise_constant(x, boundaries, values, name=None):
    """values[i] while x <= boundaries[i], and the last of the values after that."""
    return named(name, "PiecewiseConstant", _piecewise, x, boundaries, values)


def _piecewise(x, boundaries, values):
    if len(values) != len(boundaries) + 1:
        raise GraphError(f"piecewise_constant: {len(boundaries)} boundaries need {len(boundaries) + 1} values")
    result = x.graph.innermost().constant(values[-1], dtype=float32)
    for boundary, value in reversed(list(zip(boundaries, values[:-1], strict=True))):
        result = selection.where(comparison.le(x, boundary), x.graph.innermost().constant(value, dtype=float32), result)
    return result
