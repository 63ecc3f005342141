"""The net of checks catches what it is meant to catch: for each kind of fault a primitive that has it.

Every fault must fail in the check function that the generated tests run, and the same primitive without the fault
must pass all of them.
"""

import numpy as np
import pytest

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float64
from minigrad.core.primitive import REGISTRY, declare
from minigrad.dynamic.tape import Record
from minigrad.ops.broadcasting import broadcast_like, broadcast_to
from minigrad.ops.casting import cast
from minigrad.ops.elementwise import elementwise
from minigrad.ops.promotion import to_common
from minigrad.ops.reduction import sum as sum_of
from minigrad.ops.shaping import reshape
from minigrad.testing import checks
from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, ElementwiseCases, Samples
from minigrad.testing.strategies import arrays, axis_sets, one_of, shapes

# enough for every fault to be met, whatever the seed; the runs end at the first failure
EXAMPLES = 20


@pytest.fixture(autouse=True)
def _registry_is_left_as_it_was():
    before = set(REGISTRY)
    yield
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


# ----- a product of two operands, right in all parts
def times_kernel(xp, a, b):
    return xp.multiply(a, b)


def times_vjp_a(g, y, a, b):
    return g * b


def times_vjp_b(g, y, a, b):
    return g * a


def planted_times(kernel=times_kernel, vjp_a=times_vjp_a, vjp_b=times_vjp_b, reads=({1}, {0}), promote=to_common):
    prim = elementwise("planted_times", kernel, (vjp_a, vjp_b), reads, promote=promote)
    return prim, Samples("planted_times", ElementwiseCases((REAL, REAL), {}, True, rough=True), oracle="numpy.multiply")


# ----- a total over axes, right in all parts
def total_kernel(xp, x, *, axes, keepdim):
    return xp.sum(x, axis=axes, keepdims=keepdim, dtype=x.dtype)


def total_infer(x, *, axes, keepdim):
    if x.shape is None:
        return Aval(None, x.dtype)
    sizes = []
    for axis, size in enumerate(x.shape):
        if axes is not None and axis not in axes:
            sizes.append(size)
        elif keepdim:
            sizes.append(1)
    return Aval(tuple(sizes), x.dtype)


def total_vjp(g, y, x, *, axes, keepdim):
    if axes is None:
        return broadcast_like(reshape(g, (1,) * x.ndim), x)
    if not keepdim:
        kept = iter(range(x.ndim))
        g = reshape(g, tuple([1 if axis in axes else x.shape[axis] for axis in kept]))
    return broadcast_like(g, x)


def total_cases(draw):
    x = draw(arrays(shapes(max_rank=3), REAL))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})


def total_reference(x, *, axes, keepdim):
    result = np.zeros((), x.dtype) if axes is None and not keepdim else None
    if result is not None:
        for value in x.ravel():
            result = result + value
        return result
    return np.add.reduce(x, axis=axes, keepdims=keepdim)


def planted_total(kernel=total_kernel, infer=total_infer, vjp=total_vjp):
    prim = declare("planted_total", kernel, infer, vjps=(vjp,), reads=((),))
    return prim, Samples("planted_total", total_cases, oracle=total_reference, unknown_dims="sizes must be known here",
                         rtol=1e-11)


# ----- two outputs, right in all parts
def parts_kernel(xp, x):
    return xp.multiply(x, 2), xp.multiply(x, x)


def parts_infer(x):
    return Aval(x.shape, x.dtype), Aval(x.shape, x.dtype)


def parts_vjp(g, y, x):
    first, second = g
    if first is None:
        return second * x * 2.0
    return first * 2.0 if second is None else first * 2.0 + second * x * 2.0


def parts_reference(x):
    return x + x, np.square(x)


def planted_parts(vjp=parts_vjp):
    prim = declare("planted_parts", parts_kernel, parts_infer, vjps=(vjp,), reads=({0},), multiple=True)
    return prim, Samples("planted_parts", ElementwiseCases((REAL,), {}, True, rough=True), oracle=parts_reference)


