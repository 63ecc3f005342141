"""What a Tensor turns into: numbers, lists, NumPy arrays, other dtypes and devices, text, pickles; and its measures."""

from copy import deepcopy
from opcode import opmap
from sys import _getframe

import numpy as np

from minigrad.backends import Device, to_device, to_numpy
from minigrad.backends.devices import backend_for
from minigrad.core.dims import shape_text
from minigrad.core.dtypes import (
    as_dtype,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    is_scalar,
    uint8,
)
from minigrad.dynamic.data import host_array, plain_number, size_of_arguments
from minigrad.dynamic.numpy_protocols import NumpyProtocols
from minigrad.dynamic.printing import laid_out, one_line
from minigrad.dynamic.writing import tensor_like
from minigrad.errors import (
    AxisError,
    BackwardError,
    DeviceError,
    DtypeError,
    IterationError,
    ShapeError,
    TrackedError,
)
from minigrad.ops.casting import cast
from minigrad.ops.copying import clone, transfer

TENSOR_TYPES = {"FloatTensor": float32, "DoubleTensor": float64, "HalfTensor": float16, "LongTensor": int64,
                "IntTensor": int32, "ShortTensor": int16, "CharTensor": int8, "ByteTensor": uint8, "BoolTensor": bool_}

STORE_SUBSCR = opmap["STORE_SUBSCR"]


