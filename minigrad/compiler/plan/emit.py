"""Emission: the text of a plan, and the names that it uses."""

import keyword
import re

import numpy as np

from minigrad.compiler.plan import lines
from minigrad.compiler.program import Value
from minigrad.core.dtypes import is_scalar, scalar_dtype

BIG = 1 << 16  # bytes: a value of at least this size is deleted after its last use
RESERVED = frozenset(["xp", "plan"])


class Emitter:
    """Writes the function of one program; `text` is its source, `names` the globals that the source needs."""

    def __init__(self, program, reuse):
        self.program = program
        self.reuse = reuse
        self.names = {}  # global name -> object, besides xp
        self.variables = {}  # Value -> its name in the plan
        self.taken = set(RESERVED) | set(keyword.kwlist)
        self.owners = {}  # Value -> the Value that owns its memory, for those that may share it
        self.last_use = last_uses(program)
        self.instruction_of_line = {}
        self.text = self.written()

    # ----- names
    def variable(self, value):
        """The name of a value in the plan: that of its node, made an identifier."""
        if value not in self.variables:
            self.variables[value] = self.fresh_name(value.name)
            if value.kind == "constant":
                self.names[self.variables[value]] = value.data
        return self.variables[value]

    def fresh_name(self, name):
        base = re.sub(r"\W", "_", name) or "value"
        if base[0].isdigit():
            base = f"_{base}"
        candidate, count = base, 1
        while candidate in self.taken:
            candidate = f"{base}_{count}"
            count += 1
        self.taken.add(candidate)
        return candidate

    def hoisted(self, name, thing):
        """A global name for an object that has no literal."""
        for known, other in self.names.items():
            if other is thing:
                return known
        fresh = self.fresh_name(name)
        self.names[fresh] = thing
        return fresh

    def literal(self, value):
        """A parameter or scalar as Python text."""
        if value is None or isinstance(value, bool | int | str):
            return repr(value)
        if isinstance(value, float) and np.isfinite(value):
            return repr(value)
        if isinstance(value, tuple) and value.__class__ is tuple:
            inner = ", ".join([self.literal(v) for v in value])
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, slice):
            return f"slice({self.literal(value.start)}, {self.literal(value.stop)}, {self.literal(value.step)})"
        return self.hoisted(str(value) if isinstance(value, np.dtype) else type(value).__name__.lower(), value)

    def operand(self, a):
        return self.variable(a) if a.__class__ is Value else self.literal(a)

    # ----- lines
    def written(self):
        program = self.program
        inputs = [self.variable(value) for value in (*program.feeds, *program.states.values())]
        out = [f"def plan({', '.join(inputs)}):"]
        for number, instruction in enumerate(program.instructions):
            text = self.line(number, instruction)
            out.append(f"    {text:64s}  # {instruction.line}")
            self.instruction_of_line[len(out)] = instruction
            dead = self.dying(number, instruction)
            if dead:
                out.append(f"    del {', '.join(dead)}")
        fetched = ", ".join([self.returned(value, False) for value in program.fetches])
        written = ", ".join([self.returned(value, True) for value in program.writes.values()])
        out.append(f"    return [{fetched}], [{written}]")
        return "\n".join(out) + "\n"

    def line(self, number, instruction):
        operands = [self.operand(a) for a in instruction.inputs]
        # where only scalars come in, they become arrays, so that their dtype is ours and not NumPy's
        if instruction.inputs and all([is_scalar(a) for a in instruction.inputs]):
            operands = [self.strengthened(a) for a in instruction.inputs]
        prim = instruction.prim
        ufunc = lines.ufunc_of(prim)
        self.note_owners(instruction)
        if ufunc is not None and not instruction.params and len(operands) <= 2:
            target = self.reusable(number, instruction) if prim.name in lines.UFUNCS else None
            if target is not None:
                operands.append(f"out={self.variable(target)}")
            call = f"xp.{ufunc}({', '.join(operands)})"
        elif prim.name == "matmul":
            call = lines.matmul_text(operands, instruction.params)
        else:
            operands += [f"{key}={self.literal(value)}" for key, value in instruction.params.items()]
            kernel = self.hoisted(prim.kernel.__name__, prim.kernel)
            call = f"{kernel}({', '.join(['xp', *operands])})"
        if prim.multiple:
            if any([value.aval.shape == () for value in instruction.outputs]):
                call = f"{self.hoisted('as_arrays', as_arrays)}(xp, {call})"
            targets = ", ".join([self.variable(value) for value in instruction.outputs])
            return f"{targets}{',' if len(instruction.outputs) == 1 else ''} = {call}"
        value = instruction.outputs[0]
        if value.aval.shape == ():
            call = f"xp.asarray({call})"  # NumPy gives scalars where arrays without dimensions are meant
        return f"{self.variable(value)} = {call}"

    def strengthened(self, scalar):
        array = np.asarray(scalar, dtype=scalar_dtype(scalar))
        return self.hoisted("scalar", array)

    # ----- memory
    def note_owners(self, instruction):
        """Outputs of a primitive that may return a view share the memory of its first input."""
        if instruction.prim.views and instruction.inputs[0].__class__ is Value:
            owner = self.owner(instruction.inputs[0])
            for value in instruction.outputs:
                self.owners[value] = owner

    def owner(self, value):
        return self.owners.get(value, value)

    def reusable(self, number, instruction):
        """An operand whose memory the result can be written into: ours, of the same form, and not needed again."""
        if not self.reuse:
            return None
        result = instruction.outputs[0].aval
        if not result.is_known or result.shape == ():
            return None
        for a in instruction.inputs:
            if a.__class__ is not Value or a.kind != "result" or a.aval != result or a in self.owners:
                continue
            if a.origin.prim.name in lines.UFUNCS or a.origin.prim.name == "matmul":
                if self.last_use[a] == number and not self.is_shared(a, number):
                    return a
        return None

    def is_shared(self, value, number):
        """True when another value that is still needed may share this one's memory."""
        for other, owner in self.owners.items():
            if owner is value and self.last_use.get(other, -1) >= number:
                return True
        return False

    def dying(self, number, instruction):
        """Names of big values used for the last time by this instruction."""
        names = []
        for a in dict.fromkeys(instruction.inputs):
            if a.__class__ is Value and a.kind == "result" and self.last_use[a] == number:
                if a.aval.is_known and np.prod(a.aval.shape) * a.aval.dtype.itemsize >= BIG:
                    names.append(self.variable(a))
        return names

    def returned(self, value, stored):
        """The expression for a result: a copy where the array belongs to somebody else.

        Of a value that is both fetched and `stored` as a variable's new state, the variable gets the array itself.
        """
        name = self.variable(value)
        is_ours = value.kind == "result" and not value.origin.prim.views
        if is_ours and (stored or value not in self.program.writes.values()):
            return name
        return f"{name}.copy()"


def as_arrays(xp, values):
    """Several outputs as arrays: NumPy gives scalars where arrays without dimensions are meant."""
    return [xp.asarray(value) for value in values]


def last_uses(program):
    """Value -> number of the last instruction that uses it; results are used after all of them."""
    last = {}
    for number, instruction in enumerate(program.instructions):
        for a in instruction.inputs:
            if a.__class__ is Value:
                last[a] = number
    for value in program.results():
        last[value] = len(program.instructions)
    return last
