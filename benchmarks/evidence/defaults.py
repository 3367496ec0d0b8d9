"""What the defaults of BLUFS are worth, on every set whose labels may choose a default.

``python -m benchmarks.evidence.defaults`` writes results/defaults.json: by dataset and row (a
setting, a method) the scores of 20, 60 and 100 features: ACC and NMI (k-means, five runs of three
restarts), 5-NN accuracy (five splits), and for some rows the accuracy of a random forest (50 trees,
two splits) and the criteria without labels. At most 600 samples of each set are used and classes of
four samples or more, so that all of them take an hour on two cores.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import wilcoxon
from threadpoolctl import threadpool_limits

from benchmarks.data import DATASETS, NOT_THERE, load_part, study
from benchmarks.harness import markdown, read, save
from blufs import (
    BLUFS,
    FSCA,
    FSPCA,
    MCFS,
    BLUFSVariant,
    LapScore,
    MaxVariance,
    PivotedQR,
    SampleGraph,
)
from blufs._numerics.matrix.scaling import choose_scaling
from blufs._numerics.views import View
from blufs.metrics import cluster, label_free_criteria, normalized_mutual_info, score_partitions
from blufs.search import DEFAULT_CRITERION, DEFAULT_MARGIN, choose_blind
from blufs_bench.stages.classification import classification_accuracy, forest_accuracy

MOST, RARE = 600, 4
S_VALUES = (20, 60, 100)
SEEDS = range(5)
RANDOM_DRAWS = 3
METRICS = {"acc": "ACC", "nmi": "NMI", "knn": "5-NN", "forest": "forest"}

PAPER = {"similarity": "data", "scaling": "unit", "feedback": 0}
#: Parameters of BLUFS by row, given the number of classes c.
SETTINGS: dict[str, Callable[[int], dict]] = {
    "default": lambda c: {},
    "equal norm": lambda c: {"scaling": "center+unit"},
    "own scale": lambda c: {"scaling": "center"},
    "no feedback": lambda c: {"feedback": 0},
    "Case III": lambda c: {"beta": 0.0},
    "start only": lambda c: {"max_iter": 0},
    "lam 1": lambda c: {"lam": 1.0},
    "lam 10": lambda c: {"lam": 10.0},
    "alpha 3": lambda c: {"alpha": 3.0},
    "alpha 30": lambda c: {"alpha": 30.0},
    "auto c": lambda c: {"n_clusters": "auto"},
    "half c": lambda c: {"n_clusters": max(2, c // 2)},
    "double c": lambda c: {"n_clusters": 2 * c},
    "paper": lambda c: {**PAPER, "init": "random", "y_solver": "penalty", "random_state": 0},
    "paper, relaxed start": lambda c: PAPER,
    "paper, principal similarity": lambda c: {"scaling": "unit", "feedback": 0},
    "equal norm, no feedback": lambda c: {"scaling": "center+unit", "feedback": 0},
}
METHODS = {
    "MCFS": lambda c: MCFS(n_clusters=c),
    "LapScore": lambda c: LapScore(),
    "FSCA": lambda c: FSCA(),
    "variance": lambda c: MaxVariance(),
    "PivotedQR": lambda c: PivotedQR(),
    "FSPCA": lambda c: FSPCA(n_clusters=c),
}
#: Rows that are no fit of one method on each s.
OTHERS = ("random", "all features", "auto s")
#: What BlindSearch could choose among, its default first.
WEIGHTS = ("default", "lam 1", "lam 10", "alpha 3", "alpha 30")
CANDIDATES = (*WEIGHTS, "equal norm", "own scale")
CRITERIA = ("principal_cohesion", "cohesion", "consensus")
MARGINS = (0.0, 0.005, 0.02)
WITH_FOREST = (*CANDIDATES, *METHODS, "random")
#: What each default was chosen among, by its row.
CHOICES = {
    "scaling": {"auto": "default", "equal norm": "equal norm", "own scale": "own scale"},
    "lam": {"3": "default", "1": "lam 1", "10": "lam 10"},
    "alpha": {"10": "default", "3": "alpha 3", "30": "alpha 30"},
    "graph": {"fed back": "default", "no feedback": "no feedback", "not learned": "Case III"},
}
#: Kinds of data; the rule of version 0.2.0 took equal norms for all but the last.
KINDS = ("one unit", "several units", "redundant", "mostly background")
REDUNDANT, SEVERAL_UNITS = 0.75, 0.9
STEPS = (
    ("paper", "`BLUFS.paper()`"),
    ("paper, relaxed start", "deterministic start, polar iteration for Y"),
    ("paper, principal similarity", "similarity of principal coordinates"),
    ("equal norm, no feedback", "features centred too"),
    ("no feedback", 'features at the scale that shows clusters (`scaling="auto"`)'),
    ("default", "the learned graph fed back (`feedback=0.25`): the default"),
)


class Dataset:
    """At most 600 samples of a dataset, and the scores of selections from it."""

    def __init__(self, name: str):
        X, y = load_part(name, MOST)
        common = np.bincount(y)[y] >= RARE
        X, y = X[common], y[common]
        self.X = np.ascontiguousarray(X[:, np.ptp(X, axis=0) > 0])
        self.y = np.unique(y, return_inverse=True)[1]
        self.c = int(self.y.max()) + 1
        self.graph = SampleGraph.from_data(self.X, 10)
        self._known: dict[bytes, tuple[dict, list[np.ndarray]]] = {}

    def selections(self, row: str) -> list[np.ndarray]:
        """The selected features, one array for every s (and draw)."""
        d = self.X.shape[1]
        sizes = sorted({min(s, d) for s in S_VALUES})
        if row == "all features":
            return [np.arange(d)]
        if row == "random":
            draws = [np.random.default_rng(i).permutation(d) for i in range(RANDOM_DRAWS)]
            return [order[:s] for order in draws for s in sizes]
        if row == "auto s":
            return [BLUFS("auto", n_clusters=self.c).fit(self.X).get_support(indices=True)]
        if row in METHODS:
            selector = METHODS[row](self.c)
        else:
            selector = BLUFSVariant(**{"n_clusters": self.c, **SETTINGS[row](self.c)})
        path = selector.select_path(self.X, sizes)
        return [solution.ranked[:s] for s, solution in path.items()]

    def score(self, features: np.ndarray) -> tuple[dict, list[np.ndarray]]:
        """Scores but that of the forest, and the partitions."""
        features = np.sort(features)
        key = features.astype(np.int64).tobytes()
        if key not in self._known:
            Z, seeds = np.ascontiguousarray(self.X[:, features]), list(SEEDS)
            partitions = cluster(Z, self.c, seeds, restarts=3)
            found = score_partitions(self.y, partitions)
            scores = {
                "s": len(features),
                "acc": 100 * np.mean(found["clustering_acc"]),
                "nmi": 100 * np.mean(found["nmi"]),
                "knn": 100 * np.mean(classification_accuracy(Z, self.y, seeds)),
            }
            self._known[key] = scores, partitions
        return self._known[key]

    def forest(self, features: np.ndarray) -> float:
        return 100 * np.mean(
            forest_accuracy(self.X[:, np.sort(features)], self.y, [0, 1], n_trees=50)
        )

    def criteria(self, partitions: list[list[np.ndarray]]) -> list[dict]:
        """The criteria of each candidate, given the partitions of all of them for one s."""
        firsts = [runs[0] for runs in partitions]
        agreement = [[normalized_mutual_info(a, b) for b in firsts] for a in firsts]
        return [
            {**label_free_criteria(self.X, self.graph, runs), "consensus": np.mean(shares)}
            for runs, shares in zip(partitions, agreement, strict=True)
        ]


def measured(name: str) -> dict | None:
    """Scores by row, one dict per s; None if its file, or its reader, is not there."""
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        try:
            data = Dataset(name)
        except NOT_THERE as missing:
            print(f"skipped {name}: {missing}", flush=True)
            return None
        rows, partitions = {}, {}
        for row in (*SETTINGS, *METHODS, *OTHERS):
            chosen = data.selections(row)
            scored = [data.score(features) for features in chosen]
            rows[row] = [dict(scores) for scores, _ in scored]
            partitions[row] = [runs for _, runs in scored]
            if row in WITH_FOREST:
                for scores, features in list(zip(rows[row], chosen, strict=True))[: len(S_VALUES)]:
                    scores["forest"] = data.forest(features)
        for i in range(len(rows["default"])):
            found = data.criteria([partitions[row][i] for row in CANDIDATES])
            for row, criteria in zip(CANDIDATES, found, strict=True):
                rows[row][i] |= criteria
        fit = BLUFS(1, n_clusters=data.c, max_iter=0).fit(data.X)
        counted = BLUFS(1, n_clusters="auto", max_iter=0).fit(data.X)
    rounded = {
        row: [{key: round(float(value), 4) for key, value in one.items()} for one in by_s]
        for row, by_s in rows.items()
    }
    facts = {"classes": data.c, "counted": int(counted.n_clusters_), "scaling": fit.scaling_}
    return facts | {"kind": kind(data), "rows": rounded}


def kind(data: Dataset) -> str:
    """Which of :data:`KINDS` the features are.

    *Spread* is the standard deviation of the logarithm of their variances, *share* the part of a
    feature of equal norm that the 2 c leading principal components explain, on average.
    """
    if choose_scaling(data.X) == "center":
        return "mostly background"
    equal = View.of(data.X, "center+unit", 2 * data.c)
    if equal.squares[: 2 * data.c].sum() / data.X.shape[1] >= REDUNDANT:
        return "redundant"
    spread = np.log(data.X.var(axis=0)).std()
    return "one unit" if spread < SEVERAL_UNITS else "several units"


def main() -> None:
    report = read("defaults") or {}
    names = [name for name in DATASETS if name not in report]

    def one(name):
        return name, measured(name)

    for name, found in Parallel(2, return_as="generator_unordered")(map(delayed(one), names)):
        if found is not None:
            report[name] = found
            save("defaults", {key: report[key] for key in DATASETS if key in report})
            print(name, found["scaling"], flush=True)


def values(report: dict, row: str, metric: str, names: Iterable[str]) -> np.ndarray:
    """The mean over s by dataset; NaN where the row has no such score."""
    return np.array(
        [
            np.mean([one[metric] for one in report[name]["rows"][row] if metric in one] or np.nan)
            for name in names
        ]
    )


def cell(report: dict, row: str, names: list[str]) -> str:
    means = [values(report, row, metric, names).mean() for metric in METRICS]
    return " / ".join(f"{mean:.1f}" for mean in means if not np.isnan(mean))


def by_domain(rows: Iterable[str]) -> str:
    report = read("defaults")
    return by_group(report, "domain", {name: DATASETS[name] for name in report}, rows)


def by_kind(rows: Iterable[str]) -> str:
    report = read("defaults")
    kinds = {name: one["kind"] for name, one in report.items()}
    return by_group(
        report, "kind", dict(sorted(kinds.items(), key=lambda item: KINDS.index(item[1]))), rows
    )


def by_group(report: dict, what: str, group_of: dict[str, str], rows: Iterable[str]) -> str:
    """Mean scores by group, and on how many sets ``"auto"`` took the features' own scale."""
    groups: dict[str, list[str]] = {"all": list(report)}
    for name, group in group_of.items():
        groups.setdefault(group, []).append(name)
    table = []
    for group, names in groups.items():
        own = sum(report[name]["scaling"] == "center" for name in names)
        table.append(
            [f"{group} ({len(names)}; {own})", *(cell(report, row, names) for row in rows)]
        )
    return markdown([f"{what} (sets; own scale)", *rows], table)


