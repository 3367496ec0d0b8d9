"""What is published: the page of the package index, versions, and the wheel alone."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import blufs
from tests.helpers import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_citation_and_package_have_the_same_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == blufs.__version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel; it and the sdist pass twine's checks."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True, timeout=600)
    wheel, sdist = sorted(folder.iterdir(), key=lambda path: path.suffix != ".whl")
    subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel, sdist], check=True, timeout=60
    )
    return wheel


def test_the_wheel_holds_what_the_workflow_reads(wheel):
    with ZipFile(wheel) as archive:
        for path in (
            "config.yaml",
            "data/datasets.yaml",
            "workflow/schemas/config.schema.yaml",
            "workflow/scripts/select.py",
        ):
            held = archive.read(f"blufs_bench/project/{path}")
            assert held == (ROOT / path).read_bytes()
        names = archive.namelist()
    assert "blufs/py.typed" in names
    assert any(name.startswith("blufs_bench/show/") and name.endswith(".js") for name in names)


def declared_versions() -> list[str]:
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


@pytest.mark.slow
@pytest.mark.parametrize("version", declared_versions())
def test_the_wheel_installs_alone_and_fits(wheel, version, tmp_path):
    name = sys.executable if sys.version.startswith(f"{version}.") else f"python{version}"
    bare = tmp_path / "bare"
    made = subprocess.run(f"{name} -m venv {bare}", shell=True, check=False, capture_output=True)
    if made.returncode:
        pytest.skip(f"no Python {version} on this machine")
    python = bare / "bin" / "python"
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(
        [python, "-m", "pip", "install", "-q", wheel], check=True, timeout=600, env=clean
    )
    fit = (
        "import sys, blufs; from sklearn.datasets import load_wine; X = load_wine().data;"
        "print(blufs.BLUFS(4, n_clusters=3).fit_transform(X).shape, 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [python, "-c", fit], check=True, capture_output=True, text=True, cwd=tmp_path, env=clean
    )
    assert done.stdout.split("\n")[0] == "(178, 4) False"


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_a_broken_link_is_an_error(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"]
    options = {
        "cwd": ROOT,
        "env": {**os.environ, "NO_MKDOCS_2_WARNING": "1"},  # as `make docs`
        "capture_output": True,
        "text": True,
        "timeout": 1200,
    }
    done = subprocess.run(command, **options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "gallery" / "quick_start-0.png").stat().st_size > 5_000
    extra = ROOT / "docs" / "broken-on-purpose.md"
    try:
        extra.write_text("[nowhere](no-such-page.md)")
        done = subprocess.run(command, **options)
    finally:
        extra.unlink()
    assert done.returncode != 0
    assert "no-such-page.md" in done.stderr
