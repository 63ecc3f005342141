"""Samples of + - * / and the sign."""

from minigrad.testing.domains import REAL, interval
from minigrad.testing.samples import NUMBERS, elementwise_row

elementwise_row("add", REAL, REAL, oracle="numpy.add", dtypes=NUMBERS)
elementwise_row("sub", REAL, REAL, oracle="numpy.subtract", dtypes=NUMBERS)
elementwise_row("mul", REAL, REAL, oracle="numpy.multiply", dtypes=NUMBERS)
elementwise_row("div", REAL, interval(0.5, 3.0), oracle="numpy.true_divide")
elementwise_row("neg", REAL, oracle="numpy.negative", dtypes=NUMBERS)