def differences(rows: tuple[str, ...]) -> str:
    """The default minus other rows: mean, worst dataset, and p.

    The test is Wilcoxon's over the studies, with Holm's correction over the rows.
    """
    report = read("defaults")
    studies = np.unique([study(name) for name in report], return_inverse=True)[1]
    table = {row: [row] for row in rows}
    for metric in METRICS:
        gains = {
            row: gain
            for row in rows
            if not np.isnan(
                gain := values(report, "default", metric, report)
                - values(report, row, metric, report)
            ).any()
        }
        tests = {
            row: wilcoxon(
                np.bincount(studies, gain) / np.bincount(studies), zero_method="zsplit"
            ).pvalue
            for row, gain in gains.items()
        }
        least = 0.0
        for i, row in enumerate(sorted(tests, key=tests.get)):
            least = tests[row] = max(least, min((len(tests) - i) * tests[row], 1))
        for row in rows:
            gain = gains.get(row)
            table[row].append(
                "" if gain is None else f"{gain.mean():+.1f} ({gain.min():+.1f}), {tests[row]:.2g}"
            )
    return markdown(["default minus", *METRICS.values()], list(table.values()))


def choices_left_out() -> str:
    """Each default chosen again with a dataset, study or domain left out, and judged on it.

    It is chosen by the mean of ACC, NMI and 5-NN accuracy.
    """
    report = read("defaults")
    names = list(report)
    keys = {
        "dataset": lambda name: name,
        "study": study,
        "domain": lambda name: DATASETS[name],
    }
    table = []
    for what, scores in choices(report).items():
        first = next(iter(scores.values()))
        for left_out, key in keys.items():
            folds = np.array([key(name) for name in names])
            picked: Counter = Counter()
            gains = np.empty_like(first)
            for fold in dict.fromkeys(folds):
                inside = folds == fold
                best = max(scores, key=lambda option: scores[option][:, ~inside].mean())
                picked[best] += 1
                gains[:, inside] = scores[best][:, inside] - first[:, inside]
            picks = ", ".join(f"{option} ({count})" for option, count in picked.most_common())
            table.append([what, left_out, picks, *(f"{gain:+.2f}" for gain in gains.mean(axis=1))])
    return markdown(["choice", "left out", "picked (times)", "ACC", "NMI", "5-NN"], table)


