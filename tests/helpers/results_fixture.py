"""Small, complete and consistent results, for the tests of tables, figures and the report.

The numbers are drawn, the data are real (the digits of scikit-learn) or made so that the right
features are known. Choices, reported s and files are made by the stages of the pipeline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_blobs, make_circles

from blufs_bench.files.canonical import canonical_json
from blufs_bench.method_description import class_facts
from blufs_bench.method_names import known_methods
from blufs_bench.results import schemas
from blufs_bench.results.records import failed_selection
from blufs_bench.results.suite import SuiteResults
from blufs_bench.results.tables import write_table
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, CRITERION_PREFIX, METRICS
from blufs_bench.stages.choose import choose
from blufs_bench.stages.collect import score_rows, scored_selections
from blufs_bench.stages.evaluate import chosen_setting

BUDGET = 3
LEVELS = (0.1, 1.0, 10.0)
TITLES = {
    "BLUFS-I": "Case I",
    "BLUFS-II": "Case II",
    "BLUFS-III": "Case III",
    "BLUFS-final": "Constraint at the end",
}
#: The reference of every method.
PAPER = "A. Author. How <features> are selected. arXiv:2505.20563, 2025."
#: This suite asks for no forests.
MEASURED_METRICS = ("clustering_acc", "nmi", "knn_accuracy")
METHODS = ("AllFeatures", "LapScore", "BLSFS", "BLUFS")
ABLATION = tuple(TITLES)
#: Datasets of the results that lack some cells, the synthetic one first.
WITH_GAPS = ("rings", "digits", "COIL20", "Jaffe", "pie", "lung")
#: How good each method is: the expected order of the methods in the tables.
QUALITY = {"AllFeatures": 0.6, "RandomFeatures": 0.45, "LapScore": 0.5, "BLSFS": 0.6, "BLUFS": 0.7}


@dataclass(frozen=True)
class Made:
    """How the made-up datasets and methods are; the defaults are small.

    Attributes
    ----------
    metrics : what is measured on labelled data
    n_features : features of the datasets that are not of scikit-learn
    domains : dataset -> its domain
    quality : method -> how good it is
    spread : how much this differs from dataset to dataset
    seconds : method -> seconds of a fit
    """

    metrics: Sequence[str] = MEASURED_METRICS
    n_features: int = 15
    domains: Mapping[str, str] = field(default_factory=dict)
    quality: Mapping[str, float] = field(default_factory=lambda: QUALITY)
    spread: float = 0.0
    seconds: Mapping[str, float] = field(default_factory=dict)


def suite_info(
    *,
    datasets: Sequence[str] = ("rings", "digits"),
    methods: Sequence[str] = METHODS,
    ablation: Sequence[str] = ABLATION,
    s_values: Sequence[int] = (2, 5, 10),
) -> dict[str, Any]:
    """What the workflow tells the analysis about a suite with these results."""
    return {
        "name": "fixture",
        "datasets": list(datasets),
        "methods": list(methods),
        "ablation": list(ablation),
        "titles": {name: TITLES.get(name, name) for name in (*methods, *ablation)},
        "about": {name: _about(name) for name in methods},
        "s_values": list(s_values),
        "significance_level": 0.05,
    }


def _about(name: str) -> dict[str, Any]:
    facts = class_facts(name, known_methods()[name]) if name in known_methods() else {}
    return {"summary": f"What {name} does.", "papers": [PAPER], **facts}


def make_results(
    folder: Path,
    *,
    datasets: Sequence[str] = ("rings", "digits"),
    methods: Sequence[str] = METHODS,
    ablation: Sequence[str] = ABLATION,
    s_values: Sequence[int] = (2, 5, 10),
    n_clusterings: int = 10,
    n_splits: int = 5,
    failed: Sequence[tuple[str, str]] = (),
    unavailable: Sequence[str] = (),
    unlabelled: Sequence[str] = (),
    timed: bool = True,
    resampled: bool = True,
    made: Made = Made(),  # noqa: B008
) -> Path:
    """Write the result files of a made-up suite into ``folder`` and return it.

    ``failed`` lists (dataset, method) pairs that ran out of time. ``unavailable`` and
    ``unlabelled`` list datasets that are not there, or have no labels; both count to ``datasets``
    as well. ``timed`` and ``resampled`` say whether the suite times fits and resamples.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    records: dict[str, list] = {name: [] for name in schemas.SCHEMAS}
    for dataset in datasets:
        X, y = _data(dataset, made.n_features)
        labelled = dataset not in unlabelled
        card = {"domain": made.domains[dataset]} if dataset in made.domains else {}
        _write_data(folder / "data" / dataset, X, y, labelled, dataset in unavailable, card)
        for method in (*methods, *ablation):
            status = "timeout" if (dataset, method) in failed else "ok"
            status = "unavailable" if dataset in unavailable else status
            pair = _Pair(dataset, method, X, y, s_values, (n_clusterings, n_splits), status)
            pair.labelled, pair.made = labelled, made
            screened = pair.screened()
            scores = pair.scores(screened)
            records["scores"] += score_rows(scores)
            records["selections"] += scored_selections(scores, pair.selections())
            records["screened"] += screened
            records["timing"] += pair.timing() if timed else []
            records["stability"] += pair.stability() if resampled else []
    for name, rows in records.items():
        write_table(folder / f"{name}.parquet", schemas.SCHEMAS[name], rows)
    return folder


