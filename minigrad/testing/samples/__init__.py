"""Samples of primitives: what the generated tests need to know of each, one row by name.

A row is added by one call at the top level of a file in this package, one file a family of operations; `load()`
imports all files that lie here, so a new file needs no registration anywhere. The tests in ``tests/primitives`` run
every check of `minigrad.testing.checks` on every row, and a primitive without a row fails there.

Elementwise primitives take a compact row: a domain for each operand, and an oracle::

    elementwise_row("exp", REAL, oracle="numpy.exp")
    elementwise_row("log", POSITIVE, oracle="numpy.log")
    elementwise_row("relu", NONZERO, oracle=relu_reference)          # a domain with a kink at 0
    elementwise_row("erf", REAL, oracle="scipy.special.erf")
    elementwise_row("maximum", REAL, REAL, oracle="numpy.maximum", kinks=operands_meet, dtypes=NUMBERS)
    elementwise_row("bitwise_and", INTEGERS, INTEGERS, oracle="numpy.bitwise_and")
    elementwise_row("leaky_relu", NONZERO, oracle=leaky_reference, params={"negative_slope": (0.01, 0.3)})

Shapes (0-d, empty, size 1, broadcasting), Python scalars as operands, dtypes and special values are drawn for them.

All others have a drawing function, which makes one `Case` (operands and parameters of the primitive as `bind` gets
them) from the strategies of `minigrad.testing.strategies`, and an oracle::

    def sum_cases(draw):
        x = draw(arrays(shapes(max_rank=4), REAL))
        return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})

    def sum_reference(x, *, axes, keepdim):
        return np.add.reduce(x, axis=axes, keepdims=keepdim)

    row("sum", sum_cases, oracle=sum_reference)

- Float operands are float64 arrays; the checks cast them to float32 and float16 themselves. Integer, bool operands
  and Python scalars stay as drawn. Keep arrays small (up to about 30 elements): gradients are checked elementwise.
- Include 0-d, empty and size-1 operands wherever the primitive takes them (`shapes` does).
- The oracle is called with the operands and the parameters. It is a dotted name of NumPy or SciPy, or a plain NumPy
  function that works differently from the kernel (loops are welcome), and returns an array, or a tuple for a
  primitive with several outputs.
- Which inputs have gradients comes from the primitive itself.

This file and the files of rows import without hypothesis and SciPy; both are needed only when samples are drawn.
"""

import pkgutil
from importlib import import_module

import numpy as np

SAMPLES: dict[str, "Samples"] = {}

FLOATS = ("float64", "float32", "float16")
NUMBERS = (*FLOATS, "int64", "int32", "uint8")
ALL_DTYPES = (*NUMBERS, "bool")


class Case:
    """One application of a primitive: operands (arrays and Python scalars, positional) and parameters."""

    def __init__(self, args, params=None):
        self.args = tuple(args)
        self.params = dict(params or {})

    def __repr__(self):
        parts = [describe_operand(a) for a in self.args] + [f"{name}={value!r}" for name, value in self.params.items()]
        return f"Case({', '.join(parts)})"


