"""Update rules of optimisers, as functions: ``rule(p, g, state, **hyper) -> (new p, new state)``.

`p` is the parameter, `g` its gradient, `state` a dict of arrays of its shape (and of a few scalars). Hyper-parameters
are numbers or, like the number of the step, scalars of the engine that calls: the same function updates arrays,
Tensors, and graph variables, with equal numbers. Scalars are combined in double precision and take the parameter's
dtype where they meet it. Where PyTorch and TensorFlow 1.x differ in mathematics, a parameter says which is meant.
"""

from minigrad.core.dtypes import is_scalar
from minigrad.ops.arithmetic import abs as absolute, sign, sqrt, square
from minigrad.ops.casting import cast
from minigrad.ops.comparison import gt, lt
from minigrad.ops.exponential import pow as power
from minigrad.ops.selection import clamp, maximum, where

__all__ = ["adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd"]


# ----- what the rules share
def like(scalar, p):
    """A scalar in the dtype of the parameter: Python numbers are weak, values of the engine are cast."""
    return scalar if scalar.__class__ in (int, float) else cast(scalar, p.dtype)


def is_zero(scalar):
    """True for a number that is 0; a value of the engine is not known to be."""
    return is_scalar(scalar) and scalar == 0


def decayed(p, g, weight_decay):
    """The gradient with that of L2 regularisation added."""
    return g if is_zero(weight_decay) else g + p * like(weight_decay, p)


def shrunk(p, lr, weight_decay):
    """The parameter after decoupled weight decay (Loshchilov and Hutter 2017)."""
    return p if is_zero(weight_decay) else p * like(1 - lr * weight_decay, p)


def average(old, new, rate, p):
    """The running average: `rate` of the old one and the rest of the new value."""
    return old * like(rate, p) + new * like(1 - rate, p)


def corrections(b1, b2, step):
    """1 - b1 ** step and the root of 1 - b2 ** step, in float64, as values of the engine that `step` belongs to."""
    return 1 - power(b1, step), sqrt(1 - power(b2, step))


# ----- descent along the gradient
def sgd(p, g, state, *, lr, momentum=0, dampening=0, nesterov=False, weight_decay=0):
    """Stochastic gradient descent. With momentum the state has "momentum_buffer"; missing, it starts as the gradient.

    PyTorch: torch.optim.SGD; TensorFlow: GradientDescentOptimizer, MomentumOptimizer.
    """
    g = decayed(p, g, weight_decay)
    if is_zero(momentum):
        return p - g * like(lr, p), state
    buffer = state.get("momentum_buffer")
    if buffer is None:
        buffer = g
    else:
        buffer = buffer * like(momentum, p) + (g if is_zero(dampening) else g * like(1 - dampening, p))
    step = g + buffer * like(momentum, p) if nesterov else buffer
    return p - step * like(lr, p), {"momentum_buffer": buffer}


def asgd(p, g, state, *, step, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0):
    """Averaged descent (Polyak and Juditsky 1992); the state has "ax", the average, and the scalars "eta" and "mu".

    "eta" is the rate of this step and starts as `lr`; "mu" is the share of this step in the average and starts as 1.
    """
    g = decayed(p, g, weight_decay)
    eta, mu = state["eta"], state["mu"]
    p = p * like(1 - lambd * eta, p) - g * like(eta, p)
    ax = state["ax"] + (p - state["ax"]) * like(mu, p)
    counted = step - t0
    counted = max(1, counted) if is_scalar(counted) else maximum(counted, 1)
    return p, {"ax": ax, "eta": lr / power(1 + lambd * lr * step, alpha), "mu": 1 / counted}


# ----- averages of the gradient and of its square
def adam(p, g, state, *, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False,
         eps_at="corrected"):
    """Adam (Kingma and Ba 2014); the state has "exp_avg" and "exp_avg_sq" ("max_exp_avg_sq" for amsgrad).

    The bias corrections become one factor: m / c1 / (sqrt(v) / r2 + eps) is m / (sqrt(v) + eps * r2) * (r2 / c1).

    Args:
        step: the number of this step, from 1.
        eps_at: "corrected" adds eps to the corrected root, as the paper's algorithm 1 and PyTorch do; "raw" adds it to
            the uncorrected root ("epsilon hat" at the end of the paper's section 2), as TensorFlow 1.x does.
    """
    if eps_at not in ("corrected", "raw"):
        raise ValueError(f'eps_at must be "corrected" or "raw", not {eps_at!r}')
    b1, b2 = betas
    g = decayed(p, g, weight_decay)
    m = average(state["exp_avg"], g, b1, p)
    v = average(state["exp_avg_sq"], square(g), b2, p)
    new = {"exp_avg": m, "exp_avg_sq": v}
    if amsgrad:
        v = maximum(state["max_exp_avg_sq"], v)
        new["max_exp_avg_sq"] = v
    rate, eps = adam_scalars(*corrections(b1, b2, step), lr, eps, eps_at)
    return p - m / (sqrt(v) + like(eps, p)) * like(rate, p), new


def adam_scalars(correction1, root2, lr, eps, eps_at="corrected"):
    """The factor of Adam's step, and what is added to the uncorrected root."""
    return lr * root2 / correction1, eps * root2 if eps_at == "corrected" else eps


