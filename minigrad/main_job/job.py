"""The programme of the main job: train, compare, tell."""

import sys
import time

import numpy as np

from minigrad.datasets import mnist
from minigrad.main_job.networks import DefineAndRun, DefineByRun, Run, starting_weights
from minigrad.main_job.progress import Progress

BATCH = 64


def run(engine, epochs, device, data_dir, plot):
    """Do the main job; returns the exit status, 1 when the engines disagree."""
    began = time.perf_counter()
    data = mnist(data_dir, flatten=True)
    origin = "from " + data_dir if data_dir else "a sample of MNIST that comes with minigrad"
    print(f"{len(data.x_train)} images of handwritten digits to train on, {len(data.x_test)} to test on ({origin})")
    runs = [Run(network) for network in networks(engine, device)]
    for each in runs:
        print(f"  {each.network.label:24s} {explanation(each.network.label)}")
    print()
    for epoch in range(epochs):
        train_epoch(runs, data, epoch, epochs)
    good = compared(runs)
    if plot:
        from minigrad.main_job.curves import draw

        draw(runs, plot)
        print(f"loss curves: {plot}")
    print(f"done in {time.perf_counter() - began:.1f} s")
    tell_more()
    return 0 if good else 1


def networks(engine, device):
    """The networks to train, from the same weights."""
    weights = starting_weights()
    if engine != "static":
        yield DefineByRun(weights, device)
    if engine != "dynamic":
        yield DefineAndRun(weights, device, "exact")
        yield DefineAndRun(weights, device, "fast")


def explanation(label):
    """What a line of the table is."""
    return {"define-by-run": "each line computes, as in PyTorch",
            "define-and-run, exact": "a graph, run with exactly the same arithmetic",
            "define-and-run, fast": "the same graph, its plan optimised"}[label]


def train_epoch(runs, data, epoch, epochs):
    """One time through the data, in the same order in each run; prints a line for each."""
    order = np.random.default_rng(epoch).permutation(len(data.x_train))
    batches = []
    for start in range(0, len(order), BATCH):
        chosen = order[start:start + BATCH]
        batches.append((data.x_train[chosen], data.y_train[chosen]))
    for each in runs:
        with Progress(f"epoch {epoch + 1}/{epochs}  {each.network.label}", len(batches)) as progress:
            each.epoch(batches, progress.advance)
        accuracy = each.network.accuracy(data.x_test, data.y_test)
        each.accuracies.append(accuracy)
        print(f"epoch {epoch + 1}/{epochs}  {each.network.label:24s} loss {each.epoch_losses[-1]:.6f}"
              f"   test accuracy {accuracy:6.1%}   {each.microseconds():6.0f} µs a step")


def compared(runs):
    """Print how the runs agree; returns whether they do."""
    if len(runs) < 3:
        return True
    dynamic, exact, fast = runs
    equal = dynamic.losses == exact.losses
    print()
    if equal:
        print(f"equal bit for bit: all {len(dynamic.losses)} losses of define-by-run and of define-and-run with exact"
              " numerics")
    else:
        step = next(i for i, (a, b) in enumerate(zip(dynamic.losses, exact.losses, strict=True)) if a != b)
        print(f"NOT equal: the losses of both engines differ from step {step + 1} on"
              f" ({dynamic.losses[step]!r} and {exact.losses[step]!r})", file=sys.stderr)
    first = abs(fast.losses[0] - dynamic.losses[0])
    points = abs(fast.accuracies[-1] - dynamic.accuracies[-1]) * 100
    print(f"the optimised plan: first loss within {first:.1g}, final accuracy within {points:.1f} points")
    return equal and first <= 1e-6 and points <= 1


def tell_more():
    """What to try next."""
    print("""
what to try next
  read    examples/pytorch_style.py and examples/tf1_style.py: the same network, as each of the two is written
  step    python -m pdb examples/pytorch_style.py   then: break 22, continue, step
          from `loss = ...` every frame down to NumPy's call has a name and a few lines
  look    print(session.plan(loss, {...})): the graph as the Python function that runs""")
