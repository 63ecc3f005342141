"""Sequences of different lengths, padded or packed. PyTorch: torch.nn.utils.rnn."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from minigrad.core.dims import shape_text
from minigrad.dynamic.creation import tensor
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import ShapeError
from minigrad.ops.indexing import index_select
from minigrad.ops.joining import cat, stack
from minigrad.ops.padding import pad
from minigrad.ops.shaping import transpose


class PackedSequence(NamedTuple):
    """Sequences without their padding, step by step: the first elements of all, then the second ones, and so on.

    Longer sequences come first, so that those of each step are the first rows of a batch.

    Attributes:
        data: (number of elements in all, ...).
        batch_sizes: for each step how many sequences reach it, int64 on the CPU.
        sorted_indices: the order of the sequences in `data`, or None where they were given in it.
        unsorted_indices: the way back.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """With the data in another dtype or on another device."""
        data = self.data.to(*args, **kwargs)
        order = [None if t is None else t.to(data.device) for t in (self.sorted_indices, self.unsorted_indices)]
        return PackedSequence(data, self.batch_sizes, order[0], order[1])


def pad_sequence(sequences: Iterable[Tensor], batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """Tensors (length, ...) of different lengths as one: (longest, number, ...), or (number, longest, ...).

    Args:
        batch_first: whether the number of sequences comes first.
        padding_value: what stands after the shorter ones.
        padding_side: "left" puts it before them.

    Raises:
        ShapeError: there are none, or they differ in more than the length.
    """
    sequences = list(sequences)
    if not sequences:
        raise ShapeError("pad_sequence: there are no sequences")
    if padding_side not in ("left", "right"):
        raise ValueError(f'padding_side must be "left" or "right", not {padding_side!r}')
    rest = sequences[0].shape[1:]
    for sequence in sequences:
        if sequence.ndim == 0 or sequence.shape[1:] != rest:
            raise ShapeError(f"pad_sequence: sequences may differ in the first dimension only, but there are shapes"
                             f" {shape_text(sequences[0].shape)} and {shape_text(sequence.shape)}")
    longest = max([len(sequence) for sequence in sequences])
    padded = []
    for sequence in sequences:
        missing = longest - len(sequence)
        ends = (missing, 0) if padding_side == "left" else (0, missing)
        padded.append(pad(sequence, (0, 0) * (sequence.ndim - 1) + ends, "constant", padding_value))
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` padded."""
    rows = padded_sequences if batch_first else transpose(padded_sequences, 0, 1)
    return [rows[i, :length] for i, length in enumerate(as_lengths(lengths))]


def as_lengths(lengths: Any) -> list[int]:
    """Lengths as Python numbers."""
    return [int(n) for n in (lengths.tolist() if hasattr(lengths, "tolist") else lengths)]


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences (longest, number, ...) without their padding.

    Args:
        input: the sequences; (number, longest, ...) with batch_first.
        lengths: how long each is.
        enforce_sorted: refuse sequences that are not in order of falling length; False sorts them.

    Raises:
        ShapeError: lengths do not fit the input, or are not sorted.
    """
    steps = transpose(input, 0, 1) if batch_first else input
    sizes = as_lengths(lengths)
    if len(sizes) != steps.shape[1] or not all([1 <= n <= steps.shape[0] for n in sizes]):
        raise ShapeError(f"pack_padded_sequence: {steps.shape[1]} lengths from 1 to {steps.shape[0]} are needed for an"
                         f" input of shape {shape_text(input.shape)}, got {sizes}")
    order = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)
    falling = [sizes[i] for i in order]
    if falling == sizes and enforce_sorted:
        order_there = order_back = None
    elif enforce_sorted:
        raise ShapeError(f"pack_padded_sequence: the lengths {sizes} do not fall; sort the sequences, or pass"
                         " enforce_sorted=False")
    else:
        order_there = tensor(order, device=input.device)
        order_back = tensor(sorted(range(len(order)), key=order.__getitem__), device=input.device)
        steps = index_select(steps, 1, order_there)
    batch_sizes = [sum([n > step for n in falling]) for step in range(falling[0])]
    data = cat([steps[step, :size] for step, size in enumerate(batch_sizes)], 0)
    return PackedSequence(data, tensor(batch_sizes), order_there, order_back)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Tensors (length, ...) of different lengths, packed."""
    lengths = [len(sequence) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Tensor, Tensor]:
    """(padded sequences, their lengths) of packed ones.

    Args:
        batch_first, padding_value: as in `pad_sequence`.
        total_length: pad to this length.

    Raises:
        ShapeError: a sequence is longer than total_length.
    """
    sizes = as_lengths(sequence.batch_sizes)
    if total_length is not None and total_length < len(sizes):
        raise ShapeError(f"pad_packed_sequence: the longest sequence has {len(sizes)} elements, more than total_length"
                         f" {total_length}")
    steps = []
    start = 0
    for size in sizes:
        step = sequence.data[start:start + size]
        ends = (0, sizes[0] - size)
        steps.append(pad(step, (0, 0) * (step.ndim - 1) + ends, "constant", padding_value))
        start += size
    padded = stack(steps, 0)
    if total_length is not None:
        padded = pad(padded, (0, 0) * (padded.ndim - 1) + (0, total_length - len(sizes)), "constant", padding_value)
    lengths = tensor([sum([size > i for size in sizes]) for i in range(sizes[0])])
    if sequence.unsorted_indices is not None:
        padded = index_select(padded, 1, sequence.unsorted_indices)
        lengths = index_select(lengths, 0, sequence.unsorted_indices.cpu())
    return (transpose(padded, 0, 1) if batch_first else padded), lengths


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that `pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