@pytest.mark.parametrize("plant", [planted_times, planted_total, planted_parts])
@pytest.mark.parametrize("check", checks.CHECKS)
def test_faultless_primitives_pass(plant, check):
    prim, samples = plant()
    checks.run_checks(prim, samples, check)


# ----- faults of the kernel
def doubling_kernel(xp, a, b):
    return xp.multiply(xp.multiply(a, b), 2)


def doubling_vjp_a(g, y, a, b):
    return g * b * 2.0


def doubling_vjp_b(g, y, a, b):
    return g * a * 2.0


def kernel_and_rules_wrong_alike():
    return planted_times(doubling_kernel, doubling_vjp_a, doubling_vjp_b)


def writing_kernel(xp, a, b):
    if getattr(a, "shape", ()) == getattr(b, "shape", ()) and hasattr(a, "dtype"):
        a *= b
        return a
    return xp.multiply(a, b)


def kernel_writes_into_its_input():
    return planted_times(writing_kernel)


def widening_kernel(xp, a, b):
    return xp.multiply(a, b).astype(float64)


def kernel_changes_the_dtype():
    return planted_times(widening_kernel)


def passing_kernel(xp, x, *, axes, keepdim):
    return total_kernel(xp, x, axes=axes, keepdim=keepdim) if x.ndim else x


def kernel_returns_its_input():
    return planted_total(passing_kernel)


def empty_kernel(xp, x, *, axes, keepdim):
    y = total_kernel(xp, x, axes=axes, keepdim=keepdim)
    return y + 1 if x.size == 0 else y


def wrong_only_for_empty():
    return planted_total(empty_kernel)


def single_kernel(xp, x, *, axes, keepdim):
    y = total_kernel(xp, x, axes=axes, keepdim=keepdim)
    return y + 1 if x.ndim and x.shape[-1] == 1 else y


def wrong_only_for_size_1():
    return planted_total(single_kernel)


def scalar_kernel(xp, x, *, axes, keepdim):
    return total_kernel(xp, x, axes=axes, keepdim=keepdim) if x.ndim else xp.negative(x)


def wrong_only_without_dimensions():
    return planted_total(scalar_kernel)


def memory_order_kernel(xp, a, b):
    return xp.multiply(a.ravel(order="K").reshape(a.shape) if getattr(a, "ndim", 0) > 1 else a, b)


def kernel_depends_on_memory_order():
    return planted_times(memory_order_kernel)


# ----- faults of the shape rule
def forgetting_infer(x, *, axes, keepdim):
    return total_infer(x, axes=axes, keepdim=False)


def shape_rule_forgets_keepdim():
    return planted_total(infer=forgetting_infer)


def widening_infer(x, *, axes, keepdim):
    return Aval(total_infer(x, axes=axes, keepdim=keepdim).shape, float64)


def shape_rule_gives_another_dtype():
    return planted_total(infer=widening_infer)


def counting_infer(x, *, axes, keepdim):
    for size in x.shape or ():
        if size < 0:
            raise ValueError("negative size")
    return total_infer(x, axes=axes, keepdim=keepdim)


def shape_rule_counts_unknown_sizes():
    prim, samples = planted_total(infer=counting_infer)
    samples.unknown_dims = True
    return prim, samples


def inventing_infer(x, *, axes, keepdim):
    aval = total_infer(x, axes=axes, keepdim=keepdim)
    if aval.shape is None:
        return aval
    return Aval(tuple([2 if isinstance(size, Dim) else size for size in aval.shape]), aval.dtype)


def shape_rule_invents_sizes():
    prim, samples = planted_total(infer=inventing_infer)
    samples.unknown_dims = True
    return prim, samples


# ----- faults of the gradient rules
def negative_vjp_b(g, y, a, b):
    return -g * a


def wrong_sign():
    return planted_times(vjp_b=negative_vjp_b)


def swapped_vjp_a(g, y, a, b):
    return g * a


def swapped_vjp_b(g, y, a, b):
    return g * b


def swapped_operands():
    return planted_times(vjp_a=swapped_vjp_a, vjp_b=swapped_vjp_b, reads=({0}, {1}))


