"""Update rules of optimisers, as functions: ``rule(p, g, state, **hyper) -> (new p, new state)``.

`p` is the parameter, `g` its gradient, `state` a dict of arrays of its shape. Hyper-parameters are numbers or, like the
number of the step, scalars of the engine that calls: the same function updates arrays, Tensors, and graph variables,
with equal numbers. Where PyTorch and TensorFlow 1.x differ in mathematics, a parameter says which is meant.
"""

from minigrad.core.dtypes import is_scalar
from minigrad.ops.arithmetic import abs as absolute, sqrt, square
from minigrad.ops.casting import cast
from minigrad.ops.exponential import pow as power
from minigrad.ops.selection import maximum

__all__ = ["adadelta", "adagrad", "adam", "adamax", "adamw", "rmsprop", "sgd"]


def like(scalar, p):
    """A scalar in the dtype of the parameter: Python numbers are weak, values of the engine are cast."""
    return scalar if scalar.__class__ in (int, float) else cast(scalar, p.dtype)


def decayed(p, g, weight_decay):
    """The gradient with L2 regularisation."""
    return g if is_scalar(weight_decay) and weight_decay == 0 else g + p * like(weight_decay, p)


def sgd(p, g, state, *, lr, momentum=0, dampening=0, nesterov=False, weight_decay=0):
    """Stochastic gradient descent. With momentum the state has "momentum_buffer"; missing, it starts as the gradient.

    PyTorch: torch.optim.SGD; TensorFlow: GradientDescentOptimizer, MomentumOptimizer.
    """
    g = decayed(p, g, weight_decay)
    if is_scalar(momentum) and momentum == 0:
        return p - g * like(lr, p), state
    buffer = state.get("momentum_buffer")
    scaled = g if is_scalar(dampening) and dampening == 0 else g * (1 - dampening)
    buffer = g if buffer is None else buffer * like(momentum, p) + scaled
    step = g + buffer * like(momentum, p) if nesterov else buffer
    return p - step * like(lr, p), {"momentum_buffer": buffer}


def adam(p, g, state, *, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False,
         eps_at="corrected"):
    """Adam (Kingma and Ba 2014); the state has "exp_avg" and "exp_avg_sq" ("max_exp_avg_sq" for amsgrad).

    Args:
        step: the number of this step, from 1.
        eps_at: "corrected" adds eps to the corrected root, as the paper's algorithm 1 and PyTorch do; "raw" adds it to
            the uncorrected root ("epsilon hat" at the end of the paper's section 2), as TensorFlow 1.x does.
    """
    b1, b2 = betas
    g = decayed(p, g, weight_decay)
    m = state["exp_avg"] * b1 + g * (1 - b1)
    v = state["exp_avg_sq"] * b2 + square(g) * (1 - b2)
    new = {"exp_avg": m, "exp_avg_sq": v}
    if amsgrad:
        v = maximum(state["max_exp_avg_sq"], v)
        new["max_exp_avg_sq"] = v
    correction1, root2 = corrections(b1, b2, step)
    if eps_at == "raw":
        return p - m * like(lr * root2 / correction1, p) / (sqrt(v) + eps), new
    if eps_at != "corrected":
        raise ValueError(f'eps_at must be "corrected" or "raw", not {eps_at!r}')
    return p - m * like(lr / correction1, p) / (sqrt(v) / like(root2, p) + eps), new


def corrections(b1, b2, step):
    """1 - b1 ** step and the root of 1 - b2 ** step, in float64, as a value of the engine that `step` belongs to."""
    return 1 - power(b1, step), sqrt(1 - power(b2, step))


def adamw(p, g, state, *, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2017): the parameter shrinks before the step."""
    return adam(p * like(1 - lr * weight_decay, p), g, state, step=step, lr=lr, betas=betas, eps=eps, amsgrad=amsgrad)


def rmsprop(p, g, state, *, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
            eps_inside_sqrt=False, lr_inside_momentum=False):
    """RMSProp (Hinton's lecture 6e); the state has "square_avg", and "momentum_buffer" and "grad_avg" where used.

    Args:
        eps_inside_sqrt: sqrt(v + eps), as TensorFlow 1.x; else sqrt(v) + eps, as PyTorch.
        lr_inside_momentum: the momentum accumulates steps (TensorFlow 1.x) and not gradients (PyTorch).
    """
    g = decayed(p, g, weight_decay)
    average = state["square_avg"] * alpha + square(g) * (1 - alpha)
    new = {"square_avg": average}
    if centered:
        new["grad_avg"] = state["grad_avg"] * alpha + g * (1 - alpha)
        average = average - square(new["grad_avg"])
    root = sqrt(average + eps) if eps_inside_sqrt else sqrt(average) + eps
    if lr_inside_momentum:
        step = g * like(lr, p) / root
        new["momentum_buffer"] = state["momentum_buffer"] * momentum + step
        return p - new["momentum_buffer"], new
    step = g / root
    if "momentum_buffer" in state:
        step = new["momentum_buffer"] = state["momentum_buffer"] * momentum + step
    return p - step * like(lr, p), new


def adagrad(p, g, state, *, step=1, lr=1e-2, lr_decay=0, weight_decay=0, eps=1e-10):
    """Adagrad (Duchi 2011); the state has "sum"."""
    g = decayed(p, g, weight_decay)
    total = state["sum"] + square(g)
    rate = lr / (1 + (step - 1) * lr_decay) if lr_decay else lr
    return p - g * like(rate, p) / (sqrt(total) + eps), {"sum": total}


def adadelta(p, g, state, *, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0):
    """Adadelta (Zeiler 2012); the state has "square_avg" and "acc_delta"."""
    g = decayed(p, g, weight_decay)
    average = state["square_avg"] * rho + square(g) * (1 - rho)
    delta = sqrt(state["acc_delta"] + eps) / sqrt(average + eps) * g
    moved = state["acc_delta"] * rho + square(delta) * (1 - rho)
    return p - delta * like(lr, p), {"square_avg": average, "acc_delta": moved}


def adamax(p, g, state, *, step, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
    """Adamax (Kingma and Ba 2014, section 7.1); the state has "exp_avg" and "exp_inf"."""
    b1, b2 = betas
    g = decayed(p, g, weight_decay)
    m = state["exp_avg"] * b1 + g * (1 - b1)
    u = maximum(state["exp_inf"] * b2, absolute(g) + eps)
    return p - m * like(lr / (1 - power(b1, step)), p) / u, {"exp_avg": m, "exp_inf": u}
