"""The errors of runs, under TensorFlow 1.x's names. TensorFlow: tf.errors."""

from minigrad.errors import (
    FeedError as FeedError,
    FetchError as FetchError,
    InvalidArgumentError as InvalidArgumentError,
    MinigradError as OpError,
    UninitializedError as FailedPreconditionError,
)

__all__ = ["FailedPreconditionError", "FeedError", "FetchError", "InvalidArgumentError", "OpError"]
