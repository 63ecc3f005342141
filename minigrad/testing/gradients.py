"""Gradients against finite differences, to first and second order."""

import numpy as np

from minigrad.core.dims import shape_text
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import DtypeError, GradientCheckError
from minigrad.testing.engines import (
    DynamicRunner,
    Operands,
    StaticRunner,
    parameters_of,
    random_like,
    same_bits,
)

STEP = float(np.cbrt(np.finfo(np.float64).eps))
ENGINES = ("dynamic", "interpreter", "unoptimised", "exact", "fast")


def check_gradients(fn, *inputs, order=2, rtol=1e-5, atol=1e-7, kinks=(), cast=False, max_elements=64, seed=0,
                    engine="dynamic"):
    """Compare the gradients of `fn` with central differences, and raise if they disagree.

    What is differentiated is the sum of all outputs, each multiplied by fixed random numbers. Element x of an input
    is moved by ``cbrt(eps) * max(1, |x|)`` to either side, about 6e-6, in float64. For order 2 the same is done with
    the gradients as the function, of the inputs and of the random numbers. PyTorch: autograd.gradcheck.

    Args:
        fn: a function of Tensors that returns a Tensor or a tuple of them; those of integers and bools are left out.
            The parameters of a Module are checked too.
        inputs: NumPy arrays or Tensors. Those of float dtype are differentiated; the same object given twice counts
            as one input. Everything else is handed on as it is.
        order: 1, or 2 to check second derivatives too.
        rtol, atol: allowed error, relative to the larger of both numbers, and absolute.
        kinks: numbers at which fn has no derivative; elements within 10 steps of one are left out.
        cast: compute in float64 what is given as float32 or float16, instead of refusing it: their finite
            differences are too coarse to tell anything.
        max_elements: check that many elements of an input at most, chosen at random.
        seed: of all random choices.
        engine: "dynamic", or how a graph of `fn` is run: "interpreter", or a plan that is "unoptimised", "exact" or
            "fast".

    Raises:
        GradientCheckError: a gradient is wrong (input, element, both numbers and the step are named), has the wrong
            shape or dtype, fn is not deterministic, or nothing was left to check.
        DtypeError: a float32 or float16 input without `cast`, or no float input at all.
    """
    if order not in (1, 2):
        raise ValueError(f"check_gradients: order must be 1 or 2, not {order!r}")
    operands = Operands(prepared(inputs, cast), parameters_of(fn))
    for slot, parameter in operands.parameters.items():
        operands.arrays[slot] = in_float64(operands.name(slot), parameter.array, cast)
    if not operands.tracked:
        raise DtypeError("check_gradients: none of the inputs is a float array or tensor")
    check = Check(runner_for(engine, fn, operands), operands, rtol, atol, tuple(kinks), max_elements, seed)
    check.first_order()
    if order == 2:
        check.second_order()
    check.something_was_checked()