class _Pair:
    """All records of one dataset and method."""

    def __init__(self, dataset, method, X, y, s_values, repetitions, status):
        self.dataset, self.method, self.status = dataset, method, status
        self.labelled, self.made = True, Made()
        self.X = X
        self.repetitions = dict(zip(("clustering", "neighbours"), repetitions, strict=True))
        self.repetitions["forest"] = repetitions[1]
        self.rng = np.random.default_rng([sum(dataset.encode()), sum(method.encode())])
        self.s_values = list(s_values)
        if method == "AllFeatures":
            self.s_values = [None if status == "unavailable" else X.shape[1]]
        self.settings = _settings(method)
        self.order = _order(method, X, y, self.rng)
        self.key = {"dataset": dataset, "method": method}
        reason = {"timeout": "over 60 s", "unavailable": f"{dataset}: no file"}.get(status, "")
        self.outcome = {"status": status, "reason": reason}

    def screened(self) -> list[dict]:
        """Records of stage "screen", drawn."""
        rows = []
        quality = self.made.quality.get(self.method, 0.55)
        quality += self.made.spread * self.rng.standard_normal()
        for setting in self.settings:
            shift = 0.02 * self.rng.standard_normal()
            for s in self.s_values:
                level = quality + shift + 0.01 * np.log(s or 1)
                metrics = {m: level + 0.01 * self.rng.standard_normal() for m in self.made.metrics}
                criteria = {
                    f"{CRITERION_PREFIX}{c}": level + 0.02 * self.rng.random() for c in CRITERIA
                }
                values = (metrics if self.labelled else {}) | criteria
                rows.append(
                    {**self.key, "setting": canonical_json(setting), "s": s, "fit_seed": 0}
                    | (values if self.status == "ok" else {})
                    | {"fit_seconds": 0.1, "score_seconds": 0.1, "n_iter": 12, "converged": True}
                    | self.outcome
                )
        return rows

    def scores(self, screened: list[dict]) -> list[dict]:
        """Records of stage "evaluate": the screened score, and a wave over the repetitions."""
        choices = choose(
            self.dataset, self.settings, screened, self.s_values, budget=BUDGET, seed=0
        )
        known = {(row["setting"], row["s"]): row for row in screened}
        free = [key for key, choice in CHOICES.items() if not choice.uses_labels]
        asked = [(c, m) for c in CHOICES for m in self.made.metrics] if self.labelled else []
        asked += [(choice, criterion) for choice in free for criterion in CRITERIA]
        records = []
        for choice, metric in asked:
            for s in self.s_values:
                setting = chosen_setting(choices, choice, metric, s)
                budget = "n_equal_budget" if choice == "oracle_equal_budget" else "n_settings"
                count = self.repetitions[METRICS[metric].task] if metric in METRICS else 1
                records.append(
                    {
                        **self.key,
                        "choice": choice,
                        "metric": metric,
                        "s": s,
                        "setting": setting,
                        "n_settings": choices[budget] if choice != "default" else 1,
                        "repetitions": list(range(count)),
                        "fit_seeds": [0] * count,
                        "values": self._values(known[setting, s], metric, count),
                        "evaluation_seconds": 0.1,
                        **self.outcome,
                    }
                )
        return records

    def _values(self, screened: dict, metric: str, count: int) -> list[float | None]:
        if self.status != "ok":
            return [None] * count
        if metric in CRITERIA:
            return [screened[f"{CRITERION_PREFIX}{metric}"]]
        return [float(screened[metric] + 0.01 * np.sin(1 + r)) for r in range(count)]

    def selections(self) -> list[dict]:
        """Records of stage "select"."""
        names = [canonical_json(setting) for setting in self.settings]
        return [self._selection(name, s, name == names[0]) for name in names for s in self.s_values]

    def _selection(self, setting: str, s: int | None, is_default: bool) -> dict:
        record = failed_selection(self.dataset, self.method, setting, s, 0, **self.outcome)
        if self.status != "ok":
            return record
        bilevel = self.method.startswith("BL")
        return record | {
            "features": self.order[:s].tolist(),
            "row_norms": self._row_norms(s) if bilevel and is_default else None,
            "objective_history": (1.0 + 10.0 * 0.6 ** np.arange(13)).tolist() if bilevel else [],
            "n_iter": 12,
            "converged": True,
            "fit_seconds": self.made.seconds.get(self.method, 0.1),
        }

    def _row_norms(self, s: int) -> list[float]:
        """Norms that fall in the order of the features; only s of them where s is a constraint."""
        norms = np.zeros(len(self.order))
        norms[self.order] = 0.9 ** np.arange(len(self.order))
        if self.method != "BLSFS":
            norms[self.order[s:]] = 0.0
        return norms.tolist()

    def timing(self) -> list[dict]:
        seconds = 1e-4 * self.X.size * (1 + len(self.settings)) / 10
        ok = self.status == "ok"
        return [
            self.key
            | {"s": self.s_values[-1], "repeat": repeat, "threads": 1, **self.outcome}
            | {"seconds": seconds * (1 + 0.1 * repeat) if ok else None}
            for repeat in range(3)
        ]

    def stability(self) -> list[dict]:
        rows = []
        for s in self.s_values:
            for resample in range(5):
                noisy = self.order.copy()
                if resample % 2 and self.status == "ok":
                    noisy[:2] = noisy[:2][::-1]
                    noisy[[s - 1, -1]] = noisy[[-1, s - 1]]
                features = noisy[:s].tolist() if self.status == "ok" else []
                rows.append(
                    self.key
                    | {"s": s, "resample": resample, "features": features, "seconds": 0.1}
                    | self.outcome
                )
        return rows


