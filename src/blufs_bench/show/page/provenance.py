"""Where results come from: version, commit, packages, configuration and date, no machine."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PACKAGE = "blufs"


def provenance(config: dict[str, Any], folder: str | Path = ".") -> dict[str, Any]:
    """Record of a run of the workflow in ``folder`` with this configuration."""
    return {
        "version": version(PACKAGE),
        "commit": git_commit(folder),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": package_versions(),
        "config": config,
    }


def git_commit(folder: str | Path = ".") -> str | None:
    """Commit that is checked out in ``folder``, marked if files differ; None without git."""
    try:
        commit = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit} with local changes" if changed else commit


def _git(folder: str | Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def package_versions() -> dict[str, str]:
    """Installed versions of what the library and the workflow depend on, by name."""
    found = {}
    for text in requires(PACKAGE) or []:
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": "workflow"}):
            continue
        try:
            found[requirement.name] = version(requirement.name)
        except PackageNotFoundError:
            found[requirement.name] = "not installed"
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))
