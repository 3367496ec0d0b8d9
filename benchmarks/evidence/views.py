"""What ``scaling="auto"`` is worth, on every set whose labels may choose a default.

``python -m benchmarks.evidence.views`` writes results/views.json: by dataset, the scores of BLUFS
with ``"auto"`` and with each of the two scalings, and of rivals. At most 600 samples of each set
are used, so that all of them take minutes; otherwise scores are those of
:mod:`benchmarks.evidence.wide_defaults`.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import wilcoxon
from threadpoolctl import threadpool_limits

from benchmarks.data import DATASETS
from benchmarks.evidence.wide_defaults import S_VALUES, Dataset
from benchmarks.harness import markdown, read, save
from blufs import BLUFS, FSCA, MCFS, RandomFeatures

MOST = 600
RARE = 4
SCALINGS = {"auto": "auto", "equal norm": "center+unit", "own scale": "center"}
ROWS = (*SCALINGS, "MCFS", "FSCA", "random")
METRICS = {"acc": "ACC", "nmi": "NMI", "knn": "5-NN", "forest": "forest"}
#: Rows that are scored by a random forest.
WITH_FOREST = ("auto", "MCFS", "FSCA", "random")


def selector(row: str, c: int):
    if row in SCALINGS:
        return BLUFS(n_clusters=c, scaling=SCALINGS[row])
    if row == "MCFS":
        return MCFS(n_clusters=c)
    return FSCA() if row == "FSCA" else RandomFeatures(random_state=0)


def measured(name: str) -> dict:
    """The means over s by row, and the scaling that ``"auto"`` took."""
    data = Dataset(name, MOST)
    common = np.bincount(data.y)[data.y] >= RARE
    data.X, data.y = data.X[common], np.unique(data.y[common], return_inverse=True)[1]
    data.X = data.X[:, np.ptp(data.X, axis=0) > 0]
    data.c, d = int(data.y.max()) + 1, data.X.shape[1]
    sizes = sorted({min(s, d) for s in S_VALUES})
    found: dict = {"scaling": BLUFS(1, n_clusters=data.c, max_iter=0).fit(data.X).scaling_}
    for row in ROWS:
        path = selector(row, data.c).select_path(data.X, sizes)
        scores = [
            data.score(solution.ranked[:s], row in WITH_FOREST, False)
            for s, solution in path.items()
        ]
        metrics = set.intersection(*map(set, scores)) & METRICS.keys()
        found[row] = {
            metric: round(float(np.mean([one[metric] for one in scores])), 3)
            for metric in sorted(metrics)
        }
    return found


def main() -> None:
    report = read("views") or {}
    for name in DATASETS:
        if name in report:
            continue
        try:
            with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
                report[name] = measured(name)
        except (OSError, ImportError) as missing:
            print(f"skipped {name}: {missing}", flush=True)
            continue
        save("views", report)
        print(name, report[name]["scaling"], flush=True)


def values(report: dict, names: list[str], row: str, metric: str) -> np.ndarray:
    return np.array([report[name][row].get(metric, np.nan) for name in names])


def by_domain() -> str:
    """Mean scores by domain, and how often ``"auto"`` took the features' own scale."""
    report = read("views")
    domains: dict[str, list[str]] = {"all": [name for name in DATASETS if name in report]}
    for name in domains["all"]:
        domains.setdefault(DATASETS[name][0], []).append(name)
    rows = []
    for domain, names in domains.items():
        own = sum(report[name]["scaling"] == "center" for name in names)
        cells = [
            " / ".join(
                f"{value:.1f}"
                for metric in METRICS
                if not np.isnan(value := values(report, names, row, metric).mean())
            )
            for row in ROWS
        ]
        rows.append([f"{domain} ({len(names)}; {own})", *cells])
    return markdown(["domain (sets; own scale)", *ROWS], rows)


def differences() -> str:
    """``"auto"`` minus every other row: mean, worst dataset, and Wilcoxon's p by Bonferroni."""
    report = read("views")
    names = [name for name in DATASETS if name in report]
    rows = []
    for row in ROWS[1:]:
        cells = []
        for metric in METRICS:
            gain = values(report, names, "auto", metric) - values(report, names, row, metric)
            if np.isnan(gain).any():
                cells.append("")
                continue
            p = len(ROWS[1:]) * wilcoxon(gain, zero_method="zsplit").pvalue
            cells.append(f"{gain.mean():+.1f} ({gain.min():+.1f}), {min(p, 1):.2g}")
        rows.append([row, *cells])
    return markdown(["auto minus", *METRICS.values()], rows)


TABLES = {"views_domains": by_domain, "views_differences": differences}

if __name__ == "__main__":
    main()
