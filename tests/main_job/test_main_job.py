"""The main job as a user starts it, on one epoch."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from minigrad.main_job.networks import DefineAndRun, DefineByRun, starting_weights


def job(*arguments, cwd=None):
    """Run ``python -m minigrad`` and return (status, output)."""
    done = subprocess.run([sys.executable, "-m", "minigrad", *arguments], capture_output=True, text=True, timeout=240,
                          check=False, cwd=cwd)
    return done.returncode, done.stdout + done.stderr


def test_both_engines_agree_bit_for_bit(tmp_path):
    picture = tmp_path / "out.png"
    status, output = job("--epochs", "1", "--plot", str(picture))
    assert status == 0, output
    assert "equal bit for bit: all 63 losses" in output
    assert output.count("test accuracy") == 3
    assert "what to try next" in output
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("engine", "lines"), [("dynamic", 1), ("static", 2)])
def test_one_engine(engine, lines):
    status, output = job("--epochs", "1", "--engine", engine)
    assert status == 0, output
    assert output.count("test accuracy") == lines


def test_what_cannot_be_done_is_said(tmp_path):
    status, output = job("--data", str(tmp_path))
    assert status == 1
    assert "Nothing is downloaded" in output
    status, output = job("--epochs", "0")
    assert status == 2


def test_a_step_of_each_engine_is_the_same():
    rng = np.random.default_rng(0)
    images, labels = rng.random((5, 784), dtype=np.float32), rng.integers(0, 10, 5)
    weights = starting_weights()
    networks = [DefineByRun(weights, "cpu")]
    networks += [DefineAndRun(weights, "cpu", numerics) for numerics in ("exact", "fast")]
    losses = [[network.step(images, labels) for _ in range(3)] for network in networks]
    assert losses[0] == losses[1]
    np.testing.assert_allclose(losses[0], losses[2], rtol=1e-6)


def test_the_line_to_stop_at_is_the_one_that_is_meant():
    status, output = job("--epochs", "1", "--engine", "dynamic")
    assert status == 0, output
    number = int(re.search(r"pdb examples/pytorch_style\.py +then: break (\d+)", output)[1])
    example = Path(__file__).parents[2] / "examples" / "pytorch_style.py"
    assert example.read_text(encoding="utf-8").splitlines()[number - 1].strip().startswith("loss = loss_function(")