def mean_vjp_a(g, y, a, b):
    product = g * b
    if len(product.shape) == len(a.shape):
        return product
    return sum_of(product, 0) / max(product.shape[0], 1)


def unbroadcast_by_the_mean():
    return planted_times(vjp_a=mean_vjp_a, reads=({0, 1}, {0}))


def last_axis_vjp(g, y, x, *, axes, keepdim):
    g = total_vjp(g, y, x, axes=axes, keepdim=keepdim)
    return g * 2.0 if axes == (x.ndim - 1,) else g


def rule_wrong_only_for_the_last_axis():
    return planted_total(vjp=last_axis_vjp)


def keepdim_vjp(g, y, x, *, axes, keepdim):
    g = total_vjp(g, y, x, axes=axes, keepdim=keepdim)
    return g * 2.0 if keepdim else g


def rule_wrong_only_with_keepdim():
    return planted_total(vjp=keepdim_vjp)


def single_vjp(g, y, x, *, axes, keepdim):
    g = total_vjp(g, y, x, axes=axes, keepdim=keepdim)
    return -g if x.ndim and x.shape[0] == 1 else g


def rule_wrong_only_for_size_1():
    return planted_total(vjp=single_vjp)


def empty_vjp(g, y, x, *, axes, keepdim):
    return g if 0 in x.shape else total_vjp(g, y, x, axes=axes, keepdim=keepdim)


def rule_keeps_the_shape_of_g_for_empty():
    return planted_total(vjp=empty_vjp)


def detached_vjp_a(g, y, a, b):
    return g * (b.detach() if hasattr(b, "detach") else b)


def wrong_only_in_second_order():
    return planted_times(vjp_a=detached_vjp_a)


def widening_vjp_a(g, y, a, b):
    return cast(g * b, float64)


def rule_changes_the_dtype():
    return planted_times(vjp_a=widening_vjp_a)


def keep_operands(prim, args):
    return args


def operands_are_not_promoted():
    return planted_times(promote=keep_operands)


def writing_vjp_a(g, y, a, b):
    g *= b
    return g


def rule_writes_into_the_gradient():
    return planted_times(vjp_a=writing_vjp_a)


def rule_reads_undeclared():
    return planted_times(reads=((), {0}))


def shy_vjp(g, y, x, *, axes, keepdim):
    g = total_vjp(g, y, x, axes=axes, keepdim=keepdim)
    return g if isinstance(x, Aval) else g + x * 0.0 + 1.0 * (x - x)


def rule_reads_only_what_is_there():
    return planted_total(vjp=shy_vjp)


def affine_vjp(g, y, x, *, axes, keepdim):
    return total_vjp(g, y, x, axes=axes, keepdim=keepdim) + 1.0


def rule_is_not_linear():
    return planted_total(vjp=affine_vjp)


def demanding_vjp(g, y, x):
    first, second = g
    return first * 2.0 + second * x * 2.0


def rule_needs_all_outputs():
    return planted_parts(vjp=demanding_vjp)


def forgetful_vjp(g, y, x):
    first, second = g
    return second * x * 2.0 if first is None else first * 2.0


def rule_forgets_an_output():
    return planted_parts(vjp=forgetful_vjp)


def array_vjp_a(g, y, a, b):
    return g * b if isinstance(g, np.ndarray | np.generic) or hasattr(g, "array") else g * (b + 1.0)


def engines_get_different_rules():
    return planted_times(vjp_a=array_vjp_a)


def sized_vjp(g, y, x, *, axes, keepdim):
    scale = (x.shape[0] + 1) / (x.shape[0] + 1) if x.shape else 1.0
    return total_vjp(g, y, x, axes=axes, keepdim=keepdim) * scale


def rule_computes_with_unknown_sizes():
    prim, samples = planted_total(vjp=sized_vjp)
    samples.unknown_dims = True
    return prim, samples


