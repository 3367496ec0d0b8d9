"""Fixtures that several test modules share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from project_copy import ProjectCopy


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> ProjectCopy:
    """A copy of the project in which the tiny suite has run to its end. Do not edit: clone it."""
    copy = ProjectCopy.make(tmp_path_factory.mktemp("project") / "copy")
    copy.run()
    return copy


@pytest.fixture
def project(finished, tmp_path) -> ProjectCopy:
    """A copy with the finished tiny suite that the test may edit."""
    return finished.clone(tmp_path / "copy")
