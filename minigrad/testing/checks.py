"""The checks that hold for every primitive: each is a function of one primitive and one of its cases, and raises.

`check_values`, `check_shape_rule`, `check_unknown_sizes` and `check_layouts` are about the kernel and the shape rule,
`check_rules`, `check_mixed_dtypes` and `check_derivatives` about the gradient rules, `check_engines` about both
engines. `run_checks` draws cases from a primitive's samples and runs them; the generated tests call it for each
primitive, and so can a course for a primitive that students declare.
"""

import numpy as np

from minigrad.core.aval import Aval, aval_of
from minigrad.core.dims import Dim
from minigrad.core.dispatch import bind
from minigrad.dynamic.tape import UNREAD
from minigrad.dynamic.tensor import Tensor, wrap
from minigrad.errors import DtypeError, MissingExtraError
from minigrad.ops.broadcasting import check_broadcasts
from minigrad.ops.promotion import same_float
from minigrad.testing.engines import engines_agree, random_like, same_bits
from minigrad.testing.gradients import check_gradients
from minigrad.testing.samples import Case

# tolerance against an oracle that computes in float64, for a primitive that keeps 1e-12 in float64
NARROW_TOLERANCE = {"float32": 2e-5, "float16": 2e-2}


class Applied:
    """The function of operands that applies one primitive with fixed parameters."""

    def __init__(self, prim, params):
        self.prim = prim
        self.params = params

    def __call__(self, *args):
        return bind(self.prim, *args, **self.params)


# ----- the kernel
def check_values(prim, samples, case):
    """The kernel gives what the oracle gives, in every dtype, keeps the dtype, and leaves its operands alone."""
    for dtype in samples.dtypes:
        cast = in_dtype(case, dtype)
        ys = outputs(prim, apply(prim, cast))
        check_memory(prim, cast, ys)
        check_kept_dtype(prim, cast, ys)
        if samples.check is not None:
            samples.check(*ys, *cast.args, **cast.params)
        if samples.oracle is None:
            continue
        with np.errstate(all="ignore"):
            expected = samples.reference()(*oracle_args(cast, dtype), **cast.params)
        expected = expected if isinstance(expected, tuple | list) else (expected,)
        assert len(expected) == len(ys), f"{prim.name}: {len(ys)} outputs, but the oracle gives {len(expected)}"
        for i, (y, wanted) in enumerate(zip(ys, expected, strict=True)):
            assert_close(y, np.asarray(wanted), samples.rtol, f"{prim.name}, output {i}, {dtype}, kernel and oracle")


def check_kept_dtype(prim, case, ys):
    """Float results have the dtype of the float operands, unless a parameter names another."""
    dtypes = {a.dtype for a in case.args if isinstance(a, np.ndarray) and a.dtype.kind == "f"}
    if len(dtypes) != 1 or any(isinstance(value, np.dtype) for value in case.params.values()):
        return
    for y in ys:
        assert y.dtype.kind != "f" or y.dtype in dtypes, f"{prim.name}: {dtypes.pop()} became {y.dtype}"


def check_memory(prim, case, ys):
    """A result shares memory with an operand only where the primitive declares it: with the first one."""
    for position, a in enumerate(case.args):
        for y in ys:
            if isinstance(a, np.ndarray) and np.may_share_memory(y, a) and not (prim.views and position == 0):
                raise AssertionError(f"{prim.name}: the result shares memory with operand {position}, which only a"
                                     " primitive declared with views=True may do, and only with its first operand")


def check_layouts(prim, samples, case):
    """Operands that are transposed, strided or reversed in memory give the same result as contiguous ones."""
    if prim.random:
        return
    expected = outputs(prim, apply(prim, case))
    for layout in (in_fortran_order, strided, backwards):
        other = Case([layout(a) if isinstance(a, np.ndarray) else a for a in case.args], case.params)
        for i, (y, wanted) in enumerate(zip(outputs(prim, apply(prim, other)), expected, strict=True)):
            assert y.dtype == wanted.dtype, f"{prim.name}, output {i}: {layout.__name__} operands give {y.dtype}"
            assert_close(y, wanted, 1e-13, f"{prim.name}, output {i}, operands {layout.__name__} and contiguous")