class Samples:
    """What is known of one primitive for testing; made by `row`, `elementwise_row` and `no_samples`.

    Attributes:
        name: the primitive's name.
        cases: a drawing function ``(draw) -> Case`` for checks of values.
        smooth_cases: the same for checks of gradients; for most rows it is `cases`.
        oracle: a dotted name or a function, None where `check` stands in.
        check: ``(y, *args, **params)`` raises AssertionError if `y` is no possible result (random draws).
        kinks: ``(*args, **params) -> bool``, True where a case is too near to a kink for finite differences.
        dtypes: dtypes to run the float operands in.
        rtol: relative (and absolute) tolerance against the oracle in float64.
        gradient_rtol: tolerance against finite differences.
        second_order: True, or the reason why second derivatives are not checked.
        gradient: True, or the reason why gradients are not checked against finite differences.
        unknown_dims: True, or the reason why the shape rule is not asked with unknown sizes.
        static: True, or the reason why it is not run in a graph.
        open_sizes: the shape rule may leave sizes unknown that depend on the values of operands.
        constants: positions of float operands that have no gradient by design, although results depend on them.
        open_sizes: None, or the reason why the shape rule cannot know all sizes although it knows those of the
            operands: the values decide.
        reason: why there are no samples at all, else None.
    """

    def __init__(self, name, cases=None, smooth_cases=None, oracle=None, check=None, kinks=None, dtypes=FLOATS,
                 rtol=1e-12, gradient_rtol=1e-5, second_order=True, gradient=True, unknown_dims=True, static=True,
                 constants=(), open_sizes=None, reason=None):
        self.name = name
        self.cases = cases
        self.smooth_cases = smooth_cases or cases
        self.oracle = oracle
        self.check = check
        self.kinks = kinks
        self.dtypes = dtypes
        self.rtol = rtol
        self.gradient_rtol = gradient_rtol
        self.second_order = second_order
        self.gradient = gradient
        self.unknown_dims = unknown_dims
        self.static = static
        self.open_sizes = open_sizes
        self.constants = tuple(constants)
        self.open_sizes = open_sizes
        self.reason = reason

    def reference(self):
        """The oracle as a function; a dotted name is looked up here, SciPy's too."""
        if not isinstance(self.oracle, str):
            return self.oracle
        module, _, attribute = self.oracle.rpartition(".")
        return getattr(import_module(module), attribute)

    def __repr__(self):
        return f"<Samples of {self.name}>"


def row(name, cases, *, oracle=None, check=None, **options):
    """Register samples of a primitive from a drawing function; `options` are attributes of `Samples`.

    Raises:
        ValueError: the name has a row already, or there is neither an oracle nor a check.
    """
    if oracle is None and check is None:
        raise ValueError(f"samples of {name!r} need an oracle (or a check, for random draws)")
    return register(Samples(name, cases, oracle=oracle, check=check, **options))


def elementwise_row(name, *domains, oracle, params=None, scalars=True, **options):
    """Register samples of an elementwise primitive: a domain for each operand (see `minigrad.testing.domains`).

    Args:
        params: {name: tuple of values to choose from}.
        scalars: Python scalars are allowed as operands, beside at least one array.
    """
    params = params or {}
    return register(Samples(name, ElementwiseCases(domains, params, scalars, rough=True),
                            ElementwiseCases(domains, params, scalars, rough=False), oracle=oracle, **options))


def no_samples(name, reason):
    """Register that a primitive has no samples, and why (sources of a graph, which compute nothing)."""
    return register(Samples(name, reason=reason))


def register(samples):
    if samples.name in SAMPLES:
        raise ValueError(f"primitive {samples.name!r} has samples already")
    SAMPLES[samples.name] = samples
    return samples


def load():
    """Import every file of this package and return SAMPLES, name -> Samples."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return SAMPLES


class ElementwiseCases:
    """The drawing function of elementwise rows: operands of broadcastable shapes, now and then a Python scalar."""

    def __init__(self, domains, params, scalars, rough):
        self.domains = domains
        self.params = params
        self.scalars = scalars
        self.rough = rough

    def __call__(self, draw):
        from minigrad.testing.strategies import arrays, broadcastable_shapes, one_of

        count = len(self.domains)
        shapes = draw(broadcastable_shapes(count))
        scalar_at = None
        if self.scalars and count > 1:
            scalar_at = draw(one_of(*[None] * (3 * count), *range(count)))
        args = []
        for position, (shape, domain) in enumerate(zip(shapes, self.domains, strict=True)):
            if position == scalar_at:
                args.append(draw(arrays((), domain)).item())
            else:
                args.append(draw(arrays(shape, domain, rough=self.rough)))
        return Case(args, {name: draw(one_of(*values)) for name, values in self.params.items()})


def operands_meet(*args, **params):
    """A kinks predicate: are any two operands nearly equal anywhere (maximum, fmin, clamp, ...)?"""
    for i, a in enumerate(args):
        for b in args[:i]:
            if np.any(np.abs(np.subtract(a, b)) < 1e-3):
                return True
    return False


def describe_operand(a):
    """An operand as text, short enough for a report."""
    if not isinstance(a, np.ndarray):
        return repr(a)
    values = "" if a.size > 12 else f" {a.tolist()}"
    return f"{a.dtype}{a.shape}{values}"
