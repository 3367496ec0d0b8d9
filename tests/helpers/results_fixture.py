"""A small, complete and consistent set of result files, for the tests of tables and figures.

The numbers are drawn, the data are real (the digits of scikit-learn) or made so that the right
features are known; choices follow from the grid as they do in the benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_blobs, make_circles

METRICS = ("acc", "nmi", "accuracy")
CHOICES = ("default", "blind", "oracle", "oracle_budget")
BUDGET = 3
LEVELS = (0.1, 1.0, 10.0)
LABELS = {
    "BLUFS-I": "Case I",
    "BLUFS-II": "Case II",
    "BLUFS-III": "Case III",
    "BLUFS-final": "Constraint at the end",
}
#: Datasets of the results that lack some cells, the synthetic one first.
WITH_GAPS = ("rings", "digits", "COIL20", "Jaffe", "pie", "lung")
#: How good each method is: the expected order of the methods in the tables.
QUALITY = {"Baseline": 0.6, "LapScore": 0.5, "BLSFS": 0.6, "BLUFS": 0.7}


def suite_info(
    *,
    datasets: Sequence[str] = ("rings", "digits"),
    methods: Sequence[str] = ("Baseline", "LapScore", "BLSFS", "BLUFS"),
    ablation: Sequence[str] = ("BLUFS-I", "BLUFS-II", "BLUFS-III", "BLUFS-final"),
    s_values: Sequence[int] = (2, 5, 10),
) -> dict:
    """What the workflow tells the analysis about a suite with these results."""
    return {
        "name": "fixture",
        "datasets": list(datasets),
        "methods": list(methods),
        "ablation": list(ablation),
        "labels": {name: LABELS.get(name, name) for name in (*methods, *ablation)},
        "s_values": list(s_values),
        "alpha": 0.05,
    }


def make_results(
    folder,
    *,
    datasets: Sequence[str] = ("rings", "digits"),
    methods: Sequence[str] = ("Baseline", "LapScore", "BLSFS", "BLUFS"),
    ablation: Sequence[str] = ("BLUFS-I", "BLUFS-II", "BLUFS-III", "BLUFS-final"),
    s_values: Sequence[int] = (2, 5, 10),
    seeds: int = 10,
    splits: int = 5,
    failed: Sequence[tuple[str, str]] = (),
    unavailable: Sequence[str] = (),
) -> Path:
    """Write the result files of a made-up suite into ``folder`` and return it.

    ``failed`` lists (dataset, method) pairs that ran out of time; ``unavailable`` lists datasets
    that could not be had (they count to ``datasets`` as well).
    """
    folder = Path(folder)
    frames: dict[str, list] = {
        name: [] for name in ("results", "grid", "selections", "timing", "stability")
    }
    for dataset in datasets:
        missing = dataset in unavailable
        X, y = _data(dataset)
        _write_data(folder / "data" / dataset, dataset, X, y, missing)
        for method in (*methods, *ablation):
            status = "timeout" if (dataset, method) in failed else "ok"
            status = "unavailable" if missing else status
            cell = _Cell(dataset, method, X, y, s_values, seeds, splits, status)
            for name, rows in cell.rows().items():
                frames[name].extend(rows)
    for name, rows in frames.items():
        pd.DataFrame(rows).to_parquet(folder / f"{name}.parquet", index=False)
    return folder


class _Cell:
    """All rows of one dataset and method."""

    def __init__(self, dataset, method, X, y, s_values, seeds, splits, status):
        self.dataset, self.method, self.status = dataset, method, status
        self.X, self.y, self.seeds, self.splits = X, y, seeds, splits
        self.rng = np.random.default_rng([sum(dataset.encode()), sum(method.encode())])
        self.s_values = [X.shape[1]] if method == "Baseline" else list(s_values)
        self.settings = _settings(method)
        self.order = _order(method, X, y, self.rng)
        self.key = {"dataset": dataset, "method": method}
        reason = {"timeout": "over 60 s", "unavailable": f"{dataset}: no file"}.get(status, "")
        self.outcome = {"status": status, "reason": reason}

    def rows(self) -> dict[str, list[dict]]:
        grid = self._grid()
        results, selections = self._final(pd.DataFrame(grid))
        return {
            "grid": grid,
            "results": results,
            "selections": selections,
            "timing": self._timing(),
            "stability": self._stability(),
        }

    def _grid(self) -> list[dict]:
        rows = []
        for setting in self.settings:
            shift = 0.02 * self.rng.standard_normal()
            for s in self.s_values:
                level = QUALITY.get(self.method, 0.55) + shift + 0.01 * np.log(s)
                values = {m: level + 0.01 * self.rng.standard_normal() for m in METRICS}
                rows.append(
                    self.key
                    | {"settings": setting, "s": s, "fit_seed": 0}
                    | {m: self._value(v) for m, v in values.items()}
                    | {"criterion_silhouette": self._value(level + 0.02 * self.rng.random())}
                    | {"fit_seconds": 0.1, "score_seconds": 0.1, "n_iter": 12, "converged": True}
                    | self.outcome
                )
        return rows

    def _final(self, grid: pd.DataFrame) -> tuple[list[dict], list[dict]]:
        results, selections = [], []
        scores = grid.set_index(["settings", "s"])[list(METRICS)].to_dict("index")
        for choice in CHOICES:
            for metric in METRICS:
                chosen = self._chosen(grid, choice, metric)
                for s, (setting, picked) in chosen.items():
                    key = self.key | {"choice": choice, "metric": metric, "s": s}
                    budget = {"default": 1, "oracle_budget": min(BUDGET, len(self.settings))}
                    n_settings = budget.get(choice, len(self.settings))
                    more = {"settings": setting, "n_settings": n_settings, "picked": picked}
                    base = scores[setting, s][metric]
                    repetitions = self.splits if metric == "accuracy" else self.seeds
                    for seed in range(repetitions):
                        value = base + 0.01 * np.sin(1 + seed)
                        results.append(key | {"seed": seed, "value": value} | more | self.outcome)
                    selections.append(key | {"settings": setting} | self._selection(s))
        return results, selections

    def _chosen(self, grid: pd.DataFrame, choice: str, metric: str) -> dict[int, tuple[str, bool]]:
        """s -> (setting, whether the choice proposes this s)."""
        if self.status != "ok":
            return {s: (self.settings[0], s == max(self.s_values)) for s in self.s_values}
        if choice == "default":
            return {s: (self.settings[0], s == max(self.s_values)) for s in self.s_values}
        if choice == "blind":
            best = grid.loc[grid["criterion_silhouette"].idxmax()]
            return {s: (best["settings"], s == best["s"]) for s in self.s_values}
        if choice == "oracle_budget":
            grid = grid[grid["settings"].isin(self.settings[:BUDGET])]
        best = grid.loc[grid.groupby("s")[metric].idxmax()].set_index("s")
        top = best[metric].idxmax()
        return {s: (best.loc[s, "settings"], s == top) for s in self.s_values}

    def _selection(self, s: int) -> dict:
        ok = self.status == "ok"
        history = (1.0 + 10.0 * 0.6 ** np.arange(13)).tolist()
        return {
            "fit_seed": 0,
            "features": self.order[:s].astype(np.int32).tolist() if ok else [],
            "objective_history": history if ok and self.method.startswith("BL") else [],
            "n_iter": 12 if ok else 0,
            "converged": ok,
            "fit_seconds": 0.1 if ok else np.nan,
            "status": self.status,
        }

    def _timing(self) -> list[dict]:
        seconds = 1e-4 * self.X.size * (1 + len(self.settings)) / 10
        return [
            self.key
            | {"s": max(self.s_values), "repeat": repeat, "threads": 1, "status": self.status}
            | {"seconds": self._value(seconds * (1 + 0.1 * repeat))}
            for repeat in range(3)
        ]

    def _stability(self) -> list[dict]:
        rows = []
        for s in self.s_values:
            for resample in range(5):
                noisy = self.order.copy()
                if resample % 2:
                    noisy[:2] = noisy[:2][::-1]
                    noisy[[s - 1, -1]] = noisy[[-1, s - 1]]
                features = noisy[:s].astype(np.int32).tolist() if self.status == "ok" else []
                rows.append(
                    self.key
                    | {"s": s, "resample": resample, "features": features, "status": self.status}
                )
        return rows

    def _value(self, value: float) -> float:
        return float(value) if self.status == "ok" else np.nan


def make_results_with_gaps(folder: Path) -> Path:
    """Results in which one method failed on one dataset and one dataset could not be had."""
    failed, unavailable = [("COIL20", "BLSFS")], ["lung"]
    return make_results(folder, datasets=WITH_GAPS, failed=failed, unavailable=unavailable)


def rows_of(results, **wanted) -> pd.DataFrame:
    """Rows of ``results.results`` with these values in these columns."""
    rows = results.results
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    return rows


def _settings(method: str) -> list[str]:
    """Settings of a method, the default one first."""
    if method == "BLUFS":
        ones = {"alpha": 1.0, "beta": 1.0, "lam": 1.0, "mu": 1.0}
        pairs = [("alpha", "beta"), ("mu", "lam")]
        grid = [ones | {a: x, b: z} for a, b in pairs for x in LEVELS for z in LEVELS]
        settings = [ones, *grid]
    elif method in ("Baseline", "LapScore"):
        settings = [{}]
    else:
        settings = [{"gamma": 1.0}, *({"gamma": level} for level in LEVELS)]
    return list(dict.fromkeys(json.dumps(setting, sort_keys=True) for setting in settings))


def _order(method: str, X: np.ndarray, y: np.ndarray, rng) -> np.ndarray:
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


def _data(dataset: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    if dataset == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:300].astype(float), y[:300]
    if dataset == "rings":
        X, y = make_circles(200, noise=0.03, factor=0.4, random_state=0)
        return np.hstack([3 * X, rng.standard_normal((200, 10))]), y
    X, y = make_blobs(60, n_features=15, centers=4, random_state=0)
    return X, y


def _write_data(folder: Path, dataset: str, X, y, missing: bool) -> None:
    folder.mkdir(parents=True)
    if not missing:
        np.savez(folder / "dataset.npz", X=X, y=y)
    counts = np.bincount(y).tolist()
    card = {
        "name": dataset,
        "title": dataset.capitalize() if dataset in ("rings", "digits") else dataset,
        "status": "unavailable" if missing else "ok",
        "reason": f"{dataset}: no file" if missing else "",
        "n_samples": None if missing else len(X),
        "n_features": None if missing else X.shape[1],
        "n_classes": None if missing else len(counts),
        "class_counts": [] if missing else counts,
        "class_names": [str(label) for label in range(len(counts))],
        "n_constant": int((X[0] == X).all(axis=0).sum()),
        "n_duplicate_samples": 0,
        "image_shape": [8, 8] if dataset == "digits" else None,
        "image_order": "C",
        "sha256": "0" * 64,
        "origin": "made for tests",
        "terms": "none",
        "paper": None
        if dataset in ("rings", "digits")
        else {"n_samples": 1440, "n_features": 1024, "n_classes": 20},
        "notes": [],
        "feature_names": None,
        "real_features": [0, 1] if dataset == "rings" else None,
    }
    (folder / "card.json").write_text(json.dumps(card))