FAULTS = [
    (kernel_and_rules_wrong_alike, checks.check_values, "kernel and oracle"),
    (kernel_writes_into_its_input, checks.check_values, "read-only"),
    (kernel_changes_the_dtype, checks.check_values, "float32 became float64"),
    (kernel_changes_the_dtype, checks.check_shape_rule, "the shape rule says float32"),
    (kernel_returns_its_input, checks.check_values, "shares memory"),
    (wrong_only_for_empty, checks.check_values, "kernel and oracle"),
    (wrong_only_for_size_1, checks.check_values, "kernel and oracle"),
    (wrong_only_without_dimensions, checks.check_values, "kernel and oracle"),
    (kernel_depends_on_memory_order, checks.check_layouts, "in_fortran_order"),
    (shape_rule_forgets_keepdim, checks.check_shape_rule, "the shape rule says"),
    (shape_rule_gives_another_dtype, checks.check_shape_rule, "the shape rule says float64"),
    (shape_rule_counts_unknown_sizes, checks.check_unknown_sizes, "not supported between"),
    (shape_rule_invents_sizes, checks.check_unknown_sizes, "the shape rule says"),
    (wrong_sign, checks.check_derivatives, "gradient of input 1"),
    (swapped_operands, checks.check_derivatives, "gradient of input"),
    (unbroadcast_by_the_mean, checks.check_derivatives, "gradient of input 0"),
    (rule_wrong_only_for_the_last_axis, checks.check_derivatives, "gradient of input 0"),
    (rule_wrong_only_with_keepdim, checks.check_derivatives, "gradient of input 0"),
    (rule_wrong_only_for_size_1, checks.check_derivatives, "gradient of input 0"),
    (rule_keeps_the_shape_of_g_for_empty, checks.check_rules, "returned shape"),
    (wrong_only_in_second_order, checks.check_derivatives, "second gradient of input 1"),
    (rule_changes_the_dtype, checks.check_rules, "returned float64"),
    (operands_are_not_promoted, checks.check_mixed_dtypes, "float32"),
    (rule_writes_into_the_gradient, checks.check_rules, "read-only"),
    (rule_reads_undeclared, checks.check_rules, "does not declare to read"),
    (rule_reads_only_what_is_there, checks.check_rules, "poisoned"),
    (rule_is_not_linear, checks.check_rules, "twice the gradient"),
    (rule_needs_all_outputs, checks.check_rules, "NoneType"),
    (rule_forgets_an_output, checks.check_derivatives, "gradient of input 0"),
    (rule_computes_with_unknown_sizes, checks.check_engines, r"unsupported operand type.*Dim"),
    (engines_get_different_rules, checks.check_engines, "interpreter differ"),
]


@pytest.mark.parametrize(("plant", "check", "message"), FAULTS,
                         ids=[f"{plant.__name__}-{check.__name__}" for plant, check, _ in FAULTS])
def test_fault_is_caught(plant, check, message):
    prim, samples = plant()
    with pytest.raises(Exception, match=message) as caught:
        checks.run_checks(prim, samples, check, EXAMPLES, shrink=False)
    assert any(prim.name in note for note in caught.value.__notes__), "the report tells the case"


def unmatched(self, g):
    return g


def test_sweep_that_does_not_undo_broadcasting_is_caught(monkeypatch):
    monkeypatch.setattr(Record, "match", unmatched)
    prim, samples = planted_times()
    with pytest.raises(AssertionError, match="but the value is"):
        checks.run_checks(prim, samples, checks.check_derivatives, EXAMPLES, shrink=False)


def first_part(self, g):
    while len(g.shape) > len(self.shape):
        g = reshape(g, (int(np.prod(g.shape)),)) if len(self.shape) == 1 else sum_of(g, 0) / max(g.shape[0], 1)
    return broadcast_to(sum_of(g), self.shape) if g.shape != self.shape else g


def test_sweep_that_undoes_broadcasting_wrongly_is_caught(monkeypatch):
    monkeypatch.setattr(Record, "match", first_part)
    prim, samples = planted_times()
    with pytest.raises(AssertionError, match="gradient of input"):
        checks.run_checks(prim, samples, checks.check_derivatives, EXAMPLES, shrink=False)


def test_planted_primitives_work_at_all():
    prim, _ = planted_times()
    assert bind(prim, np.array([2.0]), np.array([3.0])) == 6.0