# ----- the shape rule
def check_shape_rule(prim, samples, case):
    """The shape rule says what the kernel returns, in shape and dtype, and says it in plain ints."""
    for dtype in samples.dtypes:
        cast = in_dtype(case, dtype)
        ys = outputs(prim, apply(prim, cast))
        avals = inferred(prim, [abstract(a) for a in promoted(prim, cast.args)], cast.params)
        assert len(avals) == len(ys), f"{prim.name}: {len(ys)} outputs, the shape rule says {len(avals)}"
        for i, (y, aval) in enumerate(zip(ys, avals, strict=True)):
            shape = aval.shape
            if samples.open_sizes is not None and len(shape) == y.ndim:
                shape = [n if isinstance(size, Dim) else size for size, n in zip(shape, y.shape, strict=True)]
            said, came = f"{Aval(tuple(shape), aval.dtype)}", f"{Aval(y.shape, y.dtype)}"
            assert said == came, f"{prim.name}, output {i}: the shape rule says {said}, the kernel returns {came}"
            for size in shape:
                assert type(size) is int, f"{prim.name}: the shape rule gives a size of type {type(size).__name__}"


def check_unknown_sizes(prim, samples, case):
    """With unknown sizes or ranks the shape rule answers too, and nothing that contradicts the kernel."""
    if samples.unknown_dims is not True:
        return
    args = promoted(prim, case.args)
    ys = outputs(prim, apply(prim, case))
    for avals, symbols in less_known(args):
        found = inferred(prim, avals, case.params)
        for i, (y, aval) in enumerate(zip(ys, found, strict=True)):
            what = f"{prim.name}, output {i}: for {avals} the shape rule says {aval}, for a kernel's {y.dtype}{y.shape}"
            assert aval.dtype == y.dtype, what
            if aval.shape is None:
                continue
            assert len(aval.shape) == y.ndim, what
            for size, known in zip(aval.shape, y.shape, strict=True):
                stands_for = symbols.get(size, known) if isinstance(size, Dim) else size
                assert stands_for == known, what


def less_known(args):
    """(avals, {symbol: the size it stands for}) with one size, all sizes, one rank or all ranks forgotten."""
    places = [(p, axis) for p, a in enumerate(args) if isinstance(a, np.ndarray) for axis in range(a.ndim)]
    for forgotten in [places, *[[place] for place in places]]:
        symbols = {}
        avals = [abstract(a) for a in args]
        for position, axis in forgotten:
            aval = avals[position]
            symbol = Dim()
            symbols[symbol] = aval.shape[axis]
            avals[position] = Aval((*aval.shape[:axis], symbol, *aval.shape[axis + 1:]), aval.dtype)
        yield avals, symbols
    arrays = [p for p, a in enumerate(args) if isinstance(a, np.ndarray)]
    for forgotten in [arrays, *[[p] for p in arrays]]:
        yield [Aval(None, a.dtype) if p in forgotten else abstract(a) for p, a in enumerate(args)], {}


# ----- the gradient rules
def check_rules(prim, samples, case):
    """Each gradient rule on arrays, by itself.

    It reads no value that it does not declare: with those replaced by Avals (or by something on which every use
    raises), and by NaN, the result is the same, bit for bit. Each contribution has its input's dtype and a shape
    that sums to the input's. Nothing that the rule got is changed. It is linear in the incoming gradient.
    """
    if not prim.differentiable:
        return
    for dtype in ("float64", "float32", "float16"):
        if dtype not in samples.dtypes:
            continue
        cast = in_dtype(case, dtype)
        args = tuple([frozen(a) for a in promoted(prim, cast.args)])
        y = apply(prim, Case(args, cast.params))
        seeds = random_like(outputs(prim, y), 1)
        if all(g is None for g in seeds):
            continue
        for g in seed_variants(prim, [frozen(g) for g in seeds]):
            for position, x in enumerate(args):
                if isinstance(x, np.ndarray) and x.dtype.kind == "f" and prim.has_rule(position):
                    check_rule(prim, position, g, y, args, cast.params)