class Conversion(NumpyProtocols):
    """Methods of Tensor that leave the tape, or change dtype, device or layout without arithmetic."""

    __slots__ = ()

    # ----- to Python
    def item(self):
        """The only element as a Python number.

        Raises:
            ShapeError: there is not exactly one element.
        """
        if self.array.size != 1:
            raise ShapeError(f"item: a tensor of shape {shape_text(self.shape)} has {self.array.size} elements, not"
                             " one; use tolist(), or index it")
        return self.array.item()

    def tolist(self):
        """The elements as nested lists of Python numbers (one number for a tensor without dimensions)."""
        return to_numpy(self.array).tolist()

    def __bool__(self):
        if self.array.size != 1:
            raise ShapeError(f"the truth value of a tensor of shape {shape_text(self.shape)} is ambiguous: use .any()"
                             " or .all()")
        return bool(self.array.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        if self.record is not None and is_store(_getframe(1)):
            raise TrackedError("a tensor that requires grad is assigned into a NumPy array, where its gradient would be"
                               " lost: collect the parts in a list and use minigrad.stack, choose with minigrad.where,"
                               " or assign into a tensor. float(x.detach()) says that the number is all you want")
        return float(self.item())

    def __index__(self):
        if self.array.dtype.kind not in "iu" or self.array.size != 1:
            raise DtypeError(f"only integer tensors with one element can be used as an index, not {self.dtype}"
                             f" {shape_text(self.shape)}")
        return int(self.array.item())

    def __len__(self):
        if self.array.ndim == 0:
            raise IterationError("len() of a tensor without dimensions")
        return self.array.shape[0]

    def __iter__(self):
        if self.array.ndim == 0:
            raise IterationError("iteration over a tensor without dimensions; use item() for its number")
        return iter([self[i] for i in range(self.array.shape[0])])

    def __contains__(self, element):
        if is_scalar(element) or isinstance(element, Conversion):
            return bool((to_numpy(self.array) == to_numpy(getattr(element, "array", element))).any())
        raise DtypeError(f"a tensor contains numbers; asked for a {type(element).__name__}")

    __hash__ = object.__hash__  # by identity: `==` compares elements

    # ----- to text
    def __repr__(self):
        return one_line(self)

    def __str__(self):
        return laid_out(self)

    def __format__(self, spec):
        if self.array.ndim == 0 and spec:
            return format(self.array.item(), spec)
        return format(str(self), spec)

    # ----- to NumPy and other libraries
    def numpy(self, *, force=False):
        """The values as a NumPy array that shares memory with this tensor. PyTorch: Tensor.numpy.

        Read-only once a recorded operation saved these values for its gradient, which a write to the array would
        change unseen.

        Args:
            force: also for tracked tensors and other devices; shorthand for detach().cpu().numpy().

        Raises:
            TrackedError: the tensor requires grad.
            DeviceError: it is not on the CPU.
        """
        if not force:
            if self.record is not None:
                raise TrackedError("a tensor that requires grad cannot become a NumPy array, because its gradient"
                                   " would be lost: use x.detach().numpy(). To put it into an array of results, use"
                                   " minigrad.stack([...]), or assign into a tensor")
            if self.device.type != "cpu":
                raise DeviceError(f"a tensor on {self.device} cannot become a NumPy array; copy it with x.cpu() first")
        array = to_numpy(self.array)
        if self.storage is not None and self.storage.saved:
            array = array.view()
            array.flags.writeable = False
        return array

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"a {self.dtype} tensor cannot become a {np.dtype(dtype)} array without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options):
        if self.record is not None:
            raise TrackedError("a tensor that requires grad cannot be exported by DLPack: use x.detach()")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    # ----- to another dtype, device or layout
    def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False):
        """This tensor in another dtype and on another device; itself when nothing changes. PyTorch: Tensor.to.

        Called as ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(other_tensor)`` or with keywords.
        Gradients flow through it. `non_blocking` is accepted and makes no difference.
        """
        for a in args:
            if isinstance(a, Conversion):
                dtype, device = a.dtype, a.device
            elif a is not None and not isinstance(a, bool):  # a bool is non_blocking
                dtype, device = target_named(a, dtype, device)
        out = self
        if device is not None:
            out = transfer(out, device)
        if dtype is not None:
            out = cast(out, dtype)
        return clone(out) if copy and out is self else out

    def type(self, dtype=None):
        """The name of this tensor's type, or this tensor in `dtype`. PyTorch: Tensor.type."""
        if dtype is None:
            for name, named in TENSOR_TYPES.items():
                if named == self.dtype:
                    return f"minigrad.{name}"
        if isinstance(dtype, str) and dtype.rpartition(".")[2] in TENSOR_TYPES:
            dtype = TENSOR_TYPES[dtype.rpartition(".")[2]]
        return cast(self, dtype)

    def cpu(self):
        """This tensor in the host's memory."""
        return transfer(self, "cpu")

    def cuda(self, device=None, non_blocking=False):
        """This tensor on the GPU.

        Raises:
            DeviceError: there is none that can be used; the message says why.
        """
        return transfer(self, "cuda" if device is None else cuda_device(device))

    def contiguous(self):
        """This tensor with its elements in row-major order in memory; itself when they are."""
        return self if self.is_contiguous() else clone(self)

    # ----- new tensors of this one's dtype and device
    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
        """A copy of `data` as a tensor, by default of this one's dtype and device."""
        array = np.array(host_array(getattr(data, "array", data), self.dtype if dtype is None else dtype))
        return new_like(self, to_device(array, self.device if device is None else device), requires_grad)

    def new_zeros(self, *size, dtype=None, device=None, requires_grad=False):
        """Zeros of another size."""
        return self.new_full(size_of_arguments(size), 0, dtype=dtype, device=device, requires_grad=requires_grad)

    def new_ones(self, *size, dtype=None, device=None, requires_grad=False):
        """Ones of another size."""
        return self.new_full(size_of_arguments(size), 1, dtype=dtype, device=device, requires_grad=requires_grad)

    def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
        """One number in another size."""
        xp = backend_for(self.device if device is None else device).xp
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        array = xp.full(size_of_arguments((size,)), plain_number(fill_value, "new_full"), dtype)
        return new_like(self, array, requires_grad)

    def new_empty(self, *size, dtype=None, device=None, requires_grad=False):
        """Whatever was in memory, in another size."""
        xp = backend_for(self.device if device is None else device).xp
        array = xp.empty(size_of_arguments(size), self.dtype if dtype is None else as_dtype(dtype))
        return new_like(self, array, requires_grad)

    # ----- measures
    def is_contiguous(self):
        """True when the elements lie in row-major order in memory."""
        return bool(self.array.flags.c_contiguous)

    def size(self, dim=None):
        """The shape, or its size along `dim`."""
        shape = self.array.shape
        if dim is None:
            return shape
        try:
            return shape[dim]
        except IndexError:
            raise AxisError(f"size: dimension {dim} is out of range for a tensor of shape {shape_text(shape)}"
                            ) from None

    def stride(self, dim=None):
        """Steps in memory, in elements, from one index to the next along each dimension (or along `dim`)."""
        strides = tuple(step // self.array.itemsize for step in self.array.strides)
        return strides if dim is None else strides[dim]

    def numel(self):
        """The number of elements."""
        return self.array.size

    def nelement(self):
        """The number of elements."""
        return self.array.size

    def element_size(self):
        """Bytes in one element."""
        return self.array.itemsize

    @property
    def itemsize(self):
        """Bytes in one element."""
        return self.array.itemsize

    @property
    def nbytes(self):
        """Bytes in all elements."""
        return self.array.nbytes

    def data_ptr(self):
        """Address of the first element."""
        pointer = getattr(self.array, "ctypes", None)
        return pointer.data if pointer is not None else self.array.data.ptr

    def is_nonzero(self):
        """True when the only element is not zero."""
        return bool(self.item() != 0)

    def is_same_size(self, other):
        """True when `other` has this tensor's shape."""
        return self.array.shape == other.shape

    def is_complex(self):
        """False: complex tensors are not supported."""
        return False

    def is_signed(self):
        """True when the dtype has negative numbers."""
        return self.dtype.kind in "fi"

    @property
    def is_cuda(self):
        """True on a GPU."""
        return self.device.type == "cuda"

    @property
    def is_cpu(self):
        """True in the host's memory."""
        return self.device.type == "cpu"

    def get_device(self):
        """The index of the GPU, -1 on the CPU."""
        return -1 if self.device.type == "cpu" else (self.device.index or 0)

    # ----- copies and pickles
    def __copy__(self):
        """A second tensor on the same memory; a leaf, as PyTorch's is."""
        out = rebuilt(self.__class__, self.array, self.requires_grad, self.device, self.__dict__)
        out.__dict__.pop("base", None)
        out.__dict__.pop("_grad", None)
        out.storage = self.detach().storage
        return out

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise BackwardError("only leaf tensors (made by the user, not by an operation) can be deep-copied; use"
                                " detach().clone(), or clone() to let gradients flow")
        if id(self) in memo:
            return memo[id(self)]
        out = rebuilt(self.__class__, self.array.copy(), self.requires_grad, self.device, {})
        memo[id(self)] = out
        for name, value in self.__dict__.items():
            if name != "base":
                out.__dict__[name] = deepcopy(value, memo)
        return out

    def __reduce_ex__(self, protocol):
        device = None if self.device.type == "cpu" else str(self.device)
        extra = {name: value for name, value in self.__dict__.items() if name not in ("_grad", "base")}
        return rebuilt, (self.__class__, to_numpy(self.array), self.requires_grad, device, extra)


def is_store(frame):
    """Is the line in `frame` just storing into something, as in ``array[i] = x``? NumPy asks for a float then."""
    return frame.f_code.co_code[frame.f_lasti] == STORE_SUBSCR


def rebuilt(cls, array, requires_grad, device, extra):
    """A leaf tensor of class `cls` from what its pickle holds."""
    out = object.__new__(cls)
    out.array = to_device(array, device)
    out.record = None
    out.storage = None
    out.__dict__.update(extra)
    return out.requires_grad_() if requires_grad else out


def new_like(tensor, array, requires_grad):
    """A new tensor around `array`, made by a method of `tensor`."""
    out = tensor_like(tensor, array)
    return out.requires_grad_() if requires_grad else out


def target_named(a, dtype, device):
    """(dtype, device) after a positional argument of `to` named one of them."""
    if isinstance(a, Device):
        return dtype, a
    if isinstance(a, str) and a.partition(":")[0] in ("cpu", "cuda", "gpu"):
        return dtype, Device(a)
    return as_dtype(a), device


def cuda_device(device):
    """A Device on the GPU from what `cuda()` was given: an index or a device."""
    device = Device("cuda", device) if isinstance(device, int) else Device(device)
    if device.type != "cuda":
        raise DeviceError(f"cuda: {device} is not a GPU; use to({str(device)!r})")
    return device
