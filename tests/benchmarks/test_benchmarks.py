"""The speed benchmarks: every script runs, and the documents show what is kept of them."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks import tables
from tests.helpers import ROOT


@pytest.mark.slow
def test_every_script_runs_and_exact_neighbours_are_all_found(tmp_path):
    """The quick run, without real data."""
    environment = {**os.environ, "BLUFS_BENCHMARK_RESULTS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"],
        cwd=ROOT,
        env=environment | {"BLUFS_MIRROR": "nowhere"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "skipped Jaffe: " in done.stdout
    ways = json.loads((tmp_path / "neighbor_indexes.json").read_text())["ways"]
    exact = next(row for row in ways if row["way"] == "exact")
    assert exact["recall"] == 1
    assert exact["same_again"]
    assert exact["same_on_two_threads"]


@pytest.mark.parametrize(
    "document", tables.DOCUMENTS, ids=lambda path: path.parent.name + "/" + path.stem
)
def test_the_tables_of_the_documents_are_those_of_the_kept_results(document):
    text = document.read_text(encoding="utf-8")
    assert tables.fill(text) == text