def check_rule(prim, position, g, y, args, params):
    """The rule of one input on one incoming gradient (a tuple of them for a primitive with several outputs)."""
    x = args[position]
    before = [copies(v) for v in (g, y, *args)]
    full = contribution(prim, position, g, y, args, params)
    for value, old, name in zip((g, y, *args), before, ("the incoming gradient", "the output", *range(len(args))),
                                strict=True):
        assert unchanged(value, old), f"{prim.name}: the rule of input {position} changed the value of {name}"
    what = f"{prim.name}: the rule of input {position} ({x.dtype}{x.shape})"
    if full is not None:
        assert isinstance(full, np.ndarray | np.generic), f"{what} returned a {type(full).__name__}"
        assert full.dtype == x.dtype, f"{what} returned {full.dtype}"
        try:
            check_broadcasts("contribution", x.shape, full.shape)
        except ValueError as error:
            raise AssertionError(f"{what} returned shape {full.shape}: {error}") from error
    declared = declared_reads(prim, position, len(args))
    for stand_in in (unread if prim.shapes is False else abstracted, poisoned):
        values = [v if i in declared else stand_in(v) for i, v in enumerate((y, *args))]
        try:
            again = contribution(prim, position, g, values[0], values[1:], params)
        except Exception as error:
            raise AssertionError(f"{what} fails when the values that it does not declare to read are"
                                 f" {stand_in.__name__}: {type(error).__name__}: {error}") from error
        assert unchanged(again, full), f"{what} gives another result when undeclared values are {stand_in.__name__}"
    if full is not None and x.dtype == np.float64:
        doubled = tuple(None if h is None else h * 2 for h in g) if prim.multiple else g * 2
        twice = contribution(prim, position, doubled, y, args, params)
        assert_close(np.asarray(twice), np.asarray(full) * 2, 1e-13, f"{what} on twice the gradient, against twice it")


def contribution(prim, position, g, y, args, params):
    """What the rule of one input returns."""
    with np.errstate(all="ignore"):
        if prim.joint is None:
            return prim.vjps[position](g, y, *args, **params)
        needed = tuple([i == position for i in range(len(args))])
        return prim.joint(g, y, *args, needed=needed, **params)[position]


def declared_reads(prim, position, count):
    """Positions in (y, x0, x1, ...) that the rule of an input declares to read."""
    reads = prim.reads_of(position)
    found = {0 if item == "y" else item + 1 for item in reads if item != "xs"}
    return found | set(range(1, count + 1)) if "xs" in reads else found


def seed_variants(prim, seeds):
    """Incoming gradients: the array; for several outputs a tuple, and tuples in which all but one are None."""
    if not prim.multiple:
        yield seeds[0]
        return
    yield tuple(seeds)
    floats = [i for i, g in enumerate(seeds) if g is not None]
    if len(floats) > 1:
        for i in floats:
            yield tuple([g if j == i else None for j, g in enumerate(seeds)])