def choices(report: dict) -> dict[str, dict[str, np.ndarray]]:
    """By choice and option the scores, or their gains, of shape (3, number of datasets)."""
    metrics = ("acc", "nmi", "knn")
    found = {
        what: {
            option: np.array([values(report, row, metric, report) for metric in metrics])
            for option, row in options.items()
        }
        for what, options in CHOICES.items()
    }
    found["blind"] = {"no search": np.zeros((3, len(report)))} | {
        f"{criterion}, {margin:g}": all_blind_gains(report, WEIGHTS, criterion, margin)[:, :3].T
        for criterion in CRITERIA
        for margin in MARGINS
    }
    return found


def counts() -> str:
    """What numbers of clusters and of features cost that are counted, or wrong."""
    report = read("defaults")
    table = []
    for row in ("auto c", "half c", "double c", "auto s"):
        gains = [
            values(report, row, metric, report) - values(report, "default", metric, report)
            for metric in ("acc", "nmi", "knn")
        ]
        table.append([row, *(f"{gain.mean():+.2f} ({gain.min():+.1f})" for gain in gains)])
    for s in S_VALUES:
        gains = [
            [
                next((one[metric] for one in rows if one["s"] == s), rows[-1][metric])
                - np.mean([one[metric] for one in rows])
                for rows in (report[name]["rows"]["default"] for name in report)
            ]
            for metric in ("acc", "nmi", "knn")
        ]
        table.append([f"s = {s}", *(f"{np.mean(g):+.2f} ({np.min(g):+.1f})" for g in gains)])
    return markdown(["against c known, mean over s", "ACC", "NMI", "5-NN"], table)


