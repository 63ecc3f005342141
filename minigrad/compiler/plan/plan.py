"""A plan: the emitted function, registered so that pdb steps through it and tracebacks show it."""

import linecache
from itertools import count

from minigrad.compiler.plan.emit import Emitter
from minigrad.core.failures import explained
from minigrad.core.sites import describe

next_number = count(1).__next__


class Plan:
    """A straight-line Python function for one set of fetches, fed shapes and dtypes.

    ``print(plan)`` shows it. Calling it with the fed arrays and the states returns (fetched values, new states).

    Attributes:
        program: what it computes.
        text: the source of the function.
        filename: the name under which pdb and tracebacks find the source.
        function: the function.
    """

    def __init__(self, program, xp, reuse=False):
        self.program = program
        self.feeds = [value.origin for value in program.feeds]
        self.states = list(program.states)
        self.writes = list(program.writes)
        emitter = Emitter(program, reuse)
        self.text = emitter.text
        self.instruction_of_line = emitter.instruction_of_line
        self.filename = f"<minigrad plan {next_number()}>"
        names = {"xp": xp, "__name__": "minigrad.compiler.emitted"}
        for name, thing in emitter.names.items():
            names[name] = thing if xp.__name__ == "numpy" else on_device(xp, thing)
        code = compile(self.text, self.filename, "exec")
        exec(code, names)
        self.function = names["plan"]
        linecache.cache[self.filename] = len(self.text), None, self.text.splitlines(True), self.filename

    def __call__(self, feeds, states):
        """Run it on lists of arrays in the order of `feeds` and `states`."""
        try:
            return self.function(*feeds, *states)
        except Exception as error:
            raise self.located(error) from error.__cause__

    def located(self, error):
        """The exception to raise for `error`, with the user's line that made the failing operation."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename != self.filename:
            traceback = traceback.tb_next
        instruction = None if traceback is None else self.instruction_of_line.get(traceback.tb_lineno)
        if instruction is None:
            return error
        local = traceback.tb_frame.f_locals
        args = [a if not hasattr(a, "kind") else local.get(a.name, a.aval) for a in instruction.inputs]
        located = explained(instruction.prim, args, instruction.params, error)
        located.add_note(f"in '{instruction.name}', made at {describe(instruction.site)}")
        return located.with_traceback(error.__traceback__)

    def __del__(self):
        linecache.cache.pop(getattr(self, "filename", None), None)

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<Plan of {len(self.program.instructions)} operations, {self.filename}>"


def on_device(xp, thing):
    """Constants where the plan computes; everything else as it is."""
    return xp.asarray(thing) if type(thing).__module__ == "numpy" and hasattr(thing, "shape") else thing
