"""Random numbers by counting: a draw is a function of a seed and an offset, not of hidden state.

NumPy's Philox generator is keyed by the seed and started at the offset, so a draw can be repeated exactly, a graph can
draw the same numbers in every order of evaluation, and a plan draws what plain Python draws. Numbers are drawn on the
host and moved to where they are needed. The streams are not those of PyTorch, TensorFlow or NumPy's default generator.
"""

import threading
from contextlib import contextmanager

import numpy as np


def bits(key):
    """NumPy's Generator for a key, an int64 array of (seed, offset)."""
    seed, offset = [int(part) for part in np.asarray(key)]
    philox = np.random.Philox(key=seed & (2**64 - 1), counter=(offset & (2**64 - 1)) << 64)
    return np.random.Generator(philox)


class Generator:
    """A seed, and how many draws were made with it. PyTorch: torch.Generator."""

    def __init__(self, device="cpu"):
        self.device = device
        self._lock = threading.Lock()
        self._seed = 0
        self._offset = 0

    def manual_seed(self, seed):
        """Start the stream of `seed` from its beginning; returns the generator."""
        with self._lock:
            self._seed = int(seed) & (2**63 - 1)
            self._offset = 0
        return self

    def initial_seed(self):
        """The seed that the stream was started with."""
        return self._seed

    def seed(self):
        """Start a stream that was not used before; returns its seed."""
        fresh = int(np.random.SeedSequence().entropy) & (2**63 - 1)
        self.manual_seed(fresh)
        return fresh

    def get_state(self):
        """(seed, offset) as an int64 array."""
        return np.array([self._seed, self._offset], dtype=np.int64)

    def set_state(self, state):
        """Go on from a state that `get_state` gave."""
        with self._lock:
            self._seed, self._offset = [int(part) for part in np.asarray(state)]

    def next_key(self):
        """The key of the next draw: (seed, offset) as an int64 array."""
        with self._lock:
            key = np.array([self._seed, self._offset], dtype=np.int64)
            self._offset += 1
        return key


default_generator = Generator()


def manual_seed(seed):
    """Start the default generator's stream of `seed` from its beginning. PyTorch: torch.manual_seed."""
    return default_generator.manual_seed(seed)


@contextmanager
def fork_rng():
    """Draws made inside leave the default generator as it was."""
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
