"""Special functions under PyTorch's names. PyTorch: torch.special."""

from minigrad.ops import (
    digamma as digamma,
    entr as entr,
    erf as erf,
    erfc as erfc,
    erfinv as erfinv,
    exp2 as exp2,
    expm1 as expm1,
    gammaln as gammaln,
    log1p as log1p,
    log_ndtr as log_ndtr,
    log_softmax as log_softmax,
    logit as logit,
    logsumexp as logsumexp,
    ndtr as ndtr,
    polygamma as polygamma,
    psi as psi,
    round as round,
    sigmoid as expit,  # noqa: F401
    sinc as sinc,
    softmax as softmax,
    spherical_bessel,
    xlog1py as xlog1py,
    xlogy as xlogy,
)


def spherical_bessel_j0(input):
    """The spherical Bessel function of the first kind and order 0: sin(input) / input."""
    return spherical_bessel(0, input)
