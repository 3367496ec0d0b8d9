"""Fixtures that several test modules share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from project_copy import TABLE, ProjectCopy


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory) -> ProjectCopy:
    """A copy of the project with the results table of the tiny suite. Do not edit: clone it."""
    copy = ProjectCopy.make(tmp_path_factory.mktemp("evaluated") / "copy")
    copy.run(TABLE)
    return copy


@pytest.fixture(scope="session")
def finished(evaluated, tmp_path_factory) -> ProjectCopy:
    """A copy in which the tiny suite has run to its end. Do not edit: clone it."""
    copy = evaluated.clone(tmp_path_factory.mktemp("finished") / "copy")
    copy.run()
    return copy


@pytest.fixture
def project(finished, tmp_path) -> ProjectCopy:
    """A copy with the finished tiny suite that the test may edit."""
    return finished.clone(tmp_path / "copy")
