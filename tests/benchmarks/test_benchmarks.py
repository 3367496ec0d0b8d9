"""The speed benchmarks: their arithmetic, their tables, and that every script runs."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks import tables
from tests.helpers import ROOT


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The results of the quick run, without real data."""
    folder = tmp_path_factory.mktemp("benchmarks")
    environment = {**os.environ, "BLUFS_BENCHMARK_RESULTS": str(folder), "BLUFS_MIRROR": "nowhere"}
    command = [sys.executable, "-m", "benchmarks", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "skipped Jaffe: " in done.stdout
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def test_exact_neighbours_are_all_found_and_the_same_on_two_threads(quick):
    exact = next(row for row in quick["neighbor_indexes"]["ways"] if row["way"] == "exact")
    assert exact["recall"] == 1
    assert exact["same_again"]
    assert exact["same_on_two_threads"]


@pytest.mark.parametrize(
    "document", tables.DOCUMENTS, ids=lambda path: path.parent.name + "/" + path.stem
)
def test_the_tables_of_the_documents_are_those_of_the_kept_results(document):
    text = document.read_text(encoding="utf-8")
    assert tables.fill(text) == text