def estimates() -> str:
    report = read("defaults")
    rows = [
        [name, one["classes"], one["counted"], int(one["rows"]["auto s"][0]["s"])]
        for name, one in report.items()
    ]
    return markdown(["data", "classes", "clusters counted", "features counted"], rows)


def blind() -> str:
    """Gain of a choice without labels over the default, with the most features."""
    report = read("defaults")
    tried = [
        ("weights", WEIGHTS, criterion, margin) for criterion in CRITERIA for margin in MARGINS
    ]
    tried.append(("and scaling", CANDIDATES, DEFAULT_CRITERION, DEFAULT_MARGIN))
    table = [
        [
            searched,
            criterion,
            f"{margin:g}",
            *gains_shown(all_blind_gains(report, rows, criterion, margin)),
        ]
        for searched, rows, criterion, margin in tried
    ]
    at_most = [[report[name]["rows"][row][-1] for row in WEIGHTS] for name in report]
    best = [
        [max(one[metric] for one in found) - found[0][metric] for metric in METRICS]
        for found in at_most
    ]
    table.append(["weights", "the labels (oracle)", "", *gains_shown(best)])
    return markdown(["searched", "by", "margin", *METRICS.values()], table)


def blind_by_s() -> str:
    """The same for each number of features, by the criterion and the margin of BlindSearch."""
    report = read("defaults")
    search = (report, WEIGHTS, DEFAULT_CRITERION, DEFAULT_MARGIN)
    table = [[s, *gains_shown(all_blind_gains(*search, i))] for i, s in enumerate(S_VALUES)]
    return markdown(["features", *METRICS.values()], table)


