"""Rows of samples: what is refused, and that the files of rows need neither hypothesis nor SciPy to be imported."""

import subprocess
import sys

import numpy as np
import pytest

from minigrad.testing import samples
from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, Samples, elementwise_row, operands_meet, row


@pytest.fixture(autouse=True)
def _rows_are_left_as_they_were(monkeypatch):
    monkeypatch.setattr(samples, "SAMPLES", dict(samples.load()))


def some_cases(draw):
    return Case(())


def test_a_name_has_one_row():
    with pytest.raises(ValueError, match="'exp' has samples already"):
        elementwise_row("exp", REAL, oracle="numpy.exp")


def test_a_row_needs_an_oracle_or_a_check():
    with pytest.raises(ValueError, match="need an oracle"):
        row("of_nothing", some_cases)


def test_oracles_are_looked_up_by_name():
    assert Samples("x", oracle="numpy.exp").reference() is np.exp
    assert Samples("x", oracle="scipy.special.erf").reference()(0.0) == 0.0
    assert Samples("x", oracle=some_cases).reference() is some_cases


def test_operands_meet():
    assert operands_meet(np.array([1.0, 2.0]), 2.0)
    assert not operands_meet(np.array([1.0, 2.0]), 1.5)
    assert operands_meet(np.array([[1.0], [5.0]]), np.array([2.0, 5.0]))


def test_cases_print_their_operands():
    case = Case((np.array([1.0, 2.0]), 3, np.zeros((4, 5), np.float32)), {"axis": 0})
    assert repr(case) == "Case(float64(2,) [1.0, 2.0], 3, float32(4, 5), axis=0)"


def test_rows_import_without_the_test_extra():
    program = ("import sys\n"
               "sys.modules['hypothesis'] = sys.modules['scipy'] = None\n"
               "from minigrad.testing import check_gradients, engines_agree, run_checks, samples, strategies\n"
               "assert len(samples.load()) > 10\n")
    subprocess.run([sys.executable, "-c", program], check=True)