def make_results_with_gaps(folder: Path) -> Path:
    """Results in which one method failed on one dataset and one dataset is not available."""
    failed, unavailable = [("COIL20", "BLSFS")], ["lung"]
    return make_results(folder, datasets=WITH_GAPS, failed=failed, unavailable=unavailable)


def rows_of(results: SuiteResults, **wanted: Any) -> pd.DataFrame:
    """Rows of the scores with these values in these columns."""
    rows = results.scores
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    return rows


def selections_of(
    results: SuiteResults, choice: str, metric: str = "clustering_acc", **wanted: Any
) -> pd.DataFrame:
    """The selections behind the scores of a choice and metric, with these values in columns."""
    key = list(schemas.SELECTIONS.key)
    pointers = results.scores[["choice", "metric", *key]].drop_duplicates()
    rows = pointers.merge(results.selections, on=key, how="inner")
    for column, value in {"choice": choice, "metric": metric, **wanted}.items():
        rows = rows[rows[column] == value]
    return rows


def _settings(method: str) -> list[dict[str, float]]:
    """Settings of a method, the default one first."""
    if method == "BLUFS":
        ones = {"alpha": 1.0, "beta": 1.0, "lam": 1.0, "mu": 1.0}
        pairs = [("alpha", "beta"), ("mu", "lam")]
        grid = [ones | {a: x, b: z} for a, b in pairs for x in LEVELS for z in LEVELS]
        settings = [ones, *grid]
    elif method in ("AllFeatures", "RandomFeatures", "LapScore"):
        settings = [{}]
    else:
        settings = [{"gamma": 1.0}, *({"gamma": level} for level in LEVELS)]
    return list({canonical_json(setting): setting for setting in settings}.values())


def _order(method: str, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Features, best first."""
    if method == "BLUFS":
        centred = X - X.mean(axis=0)
        separation = np.maximum(_separation(centred, y), _separation(centred**2, y))
        return np.argsort(-separation, kind="stable")
    if method == "LapScore":
        return np.argsort(-X.var(axis=0), kind="stable")
    return rng.permutation(X.shape[1])


def _separation(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Variance of the class means relative to the whole variance, per feature."""
    between = np.array([X[y == label].mean(axis=0) for label in np.unique(y)]).var(axis=0)
    return between / np.maximum(X.var(axis=0), 1e-12)


def _data(dataset: str, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    if dataset == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:300].astype(float), y[:300]
    if dataset == "rings":
        X, y = make_circles(200, noise=0.03, factor=0.4, random_state=0)
        return np.hstack([3 * X, rng.standard_normal((200, 10))]), y
    X, y = make_blobs(60, n_features=n_features, centers=4, random_state=0)
    return X, y


def _write_data(folder: Path, X, y, labelled: bool, missing: bool, card: dict) -> None:
    """Arrays and card of a dataset, as stage "preprocess" leaves them."""
    dataset = folder.name
    folder.mkdir(parents=True)
    if not missing:
        arrays = {"X": X, "y": y} if labelled else {"X": X}
        np.savez(folder / "dataset.npz", **arrays)
    counts = np.bincount(y).tolist() if labelled and not missing else []
    known = dataset in ("rings", "digits")
    card = {
        "name": dataset,
        "title": dataset.capitalize() if known else dataset,
        "status": "unavailable" if missing else "ok",
        "reason": f"{dataset}: no file" if missing else "",
        "labelled": labelled,
        "n_samples": None if missing else len(X),
        "n_features": None if missing else X.shape[1],
        "n_classes": len(counts) or None,
        "n_clusters": None if missing else len(np.unique(y)),
        "class_counts": counts,
        "class_names": [str(label) for label in range(len(counts))],
        "n_constant": int((X[0] == X).all(axis=0).sum()),
        "n_duplicate_samples": 0,
        "image_shape": [8, 8] if dataset == "digits" else None,
        "image_order": "C",
        "sha256": "0" * 64,
        "origin": "made for tests",
        "terms": "none",
        "paper": None if known else {"n_samples": 1440, "n_features": 1024, "n_classes": 20},
        "notes": [],
        "feature_names": None if known else [f"gene {i}" for i in range(X.shape[1])],
        "real_features": [0, 1] if dataset == "rings" else None,
    } | card
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
