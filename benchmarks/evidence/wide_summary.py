"""Tables of results/wide_defaults.json: by domain, and each choice judged on data it did not see.

``python -m benchmarks.evidence.wide_summary`` prints them; ``benchmarks.publish.render_tables``
puts them into the docs.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchmarks.data import DATASETS
from benchmarks.harness import markdown, read

METRICS = {"acc": "ACC", "nmi": "NMI", "knn": "5-NN"}
#: What was chosen among what. All but the last were chosen without feedback.
GROUPS = {
    "scaling": {
        "auto": "no feedback",
        "center+unit": "scaling center+unit",
        "center": "scaling center",
    },
    "softness": {
        "auto": "no feedback",
        "none": "softness none",
        "0": "softness 0",
        "1": "softness 1",
    },
    "lam": {"3": "no feedback", "1": "lam 1", "5": "lam 5", "10": "lam 10"},
    "alpha": {"10": "no feedback", "30": "alpha 30"},
    "beta": {"1": "no feedback", "0.3": "beta 0.3", "3": "beta 3"},
    "learned graph": {
        "yes": "no feedback",
        "neighbours of S": "neighbours of S",
        "none": "Case III",
    },
    "feedback": {"0.25": "default", "0.5": "feedback 0.5", "none": "no feedback"},
}
#: Rows among which the label-free choice is tried, and its margins.
BLIND_ROWS = ("no feedback", "lam 1", "lam 10", "alpha 30")
MARGINS = (0.0, 0.005, 0.01, 0.02, 0.05)
STEPS = (
    ("paper", "`BLUFS.paper()`"),
    ("paper, relaxed start", "deterministic start, polar iteration for Y"),
    ("paper, principal similarity", "similarity of principal coordinates"),
    ("scaling center+unit", "features centred too"),
    ("softness none", 'features of mostly background at their own scale (`scaling="auto"`)'),
    ("no feedback", "softened norms in the search (an earlier rule)"),
    ("default", "the learned graph fed back (`feedback=0.25`): the default"),
)


def domains(report: dict) -> dict[str, list[str]]:
    """Names of the datasets by domain, those that every row has."""
    known = [name for name in DATASETS if all(name in row for row in report.values())]
    groups = {
        domain: [n for n in known if DATASETS[n][0] == domain] for domain, _ in DATASETS.values()
    }
    return {"all": known, **{domain: names for domain, names in groups.items() if names}}


def without_raw(names: list[str]) -> list[str]:
    """The datasets as the suite `wide` prepares them: genes by logarithm only."""
    return [name for name in names if DATASETS[name][0] != "raw genes"]


def mean(row: dict, names: list[str], key: str) -> float:
    return float(np.mean([row[name][key] for name in names]))


def by_domain() -> str:
    """ACC / NMI / 5-NN accuracy of the main rows."""
    report = read("wide_defaults")
    rows = ["before", "default", "Case III", "start only", "MCFS", "variance", "random"]
    rows += ["all features", "paper"]
    table, groups = [], domains(report)
    for domain, names in {"as in `wide`": without_raw(groups["all"]), **groups}.items():
        cells = [" / ".join(f"{mean(report[r], names, k):.1f}" for k in METRICS) for r in rows]
        table.append([f"{domain} ({len(names)})", *cells])
    return markdown(["domain (sets)", *rows], table)


def differences() -> str:
    """The default minus other rows: mean over the datasets and its standard error."""
    report = read("wide_defaults")
    names = domains(report)["all"]
    table = []
    for row in ("before", "no feedback", "Case III", "start only", "MCFS"):
        cells = [
            gain(report, row, key, those)
            for those in (without_raw(names), names)
            for key in METRICS
        ]
        table.append([row, *cells])
    titles = [
        f"{title}, {which}" for which in ("as in `wide`", "all") for title in METRICS.values()
    ]
    return markdown(["default minus", *titles], table)


def gain(report: dict, row: str, key: str, names: list[str]) -> str:
    """Mean and standard error of what the default is above a row."""
    gains = [report["default"][name][key] - report[row][name][key] for name in names]
    return f"{np.mean(gains):+.2f} ± {np.std(gains, ddof=1) / np.sqrt(len(gains)):.2f}"


def forests() -> str:
    report = read("wide_defaults")
    rows = ["before", "default", "MCFS", "variance", "random"]
    table = [
        [domain, *(mean(report[row], names, "forest") for row in rows)]
        for domain, names in domains(report).items()
    ]
    return markdown(["domain", *rows], table)


def utility(row: dict, names: list[str]) -> float:
    """What a choice is made by: the mean of ACC and 5-NN accuracy."""
    return (mean(row, names, "acc") + mean(row, names, "knn")) / 2


def held_out(report: dict, options: dict[str, str], folds: list[list[str]]) -> dict:
    """Choose the best option on all folds but one, judge it on that one."""
    picked, gains = Counter(), {"acc": [], "knn": []}
    everything = [name for fold in folds for name in fold]
    for fold in folds:
        others = [name for name in everything if name not in fold]
        best = max(options, key=lambda option: utility(report[options[option]], others))
        picked[best] += 1
        for key, values in gains.items():
            row = report[options[best]]
            values += [row[name][key] - report["before"][name][key] for name in fold]
    return {"picked": picked, **{key: (np.mean(v), np.min(v)) for key, v in gains.items()}}


def choices_held_out() -> str:
    """Each choice made leave-one-dataset-out and leave-one-domain-out; gains over "before"."""
    report = read("wide_defaults")
    groups = domains(report)
    everything = groups.pop("all")
    folds = {"dataset": [[name] for name in everything], "domain": list(groups.values())}
    table = []
    for what, group in GROUPS.items():
        options = {option: row for option, row in group.items() if row in report}
        for left_out, parts in folds.items():
            found = held_out(report, options, parts)
            picks = ", ".join(
                f"{option} ({count})" for option, count in found["picked"].most_common()
            )
            numbers = [float(x) for key in ("acc", "knn") for x in found[key]]
            table.append([what, left_out, picks, *numbers])
    header = ["choice", "left out", "picked (times)", "ACC mean", "ACC worst", "5-NN mean"]
    return markdown([*header, "5-NN worst"], table)


def blind() -> str:
    """Gain of the label-free choice over the default, by criterion and margin, s by s."""
    report = read("wide_defaults")
    table = []
    for criterion in ("principal_cohesion", "cohesion"):
        for margin in MARGINS:
            gains = _blind_gains(report, criterion, margin)
            table.append([criterion, f"{margin:g}", *(float(x) for x in gains.mean(axis=0))])
    header = ["criterion", "margin", "ACC gained", "5-NN gained", "ACC an oracle gains"]
    return markdown(header, table)


def _blind_gains(report: dict, criterion: str, margin: float) -> np.ndarray:
    gains = []
    for name in domains(report)["all"]:
        for rows in zip(*(report[row][name]["by_s"] for row in BLIND_ROWS), strict=True):
            best = max(rows, key=lambda row: row[criterion])
            chosen = best if best[criterion] - rows[0][criterion] > margin else rows[0]
            reached = [chosen["acc"], chosen["knn"], max(row["acc"] for row in rows)]
            gains.append(np.subtract(reached, [rows[0]["acc"], rows[0]["knn"], rows[0]["acc"]]))
    return np.array(gains)


def clusters() -> str:
    """What a wrong number of clusters costs."""
    report = read("wide_defaults")
    names = domains(report)["all"]
    table = []
    for row in ("auto c", "half c", "double c"):
        lost = [mean(report["default"], names, k) - mean(report[row], names, k) for k in METRICS]
        table.append([row, *lost])
    return markdown(["number of clusters", *(f"{title} lost" for title in METRICS.values())], table)


def estimates() -> str:
    report = read("wide_defaults")["auto c"]
    rows = [[name, int(v["classes"]), int(v["estimate"])] for name, v in report.items()]
    return markdown(["data", "classes", "estimate"], rows)


def steps() -> str:
    """What each step from the paper's model to the default is worth."""
    report = read("wide_defaults")
    names = domains(report)["all"]
    table, last = [], None
    for row, title in STEPS:
        now = [mean(report[row], names, key) for key in METRICS]
        change = (
            ""
            if last is None
            else " / ".join(f"{b - a:+.1f}" for a, b in zip(last, now, strict=True))
        )
        table.append([title, " / ".join(f"{value:.1f}" for value in now), change])
        last = now
    return markdown(["step", "ACC / NMI / 5-NN", "change"], table)


#: Tables of docs/solver.md and docs/deviations.md by the name of their place.
TABLES = {
    "wide_domains": by_domain,
    "wide_differences": differences,
    "wide_forests": forests,
    "wide_choices": choices_held_out,
    "wide_blind": blind,
    "wide_clusters": clusters,
    "wide_estimates": estimates,
    "wide_steps": steps,
}

if __name__ == "__main__":
    for name, table in TABLES.items():
        print(f"## {name}\n\n{table()}\n")
