"""A progress bar on the terminal; where there is none, nothing is drawn."""

import sys

WIDTH = 30


class Progress:
    """A bar that fills as `advance` is called, and disappears at the end."""

    def __init__(self, label, total):
        self.label = label
        self.total = max(total, 1)
        self.count = 0
        self.shown = -1
        self.visible = sys.stderr.isatty()

    def __enter__(self):
        return self

    def advance(self):
        """One step is done."""
        self.count += 1
        filled = WIDTH * self.count // self.total
        if self.visible and filled != self.shown:
            self.shown = filled
            bar = "█" * filled + "·" * (WIDTH - filled)
            sys.stderr.write(f"\r{self.label:40s} {bar} {self.count}/{self.total}")
            sys.stderr.flush()

    def __exit__(self, *exception):
        if self.visible:
            sys.stderr.write("\r" + " " * (WIDTH + 60) + "\r")
            sys.stderr.flush()
