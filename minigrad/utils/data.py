"""Datasets and loaders. PyTorch: torch.utils.data."""

import itertools
import math
import queue
import threading
from collections.abc import Mapping

import numpy as np

from minigrad.core.generator import bits, default_generator
from minigrad.dynamic.creation import tensor
from minigrad.dynamic.tensor import Tensor
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.joining import stack


class Dataset:
    """A map from index to sample; a subclass defines ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__()")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """A dataset that is only gone through in order; a subclass defines ``__iter__``."""

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__()")


class TensorDataset(Dataset):
    """Rows of tensors that have the same number of them: sample i is a tuple of row i of each.

    Raises:
        ShapeError: the numbers of rows differ.
    """

    def __init__(self, *tensors):
        sizes = {t.shape[0] for t in tensors}
        if len(sizes) != 1:
            raise ShapeError(f"the tensors have different numbers of rows: {[t.shape[0] for t in tensors]}")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([t[index] for t in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]

    def batch(self, indices):
        """The rows of several samples at once, indexed once a tensor."""
        index = np.asarray(indices)
        return [t[index] for t in self.tensors]


class Subset(Dataset):
    """Some samples of another dataset, by their indices."""

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


class ConcatDataset(Dataset):
    """Several datasets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.ends = list(itertools.accumulate([len(d) for d in self.datasets]))

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} samples")
        index %= len(self)
        which = next(i for i, end in enumerate(self.ends) if index < end)
        return self.datasets[which][index - (self.ends[which - 1] if which else 0)]

    def __len__(self):
        return self.ends[-1] if self.ends else 0


def random_split(dataset, lengths, generator=None):
    """Subsets of the given lengths (or fractions that add up to 1) without overlap, chosen at random."""
    count = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = [math.floor(count * fraction) for fraction in lengths]
        for i in range(count - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != count:
        raise ValueError(f"the lengths {list(lengths)} add up to {sum(lengths)}, the dataset has {count} samples")
    order = bits((generator or default_generator).next_key()).permutation(count).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length:end]) for end, length in zip(ends, lengths, strict=True)]


# ----- samplers
class Sampler:
    """An order of indices; a subclass defines ``__iter__``."""


class SequentialSampler(Sampler):
    """0, 1, 2, ..."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """All indices in random order, or draws with replacement."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self.num_samples = len(data_source) if num_samples is None else num_samples
        self.generator = generator

    def __iter__(self):
        random = bits((self.generator or default_generator).next_key())
        count = len(self.data_source)
        if self.replacement:
            return iter(random.integers(0, count, self.num_samples).tolist())
        return iter(random.permutation(count)[:self.num_samples].tolist())

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """The indices of another sampler in lists of `batch_size`."""

    def __init__(self, sampler, batch_size, drop_last):
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


# ----- batches
def default_collate(samples):
    """A batch of samples: tensors stacked, numbers made tensors, tuples, lists and dicts taken apart.

    Raises:
        ShapeError: tensors of a batch have different shapes.
        DtypeError: there is no way to batch such samples.
    """
    first = samples[0]
    if isinstance(first, Tensor):
        if len({s.shape for s in samples}) > 1:
            raise ShapeError(f"the samples of a batch have different shapes: {[s.shape for s in samples][:8]}; pass a"
                             " collate_fn that pads them")
        return stack(samples)
    if isinstance(first, np.ndarray | np.generic):
        return tensor(np.stack(samples))
    if isinstance(first, bool | int | float):
        return tensor(samples)
    if isinstance(first, str | bytes):
        return list(samples)
    if isinstance(first, Mapping):
        return {key: default_collate([s[key] for s in samples]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(part) for part in zip(*samples, strict=True)])
    if isinstance(first, list | tuple):
        return [default_collate(part) for part in zip(*samples, strict=True)]
    raise DtypeError(f"samples that are a {type(first).__name__} cannot be batched; pass a collate_fn")


class DataLoader:
    """Batches of a dataset. PyTorch: torch.utils.data.DataLoader.

    Args:
        dataset: a Dataset, an IterableDataset, or any sequence.
        batch_size: samples a batch; None gives single samples.
        shuffle: a new random order every time; from `generator`, by default the global one.
        sampler, batch_sampler: orders of one's own.
        num_workers: so many batches are prepared ahead, in threads.
        collate_fn: makes a batch of a list of samples.
        drop_last: leave out a last batch that is not full.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, *,
                 generator=None):
        if sampler is not None and shuffle:
            raise ValueError("a sampler says the order already: leave out shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError("a batch_sampler says everything: leave out batch_size, shuffle, sampler and drop_last")
        if batch_size is not None and batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.num_workers = num_workers
        self.drop_last = drop_last
        self.custom_collate = collate_fn
        self.collate_fn = collate_fn or default_collate
        if isinstance(dataset, IterableDataset):
            self.sampler = self.batch_sampler = None
            return
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler

    def __len__(self):
        if self.sampler is None:
            raise TypeError("the number of batches of an IterableDataset is not known")
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)

    def __iter__(self):
        if isinstance(self.dataset, IterableDataset):
            return self.in_order()
        if self.batch_sampler is None:
            return iter([self.dataset[i] for i in self.sampler])
        if self.num_workers > 0:
            return self.ahead()
        return self.one_by_one()

    def in_order(self):
        """Batches of an IterableDataset."""
        if self.batch_size is None:
            yield from self.dataset
            return
        samples = iter(self.dataset)
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def one_by_one(self):
        """Batches made when they are asked for."""
        for indices in self.batch_sampler:
            yield self.batch(indices)

    def batch(self, indices):
        """One batch."""
        if self.custom_collate is None and isinstance(self.dataset, TensorDataset):
            return self.dataset.batch(indices)
        return self.collate_fn([self.dataset[i] for i in indices])

    def ahead(self):
        """Batches that threads prepare ahead, in the order of the sampler."""
        todo = queue.Queue()
        for number, indices in enumerate(self.batch_sampler):
            todo.put((number, indices))
        count = todo.qsize()
        done = {}
        changed = threading.Condition()
        state = {"next": 0, "stop": False}

        def work():
            while True:
                try:
                    number, indices = todo.get_nowait()
                except queue.Empty:
                    return
                with changed:
                    while number > state["next"] + 2 * self.num_workers and not state["stop"]:
                        changed.wait()
                    if state["stop"]:
                        return
                try:
                    result = True, self.batch(indices)
                except Exception as error:
                    result = False, error
                with changed:
                    done[number] = result
                    changed.notify_all()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self.num_workers)]
        for thread in threads:
            thread.start()
        try:
            for number in range(count):
                with changed:
                    while number not in done:
                        changed.wait()
                    good, result = done.pop(number)
                    state["next"] = number + 1
                    changed.notify_all()
                if not good:
                    raise result
                yield result
        finally:
            with changed:
                state["stop"] = True
                changed.notify_all()
