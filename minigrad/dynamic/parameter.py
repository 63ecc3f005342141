"""Parameters: the tensors that a model learns."""

from minigrad.backends import to_numpy
from minigrad.dynamic.creation import tensor
from minigrad.dynamic.modes import no_grad
from minigrad.dynamic.tape import Leaf
from minigrad.dynamic.tensor import Tensor, shared_storage
from minigrad.errors import GradDtypeError


class Parameter(Tensor):
    """A Tensor that a Module registers when it is assigned to an attribute. PyTorch: torch.nn.Parameter.

    Args:
        data: a Tensor, whose memory the parameter shares, or anything that `minigrad.tensor` takes.
        requires_grad: whether operations on it are recorded.

    Raises:
        GradDtypeError: it requires gradients and its dtype is not a float one.
    """

    __slots__ = ()

    def __init__(self, data=(), requires_grad=True):
        source = data if isinstance(data, Tensor) else tensor(data)
        if requires_grad and source.array.dtype.kind != "f":
            raise GradDtypeError(f"a parameter that requires gradients must have a float dtype, not {source.dtype}:"
                                 " write 1. instead of 1, give a dtype, or pass requires_grad=False")
        self.array = source.array
        self.storage = shared_storage(source)
        self.record = Leaf(self) if requires_grad else None

    def captured(self):
        """The value for a graph that this parameter meets: what a variable there starts from."""
        return to_numpy(self.array), True

    def write_back(self, value):
        """Take over the value that the parameter's variable has in a session, in place."""
        with no_grad():
            self.copy_(tensor(value))

    def __repr__(self):
        return f"Parameter({super().__repr__()})"
