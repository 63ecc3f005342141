"""The loss curves as a picture."""

from minigrad.errors import MissingExtraError


def draw(runs, path):
    """Write the losses of all runs to a picture file.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("plots need matplotlib: pip install 'minigrad[plot]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for number, run in enumerate(runs):
        axes.plot(range(1, len(run.losses) + 1), run.losses, label=run.network.label, linewidth=3 - number,
                  linestyle=["-", "--", ":"][number])
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.set_yscale("log")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
