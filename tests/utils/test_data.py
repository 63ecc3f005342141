"""Datasets, samplers and loaders."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import DtypeError, ShapeError
from minigrad.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    random_split,
)


class Squares(Dataset):
    def __init__(self, count):
        self.count = count

    def __getitem__(self, index):
        return mg.tensor(float(index) ** 2), {"index": index, "name": str(index)}

    def __len__(self):
        return self.count


class Stream(IterableDataset):
    def __iter__(self):
        return iter([mg.tensor(float(i)) for i in range(5)])


def test_batches_of_tensors():
    data = TensorDataset(mg.arange(10).float(), mg.arange(10))
    batches = list(DataLoader(data, batch_size=4))
    assert [len(x) for x, _ in batches] == [4, 4, 2]
    assert batches[1][1].tolist() == [4, 5, 6, 7]
    assert len(DataLoader(data, batch_size=4, drop_last=True)) == 2
    with pytest.raises(ShapeError):
        TensorDataset(mg.zeros(3), mg.zeros(4))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_anything(workers):
    value, info = list(DataLoader(Squares(5), batch_size=2, num_workers=workers))[1]
    assert value.tolist() == [4, 9]
    assert info["index"].tolist() == [2, 3]
    assert info["name"] == ["2", "3"]


def test_shuffling_follows_the_seed_and_changes_every_time():
    data = TensorDataset(mg.arange(20))
    loader = DataLoader(data, batch_size=20, shuffle=True, generator=mg.Generator().manual_seed(3))
    first, second = [next(iter(loader))[0].tolist() for _ in range(2)]
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    again = DataLoader(data, batch_size=20, shuffle=True, generator=mg.Generator().manual_seed(3))
    assert next(iter(again))[0].tolist() == first


def test_a_stream():
    assert [batch.tolist() for batch in DataLoader(Stream(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(TypeError):
        len(DataLoader(Stream()))


def test_parts_and_sums_of_datasets():
    data = Squares(10)
    a, b = random_split(data, [7, 3], generator=mg.Generator().manual_seed(0))
    assert sorted([*a.indices, *b.indices]) == list(range(10))
    thirds = random_split(data, [0.5, 0.5])
    assert [len(part) for part in thirds] == [5, 5]
    with pytest.raises(ValueError, match="add up to 8"):
        random_split(data, [4, 4])
    both = ConcatDataset([Subset(data, [9, 8]), data])
    assert len(both) == 12
    assert both[1][0].item() == 64
    assert both[2][0].item() == 0
    assert both[-1][0].item() == 81
    with pytest.raises(IndexError):
        both[12]


def test_draws_with_replacement():
    drawn = list(RandomSampler(range(3), replacement=True, num_samples=50))
    assert len(drawn) == 50
    assert set(drawn) == {0, 1, 2}


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="shuffle"):
        DataLoader(Squares(3), sampler=[0, 1], shuffle=True)
    with pytest.raises(ValueError, match="batch_size"):
        DataLoader(Squares(3), batch_size=0)
    with pytest.raises(ShapeError, match="different shapes"):
        list(DataLoader([mg.zeros(1), mg.zeros(2)], batch_size=2))
    with pytest.raises(DtypeError, match="collate_fn"):
        list(DataLoader([object(), object()], batch_size=2))


def test_an_error_of_a_worker_reaches_the_loop():
    class Broken(Squares):
        def __getitem__(self, index):
            raise KeyError(index)

    with pytest.raises(KeyError):
        list(DataLoader(Broken(4), num_workers=2))


def test_leaving_a_loop_early_stops_the_workers():
    for number, _ in enumerate(DataLoader(Squares(100), num_workers=2)):
        if number == 1:
            break
    arrays = DataLoader([np.ones(2, np.float32)] * 4, batch_size=4)
    assert next(iter(arrays)).shape == (4, 2)