def runner_for(engine, fn, operands):
    if engine not in ENGINES:
        raise ValueError(f"check_gradients: engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    return DynamicRunner(fn, operands) if engine == "dynamic" else StaticRunner(fn, operands, engine)


def prepared(inputs, cast):
    """The inputs with arrays in place of Tensors, float ones in float64; what was one object stays one."""
    made = {}
    result = []
    for number, x in enumerate(inputs):
        if not isinstance(x, Tensor | np.ndarray):
            result.append(x)
            continue
        if id(x) not in made:
            made[id(x)] = in_float64(f"input {number}", x.array if isinstance(x, Tensor) else x, cast)
        result.append(made[id(x)])
    return result


def in_float64(name, x, cast):
    """A copy of an input or parameter, in float64 if it is an array of floats."""
    if x.dtype.kind != "f" or x.dtype == np.float64:
        return np.array(x)
    if not cast:
        raise DtypeError(f"check_gradients: {name} is {x.dtype}, whose finite differences are too coarse to"
                         " check anything: give float64, or pass cast=True to have it computed in float64")
    return np.array(x, dtype=np.float64)


class Check:
    """One run of `check_gradients`."""

    def __init__(self, runner, operands, rtol, atol, kinks, max_elements, seed):
        self.runner = runner
        self.operands = operands
        self.arrays = operands.arrays
        self.rtol = rtol
        self.atol = atol
        self.kinks = kinks
        self.max_elements = max_elements
        self.seed = seed
        self.checked = 0
        self.near_kinks = 0
        self.ys = self.settled_values()
        self.seeds = random_like(self.ys, [seed, 1])
        if all(s is None for s in self.seeds):
            raise GradientCheckError("the function returned no tensor of a float dtype: there is nothing to check")

    def settled_values(self):
        """The outputs, after making sure that a second call gives the same."""
        ys, again = self.runner.values(self.arrays), self.runner.values(self.arrays)
        for i, (a, b) in enumerate(zip(ys, again, strict=True)):
            if a.shape != b.shape or not np.all(same_bits(a, b)):
                raise GradientCheckError(f"the function is not deterministic: output {i} differs between two calls with"
                                         " the same inputs. Draw random numbers outside of it, or seed them inside")
        return [np.array(y) for y in ys]

    # ----- the two orders
    def first_order(self):
        found = self.runner.gradients(self.arrays, self.seeds)
        names = self.input_names()
        for slot, g, name in zip(self.operands.tracked, found, names, strict=True):
            g = self.filled(g, self.arrays[slot], name, "gradient")
            self.compare(g, self.arrays, slot, self.first_difference, name, "gradient")

    def second_order(self):
        xs = [self.arrays[slot] for slot in self.operands.tracked]
        self.weights = random_like(xs, [self.seed, 2])
        seeds = [s for s in self.seeds if s is not None]
        found = self.runner.second(self.arrays, self.seeds, self.weights)
        # the seeds are inputs of the gradients: they follow the arrays, and are moved like them
        joined = [*self.arrays, *seeds]
        slots = [*self.operands.tracked, *range(len(self.arrays), len(joined))]
        names = self.input_names() + [f"the seed of output {i}" for i, s in enumerate(self.seeds) if s is not None]
        for slot, g, name in zip(slots, found, names, strict=True):
            g = self.filled(g, joined[slot], name, "second gradient")
            self.compare(g, joined, slot, self.second_difference, name, "second gradient")

    def first_difference(self, above, below):
        """sum(seed * (value above - value below)), summed after subtracting: fewer digits are lost."""
        total = 0.0
        for s, a, b in zip(self.seeds, self.runner.values(above), self.runner.values(below), strict=True):
            if s is not None:
                total += float(np.sum(s * (a - b)))
        return total

    def second_difference(self, above, below):
        total = 0.0
        gradients_above, gradients_below = self.gradients_at(above), self.gradients_at(below)
        for w, a, b in zip(self.weights, gradients_above, gradients_below, strict=True):
            if a is not None and b is not None:
                total += float(np.sum(w * (a - b)))
        return total

    def gradients_at(self, joined):
        """The gradients for inputs and seeds that stand in one list."""
        arrays, rest = joined[:len(self.arrays)], iter(joined[len(self.arrays):])
        return self.runner.gradients(arrays, [None if s is None else next(rest) for s in self.seeds])

    # ----- comparing
    def filled(self, g, x, name, what):
        """The gradient, checked for shape and dtype; zeros in place of None."""
        if g is None:
            return np.zeros(x.shape, x.dtype)
        if g.shape != x.shape or g.dtype != x.dtype:
            raise GradientCheckError(f"{what} of {name}: {g.dtype}{shape_text(g.shape)}, but the value is"
                                     f" {x.dtype}{shape_text(x.shape)}")
        return g

    def compare(self, g, arrays, slot, difference, name, what):
        x = arrays[slot]
        for place in self.places(x, slot):
            step = STEP * max(1.0, abs(float(x[place])))
            above, below = moved(arrays, slot, place, step), moved(arrays, slot, place, -step)
            # what was really moved, after rounding
            width = float(above[slot][place]) - float(below[slot][place])
            with np.errstate(all="ignore"):
                numeric = difference(above, below) / width
            analytic = float(g[place])
            self.checked += 1
            allowed = self.atol + self.rtol * max(abs(analytic), abs(numeric))
            if not abs(analytic - numeric) <= allowed:
                raise GradientCheckError(
                    f"{what} of {name}, element {place} of shape {shape_text(x.shape)}, value {float(x[place])!r}:"
                    f" computed {analytic!r}, finite differences give {numeric!r} with step {step:.3g}; the difference"
                    f" {abs(analytic - numeric):.3g} is more than the allowed {allowed:.3g}")

    def places(self, x, slot):
        """Indices of the elements to check."""
        places = list(np.ndindex(x.shape))
        if self.kinks and slot < len(self.arrays):
            smooth = [place for place in places if not self.is_near_kink(float(x[place]))]
            self.near_kinks += len(places) - len(smooth)
            places = smooth
        if len(places) > self.max_elements:
            chosen = np.random.default_rng([self.seed, 3]).choice(len(places), self.max_elements, replace=False)
            places = [places[i] for i in sorted(chosen)]
        return places

    def is_near_kink(self, value):
        return any(abs(value - kink) <= 10 * STEP * max(1.0, abs(value)) for kink in self.kinks)

    def something_was_checked(self):
        if self.checked == 0 and self.near_kinks:
            raise GradientCheckError(f"all {self.near_kinks} elements lie near a declared kink {self.kinks}: nothing"
                                     " was checked")

    def input_names(self):
        return [self.operands.name(slot) for slot in self.operands.tracked]


def moved(arrays, slot, place, step):
    """`arrays`, in which one element is moved by `step`."""
    result = list(arrays)
    result[slot] = arrays[slot].copy()
    result[slot][place] += step
    return result
