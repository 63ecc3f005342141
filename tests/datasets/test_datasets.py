"""The data that comes with the package, and files in the original format."""

import gzip
import struct

import numpy as np
import pytest

from minigrad import datasets


def idx(array):
    """An array of bytes in the IDX format."""
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def test_the_sample_is_balanced_and_split():
    data = datasets.mnist()
    assert data.x_train.shape == (4000, 28, 28)
    assert data.x_test.shape == (1000, 28, 28)
    assert data.x_train.dtype == np.float32
    assert data.y_train.dtype == np.int64
    assert 0 <= data.x_train.min() <= data.x_train.max() == 1
    np.testing.assert_array_equal(np.bincount(data.y_train), [400] * 10)
    np.testing.assert_array_equal(np.bincount(data.y_test), [100] * 10)


def test_no_image_is_in_both_parts():
    data = datasets.mnist(normalize=False, flatten=True)
    train = {row.tobytes() for row in data.x_train}
    assert not [row for row in data.x_test if row.tobytes() in train]


def test_the_seed_decides_the_split():
    first, again, other = datasets.mnist(seed=1), datasets.mnist(seed=1), datasets.mnist(seed=2)
    np.testing.assert_array_equal(first.x_train, again.x_train)
    assert not np.array_equal(first.y_train, other.y_train)


@pytest.mark.parametrize("train", [0, 15, 5010])
def test_a_share_that_cannot_be_dealt_is_refused(train):
    with pytest.raises(ValueError, match="multiple of 10"):
        datasets.mnist(train=train)


@pytest.mark.parametrize("packed", [False, True])
def test_the_full_set_is_read_from_its_files(tmp_path, packed):
    rng = np.random.default_rng(0)
    parts = {}
    for part, count in (("train", 5), ("t10k", 3)):
        images, labels = rng.integers(0, 256, (count, 28, 28), dtype=np.uint8), np.arange(count, dtype=np.uint8)
        parts[part] = images, labels
        for name, array in ((f"{part}-images-idx3-ubyte", images), (f"{part}-labels-idx1-ubyte", labels)):
            if packed:
                (tmp_path / f"{name}.gz").write_bytes(gzip.compress(idx(array)))
            else:
                (tmp_path / name).write_bytes(idx(array))
    data = datasets.mnist(tmp_path, normalize=False)
    np.testing.assert_array_equal(data.x_train, parts["train"][0])
    np.testing.assert_array_equal(data.y_test, parts["t10k"][1])


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="train-images-idx3-ubyte"):
        datasets.mnist(tmp_path)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "broken"
    path.write_bytes(idx(np.zeros((2, 3), np.uint8))[:-1])
    with pytest.raises(ValueError, match="broken"):
        datasets.read_idx(path)


def test_text_and_its_characters():
    text = datasets.text()
    assert len(text) > 100_000
    vocabulary = datasets.char_vocabulary(text)
    sample = text[:50]
    codes = vocabulary.encode(sample)
    assert codes.dtype == np.int64
    assert vocabulary.decode(codes) == sample
