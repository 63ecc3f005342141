"""Tools for testing code written with minigrad, for courses and for minigrad's own tests.

- `check_gradients(fn, *inputs)`: gradients against finite differences, to first and second order.
- `engines_agree(fn, *inputs)`: one function on Tensors and as a graph, bit for bit.
- `run_checks(prim, samples)`: everything that must hold for a primitive (see `checks` and `samples`).
- `strategies`: hypothesis strategies for shapes, axes and arrays; `domains`: where values come from.
- `graphs`: random programs.

Only what draws random cases needs hypothesis, and says so where it is missing.
"""

from minigrad.testing.checks import run_checks as run_checks
from minigrad.testing.engines import engines_agree as engines_agree
from minigrad.testing.gradients import check_gradients as check_gradients
