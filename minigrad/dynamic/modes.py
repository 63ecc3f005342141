"""Grad mode: whether operations are recorded. A context variable, so it nests, survives exceptions, and a new thread
starts with recording on.

`no_grad`, `enable_grad`, `inference_mode` and `set_grad_enabled` work as context managers and as decorators, as in
PyTorch; a decorated generator has its own mode while it runs and leaves its consumer's alone.
"""

from contextvars import ContextVar
from functools import wraps

grad_mode = ContextVar("minigrad_grad_mode", default=True)

# flags of code objects (inspect.CO_GENERATOR, ...; importing inspect for them would double our import time)
GENERATOR, COROUTINE, ASYNC_GENERATOR = 0x20, 0x80, 0x200


def is_grad_enabled():
    """True when operations on tracked tensors are recorded in this context. PyTorch: torch.is_grad_enabled."""
    return grad_mode.get()


class GradMode:
    """A grad mode for the length of a `with` block, or of each call of a decorated function."""

    def __init__(self, mode):
        self.mode = mode
        self.previous = []  # a stack: one object may be entered several times

    def __enter__(self):
        self.previous.append(grad_mode.get())
        grad_mode.set(self.mode)
        return self

    def __exit__(self, *exception):
        # set, not reset by token: a generator that holds the block may be resumed in another context
        grad_mode.set(self.previous.pop())

    def __call__(self, function):
        """`function` with this grad mode around each call."""
        return in_mode(function, self.mode)


class no_grad(GradMode):
    """Operations are not recorded: results are untracked. PyTorch: torch.no_grad.

    Use as ``with no_grad():``, ``@no_grad()`` or ``@no_grad``.
    """

    def __new__(cls, function=None):
        return object.__new__(cls) if function is None else in_mode(function, False)

    def __init__(self, function=None):
        super().__init__(False)


class enable_grad(GradMode):
    """Operations are recorded, also inside no_grad. PyTorch: torch.enable_grad."""

    def __new__(cls, function=None):
        return object.__new__(cls) if function is None else in_mode(function, True)

    def __init__(self, function=None):
        super().__init__(True)


class inference_mode(GradMode):
    """As no_grad; `inference_mode(False)` changes back to recording. PyTorch: torch.inference_mode.

    PyTorch's also bars its results from being recorded later; here they are plain untracked tensors.
    """

    def __new__(cls, mode=True):
        return object.__new__(cls) if isinstance(mode, bool) else in_mode(mode, False)

    def __init__(self, mode=True):
        super().__init__(not mode)


class set_grad_enabled(GradMode):
    """Switch recording on or off, at once; as a context manager, until the end of its block.

    PyTorch: torch.set_grad_enabled.
    """

    def __init__(self, mode):
        super().__init__(bool(mode))
        self.before = grad_mode.get()
        grad_mode.set(self.mode)

    def __enter__(self):
        self.previous.append(self.before)
        grad_mode.set(self.mode)
        return self

    def __call__(self, function):
        grad_mode.set(self.before)  # as a decorator it switches only inside the function
        return in_mode(function, self.mode)


def in_mode(function, mode):
    """`function` wrapped so that each call of it runs in grad mode `mode`."""
    if isinstance(function, type):
        raise TypeError(f"a grad mode decorates functions, not classes: decorate the methods of {function.__name__}")
    if not callable(function):
        raise TypeError(f"a grad mode decorates functions, not a {type(function).__name__}")
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & ASYNC_GENERATOR:
        raise TypeError("a grad mode cannot decorate an async generator; use a `with` block inside it")

    if flags & GENERATOR:
        @wraps(function)
        def wrapper(*args, **kwargs):
            return run_generator(function(*args, **kwargs), mode)
    elif flags & COROUTINE:
        @wraps(function)
        async def wrapper(*args, **kwargs):
            with GradMode(mode):
                return await function(*args, **kwargs)
    else:
        @wraps(function)
        def wrapper(*args, **kwargs):
            with GradMode(mode):
                return function(*args, **kwargs)
    return wrapper


def run_generator(generator, mode):
    """Drive `generator` in grad mode `mode`; between its steps the consumer's mode holds."""
    resume, given = generator.send, (None,)
    while True:
        try:
            with GradMode(mode):
                item = resume(*given)
        except StopIteration as end:
            return end.value
        try:
            received = yield item
        except GeneratorExit:
            with GradMode(mode):
                generator.close()
            raise
        except BaseException as error:
            resume, given = generator.throw, (error,)
        else:
            resume, given = generator.send, (received,)
