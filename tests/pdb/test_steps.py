"""What a student meets who steps with pdb: a real debugger is driven, and the exact sequence of frames compared."""

import re
import subprocess
import sys
from pathlib import Path

import minigrad

ROOT = Path(minigrad.__file__).parent

MULTIPLY = """
import minigrad as mg
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
y = a * b
y.backward()
"""

MODULE = """
import minigrad as mg
import minigrad.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(mg.ones(2))

    def forward(self, x):
        return x * self.w

model = Model()
x = mg.ones(2)
y = model(x)
"""

SESSION = """
import numpy as np
import minigrad.static as tf
x = tf.placeholder(tf.float32, [2], name="x")
y = tf.multiply(x, x, name="y")
sess = tf.Session()
value = np.ones(2, np.float32)
first = sess.run(y, {x: value})
again = sess.run(y, {x: value})
"""


def calls_from(tmp_path, program, line, steps):
    """(file, function) of the new frames that `step` enters from the given line of a program, in order.

    A real ``python -m pdb`` runs in a subprocess: break at the line, then step.
    """
    script = tmp_path / "lesson.py"
    script.write_text(program, encoding="utf-8")
    commands = [f"break {script}:{line}", "continue", *["step"] * steps, "quit"]
    done = subprocess.run([sys.executable, "-m", "pdb", str(script)], input="\n".join(commands) + "\n",
                          capture_output=True, text=True, timeout=60, check=False)
    entered = []
    pattern = re.compile(r"^(?:\(Pdb\) )*> (.+?)\((\d+)\)([\w<>]+)\(\)", re.MULTILINE)
    following = done.stdout.splitlines()
    for number, text in enumerate(following):
        match = pattern.match(text)
        if match and number + 1 < len(following) and following[number - 1].endswith("--Call--"):
            entered.append((Path(match[1]).name, match[3]))
    assert entered, done.stdout + done.stderr
    return entered


def line_of(program, text):
    """The number of the first line of a program that reads so."""
    return program.splitlines().index(text) + 1


def test_from_a_product_to_its_kernel(tmp_path):
    entered = calls_from(tmp_path, MULTIPLY, line_of(MULTIPLY, "y = a * b"), 40)
    assert entered[:5] == [("operators.py", "__mul__"), ("arithmetic.py", "mul"), ("dispatch.py", "bind"),
                           ("tensor.py", "process"), ("arithmetic.py", "mul_kernel")]


def test_from_backward_to_the_rule_of_the_product(tmp_path):
    entered = calls_from(tmp_path, MULTIPLY, line_of(MULTIPLY, "y.backward()"), 80)
    assert entered[:5] == [("tensor.py", "backward"), ("backward.py", "run_backward"), ("autodiff.py", "reverse_sweep"),
                           ("tape.py", "take"), ("arithmetic.py", "mul_vjp_a")]


def test_a_module_adds_two_frames(tmp_path):
    entered = calls_from(tmp_path, MODULE, line_of(MODULE, "y = model(x)"), 40)
    assert entered[:3] == [("module.py", "__call__"), ("lesson.py", "forward"), ("operators.py", "__mul__")]


def test_from_a_session_into_the_plan(tmp_path):
    entered = calls_from(tmp_path, SESSION, line_of(SESSION, "again = sess.run(y, {x: value})"), 130)
    names = [step for step in entered if step[1] != "<listcomp>"]  # no frame of its own since Python 3.12
    assert names[:names.index(("<minigrad plan 1>", "plan")) + 1] == [
        ("session.py", "run"),
        ("structure.py", "flatten"), ("structure.py", "take_apart"),
        ("session.py", "fetched"), ("node.py", "graph"), ("session.py", "check_mine"),
        ("session.py", "fed"), ("node.py", "graph"), ("session.py", "check_mine"),
        ("session.py", "feed_value"), ("node.py", "dtype"), ("node.py", "shape"), ("dims.py", "may_equal"),
        ("session.py", "compute"), ("session.py", "plan_for"), ("plan.py", "__call__"),
        ("<minigrad plan 1>", "plan"),
    ]


def test_the_debugger_shows_the_plan(tmp_path):
    script = tmp_path / "lesson.py"
    script.write_text(SESSION, encoding="utf-8")
    stop = line_of(SESSION, "again = sess.run(y, {x: value})")
    commands = [f"break {script}:{stop}", "continue", *["step"] * 130, "list", "quit"]
    done = subprocess.run([sys.executable, "-m", "pdb", str(script)], input="\n".join(commands) + "\n",
                          capture_output=True, text=True, timeout=60, check=False)
    assert re.search(r"^-> y = xp\.multiply\(x, x\) +# lesson\.py:5$", done.stdout, re.MULTILINE), done.stdout
