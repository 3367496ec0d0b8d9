"""Results as large as those of the suites ``paper`` and ``wide``, drawn instead of run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from blufs_bench.results.suite import Suite
from tests.helpers import ROOT
from tests.helpers.results_fixture import ABLATION, Made, make_results, suite_info

#: Domain of every sixth dataset.
DOMAINS = ("image", "image", "gene_expression", "text", "image", "measurements")
FOREST = ("clustering_acc", "nmi", "knn_accuracy", "forest_accuracy")


def drawn_suite(name: str, folder: Path) -> tuple[Path, Suite]:
    """Result files and suite with the datasets, methods and s of ``name`` in config.yaml.

    Every seventh dataset is not there, and three methods run out of time on some others.
    """
    wanted = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["suites"][name]
    datasets, methods = wanted["datasets"], wanted["methods"]
    measured = wanted["evaluation"]
    slow = [(d, m) for i, d in enumerate(datasets) for m in methods[5:8] if i % (3 + len(m)) == 2]
    known: dict[str, Any] = {
        "datasets": datasets,
        "methods": methods,
        "ablation": ABLATION,
        "s_values": wanted["s_values"],
    }
    make_results(
        folder,
        **known,
        n_clusterings=measured["n_clusterings"],
        n_splits=measured["n_splits"],
        failed=slow,
        unavailable=datasets[6::7],
        timed=bool(wanted["timing"]["datasets"]),
        resampled=bool(wanted["stability"]["datasets"]),
        made=_made(datasets, methods, "n_trees" in measured),
    )
    return folder, Suite(**suite_info(**known) | {"name": name})


def _made(datasets: list[str], methods: list[str], has_forest: bool) -> Made:
    """Methods that differ by a point or two, but for BLUFS, and take from 1 ms to a minute."""
    rng = np.random.default_rng(0)
    quality = dict(zip(methods, rng.normal(0.55, 0.02, len(methods)), strict=True))
    seconds = dict(zip(methods, 10 ** rng.uniform(-3, 1.8, len(methods)), strict=True))
    return Made(
        metrics=FOREST if has_forest else FOREST[:3],
        n_features=1000,
        domains={name: DOMAINS[i % len(DOMAINS)] for i, name in enumerate(datasets)},
        quality=quality | {"BLUFS": 0.62},
        spread=0.03,
        seconds=seconds,
    )
