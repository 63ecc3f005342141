"""Every exception that minigrad raises on purpose.

Each class also inherits from the class that the original framework raises in the same situation (PyTorch's
RuntimeError, TensorFlow's ValueError, ...), so that a script written for the original catches the same thing here.
A message says what was expected, what came, and how to mend it; where a node or tensor is at fault it names the
user's line that made it.
"""


class MinigradError(Exception):
    """Base of every deliberate error, for callers that want to catch them all."""


class ShapeError(MinigradError, ValueError, RuntimeError):
    """Shapes do not fit the operation."""


class DtypeError(MinigradError, TypeError, RuntimeError, ValueError):
    """Dtypes do not fit the operation, or a dtype is not supported."""


class GradDtypeError(DtypeError):
    """A tensor of integers or booleans was asked for gradients."""


class DeviceError(MinigradError, RuntimeError, ValueError):
    """Operands live on different devices, or the device asked for cannot be used."""


class AxisError(MinigradError, IndexError, ValueError):
    """An axis (dimension number) is out of range or named twice."""


class TensorIndexError(MinigradError, IndexError, ValueError):
    """An index does not fit the tensor it is used on."""


class BackwardError(MinigradError, RuntimeError):
    """backward() or grad() cannot be done: nothing tracked, graph freed, seed missing or of the wrong shape."""


class TrackedError(MinigradError, TypeError, RuntimeError):
    """A tensor that requires grad was asked for its plain values in a way that would lose its gradient."""


class IterationError(ShapeError, TypeError):
    """len() of a tensor without dimensions, or iteration over it."""


class InplaceError(MinigradError, RuntimeError):
    """An in-place write that would make a gradient silently wrong."""


class UntrustedFileError(MinigradError, RuntimeError):
    """A file to be loaded refers to more than tensors and plain containers, which could run any code."""


class GraphError(MinigradError, ValueError, RuntimeError):
    """A graph was built or combined wrongly (two graphs mixed, a finalized graph changed, a name taken)."""


class FeedError(MinigradError, ValueError, TypeError):
    """A placeholder was not fed, or fed with something that does not fit it."""


class FetchError(MinigradError, ValueError, TypeError):
    """Something was fetched that is not part of the graph."""


class UninitializedError(MinigradError, RuntimeError):
    """Variables were read before they were initialised in this session (TensorFlow: FailedPreconditionError)."""


class InvalidArgumentError(MinigradError, ValueError):
    """A value met at run time breaks a check that the graph asked for (Assert, check_numerics)."""


class LinAlgError(MinigradError, RuntimeError, ValueError):
    """A matrix is singular, not positive definite, or its factorization did not converge."""


class GradientCheckError(MinigradError, AssertionError):
    """A gradient differs from the finite differences of its function."""


class MissingExtraError(MinigradError, ImportError):
    """An optional package is needed and not installed; the message says how to install it."""
