"""What holds for all tests: hypothesis profiles, and how tests that need a GPU are skipped in sight.

Profiles (environment variable HYPOTHESIS_PROFILE, or `--hypothesis-profile`):

- ``dev``: 25 random examples a property; a failing one is remembered and tried first on the next run.
- ``ci``: 25 examples, the same ones on every run; the default where the variable CI is set.
- ``thorough``: 500 random examples.
"""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.database import DirectoryBasedExampleDatabase

NEEDS_GPU = "needs a CUDA GPU"

# whatever hypothesis stores stays out of the source tree
HYPOTHESIS_HOME = Path(tempfile.gettempdir()) / "minigrad-hypothesis"
set_hypothesis_home_dir(HYPOTHESIS_HOME)
REMEMBERED = DirectoryBasedExampleDatabase(HYPOTHESIS_HOME / "examples")

# no deadline and no complaint about slow generation: a busy machine must not fail a test
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("dev", max_examples=25, database=REMEMBERED, **COMMON)
settings.register_profile("ci", max_examples=25, database=None, derandomize=True, **COMMON)
settings.register_profile("thorough", max_examples=500, database=REMEMBERED, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


@pytest.hookimpl(trylast=True)  # after -m and -k: only tests that are about to run count
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `gpu` where there is no GPU, or refuse to run when MINIGRAD_REQUIRE_GPU=1."""
    gpu_items = [item for item in items if item.get_closest_marker("gpu")]
    if not gpu_items:
        return
    from minigrad.backends import cuda_status

    usable, reason = cuda_status()
    if usable:
        return
    if os.environ.get("MINIGRAD_REQUIRE_GPU") == "1":
        raise pytest.UsageError(f"MINIGRAD_REQUIRE_GPU=1, but {len(gpu_items)} tests have no GPU: {reason}")
    for item in gpu_items:
        item.add_marker(pytest.mark.skip(reason=f"{NEEDS_GPU}: {reason}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were left out for want of a GPU."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(1 for report in skipped if NEEDS_GPU in str(report.longrepr))
    terminalreporter.write_line(f"GPU-only tests not run here: {count}")
