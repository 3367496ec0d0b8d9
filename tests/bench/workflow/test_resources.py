"""What jobs use, and what they ask of a cluster for it."""

import json
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

from blufs_bench.method_names import BUILT_IN
from blufs_bench.plan.fit_memory import HELD, UNKNOWN, held_by
from blufs_bench.plan.memory_law import BASE_MB, PREPARING, SCORING, Held, chunked_mb, needed_mb
from blufs_bench.plan.read import read_plan
from blufs_bench.plan.resources import memory_mb, minutes
from blufs_bench.plan.sizes import DataSize, expected_size, size_on_card
from blufs_bench.registry import method_class
from blufs_bench.run.job import job
from blufs_bench.run.process_control import Purpose
from blufs_bench.run.usage import own_usage
from tests.helpers import ROOT, usage_of_log

K1B = DataSize(2340, 21839, 0.0059)
#: What the law may be above a measured peak.
FACTOR, BEYOND_MB = 4, 400


@pytest.fixture(scope="module")
def measured():
    """Jobs on one sparse dataset, and single fits on others, dense and sparse."""
    return json.loads((ROOT / "benchmarks/results/job_memory.json").read_text())


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """The plan of the suite `wide` before anything has run."""
    return read_plan({"suite": "wide"}, ROOT, Purpose.LOOK, tmp_path_factory.mktemp("nothing"))


def asked(row):
    size = DataSize(row["n"], row["d"], row["density"])
    held = {"preprocess": PREPARING, "evaluate": SCORING}.get(row["stage"])
    if row.get("in_chunks"):
        return chunked_mb(size, held_by(row["method"]))
    return needed_mb(size, held or held_by(row["method"]), takes_sparse=row["takes_sparse"])


def test_the_law_was_measured_on_all_methods_dense_and_sparse(measured):
    fits = [row for row in measured if row["stage"] == "select"]
    assert {row["method"] for row in fits} == set(BUILT_IN) == set(HELD)
    in_chunks = {row["method"] for row in fits if row.get("in_chunks") and row["status"] == "ok"}
    assert in_chunks == {name for name in BUILT_IN if method_class(name).takes_chunks}
    for sparse in (True, False):
        datasets = {row["dataset"] for row in fits if (row["density"] is not None) == sparse}
        assert len(datasets) >= 2


def test_no_job_needs_more_than_it_asks_for(measured):
    short = [row for row in measured if row["memory_mb"] > asked(row)]
    assert not short


def test_no_job_asks_for_much_more_than_it_needs(measured):
    # A fit that was stopped had not reached its peak.
    ended = [row for row in measured if row["status"] == "ok"]
    far = [row for row in ended if asked(row) > FACTOR * row["memory_mb"] + BEYOND_MB]
    assert not far


def test_jobs_on_sparse_data_ask_for_what_is_stored(wide):
    dense_mb = 2340 * 21839 * 8 / 2**20
    square_mb = 21839**2 * 8 / 2**20
    assert wide.data_size("k1b") == K1B
    for method in ("LapScore", "MCFS", "BLUFS", "FSCA", "BLUFS-paper"):
        assert wide.fit_mb("k1b", method) < BASE_MB + dense_mb, method
    for method in ("UDFS", "SPCAFS", "NDFS"):
        assert wide.fit_mb("k1b", method) > dense_mb
        assert wide.fit_mb("k1b", method) < square_mb
    assert wide.fit_mb("k1b", "RNE") > 2 * square_mb


def test_the_law_by_hand():
    held = Held(data=3, samples=2, features=1, smaller=4)
    values = 100 * 1000 * (1 + 3) + 2 * 100**2 + 1000**2 + 4 * 100**2
    assert needed_mb(DataSize(100, 1000), held) == pytest.approx(BASE_MB + 8 * values / 2**20)
    sparse = DataSize(100, 1000, 0.01)
    values = 2 * 0.01 * 100 * 1000 * (1 + 3) + 2 * 100**2 + 1000**2 + 4 * 100**2
    assert needed_mb(sparse, held) == pytest.approx(BASE_MB + 8 * values / 2**20)
    values += 3 * (1 - 0.02) * 100 * 1000
    found = needed_mb(sparse, held, takes_sparse=False)
    assert found == pytest.approx(BASE_MB + 8 * values / 2**20)


def test_attempts_ask_for_more_and_the_last_for_all_that_a_fit_may_take():
    assert [memory_mb(700.5, attempt, limit_mb=12000) for attempt in (1, 2, 3)] == [
        700,
        1401,
        BASE_MB + 12000,
    ]
    assert memory_mb(50_000, 1, limit_mb=12000) == 50_000
    size = DataSize(1000, 1000)
    assert minutes(size, 1) < minutes(size, 2)
    assert minutes(size, 3, fits=10, fit_seconds=3600) == 60 + 600
    # The limit of a fit bounds the job from the first attempt on.
    assert minutes(K1B, 1, fits=1, fit_seconds=60) == 61


def test_what_is_not_known_is_guessed_on_the_safe_side():
    assert held_by("a method of mine") == UNKNOWN
    assert needed_mb(DataSize(None, None), UNKNOWN) > needed_mb(DataSize(1000, 500), UNKNOWN)
    assert expected_size({"path": "mine.csv"}) == DataSize(None, None, None)


def test_a_prepared_dataset_is_as_large_as_its_card_says(tmp_path):
    card = {"n_samples": 50, "n_features": 7, "density": 0.2, "status": "ok", "sparse": True}
    assert size_on_card(card) == DataSize(50, 7, 0.2)
    assert size_on_card(card | {"sparse": False}) == DataSize(50, 7, None)
    path = tmp_path / "wide/data/k1b/card.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(card))
    plan = read_plan({"suite": "wide"}, ROOT, Purpose.LOOK, tmp_path)
    assert plan.data_size("k1b") == DataSize(50, 7, 0.2)
    assert plan.data_size("tr11") == DataSize(414, 6429, 0.043)


def hold(megabytes):
    np.ones(megabytes * 2**17).sum()


def test_a_job_knows_the_peak_of_its_children_and_its_log_says_it(tmp_path):
    path = tmp_path / "job.log"
    with job(str(path)) as logger:
        logger.info("working")
        # Above whatever the tests before have taken.
        megabytes = int(own_usage()[0]) + 200
        child = multiprocessing.get_context("fork").Process(target=hold, args=(megabytes,))
        child.start()
        child.join()
    memory_mb, cpu_seconds = usage_of_log(path)
    assert megabytes <= memory_mb <= 3 * megabytes
    assert cpu_seconds > 0.05


def test_libraries_that_a_job_loads_late_have_its_threads_too(tmp_path):
    code = (
        "import numpy\n"
        "from blufs_bench.run.job import job\n"
        f"with job({str(tmp_path / 'job.log')!r}):\n"
        "    import scipy.linalg, sklearn.cluster, threadpoolctl\n"
        "    print(*(row['num_threads'] for row in threadpoolctl.threadpool_info()))\n"
    )
    # As Snakemake sets them for a job that asks for all cores.
    told = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    command = [sys.executable, "-c", code]
    found = subprocess.run(
        command, env=os.environ | told, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["1", "1", "1"]
