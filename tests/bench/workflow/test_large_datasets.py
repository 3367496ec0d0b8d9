"""Data that need more memory than a fit may take are read in chunks, by fits and by scoring."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from blufs_bench.datasets import storage
from blufs_bench.datasets.graph import neighbor_similarity
from blufs_bench.datasets.storage import (
    PreparedDataset,
    map_dataset,
    read_dataset,
    read_graph,
    write_dataset,
)
from blufs_bench.plan.fit_memory import held_by
from blufs_bench.plan.memory_law import BASE_MB, SCORING, chunked_mb, needed_mb
from blufs_bench.plan.read import read_plan
from blufs_bench.plan.sizes import DataSize
from blufs_bench.registry import known_methods, method_class
from blufs_bench.run.isolation import Limits
from blufs_bench.run.process_control import Purpose
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.resample import resample_fits
from blufs_bench.stages.scoring import Scorer
from blufs_bench.stages.select import Target
from blufs_bench.stages.time_fit import time_fits
from tests.bench.workflow.test_stages import LIMITS, fits
from tests.helpers import ROOT, usage_of_log
from tests.helpers.project_copy import ProjectCopy

CHUNKED = [name for name in known_methods() if method_class(name).takes_chunks]
#: Samples, features: a dense copy has 191 MB.
LARGE = (2500, 10_000)


def clusters(n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = rng.integers(3, size=n)
    X = rng.standard_normal((n, d))
    X[:, :9] += 2 * rng.standard_normal((3, 9))[y]
    return X, y


@pytest.fixture(params=["dense", "sparse"])
def stored(request, tmp_path, monkeypatch):
    """Data in memory and the paths of their files, which are read in several blocks."""
    monkeypatch.setattr(storage, "CHUNK_BYTES", 5000)
    X, y = clusters(150, 20, np.random.default_rng(0))
    if request.param == "sparse":
        X[:, 9:] *= np.random.default_rng(1).random((150, 11)) < 0.3
        X = sp.csr_array(X)
    paths = [tmp_path / name for name in ("dataset.npz", "card.json", "graph.npz")]
    write_dataset(PreparedDataset(X, y, {}, neighbor_similarity(X)), *paths)
    return X, y, paths


def dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@pytest.mark.parametrize("cores", [1, 2])
def test_blocks_of_the_stored_data_are_the_data(stored, cores):
    X, y, (path, *_) = stored
    chunks, labels = read_dataset(path, in_chunks=True, cores=cores)
    assert len(chunks.chunks[0]) >= 3
    np.testing.assert_array_equal(dense(chunks.compute()), dense(X))
    np.testing.assert_array_equal(labels, y)
    mapped, labels = map_dataset(path)
    np.testing.assert_array_equal(dense(mapped[:, [3, 1]]), dense(X)[:, [3, 1]])
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("name", CHUNKED)
def test_a_fit_selects_what_it_selects_in_memory(stored, name):
    X, _, (path, *_) = stored
    target = Target("d", name, {"name": name, "class": known_methods()[name]}, 3)
    sizes = [20] if method_class(name).keeps_all_features else [3, 6]
    chunks, _ = read_dataset(path, in_chunks=True)
    found, wanted = (fits(values, target, [{}], sizes) for values in (chunks, X))
    assert {record["status"] for record in found} == {"ok"}
    assert [r["features"] for r in found] == [r["features"] for r in wanted]
    (timed,) = time_fits(chunks, target, {}, sizes[0], 0, n_repeats=1, limits=LIMITS)
    assert timed["status"] == "ok"
    drawn, from_all = (
        resample_fits(values, target, {}, sizes, 0, seeds=[1], fraction=0.7, limits=LIMITS)
        for values in (chunks, X)
    )
    assert [r["features"] for r in drawn] == [r["features"] for r in from_all]


def test_scores_are_those_of_the_data_in_memory(stored):
    X, y, (path, _, graph) = stored
    protocol = Protocol(0, 2, 2, 2, 5, 0.5)
    chunks, _ = read_dataset(path, in_chunks=True)
    found, wanted = (
        Scorer(values, y, read_graph(graph), 3, "d", protocol) for values in (chunks, X)
    )
    ours, theirs = (scorer.cluster([0, 4, 2], [0, 1]) for scorer in (found, wanted))
    assert ours.values == theirs.values
    assert ours.criteria == pytest.approx(theirs.criteria, rel=1e-9)
    ours, theirs = (scorer.score("neighbours", [0, 4], [0]) for scorer in (found, wanted))
    assert ours.values == theirs.values


def test_the_law_in_chunks_by_hand_and_with_more_cores():
    size, held = DataSize(10**6, 2000), held_by("BLUFS")
    values = 500 * 10**6 + 500 * 2000
    assert chunked_mb(size, held) == pytest.approx(BASE_MB + 400 + 8 * values / 2**20)
    assert chunked_mb(size, held, 4) == pytest.approx(chunked_mb(size, held) + 3 * 400)
    # The d x d matrix of FSCA is kept up to 12,000 features.
    more = chunked_mb(DataSize(10**6, 2000), held_by("FSCA")) - chunked_mb(size, held)
    assert more == pytest.approx(8 * 3 * 2000**2 / 2**20)


def test_the_plan_says_which_fits_read_in_chunks(tmp_path):
    """A dataset of 16 GB: BLUFS reads it in chunks, by so many cores; SPCAFS asks for all of it."""
    card = {"n_samples": 10**6, "n_features": 2000, "density": 1.0, "status": "ok", "sparse": False}
    path = tmp_path / "wide/data/COIL20/card.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(card))
    settings = {"suite": "wide", "jobs": {"large_fit_cores": 4}}
    plan = read_plan(settings, ROOT, Purpose.LOOK, tmp_path)
    size, limits = plan.data_size("COIL20"), Limits(**plan.limits)
    assert size == DataSize(10**6, 2000)
    for method in ("BLUFS", "SPCAFS"):
        target = Target("COIL20", method, plan.method(method), 20)
        reads = target.reads_chunks(card, plan.held(method), limits)
        assert reads == plan.reads_chunks("COIL20", method)
    assert plan.reads_chunks("COIL20", "BLUFS")
    assert plan.fit_cores("COIL20", "BLUFS") == 4
    assert plan.fit_mb("COIL20", "BLUFS", 4) == chunked_mb(size, held_by("BLUFS"), 4) < 7000
    assert not plan.reads_chunks("COIL20", "SPCAFS")
    assert plan.fit_cores("COIL20", "SPCAFS") == 1
    assert plan.fit_mb("COIL20", "SPCAFS") == needed_mb(size, held_by("SPCAFS")) > 90_000
    assert plan.scoring_mb("COIL20") == chunked_mb(size, SCORING)
    # Smaller ones are in memory, as ever.
    assert not any(plan.reads_chunks("Yale", method) for method in plan.methods)


@pytest.mark.slow
@pytest.mark.workflow
def test_a_dataset_that_no_fit_may_hold_runs_through_and_gives_the_values_of_a_run_in_memory(
    tmp_path,
):
    project = ProjectCopy.make(tmp_path / "copy")
    X, y = clusters(*LARGE, np.random.default_rng(0))
    np.savez(project.folder / "large.npz", X=X, y=y)
    paths = [
        f"results/large/evaluations/large/{name}/all.json" for name in ("BLUFS", "MaxVariance")
    ]
    scores, memory = [], []
    for limit in (600, 8000):
        (project.folder / "large.yaml").write_text(CONFIG.format(limit=limit))
        project.run(*paths, configfile="large.yaml")
        scores.append(
            [r for path in paths for r in json.loads((project.folder / path).read_text())]
        )
        (log,) = (project.folder / "logs/large/select/large/BLUFS").glob("*.log")
        memory.append(usage_of_log(log)[0])
    assert memory[0] < 0.8 * memory[1]
    assert {record["status"] for record in scores[0]} == {"ok"}
    for one, other in zip(*scores, strict=True):
        assert one["values"] == pytest.approx(other["values"], rel=1e-9)


CONFIG = """
suite: large
jobs: {{large_fit_cores: 2}}
limits: {{memory_mb: {limit}}}
datasets:
  large: {{path: large.npz}}
suites:
  large:
    datasets: [large]
    methods: [MaxVariance, BLUFS]
    ablation: {{methods: [], datasets: []}}
    s_values: [10]
    s_values_by_dataset: {{}}
    grid_overrides: {{BLUFS: []}}
    n_fit_seeds: 1
    screening:
      {{n_clusterings: 2, n_restarts: 1, n_splits: 2, n_neighbors: 5, train_fraction: 0.5}}
    evaluation:
      {{n_clusterings: 2, n_restarts: 1, n_splits: 2, n_neighbors: 5, train_fraction: 0.5}}
    equal_budget: {{settings: 2}}
    timing: {{datasets: [], methods: [], n_repeats: 1}}
    stability: {{datasets: [], methods: [], n_resamples: 2, fraction: 0.8}}
"""
