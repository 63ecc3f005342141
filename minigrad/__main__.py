"""The main job: the same network, from the same weights, trained on handwritten digits in both engines.

``python -m minigrad --help`` tells the options.
"""

import argparse
import sys

from minigrad.errors import MinigradError
from minigrad.main_job.job import run


def main(argv: list[str] | None = None) -> int:
    """Parse the arguments and do the job; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m minigrad", description=(
        "Train one network on handwritten digits twice: define-by-run, as in PyTorch, and define-and-run, as in"
        " TensorFlow 1.x, from the same weights and on the same batches."))
    parser.add_argument("--engine", choices=("both", "dynamic", "static"), default="both",
                        help="which engines to train in (default: both)")
    parser.add_argument("--epochs", type=int, default=8, metavar="N", help="times through the data (default: 8)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")
    parser.add_argument("--data", metavar="DIR", help="a folder with the full MNIST in its four IDX files")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the loss curves into a file (needs matplotlib)")
    options = parser.parse_args(argv)
    if options.epochs < 1:
        parser.error("--epochs must be at least 1")
    try:
        return run(options.engine, options.epochs, options.device, options.data, options.plot)
    except (MinigradError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