def check_mixed_dtypes(prim, samples, case):
    """Beside integer, bool, other float and 0-d partners every gradient has its own input's dtype and shape."""
    if not prim.differentiable or prim.promote is None or prim.promote is same_float:
        return
    case = in_dtype(case, "float32")
    floats = [i for i, a in enumerate(case.args) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    for position in floats:
        for partner in ("int64", "bool", "float16", "float64"):
            args = [a.astype(partner) if i in floats and i != position else a for i, a in enumerate(case.args)]
            x = wrap(args[position]).requires_grad_()
            tensors = [wrap(a) if isinstance(a, np.ndarray) else a for a in args]
            tensors[position] = x
            try:
                ys = outputs(prim, bind(prim, *tensors, **case.params))
            except DtypeError:
                continue
            for y in ys:
                if y.requires_grad:
                    y.backward(wrap(np.ones(y.shape, y.dtype)), retain_graph=True)
            g = x.grad
            if g is not None:
                what = f"{prim.name}: input {position}, float32{x.shape} beside {partner}, got {g.dtype}{g.shape}"
                assert (g.dtype, g.shape) == (x.dtype, x.shape), what


def check_derivatives(prim, samples, case):
    """First and second derivatives agree with finite differences."""
    if not prim.differentiable or samples.gradient is not True:
        return
    tracked = [isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in case.args]
    fixed = {i: wrap(case.args[i]) for i in samples.constants}
    if not any(is_float and i not in fixed for i, is_float in enumerate(tracked)):
        return
    function = WithConstants(Applied(prim, case.params), fixed)
    if all(y.dtype.kind != "f" for y in outputs(prim, apply(prim, case))):
        return
    rest = [a for i, a in enumerate(case.args) if i not in fixed]
    check_gradients(function, *rest, order=2 if samples.second_order is True else 1, rtol=samples.gradient_rtol,
                    atol=samples.gradient_rtol / 10, max_elements=8)


class WithConstants:
    """A function with some of its operands fixed, by position."""

    def __init__(self, function, fixed):
        self.function = function
        self.fixed = fixed

    def __call__(self, *rest):
        rest = iter(rest)
        positions = []
        while len(positions) in self.fixed:
            positions.append(self.fixed[len(positions)])
        for a in rest:
            positions.append(a)
            while len(positions) in self.fixed:
                positions.append(self.fixed[len(positions)])
        return self.function(*positions)


# ----- the engines
def check_engines(prim, samples, case):
    """Tensors, the interpreter and exact plans give the same bits; fast plans nearly the same."""
    if samples.static is not True or not any(isinstance(a, np.ndarray) for a in case.args):
        return
    order = 0
    if prim.differentiable:
        order = 2 if samples.second_order is True else 1
    sizes = sum(a.size for a in case.args if isinstance(a, np.ndarray))
    dtype = "float32" if sizes % 2 and "float32" in samples.dtypes else "float64"
    cast = in_dtype(case, dtype)
    engines_agree(Applied(prim, case.params), *cast.args, order=order, unknown=samples.unknown_dims is True)


KERNEL_CHECKS = (check_values, check_layouts, check_shape_rule, check_unknown_sizes)
RULE_CHECKS = (check_rules, check_mixed_dtypes)
CHECKS = (*KERNEL_CHECKS, *RULE_CHECKS, check_derivatives, check_engines)


def run_checks(prim, samples, checks=CHECKS, examples=None, shrink=True):
    """Draw cases from `samples` and run `checks` on each; deterministic where hypothesis's profile is.

    Every example is a group of cases, of which one has axes of size 1, one is empty and one has as few axes as the
    primitive takes. Cases for `check_derivatives` keep off kinks.

    Args:
        checks: one of CHECKS, or several.
        examples: number of groups; default: an eighth of the hypothesis profile's examples.
        shrink: look for the simplest failing case.

    Raises:
        AssertionError, or whatever the kernel or a rule raised, with a note that tells the check and the case.
    """
    try:
        from hypothesis import HealthCheck, Phase, given, settings
    except ImportError as error:
        raise MissingExtraError("run_checks needs hypothesis; install it with: pip install 'minigrad[test]'") from error
    from minigrad.testing.strategies import case_groups

    checks = (checks,) if callable(checks) else tuple(checks)
    if examples is None:
        examples = max(2, settings.default.max_examples // 8)
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]

    @settings(max_examples=examples, deadline=None, database=None, print_blob=False, phases=phases,
              report_multiple_bugs=False, suppress_health_check=list(HealthCheck))
    @given(case_groups(samples, check_derivatives in checks))
    def hold_for(group):
        for case in group:
            for check in checks:
                try:
                    check(prim, samples, case)
                except Exception as error:
                    error.add_note(f"{check.__name__}, {prim.name}, {case}")
                    raise

    hold_for()


# ----- cases in other dtypes and layouts
def in_dtype(case, dtype):
    """The case with its float64 arrays in `dtype`, and its Python floats as numbers of that kind."""
    dtype = np.dtype(dtype)
    return Case([operand_in(a, dtype) for a in case.args], case.params)


def operand_in(a, dtype):
    if isinstance(a, np.ndarray):
        if a.dtype != np.float64:
            return a
        return np.asarray(np.abs(a) if dtype.kind in "ub" else a).astype(dtype)
    if isinstance(a, float) and dtype.kind != "f":
        return bool(a) if dtype.kind == "b" else int(abs(a) if dtype.kind == "u" else a)
    return a


def oracle_args(case, dtype):
    """The operands for an oracle that computes in float64: rounded to `dtype` first, as the kernel sees them."""
    dtype = np.dtype(dtype)
    result = []
    for a in case.args:
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            a = a.astype(np.float64)
        elif isinstance(a, float) and dtype.kind == "f":
            a = float(dtype.type(a))
        result.append(a)
    return result


def in_fortran_order(x):
    return np.array(x, order="F")


def strided(x):
    """The same values, every second element of a bigger array."""
    big = np.zeros(tuple([2 * size for size in x.shape]), x.dtype)
    view = big[(*[slice(None, None, 2)] * x.ndim, ...)]
    view[...] = x
    return view


def backwards(x):
    """The same values, lying in memory in reversed order."""
    turned = tuple([slice(None, None, -1)] * x.ndim)
    return np.ascontiguousarray(x[turned])[turned] if x.ndim else x


# ----- small tools
def apply(prim, case):
    """The primitive applied to the operands, which are made read-only."""
    with np.errstate(all="ignore"):
        return bind(prim, *[frozen(a) for a in case.args], **case.params)


def frozen(a):
    """`a`; an array is replaced by a read-only view of it."""
    if isinstance(a, np.ndarray):
        a = a.view()
        a.flags.writeable = False
    return a


def outputs(prim, y):
    return list(y) if prim.multiple else [y]


def promoted(prim, args):
    return args if prim.promote is None else prim.promote(prim, tuple(args))


def abstract(a):
    return aval_of(a) if isinstance(a, np.ndarray) else a


def inferred(prim, avals, params):
    result = prim.infer(*avals, **params)
    return list(result) if prim.multiple else [result]


def abstracted(v):
    """Avals in place of arrays."""
    if isinstance(v, tuple):
        return tuple([abstracted(part) for part in v])
    return abstract(v)


def unread(v):
    """Something on which every use raises, in place of arrays."""
    return v if not isinstance(v, np.ndarray | tuple) else UNREAD


def poisoned(v):
    """NaN in place of floats, extreme numbers in place of integers, the opposite of bools."""
    if isinstance(v, tuple):
        return tuple([poisoned(part) for part in v])
    if not isinstance(v, np.ndarray):
        return v
    if v.dtype.kind == "f":
        return np.full(v.shape, np.nan, v.dtype)
    return ~v if v.dtype.kind == "b" else np.full(v.shape, np.iinfo(v.dtype).max, v.dtype)


def copies(v):
    if isinstance(v, tuple):
        return tuple([copies(part) for part in v])
    return v.copy() if isinstance(v, np.ndarray) else v


def unchanged(value, old):
    """Are two values (arrays, None, scalars, Tensors, tuples of them) the same, bit for bit?"""
    if isinstance(value, tuple):
        return all(unchanged(a, b) for a, b in zip(value, old, strict=True))
    if value is None or old is None:
        return value is old
    if isinstance(value, Tensor):
        value = value.array
    if not isinstance(value, np.ndarray | np.generic):
        return value == old
    value, old = np.asarray(value), np.asarray(old)
    return value.shape == old.shape and value.dtype == old.dtype and bool(np.all(same_bits(value, old)))


def assert_close(y, expected, rtol, what):
    """Floats within the tolerance for the dtype of `y`, integers and bools exactly."""
    assert y.shape == expected.shape, f"{what}: shapes {y.shape} and {expected.shape}"
    if y.dtype.kind != "f":
        close = y == expected
    else:
        tolerance = rtol if y.dtype == np.float64 else NARROW_TOLERANCE[str(y.dtype)] * max(rtol / 1e-12, 1.0)
        with np.errstate(all="ignore"):
            rounded = expected.astype(y.dtype).astype(np.float64)
            exact = y.astype(np.float64)
            close = np.abs(exact - rounded) <= tolerance * np.maximum(1.0, np.abs(rounded))
            close |= (exact == rounded) | (np.isnan(exact) & np.isnan(rounded))
    if not np.all(close):
        place = tuple(int(i) for i in np.argwhere(~np.asarray(close))[0])
        raise AssertionError(f"{what}: {y[place]!r} and {expected[place]!r} at element {place}")
