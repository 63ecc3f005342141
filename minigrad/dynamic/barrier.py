"""Records that refuse: a tensor has one when its gradient cannot be computed, and the reason is only worth an error
if somebody asks for that gradient."""

from minigrad.core.primitive import Primitive
from minigrad.core.sites import user_site
from minigrad.dynamic.tape import Operation, next_number
from minigrad.errors import BackwardError


class RefusingRecord(Operation):
    """The record of a gradient that cannot be computed; being asked once does not consume it."""

    __slots__ = ()

    @property
    def values(self):
        return (None,) * (len(self.inputs) + 1)

    @values.setter
    def values(self, consumer):
        pass


def refusing_record(shape, inputs, error_class, text):
    """A record for a tensor of `shape` that depends on the records `inputs`; backward through it raises."""
    record = RefusingRecord()
    record.number = next_number()
    record.prim = REFUSE
    record.params = {"error_class": error_class, "text": text}
    record.inputs = tuple(inputs)
    record.hooks = None
    record.shape = shape
    record.versions = ()
    record.code, record.instruction = user_site(1)
    return record


def refuse_kernel(xp, *arrays, error_class, text):
    raise BackwardError("this primitive stands for a gradient that cannot be computed; it has no value of its own")


def refuse_infer(*avals, error_class, text):
    raise BackwardError("this primitive stands for a gradient that cannot be computed; it has no value of its own")


def refuse_vjp(g, *values, needed, error_class, text):
    raise error_class(text)


# not in the registry: nobody can apply it
REFUSE = Primitive("no gradient", refuse_kernel, refuse_infer, vjps=(), reads=frozenset(), joint=refuse_vjp,
                   promote=None, multiple=False, shapes=True, views=False, random=False, effects=True)
