"""A program: what is left of a graph for one set of fetches and fed shapes, as the rewrites and the plan see it.

Where a graph has variables, a program has values: which state a consumer sees was decided by `needed.StateOrder`, so
the rest of the compiler works on pure functions of feeds, state and constants.
"""

from minigrad.core.sites import position


class Value:
    """A value of a program: what is known of it and where it comes from.

    Attributes:
        aval: shape and dtype.
        name: readable, not necessarily unique; the plan makes a variable of it.
        kind: "feed", "state", "constant", or "result" of an instruction.
        data: the array of a constant.
        origin: the Node that is fed, the Variable whose state it is, or the instruction that computes it.
    """

    __slots__ = ("aval", "data", "kind", "name", "origin")

    def __init__(self, aval, name, kind, origin=None, data=None):
        self.aval = aval
        self.name = name
        self.kind = kind
        self.origin = origin
        self.data = data

    def __repr__(self):
        return f"<{self.kind} {self.name} {self.aval}>"


class Instruction:
    """A primitive applied to values and Python scalars. Rewrites replace instructions, they do not change them."""

    __slots__ = ("inputs", "name", "outputs", "params", "prim", "site")

    def __init__(self, prim, inputs, params, name, site, avals):
        self.prim = prim
        self.inputs = inputs
        self.params = params
        self.name = name
        self.site = site
        self.outputs = tuple([Value(aval, output_name(name, i, avals), "result", self) for i, aval in enumerate(avals)])

    @property
    def is_pure(self):
        """True when computing it twice, once or never makes no difference but time."""
        return not (self.prim.random or self.prim.effects)

    @property
    def line(self):
        """``train.py:12``: the user's line, without the directory."""
        file, line = position(self.site)
        return f"{file.replace(chr(92), '/').rpartition('/')[2]}:{line}"

    def __repr__(self):
        return f"<{self.name}: {self.prim.name}({', '.join(str(getattr(a, 'name', a)) for a in self.inputs)})>"


def output_name(name, index, avals):
    return name if len(avals) == 1 else f"{name}_{index}"


class Program:
    """Instructions in order, and what goes in and comes out.

    Attributes:
        feeds: Values in the order of the fed nodes.
        states: Variable -> Value of its state at the start of the run.
        instructions: the list of them.
        fetches: the Values to return.
        writes: Variable -> Value of its state at the end of the run.
    """

    def __init__(self, feeds, states, instructions, fetches, writes):
        self.feeds = feeds
        self.states = states
        self.instructions = instructions
        self.fetches = fetches
        self.writes = writes

    def results(self):
        """The values that have to be computed."""
        return [*self.fetches, *self.writes.values()]

    def substituted(self, replaced, instructions):
        """The program with `instructions`, in which each value in `replaced` (old -> new) is taken by its stand-in.

        The instructions are rebuilt where an input of theirs is replaced.
        """
        mapping = dict(replaced)
        rebuilt = []
        for old in instructions:
            inputs = tuple([stand_in(mapping, a) for a in old.inputs])
            if all([a is b for a, b in zip(inputs, old.inputs, strict=True)]):
                rebuilt.append(old)
                continue
            new = Instruction(old.prim, inputs, old.params, old.name, old.site, [v.aval for v in old.outputs])
            for a, b in zip(old.outputs, new.outputs, strict=True):
                mapping[a] = b
            rebuilt.append(new)
        fetches = [stand_in(mapping, value) for value in self.fetches]
        writes = {variable: stand_in(mapping, value) for variable, value in self.writes.items()}
        return Program(self.feeds, self.states, rebuilt, fetches, writes)


def stand_in(mapping, value):
    """What `value` was replaced by, through several replacements."""
    while value.__class__ is Value and value in mapping:
        value = mapping[value]
    return value
