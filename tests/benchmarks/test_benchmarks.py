"""The speed benchmarks: their arithmetic, their tables, and that every script runs."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as everything
from benchmarks import harness, tables
from benchmarks.harness import random_clusters
from benchmarks.speed import methods_speed, neighbor_indexes, suite_times
from benchmarks.speed import scaling_law as growth
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


def test_every_script_leaves_its_results(quick):
    assert len(quick) == len(everything.MEASURE)


def test_exact_neighbours_are_all_found_and_the_same_on_two_threads(quick):
    exact = next(row for row in quick["neighbor_indexes"]["ways"] if row["way"] == "exact")
    assert exact["recall"] == 1
    assert exact["same_again"]
    assert exact["same_on_two_threads"]


def test_the_growth_has_every_size_and_its_exponent(quick):
    for axis, rows in quick["growth"]["axes"].items():
        values, others = growth.QUICK[axis]
        assert [row[axis] for row in rows] == list(values)
        assert all(row[name] == size for row in rows for name, size in others.items())
        expected = growth.exponent(values, [row["fit_seconds"] for row in rows])
        assert quick["growth"]["exponents"][f"fit, {axis}"] == pytest.approx(expected)


def test_the_peak_memory_holds_at_least_the_data(quick):
    (row,) = quick["memory"]["shapes"]
    assert row["x_bytes"] == 8 * row["n"] * row["d"]
    assert row["float64_with_graph"] > 1
    assert row["float32_with_graph"] > 0.5


def test_the_exponent_of_a_power_law_is_found():
    sizes = np.array([2000, 5000, 10000, 50000])
    assert growth.exponent(sizes, 3e-7 * sizes**1.13) == pytest.approx(1.13)


def test_recall_is_the_share_of_the_right_neighbors():
    Z = np.arange(40.0)[:, None] ** 1.1
    order = np.argsort(np.abs(Z - Z.T) + 1e9 * np.eye(40), axis=1)
    assert growth.recall(Z, order[:, [0, 1, 20, 21]]) == 0.5
    right = np.array([[1, 2], [0, 2], [0, 1]])
    assert neighbor_indexes.recall(np.array([[1, 3], [3, 4], [0, 1]]), right) == 0.5


def test_random_clusters_are_apart_in_the_first_features_only():
    variances = random_clusters(4000, 150, 5, np.float32).var(axis=0)
    assert variances[:100].mean() > 1.5
    assert variances[100:].mean() == pytest.approx(1, abs=0.02)


def record(folder: Path, output: str, rule: str, log: str, start: float, end: float) -> None:
    name = base64.b64encode(output.encode()).decode()
    content = {"rule": rule, "log": [log], "starttime": start, "endtime": end}
    (folder / ".snakemake" / "metadata" / name).write_text(json.dumps(content))


def test_a_suite_is_summed_up(tmp_path):
    """Two jobs side by side, a pause, one job with two files."""
    (tmp_path / ".snakemake" / "metadata").mkdir(parents=True)
    record(tmp_path, "results/small/a.json", "select", "a.log", 100.0, 110.0)
    record(tmp_path, "results/small/b.json", "select", "b.log", 104.0, 112.0)
    record(tmp_path, "results/small/c.png", "plot", "c.log", 200.0, 203.0)
    record(tmp_path, "results/small/c.pdf", "plot", "c.log", 200.1, 203.0)
    record(tmp_path, "results/other/a.json", "select", "x.log", 0.0, 99.0)
    spans = suite_times.spans_of(tmp_path, "small")
    assert len(spans) == 3
    assert suite_times.most_at_once(spans) == 2
    assert suite_times.wall_seconds(spans) == pytest.approx(12 + 3, abs=0.11)


def test_short_calls_are_repeated_and_long_ones_are_not(monkeypatch):
    taken = iter([1.0, 9.0, 2.0, 7.0])
    monkeypatch.setattr(harness, "timed", lambda function: (next(taken), function()))
    calls = []
    # Five seconds are over with the second call.
    assert harness.steady_seconds(lambda: calls.append(1) or len(calls)) == (5.0, 2)
    # Seven calls until a second is over; the middle five count.
    taken = iter([0.0625, 0.0625, 0.125, 0.125, 0.125, 0.25, 0.25, 9.0])
    assert harness.steady_seconds(lambda: "fit") == (pytest.approx(0.1375), "fit")


def test_a_measurement_of_its_own_process_is_its_last_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def measured(body, *arguments, **options):
        (tmp_path / "measuring.py").write_text(f"import sys\n{body}\n")
        return harness.measure_one("measuring", *arguments, **options)

    body = "print('progress')\nprint('{\"of\": \"' + sys.argv[2] + '\"}')"
    assert measured(body, "SOGFS") == {"of": "SOGFS"}
    assert measured("while True: pass", limit=1) is None
    with pytest.raises(RuntimeError, match=r"measuring RNE:\n(.|\n)*no such data"):
        measured("raise ValueError('no such data')", "RNE", limit=9)


def test_a_method_is_compared_by_seconds_and_shared_features(monkeypatch):
    outcomes = {"library": {"seconds": 2.0, "top": [1, 2]}, "other": {"seconds": 6.0, "top": [2]}}
    monkeypatch.setattr(methods_speed, "in_process", lambda *args, limit: outcomes[args[2]])
    row = methods_speed.compare("COIL20", "MCFS", 9)
    assert (row["library_seconds"], row["other_seconds"], row["shared_of_100"]) == (2.0, 6.0, 1)
    outcomes["other"] = None  # stopped
    monkeypatch.setattr(methods_speed, "read", lambda _: [methods_speed.compare("a", "MCFS", 9)])
    assert methods_speed.table().endswith("| a | MCFS | 2.00 | > 9.00 | > 4.5 |  |")


@pytest.mark.parametrize(
    "document", tables.DOCUMENTS, ids=lambda path: path.parent.name + "/" + path.stem
)
def test_the_tables_of_the_documents_are_those_of_the_kept_results(document):
    text = document.read_text(encoding="utf-8")
    assert tables.fill(text) == text


def test_every_table_and_every_kept_result_is_used():
    texts = [document.read_text(encoding="utf-8") for document in tables.DOCUMENTS]
    placed = {name for text in texts for name in re.findall(r"<!-- table (\w+) -->", text)}
    assert placed == set(tables.TABLES)
    code = "".join(
        path.read_text()
        for folder in ("benchmarks", "tests")
        for path in (ROOT / folder).rglob("*.py")
    )
    unread = [p.stem for p in harness.RESULTS.glob("*.json") if f'"{p.stem}' not in code]
    assert not unread
