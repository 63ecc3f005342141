"""The in-place operations of a Tensor: their names end in an underscore, as in PyTorch.

Each computes its value with the operation of the same name and writes it (see `writing`). Here are those that have
something of their own; the rest is in `inplace_forms`.
"""

from minigrad.core.sites import user_site
from minigrad.dynamic.draw_methods import DrawMethods
from minigrad.dynamic.inplace_forms import InplaceForms
from minigrad.dynamic.writing import (
    assign,
    before_write,
    check_alone,
    direct,
    note_write,
    overwrite,
    rearrange,
    write,
)
from minigrad.errors import InplaceError
from minigrad.ops import arithmetic, diagonals, shaping


class InplaceMethods(InplaceForms, DrawMethods):
    """In-place methods and augmented assignments."""

    __slots__ = ()

    @property
    def _version(self):
        """How often the memory of this tensor was written in place. PyTorch: Tensor._version."""
        return 0 if self.storage is None else self.storage.version

    # ----- arithmetic
    def add_(self, other, *, alpha=1):
        """self += alpha * other"""
        if alpha != 1:
            other = arithmetic.mul(other, alpha)
        if direct(self, other):
            self.array += getattr(other, "array", other)
            note_write(self, user_site(1))
            return self
        return write(self, arithmetic.add(self, other), "add_")

    def sub_(self, other, *, alpha=1):
        """self -= alpha * other"""
        if alpha != 1:
            other = arithmetic.mul(other, alpha)
        if direct(self, other):
            self.array -= getattr(other, "array", other)
            note_write(self, user_site(1))
            return self
        return write(self, arithmetic.sub(self, other), "sub_")

    def mul_(self, other):
        """self *= other"""
        if direct(self, other):
            self.array *= getattr(other, "array", other)
            note_write(self, user_site(1))
            return self
        return write(self, arithmetic.mul(before_write(self, other), other), "mul_")

    def div_(self, other):
        """self /= other"""
        if direct(self, other):
            self.array /= getattr(other, "array", other)
            note_write(self, user_site(1))
            return self
        return write(self, arithmetic.div(before_write(self, other), other), "div_")

    def neg_(self):
        """self = -self"""
        return write(self, arithmetic.neg(self), "neg_")

    subtract_ = sub_
    multiply_ = mul_
    divide_ = div_
    true_divide_ = div_
    negative_ = neg_

    def __iadd__(self, other):
        return self.add_(other)

    def __isub__(self, other):
        return self.sub_(other)

    def __imul__(self, other):
        return self.mul_(other)

    def __itruediv__(self, other):
        return self.div_(other)

    def __ifloordiv__(self, other):
        return self.floor_divide_(other)

    def __imod__(self, other):
        return self.remainder_(other)

    def __ipow__(self, exponent):
        return self.pow_(exponent)

    def __iand__(self, other):
        return self.bitwise_and_(other)

    def __ior__(self, other):
        return self.bitwise_or_(other)

    def __ixor__(self, other):
        return self.bitwise_xor_(other)

    def __ilshift__(self, other):
        return self.bitwise_left_shift_(other)

    def __irshift__(self, other):
        return self.bitwise_right_shift_(other)

    # ----- overwriting
    def __setitem__(self, index, value):
        assign(self, index, value, "assignment")

    def copy_(self, src, non_blocking=False):
        """Write the values of `src` (broadcast, cast and moved to this device as needed) over this tensor."""
        return overwrite(self, src, "copy_")

    def fill_(self, value):
        """Write one number everywhere."""
        return overwrite(self, value, "fill_")

    def zero_(self):
        """Write zeros everywhere."""
        return overwrite(self, 0, "zero_")

    def fill_diagonal_(self, fill_value, wrap=False):
        """Write one number on the main diagonal (with `wrap`, of a tall matrix again below an empty row)."""
        if wrap and self.ndim == 2 and self.shape[0] > self.shape[1] + 1:
            for start in range(0, self.shape[0], self.shape[1] + 1):
                diagonals.diagonal(self[start:]).fill_(fill_value)
            return self
        if self.ndim > 2:  # where all indices are equal
            self[(range(min(self.shape)),) * self.ndim] = fill_value
            return self
        diagonals.diagonal(self).fill_(fill_value)
        return self

    # ----- the same elements under other axes
    def squeeze_(self, dim=None):
        """Drop axes of size 1, in place."""
        check_alone(self, "squeeze_")
        return rearrange(self, shaping.squeeze(self) if dim is None else shaping.squeeze(self, dim))

    def unsqueeze_(self, dim):
        """Insert an axis of size 1, in place."""
        check_alone(self, "unsqueeze_")
        return rearrange(self, shaping.unsqueeze(self, dim))

    def transpose_(self, dim0, dim1):
        """Exchange two axes, in place."""
        check_alone(self, "transpose_")
        return rearrange(self, shaping.transpose(self, dim0, dim1))

    def t_(self):
        """Transpose a matrix, in place."""
        check_alone(self, "t_")
        return rearrange(self, shaping.t(self))

    swapaxes_ = transpose_
    swapdims_ = transpose_

    def detach_(self):
        """Forget how this tensor was made: it becomes an untracked leaf.

        Raises:
            InplaceError: it is a view, whose record follows that of its base.
        """
        if self.base is not None:
            raise InplaceError("detach_: a view cannot be detached in place, as its record follows that of the tensor"
                               " it is a view of; use detach()")
        self.record = None
        return self
