"""Fixtures that several test modules share."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.helpers.project_copy import TABLE, ProjectCopy

# As the Makefile says it, for a plain `pytest`: OpenMP that has computed in several threads hangs
# in a forked process. It reads this when scikit-learn is loaded, which is later.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples every time, and as much time for each as a busy machine takes.
settings.register_profile("blufs", deadline=None, derandomize=True, database=None)
settings.load_profile("blufs")


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]
) -> ProjectCopy:
    """A copy of the project that the first process makes and the others of this run wait for."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, done = base / name / "copy", base / name / "done"
    folder.parent.mkdir(exist_ok=True)
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(folder)
            done.touch()
    return ProjectCopy(folder)


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory) -> ProjectCopy:
    """A copy of the project with the results table of the tiny suite. Do not edit: clone it."""

    def make(folder: Path) -> None:
        ProjectCopy.make(folder).run(TABLE)

    return made_once(tmp_path_factory, "evaluated", make)


@pytest.fixture(scope="session")
def finished(evaluated, tmp_path_factory) -> ProjectCopy:
    """A copy in which the tiny suite has run to its end. Do not edit: clone it."""

    def make(folder: Path) -> None:
        evaluated.clone(folder).run()

    return made_once(tmp_path_factory, "finished", make)


@pytest.fixture
def project(finished, tmp_path) -> ProjectCopy:
    """A copy with the finished tiny suite that the test may edit."""
    return finished.clone(tmp_path / "copy")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Drawn results of a suite: one method failed on COIL20, lung is not available."""
    from blufs_bench.results.suite import load
    from tests.helpers.results_fixture import make_results_with_gaps

    return load(make_results_with_gaps(tmp_path_factory.mktemp("results")))
