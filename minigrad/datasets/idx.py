"""Read IDX files, the format of MNIST: any number of axes, six dtypes, plain or compressed.

Its parts: 00 00, a byte for the dtype, a byte for the rank, a uint32 for each size, and the numbers with the
last axis fastest; everything is big-endian.
"""

import math
import os
from pathlib import Path

import numpy as np

DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
GZIP_MAGIC = b"\x1f\x8b"
XZ_MAGIC = b"\xfd7zXZ\x00"


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """Read one IDX file, plain or compressed with gzip or xz (told by its first bytes, not by its name).

    Args:
        path: the file.

    Returns:
        A new array with the file's shape (any rank, 0 included) and dtype (uint8, int8, int16, int32, float32
        or float64) in the byte order of this machine.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not IDX or is damaged: wrong magic number, too few or too many bytes, broken
            compression.

    Source: the format is described on the MNIST page, http://yann.lecun.com/exdb/mnist/.
    """
    path = Path(path)
    content = decompress(path.read_bytes(), path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in DTYPES:
        codes = ", ".join(f"{code:02x}" for code in DTYPES)
        raise ValueError(
            f"{path} is not an IDX file: expected it to start with 00 00, a dtype code ({codes}) "
            f"and the rank, got {content[:4].hex(' ') or 'an empty file'}"
        )
    dtype, rank = np.dtype(DTYPES[content[2]]), content[3]
    start = 4 + 4 * rank
    if len(content) < start:
        raise ValueError(
            f"{path} is truncated: its header announces {rank} sizes and so needs {start} bytes, "
            f"the file has {len(content)}"
        )
    shape = tuple(int(size) for size in np.frombuffer(content[4:start], dtype=">u4"))
    expected, found = math.prod(shape) * dtype.itemsize, len(content) - start
    if found != expected:
        problem = "is truncated" if found < expected else "has bytes left over"
        raise ValueError(
            f"{path} {problem}: shape {shape} of {dtype.name} needs {expected} bytes of data, "
            f"the file has {found}; fetch it again"
        )
    numbers = np.frombuffer(content, dtype=dtype, offset=start)
    return numbers.astype(dtype.newbyteorder("=")).reshape(shape)


def decompress(content: bytes, path: Path) -> bytes:
    """`content` unpacked if it is gzip or xz, else as it is; `path` is for the error message."""
    failures: tuple[type[Exception], ...]
    if content.startswith(GZIP_MAGIC):
        import gzip
        import zlib

        unpack, failures = gzip.decompress, (EOFError, OSError, zlib.error)
    elif content.startswith(XZ_MAGIC):
        try:
            import lzma  # the one module needed here that a Python may have been built without
        except ImportError as error:
            raise ImportError(
                f"reading {path} needs the standard library's lzma, which this Python was built without: "
                "install the xz headers (liblzma-dev, xz-devel) and build Python again, or use another Python"
            ) from error
        unpack, failures = lzma.decompress, (lzma.LZMAError,)
    else:
        return content
    try:
        return unpack(content)
    except failures as error:
        raise ValueError(f"{path} is damaged and cannot be decompressed ({error}); fetch it again") from error
