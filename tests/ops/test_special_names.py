"""minigrad.special: PyTorch's names for the special functions."""

import numpy as np
import pytest
import scipy.special

import minigrad as mg
from minigrad import special


@pytest.mark.parametrize(("name", "theirs"), [
    ("digamma", "digamma"), ("entr", "entr"), ("erf", "erf"), ("erfc", "erfc"), ("erfinv", "erfinv"),
    ("exp2", "exp2"), ("expit", "expit"), ("expm1", "expm1"), ("gammaln", "gammaln"), ("log1p", "log1p"),
    ("log_ndtr", "log_ndtr"), ("logit", "logit"), ("ndtr", "ndtr"), ("psi", "psi"), ("round", "round"),
])
def test_names_mean_what_they_mean_in_scipy(name, theirs):
    x = np.array([0.1, 0.3, 0.75, 0.9])
    ours = getattr(special, name)(mg.tensor(x))
    np.testing.assert_allclose(ours.numpy(), getattr(scipy.special, theirs)(x), rtol=1e-12)


def test_names_with_two_operands_or_an_axis():
    x, y = np.array([0.0, 0.5, 2.0]), np.array([0.5, 1.0, 3.0])
    np.testing.assert_allclose(special.xlogy(mg.tensor(x), mg.tensor(y)).numpy(), scipy.special.xlogy(x, y))
    np.testing.assert_allclose(special.xlog1py(mg.tensor(x), mg.tensor(y)).numpy(), scipy.special.xlog1py(x, y))
    np.testing.assert_allclose(special.logsumexp(mg.tensor(x), 0).item(), scipy.special.logsumexp(x))
    np.testing.assert_allclose(special.softmax(mg.tensor(x), 0).numpy(), scipy.special.softmax(x))
    np.testing.assert_allclose(special.log_softmax(mg.tensor(x), 0).numpy(), scipy.special.log_softmax(x))
    np.testing.assert_allclose(special.polygamma(1, mg.tensor(y)).numpy(), scipy.special.polygamma(1, y))
    np.testing.assert_allclose(special.sinc(mg.tensor(x)).numpy(), np.sinc(x))
    np.testing.assert_allclose(special.spherical_bessel_j0(mg.tensor(x)).numpy(), scipy.special.spherical_jn(0, x))
