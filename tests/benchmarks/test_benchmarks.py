"""The speed benchmarks: their arithmetic, their page, and that every script runs."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import harness
from benchmarks.harness import markdown, overlap, random_clusters
from benchmarks.speed import against_packages as peers
from benchmarks.speed import memory, methods_speed, render_performance, startup
from benchmarks.speed import scaling_law as growth
from benchmarks.speed import suite_times as suites
from benchmarks.speed.fit_profile import BLOCKS
from blufs_bench.results.schemas import SCHEMAS
from blufs_bench.results.tables import write_table
from tests.helpers import ROOT

MEASURED = (
    *("startup", "suites", "fit_profile", "memory", "sparse", "neighbor_indexes"),
    *("limits", "growth", "peers"),
)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The results of the quick run, without real data."""
    folder = tmp_path_factory.mktemp("benchmarks")
    environment = {**os.environ, "BLUFS_BENCHMARK_RESULTS": str(folder), "BLUFS_MIRROR": "nowhere"}
    command = [sys.executable, "-m", "benchmarks", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "skipped, no file in BLUFS_MIRROR: Jaffe" in done.stdout
    return folder


def read(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def test_every_script_leaves_its_results(quick):
    assert {path.stem for path in quick.glob("*.json")} == set(MEASURED)


def test_exact_neighbours_are_all_found_and_the_same_on_two_threads(quick):
    exact = next(row for row in read(quick, "neighbor_indexes")["ways"] if row["way"] == "exact")
    assert exact["recall"] == 1
    assert exact["same_again"]
    assert exact["same_on_two_threads"]


def test_the_limits_are_ratios_of_their_seconds(quick):
    for row in read(quick, "limits"):
        for graph in ("without_graph", "with_graph"):
            expected = row[f"{graph}_seconds"] / row["gram_seconds"]
            assert row[f"{graph}_grams"] == pytest.approx(expected)
            assert row[f"{graph}_passes"] > 1


def test_the_growth_has_every_size_and_its_exponent(quick):
    report = read(quick, "growth")
    for axis, rows in report["axes"].items():
        values, others = growth.QUICK[axis]
        assert [row[axis] for row in rows] == list(values)
        assert all(row[name] == size for row in rows for name, size in others.items())
        seconds = [row["fit_seconds"] for row in rows]
        assert report["exponents"][f"fit, {axis}"] == pytest.approx(
            growth.exponent(values, seconds)
        )
    assert all(row["exact_seconds"] > 0 for row in report["axes"]["n"])


def test_the_peak_memory_holds_at_least_the_data(quick):
    (row,) = read(quick, "memory")["shapes"]
    assert row["x_bytes"] == 8 * row["n"] * row["d"]
    assert row["float64_with_graph"] > 1
    assert row["float32_with_graph"] > 0.5


def test_sparse_data_and_their_dense_copy_give_the_same_features(quick):
    (row,) = read(quick, "sparse")
    assert row["overlap"] == 1
    assert row["times_faster"] == row["dense"]["fit_seconds"] / row["sparse"]["fit_seconds"]


def test_the_blocks_of_the_profile_add_up_to_the_fit(quick):
    now = read(quick, "fit_profile")["now"]
    assert set(now) == {"fit", "rest", *BLOCKS}
    assert sum(seconds for block, seconds in now.items() if block != "fit") == pytest.approx(
        now["fit"]
    )
    assert all(now[block] > 0 for block in BLOCKS)
    assert 0 < now["rest"] < 0.9 * now["fit"]


def test_importing_the_package_brings_no_heavy_package(quick):
    assert read(quick, "startup")["heavy"] == {"import blufs": []}


def test_the_exponent_of_a_power_law_is_found():
    sizes = np.array([2000, 5000, 10000, 50000])
    assert growth.exponent(sizes, 3e-7 * sizes**1.13) == pytest.approx(1.13)
    noisy = 1e-3 * sizes**2.0 * np.array([1.05, 0.95, 0.95, 1.05])
    assert growth.exponent(sizes, noisy) == pytest.approx(2, abs=0.05)


def test_recall_counts_the_neighbors_that_were_found():
    Z = np.arange(40.0)[:, None] ** 1.1
    order = np.argsort(np.abs(Z - Z.T) + 1e9 * np.eye(40), axis=1)
    assert growth.recall(Z, order[:, :4]) == 1
    assert growth.recall(Z, order[:, [0, 1, 20, 21]]) == 0.5


def test_random_clusters_are_apart_in_the_first_features_only():
    X = random_clusters(4000, 150, 5, np.float32)
    assert X.dtype == np.float32
    variances = X.var(axis=0)
    assert variances[:100].mean() > 1.5
    assert variances[100:].mean() == pytest.approx(1, abs=0.02)


def test_overlap_is_the_shared_part():
    assert overlap(np.array([1, 2, 3, 4]), np.array([4, 3, 9, 8])) == 0.5


def test_the_peak_is_that_of_this_process():
    before = memory.peak_bytes()
    block = np.ones(200_000_000 // 8 + before // 8)
    assert memory.peak_bytes() >= before + 150_000_000
    assert block[-1] == 1


def test_import_times_are_summed_by_package():
    lines = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:       100 |        100 |   numpy.core\n"
        "import time:    200000 |     200100 | numpy\n"
        "import time:       300 |     200400 | blufs\n"
    )
    assert startup.seconds_by_package(lines) == pytest.approx({"numpy": 0.2001, "blufs": 0.0003})


def record(folder: Path, output: str, rule: str, log: str, start: float, end: float) -> None:
    name = base64.b64encode(output.encode()).decode()
    content = {"rule": rule, "log": [log], "starttime": start, "endtime": end}
    (folder / ".snakemake" / "metadata" / name).write_text(json.dumps(content))


@pytest.fixture
def finished(tmp_path):
    """A finished suite: two jobs side by side, a pause, one job with two files."""
    (tmp_path / ".snakemake" / "metadata").mkdir(parents=True)
    results = tmp_path / "results" / "small"
    results.mkdir(parents=True)
    record(tmp_path, "results/small/a.json", "select", "a.log", 100.0, 110.0)
    record(tmp_path, "results/small/b.json", "select", "b.log", 104.0, 112.0)
    record(tmp_path, "results/small/c.png", "plot", "c.log", 200.0, 203.0)
    record(tmp_path, "results/small/c.pdf", "plot", "c.log", 200.1, 203.0)
    record(tmp_path, "results/other/a.json", "select", "x.log", 0.0, 99.0)
    fit = {"dataset": "d", "method": "m", "setting": "{}", "s": 5, "fit_seed": 0}
    score = {"choice": "oracle", "metric": "nmi", "repetition": 0}
    tables = {
        "screened": [{**fit, "fit_seconds": 4.0, "score_seconds": 2.0}],
        "selections": [
            {**fit, "fit_seconds": 4.0},  # screened too, so that it counts once
            {**fit, "s": 9, "fit_seconds": 3.0},
        ],
        "timing": [{"seconds": 1.5}],
        "stability": [{"seconds": 1.0}, {"seconds": None}],
        "scores": [
            {**fit, **score, "evaluation_seconds": 1.0},
            {**fit, **score, "choice": "blind", "evaluation_seconds": 0.5},
        ],
    }
    for name, rows in tables.items():
        write_table(results / f"{name}.parquet", SCHEMAS[name], rows)
    return tmp_path


def test_a_suite_is_summed_up(finished):
    summary = suites.summarize(finished, "small")
    assert summary["jobs"] == 3
    assert summary["wall_seconds"] == pytest.approx(12 + 3, abs=0.11)
    assert summary["job_seconds"] == pytest.approx(10 + 8 + 3, abs=0.11)
    assert summary["work_seconds"] == 4 + 3 + 2 + 1.5 + 1.5 + 1
    assert summary["overhead_per_job"] == pytest.approx((21 - 13) / 3, abs=0.05)
    assert summary["cores"] == 2
    assert summary["cores_busy"] == pytest.approx(21 / 15, abs=0.02)
    assert summary["job_share"] == pytest.approx(21 / 30, abs=0.01)
    assert summary["work_share"] == pytest.approx(13 / 30, abs=0.01)
    assert [job["output"][-6:-5] for job in summary["slowest"]][:2] == ["a", "b"]
    assert summary["median_seconds"]["select"] == 9


def test_an_unfinished_suite_is_none(finished, capsys):
    assert suites.summarize(finished, "other") is None
    assert "no finished run in results/other" in capsys.readouterr().out


def test_an_error_of_a_peer_is_kept(monkeypatch):
    def in_process(dataset, method, side, limit):
        if side == "ITMO_FS":
            raise RuntimeError("MCFS on warpAR:\nTraceback\nTypeError: no such argument\n")
        return {"seconds": 2.0, "top": [1, 2]}

    monkeypatch.setattr(methods_speed, "in_process", in_process)
    row = peers.compare("warpAR", "MCFS")
    assert row["error"] == "TypeError: no such argument"
    assert row["other_seconds"] is None


def test_short_calls_are_repeated_and_long_ones_are_not(monkeypatch):
    taken = iter([1.0, 9.0, 2.0, 7.0])
    monkeypatch.setattr(harness, "timed", lambda function: (next(taken), function()))
    calls = []
    # Five seconds are over with the second call.
    assert harness.steady_seconds(lambda: calls.append(1) or len(calls)) == (5.0, 2)
    taken = iter([0.5, 0.1, 0.2, 0.3, 0.4, 0.6])
    assert harness.steady_seconds(lambda: "fit") == (pytest.approx(0.3), "fit")
    assert next(taken) == 0.6
    # Seven calls until a second is over; the middle five count.
    taken = iter([0.0625, 0.0625, 0.125, 0.125, 0.125, 0.25, 0.25, 9.0])
    assert harness.steady_seconds(lambda: "fit") == (pytest.approx(0.1375), "fit")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Makes a module ``measuring`` with the given body, and returns its name."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def make(body: str) -> str:
        (tmp_path / "measuring.py").write_text(f"import sys\n{body}\n")
        return "measuring"

    return make


def test_a_measurement_of_its_own_process_is_its_last_line(module):
    body = "print('progress')\nprint('{\"seconds\": 2, \"of\": \"' + sys.argv[2] + '\"}')"
    assert harness.measure_one(module(body), "SOGFS") == {"seconds": 2, "of": "SOGFS"}


def test_a_measurement_beyond_its_limit_is_none_and_a_failed_one_an_error(module):
    assert harness.measure_one(module("while True: pass"), limit=1) is None
    with pytest.raises(RuntimeError, match=r"measuring RNE:\n(.|\n)*no such data"):
        harness.measure_one(module("raise ValueError('no such data')"), "RNE", limit=9)


def speed_row(method: str, ours: float, other: float | None) -> dict:
    seconds = {"library_seconds": ours, "other_seconds": other, "limit_seconds": 400}
    return {"dataset": "COIL20", "method": method, **seconds, "shared_of_100": 9}


def test_what_is_not_fast_enough_is_listed():
    rows = [
        speed_row("LapScore", 0.2, 0.1),  # slower
        speed_row("MCFS", 0.1, 0.2),  # faster, and the other takes no second
        speed_row("SPCAFS", 0.5, 2.0),  # 4 times
        speed_row("RNE", 0.5, 3.0),  # 6 times
        speed_row("SOGFS", 100.0, None),  # the other was stopped
    ]
    listed = [line for line in methods_speed.shortfalls(rows).splitlines() if line[:2] == "- "]
    assert listed[0] == "- LapScore on COIL20, 0.50 times."
    assert listed[1].startswith("- SPCAFS on COIL20, 4.00 times: ")
    assert len(listed) == 2
    assert "Wanted and met" in methods_speed.shortfalls(rows[1:2])


def test_times_of_large_data_are_shown_with_those_that_were_stopped():
    rows = [
        {"method": "RNE", "seconds": 515.2, "peak_bytes": 2**31, "status": "ok"},
        {"method": "SOGFS", "seconds": None, "peak_bytes": None, "status": "stopped after 9 s"},
    ]
    lines = methods_speed.scale_table(rows).splitlines()
    assert lines[2:] == ["| RNE | 515 | 2.0 | ok |", "| SOGFS |  |  | stopped after 9 s |"]


def test_the_profile_of_a_method_shows_shares_and_the_bound():
    row = {"method": "RNE", "dataset": "warpAR", "seconds": 20.0, "calls": {"dense updates": 1200}}
    row |= {"parts": {"products": 15.0, "rest": 5.0}, "gigaflops": 90.0, "least_seconds": 8.0}
    row |= {"gigaflops_per_second": 30.0, "gigabytes": 50.0, "gigabytes_per_second": 10.0}
    text = " ".join(methods_speed.profile_section([row]).split())
    assert "| products | 75 % | | rest | 25 % |" in text
    assert "20.0 s; 1,200 dense updates." in text
    assert "90 GFLOP at the 30 GFLOP/s" in text
    assert "50 GB read at 10 GB/s take at least 8.0 s" in text
    assert "no more than 2.5 times faster" in text
    assert "k-means" not in text


def test_the_time_of_the_other_can_be_kept(monkeypatch):
    monkeypatch.setattr(methods_speed, "in_process", lambda *_: {"seconds": 2.0, "top": [1]})
    row = methods_speed.compare("COIL20", "UDFS", 9, known=speed_row("UDFS", 3.0, 8.0))
    assert row == speed_row("UDFS", 2.0, 8.0)


def test_without_results_the_page_says_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.harness.RESULTS", tmp_path)
    monkeypatch.setattr(render_performance, "RESULTS", tmp_path)
    page = render_performance.page()
    rows = [line for line in render_performance.targets().splitlines() if "not measured" in line]
    assert len(rows) == 13
    assert "{{" not in page
    assert "yes" not in render_performance.targets()


def test_the_page_has_what_was_measured(quick, monkeypatch):
    monkeypatch.setattr("benchmarks.harness.RESULTS", quick)
    monkeypatch.setattr(render_performance, "RESULTS", quick)
    page = render_performance.page()
    exponents = read(quick, "growth")["exponents"]
    assert f"| {exponents['fit, c']:.2f} |" in page
    assert "{{" not in page


def test_targets_are_met_or_not(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.harness.RESULTS", tmp_path)
    large = {"n": 7000, "d": 5000, "without_graph_grams": 0.5, "with_graph_grams": 3.5}
    (tmp_path / "limits.json").write_text(json.dumps([large]))
    precision = [{"overlap": 0.99}, {"overlap": 0.94}]
    shapes = [
        {"n": 7000, "d": 5000, "float64_with_graph": 1.4, "float32_with_graph": 0.7},
        {"n": 20, "d": 10, "float64_with_graph": 1.5, "float32_with_graph": 0.8},
    ]
    (tmp_path / "memory.json").write_text(json.dumps({"shapes": shapes, "precision": precision}))
    (tmp_path / "suites.json").write_text(json.dumps({"paper": {"overhead_share": 0.06}}))
    (tmp_path / "large.json").write_text(json.dumps({"disk": {"peak_bytes": 700e6}}))
    table, heading, reasons = render_performance.targets().split("\n\n")
    met = [line.split(" | ")[-1].strip(" |") for line in table.splitlines()[2:]]
    memory_rows = ["yes", "yes", "yes", "**no**"]
    assert met == ["yes", "**no**", "", "", *memory_rows, "**no**", "", "", "yes", "**no**"]
    assert heading == "Why some are missed:"
    assert reasons.startswith("- peak memory, worst shape, float32, in X of float64: the n x s")
    assert len(reasons.splitlines()) == 1


def test_the_machine_is_described_with_its_load():
    scripts = {"a": {"load": 0.25, "seconds": 400}, "b": {"load": 2.0, "seconds": 500}}
    text = render_performance.machine(
        {"cpu": "some processor", "cores": 2, "numpy": "2.4", "scripts": scripts}
    )
    assert text.startswith("some processor, 2 cores, numpy 2.4")
    assert "0.2 to 2.0" in text
    assert "15 minutes" in text


def test_a_table_in_markdown():
    assert markdown(["a", "b"], [[1, 0.126]]) == "| a | b |\n| --- | --- |\n| 1 | 0.13 |"


def test_the_figure_draws_every_part_that_was_measured(quick):
    from benchmarks.speed import scaling_law_figure as growth_figure

    report = read(quick, "growth")
    panels = growth_figure.draw(report).axes
    assert [panel.get_xlabel() for panel in panels] == ["n", "d", "c", "s"]
    labels = [line.get_label() for line in panels[0].lines]
    assert labels == ["the rest of the fit", "neighbours, exact", "eigenvectors", "linear"]
    assert panels[1].lines[0].get_xdata().tolist() == [40, 80, 160]