def adamw(p, g, state, *, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2017): the parameter shrinks before the step."""
    p = shrunk(p, lr, weight_decay)
    return adam(p, g, state, step=step, lr=lr, betas=betas, eps=eps, amsgrad=amsgrad)


def adamax(p, g, state, *, step, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
    """Adamax (Kingma and Ba 2014, section 7.1); the state has "exp_avg" and "exp_inf"."""
    b1, b2 = betas
    g = decayed(p, g, weight_decay)
    m = average(state["exp_avg"], g, b1, p)
    u = maximum(state["exp_inf"] * like(b2, p), absolute(g) + like(eps, p))
    return p - m / u * like(lr / (1 - power(b1, step)), p), {"exp_avg": m, "exp_inf": u}


def nadam(p, g, state, *, step, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
          decoupled_weight_decay=False):
    """Adam with Nesterov's momentum (Dozat 2016); the state has "exp_avg", "exp_avg_sq" and the scalar "mu_product"."""
    b1, b2 = betas
    if decoupled_weight_decay:
        p = shrunk(p, lr, weight_decay)
    else:
        g = decayed(p, g, weight_decay)
    m = average(state["exp_avg"], g, b1, p)
    v = average(state["exp_avg_sq"], square(g), b2, p)
    mu = b1 * (1 - 0.5 * power(0.96, step * momentum_decay))
    next_mu = b1 * (1 - 0.5 * power(0.96, (step + 1) * momentum_decay))
    product = state["mu_product"] * mu
    root2 = sqrt(1 - power(b2, step))
    now = like(lr * (1 - mu) / (1 - product), p)
    ahead = like(lr * next_mu / (1 - product * next_mu), p)
    step = (g * now + m * ahead) / (sqrt(v) / like(root2, p) + like(eps, p))
    return p - step, {"exp_avg": m, "exp_avg_sq": v, "mu_product": product}


def radam(p, g, state, *, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False):
    """Rectified Adam (Liu 2019): first steps, whose variance is not known yet, leave the root of the squares out.

    The state has "exp_avg" and "exp_avg_sq".
    """
    b1, b2 = betas
    if decoupled_weight_decay:
        p = shrunk(p, lr, weight_decay)
    else:
        g = decayed(p, g, weight_decay)
    m = average(state["exp_avg"], g, b1, p)
    v = average(state["exp_avg_sq"], square(g), b2, p)
    new = {"exp_avg": m, "exp_avg_sq": v}
    correction1, root2 = corrections(b1, b2, step)
    decay = power(b2, step)
    longest = 2 / (1 - b2) - 1
    length = longest - 2 * step * decay / (1 - decay)  # of the average that v stands for
    if is_scalar(length) and length <= 5:
        return p - m * like(lr / correction1, p), new
    ratio = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    rectified = m / (sqrt(v) + like(eps, p)) * like(lr * sqrt(ratio) * root2 / correction1, p)
    if is_scalar(length):
        return p - rectified, new
    return p - where(gt(length, 5), rectified, m * like(lr / correction1, p)), new


# ----- steps over the root of squares
def rmsprop(p, g, state, *, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
            eps_inside_sqrt=False, lr_inside_momentum=False):
    """RMSProp (Hinton's lecture 6e); the state has "square_avg", and "momentum_buffer" and "grad_avg" where used.

    What "square_avg" starts from is the caller's: 0 in PyTorch, 1 in TensorFlow 1.x.

    Args:
        eps_inside_sqrt: sqrt(v + eps), as TensorFlow 1.x; else sqrt(v) + eps, as PyTorch.
        lr_inside_momentum: the momentum accumulates steps (TensorFlow 1.x) and not gradients (PyTorch).
    """
    g = decayed(p, g, weight_decay)
    squares = average(state["square_avg"], square(g), alpha, p)
    new = {"square_avg": squares}
    if centered:
        new["grad_avg"] = average(state["grad_avg"], g, alpha, p)
        squares = squares - square(new["grad_avg"])
    root = sqrt(squares + like(eps, p)) if eps_inside_sqrt else sqrt(squares) + like(eps, p)
    if lr_inside_momentum:
        step = g * like(lr, p) / root
        new["momentum_buffer"] = state["momentum_buffer"] * like(momentum, p) + step
        return p - new["momentum_buffer"], new
    step = g / root
    if "momentum_buffer" in state:
        step = new["momentum_buffer"] = state["momentum_buffer"] * like(momentum, p) + step
    return p - step * like(lr, p), new


def adagrad(p, g, state, *, step=1, lr=1e-2, lr_decay=0, weight_decay=0, eps=1e-10):
    """Adagrad (Duchi 2011); the state has "sum"."""
    g = decayed(p, g, weight_decay)
    total = state["sum"] + square(g)
    rate = lr if is_zero(lr_decay) else lr / (1 + (step - 1) * lr_decay)
    return p - g / (sqrt(total) + like(eps, p)) * like(rate, p), {"sum": total}


def adadelta(p, g, state, *, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0):
    """Adadelta (Zeiler 2012); the state has "square_avg" and "acc_delta"."""
    g = decayed(p, g, weight_decay)
    squares = average(state["square_avg"], square(g), rho, p)
    delta = sqrt(state["acc_delta"] + like(eps, p)) / sqrt(squares + like(eps, p)) * g
    moved = average(state["acc_delta"], square(delta), rho, p)
    return p - delta * like(lr, p), {"square_avg": squares, "acc_delta": moved}


# ----- steps that follow only the sign
def rprop(p, g, state, *, etas=(0.5, 1.2), step_sizes=(1e-6, 50)):
    """Resilient backpropagation (Riedmiller and Braun 1993); the state has "prev" (start: 0) and "step_size".

    A step grows by etas[1] while the gradient keeps its sign; it shrinks by etas[0] and is left out when it changes.
    """
    agreement = g * state["prev"]
    turned = lt(agreement, 0)
    size = state["step_size"]
    changed = where(turned, size * like(etas[0], p), where(gt(agreement, 0), size * like(etas[1], p), size))
    size = clamp(changed, step_sizes[0], step_sizes[1])
    g = where(turned, 0.0, g)
    return p - sign(g) * size, {"prev": g, "step_size": size}