def gains_shown(gains) -> list[str]:
    """Means over the datasets, the worst dataset in brackets."""
    return [f"{np.mean(gain):+.2f} ({np.min(gain):+.1f})" for gain in np.transpose(gains)]


def all_blind_gains(
    report: dict, rows: tuple[str, ...], criterion: str, margin: float, at: int = -1
):
    """By dataset the gains in all four metrics; ``at`` tells which of the numbers of features."""
    return np.array(
        [
            blind_gains(
                [one["rows"][row][min(at, len(one["rows"][row]) - 1)] for row in rows],
                criterion,
                margin,
            )
            for one in report.values()
        ]
    )


def blind_gains(candidates: list[dict], criterion: str, margin: float) -> list[float]:
    """What the choice gains over the first of the candidates in all four metrics."""
    chosen = choose_blind(candidates, criterion, default_rows=candidates[:1], margin=margin)
    return [chosen.get(key, np.nan) - candidates[0].get(key, np.nan) for key in METRICS]


def steps() -> str:
    """What each step from the paper's model to the default is worth."""
    report = read("defaults")
    table, last = [], None
    for row, title in STEPS:
        now = np.array([values(report, row, m, report).mean() for m in ("acc", "nmi", "knn")])
        change = "" if last is None else " / ".join(f"{value:+.1f}" for value in now - last)
        table.append([title, " / ".join(f"{value:.1f}" for value in now), change])
        last = now
    return markdown(["step", "ACC / NMI / 5-NN", "change"], table)


RIVALS = (*METHODS, "random", "all features")
PARTS = ("equal norm", "own scale", "no feedback", "Case III", "start only", "paper")
TABLES = {
    "defaults_rivals": lambda: by_domain(
        ("default", "MCFS", "LapScore", "FSCA", "variance", "random", "all features")
    ),
    "defaults_kinds": lambda: by_kind(
        ("default", "equal norm", "own scale", "MCFS", "FSCA", "variance")
    ),
    "defaults_parts": lambda: by_domain(("default", *PARTS)),
    "defaults_differences": lambda: differences(RIVALS),
    "defaults_parts_differences": lambda: differences(PARTS),
    "defaults_choices": choices_left_out,
    "defaults_counts": counts,
    "defaults_estimates": estimates,
    "defaults_blind": blind,
    "defaults_blind_by_s": blind_by_s,
    "defaults_steps": steps,
}

if __name__ == "__main__":
    main()
