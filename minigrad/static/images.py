"""Convolution and pooling of images under TensorFlow 1.x's names and layouts. TensorFlow: tf.nn."""

from minigrad.errors import ShapeError
from minigrad.ops import convolution, pooling, shaping
from minigrad.static.naming import named, tensor


def conv2d(input, filter=None, strides=None, padding="VALID", use_cudnn_on_gpu=True, data_format="NHWC",
           dilations=None, name=None, filters=None):
    """2-D convolution of images (N, H, W, C) with filters (height, width, C, outputs).

    Args:
        strides: four numbers in the order of `data_format`, or one.
        padding: "SAME" (an output for every stride-th input; the surplus goes after) or "VALID".
    """
    x, w = tensor(input), tensor(filter if filters is None else filters)
    return named(name, "Conv2D", _conv2d, x, w, strides, padding, data_format, dilations)


def _conv2d(x, w, strides, padding, data_format, dilations):
    nhwc = data_format != "NCHW"
    if nhwc:
        x = shaping.permute(x, (0, 3, 1, 2))
    stride = spatial(strides, nhwc)
    dilation = spatial(dilations or 1, nhwc)
    kernel = shaping.permute(w, (3, 2, 0, 1))
    pads = same_pads(x.shape[2:], w.shape[:2], stride, dilation) if padding == "SAME" else ((0, 0), (0, 0))
    y = convolution.convolve(x, kernel, stride, pads, dilation)
    return shaping.permute(y, (0, 2, 3, 1)) if nhwc else y


def spatial(values, nhwc):
    """The two numbers for height and width of a strides-like argument."""
    if isinstance(values, int):
        return values, values
    values = list(values)
    if len(values) == 4:
        values = values[1:3] if nhwc else values[2:4]
    return tuple(values) if len(values) == 2 else (values[0], values[0])


def same_pads(sizes, kernel, stride, dilation):
    """TensorFlow's SAME padding as (before, after) for each spatial dimension."""
    pads = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        if not isinstance(size, int):
            raise ShapeError("SAME padding needs a known image size")
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return tuple(pads)


def max_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """The largest in each window of images (N, H, W, C)."""
    return named(name, "MaxPool", _pool, "max", tensor(value if input is None else input), ksize, strides, padding,
                 data_format)


def avg_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """The mean of each window of images (N, H, W, C); padding does not count."""
    return named(name, "AvgPool", _pool, "avg", tensor(value if input is None else input), ksize, strides, padding,
                 data_format)


def _pool(kind, x, ksize, strides, padding, data_format):
    nhwc = data_format != "NCHW"
    if nhwc:
        x = shaping.permute(x, (0, 3, 1, 2))
    kernel, stride = spatial(ksize, nhwc), spatial(strides, nhwc)
    pads = same_pads(x.shape[2:], kernel, stride, (1, 1)) if padding == "SAME" else ((0, 0), (0, 0))
    pool = pooling.max_pool_windows if kind == "max" else pooling.avg_pool_windows
    y = pool(x, kernel, stride, pads)
    return shaping.permute(y, (0, 2, 3, 1)) if nhwc else y
