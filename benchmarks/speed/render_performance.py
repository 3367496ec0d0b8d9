"""Write docs/performance.md from benchmarks/results; what is missing is said to be."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchmarks.evidence.wide_summary import domains, mean, without_raw
from benchmarks.harness import RESULTS, ROOT, markdown, read
from benchmarks.publish.targets import table as results_targets
from benchmarks.speed import job_usage
from benchmarks.speed.methods_speed import shortfalls
from blufs._numerics.neighbors import EXACT_UP_TO

PAGE = ROOT / "docs" / "performance.md"
README = ROOT / "benchmarks" / "README.md"
MISSING = "not measured"
#: The shape and the bounds of the targets.
LARGE = (7000, 5000)
MEMORY_LIMIT = 1.5
#: What BLUFS should be ahead of in every domain.
SIMPLE = {"MCFS", "variance", "random"}
#: Ends the name of a suite as it ran with version 0.1.
BEFORE = ", version 0.1"
#: Why a target may be missed, by the beginning of its name.
REASONS = {
    "exponent of the fit in n": "products with the neighbour graph gather rows from all over "
    "memory, which takes longer once these no longer fit into the caches",
    "peak memory, worst shape, float32": "the n x s arrays of a fit are of float64",
    "suite `paper`": "importing scikit-learn takes most of a second of processor time in each job "
    "that fits or scores",
    "least time ratio": "see [the compared methods](results/methods-speed.md)",
}


def targets() -> str:
    rows, missed = [], []

    def add(name: str, sign: str, bound: float, value: float | None, unit: str = "") -> None:
        if value is None:
            rows.append([name, f"{sign} {bound:g}{unit}", MISSING, ""])
            return
        met = value >= bound if sign == ">=" else value <= bound
        shown = f"{value:.4g}{unit}"
        rows.append([name, f"{sign} {bound:g}{unit}", shown, "yes" if met else "**no**"])
        reasons = [why for start, why in REASONS.items() if name.startswith(start)]
        if reasons and not met:
            missed.append(f"- {name}: {reasons[0]}.")

    large = next((r for r in read("limits") or [] if (r["n"], r["d"]) == LARGE), {})
    shape = "{} x {}".format(*LARGE)
    add(f"fit without the graph, {shape}, in `X.T @ X`", "<=", 1, large.get("without_graph_grams"))
    add(f"fit with the graph, {shape}, in `X.T @ X`", "<=", 3, large.get("with_graph_grams"))
    exponents = (read("growth") or {}).get("exponents", {})
    add("exponent of the fit in n, beyond the graph", "<=", 1.15, exponents.get("fit, n"))
    add("exponent of the fit in d, beyond the graph", "<=", 1.1, exponents.get("fit, d"))
    memory = read("memory") or {"shapes": [], "precision": []}
    for dtype, bound in (("float64", MEMORY_LIMIT), ("float32", MEMORY_LIMIT / 2)):
        peaks = {(r["n"], r["d"]): r[f"{dtype}_with_graph"] for r in memory["shapes"]}
        worst = max(peaks.values(), default=None)
        add(f"peak memory, {shape}, {dtype}, in X of float64", "<=", bound, peaks.get(LARGE))
        add(f"peak memory, worst shape, {dtype}, in X of float64", "<=", bound, worst)
    shared = [100 * row["overlap"] for row in memory["precision"]]
    add("least overlap of float32 and float64", ">=", 95, min(shared, default=None), " %")
    add("least time ratio to a public implementation", ">=", 1, min(peer_ratios(), default=None))
    startup = (read("startup") or {"seconds": {}})["seconds"]
    add("`import blufs`, seconds", "<=", 0.5, startup.get("import blufs"))
    share = (read("suites") or {}).get("paper", {}).get("overhead_share")
    name = "suite `paper`: processor time beside fits, scores and figures, of wall time x cores"
    add(name, "<=", 8, None if share is None else 100 * share, " %")
    disk = (read("large") or {}).get("disk", {}).get("peak_bytes")
    name = "200,000 x 2,000 float32 on disk (1.6 GB), resident MB, without pandas"
    add(name, "<=", 600, None if disk is None else disk / 1e6)
    table = markdown(["what", "target", "measured", "met"], rows)
    return "\n\n".join([table, "Why some are missed:", "\n".join(missed)]) if missed else table


def peer_ratios() -> list[float]:
    """Seconds of others over seconds of this library; of stopped ones, those until then."""
    public = [r for r in read("methods_speed") or [] if r["method"] in ("LapScore", "MCFS", "UDFS")]
    public += [r for r in (read("peers") or {"rows": []})["rows"] if not r["error"]]
    return [(r["other_seconds"] or r["limit_seconds"]) / r["library_seconds"] for r in public]


def limits(rows: list[dict]) -> str:
    header = ["n x d", "c", "s", "`X.T @ X`, s", "without graph, s", "with, s"]
    header += ["without / `X.T @ X`", "with / `X.T @ X`", "without / pass", "with / pass"]
    return markdown(
        header,
        [
            [
                f"{r['n']} x {r['d']}",
                r["c"],
                r["s"],
                r["gram_seconds"],
                r["without_graph_seconds"],
                r["with_graph_seconds"],
                r["without_graph_grams"],
                r["with_graph_grams"],
                round(r["without_graph_passes"]),
                round(r["with_graph_passes"]),
            ]
            for r in rows
        ],
    )


def growth(report: dict) -> str:
    names = {"exact": "exact neighbours", "approximate": "approximate neighbours"}
    rows = []
    for name, value in report["exponents"].items():
        part, size = name.split(", ")
        measured = [r for r in report["axes"][size] if f"{part}_seconds" in r]
        values = [r[size] for r in measured]
        at = ", ".join(f"{other} = {measured[0][other]}" for other in "ndcs" if other != size)
        span = f"{min(values)} to {max(values)}"
        rows.append([names.get(part, part), size, span, at, value])
    return markdown(["part", "in", "from", "at", "exponent"], rows)


def graphs(report: dict) -> str:
    def cell(row, key, factor=1.0):
        return factor * row[key] if key in row else ""

    rows = [
        [
            r["n"],
            cell(r, "exact_seconds"),
            cell(r, "approximate_seconds"),
            r["eigenvectors_seconds"],
            r["fit_seconds"],
            r["sweeps"],
            cell(r, "recall", 100),
            cell(r, "overlap", 100),
        ]
        for r in report["axes"]["n"]
    ]
    header = ["n", "exact, s", "approximate, s", "eigenvectors, s", "rest of the fit, s", "sweeps"]
    table = markdown([*header, "recall, %", "same selection, %"], rows)
    if report["first_call_seconds"] is None:
        return table + "\n\nThe approximate index was not installed."
    seconds = report["first_call_seconds"]
    real = [[r["dataset"], 100 * r["recall"], 100 * r["overlap"]] for r in report["real"]]
    return (
        f"{table}\n\nThe first call of the index in a process takes {seconds:.2f} s. "
        f"On real data:\n\n{markdown(['data', 'recall, %', 'same selection, %'], real)}"
    )


def memory(report: dict) -> str:
    kinds = [f"{t}_{g}_graph" for t in ("float64", "float32") for g in ("with", "without")]
    header = ["n x d", "MB of X", *(kind.replace("_", " ") for kind in kinds)]
    shapes = [
        [f"{r['n']} x {r['d']}", round(r["x_bytes"] / 1e6), *(r[kind] for kind in kinds)]
        for r in report["shapes"]
    ]
    precision = [[r["dataset"], r["s"], 100 * r["overlap"]] for r in report["precision"]]
    tables = markdown(header, shapes) + "\n\n"
    return tables + markdown(["data", "s", "same selection in float32, %"], precision)


def peers(report: dict) -> str:
    if not report["rows"]:
        return MISSING
    rows = []
    for r in report["rows"]:
        other = r["other_seconds"]
        ratio = f"{other / r['library_seconds']:.1f}" if other else f"> {r['limit_seconds']} s"
        outcome = [ratio, r["shared_of_100"]] if not r["error"] else [f"`{r['error']}`", ""]
        rows.append([r["dataset"], r["method"], r["library_seconds"], other or "", *outcome])
    header = ["data", "method", "this library, s", "ITMO_FS, s", "times faster", "shared of 100"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    return markdown(header, rows) + f"\n\nVersions: {versions}."


def suites(report: dict) -> str:
    if not report:
        return MISSING
    names = {
        "jobs": "jobs",
        "wall_seconds": "wall time, s",
        "job_seconds": "sum of the jobs, s",
        "cores": "cores",
        "work_seconds": "fits and scores, s",
        "job_share": "jobs / (wall time x cores)",
        "work_share": "fits and scores / (wall time x cores)",
        "overhead_per_job": "other time per job, s",
        "cpu_seconds": "processor time of the jobs, s",
        "overhead_share": "other processor time / (wall time x cores)",
    }
    report = dict(sorted(report.items()))
    header = ["", *report]
    table = markdown(
        header, [[name, *(r.get(k, "") for r in report.values())] for k, name in names.items()]
    )
    for suite, summary in report.items():
        if suite.endswith(BEFORE):
            continue
        slowest = [[job["rule"], job["output"], job["seconds"]] for job in summary["slowest"]]
        table += f"\n\nThe slowest jobs of `{suite}`:\n\n"
        table += markdown(["rule", "output", "seconds"], slowest)
    return table


def startup(report: dict) -> str:
    rows = [
        [name, seconds, ", ".join(report["heavy"][name])]
        for name, seconds in report["seconds"].items()
    ]
    packages = ", ".join(f"{name} {spent:.2f} s" for name, spent in report["packages"].items())
    table = markdown(["start", "CPU s", "heavy packages that come with it"], rows)
    return f"{table}\n\nWall seconds of `from blufs import BLUFS` by package: {packages}."


def profile(report: dict) -> str:
    parts = dict(report["now"])
    fit = parts.pop("fit")
    rows = [[name, f"{100 * seconds / fit:.0f} %"] for name, seconds in parts.items()]
    table = markdown(["block", "share"], [*rows, ["whole fit, s", fit]])
    return f"{report['dataset']}, s = {report['s']}:\n\n{table}"


def machine(report: dict) -> str:
    scripts = report["scripts"].values()
    return (
        f"{report['cpu']}, {report['cores']} cores, numpy {report['numpy']}; load at the start of "
        f"the scripts {min(s['load'] for s in scripts):.1f} to "
        f"{max(s['load'] for s in scripts):.1f}; all of them took "
        f"{sum(s['seconds'] for s in scripts) / 60:.0f} minutes."
    )


def section(result: str, show) -> str:
    report = read(result)
    return MISSING if report is None else show(report)


def page() -> str:
    template = (ROOT / "benchmarks" / "speed" / "performance.template.md").read_text()
    figure = RESULTS / "growth.png"
    parts = {
        "machine": section("machine", machine),
        "limits": section("limits", limits),
        "growth": section("growth", growth),
        "graphs": section("growth", graphs),
        "exact_up_to": f"{EXACT_UP_TO:,}",
        "figure": "![growth](../benchmarks/results/growth.png)" if figure.exists() else MISSING,
        "memory": section("memory", memory),
        "job_usage": section("job_usage", job_usage.table),
        "peers": section("peers", peers),
        "suites": section("suites", suites),
        "startup": section("startup", startup),
        "profile": section("fit_profile", profile),
    }
    for name, text in parts.items():
        template = template.replace(f"{{{{{name}}}}}", text)
    return template


def readme() -> str:
    """benchmarks/README.md: what is asked of the project, and where it stands."""
    return f"""# Benchmarks of the project itself

`python -m benchmarks` (`make benchmark`) measures speed, as ratios taken in one run, and writes
`benchmarks/results/*.json` and the pages [performance](../docs/performance.md) and
[speed of the methods](../docs/results/methods-speed.md). `benchmarks/evidence/` holds the reasons
for defaults and rules, `benchmarks/publish/` the pages about results. This page compares with
targets.

## Speed and memory

{targets()}

## Compared methods

{shortfalls(read("methods_speed") or [])}

## Quality

What the defaults of BLUFS are worth on data of several domains, and what was asked of them, is in
[the solver](../docs/solver.md). `python -m benchmarks.evidence.wide_defaults` makes its
tables.

{quality()}

## Results

What the [results](../docs/results/README.md) of the two full suites show.

{results_targets()}
"""


def quality() -> str:
    """Mean gains of the defaults of BLUFS in points, against what was asked."""
    report = read("wide_defaults") or {}
    asked = [
        ("ACC above the earlier defaults", "before", "acc", 1.5),
        ("5-NN accuracy above the earlier defaults", "before", "knn", 2),
        ("ACC above Case III (no graph learning)", "Case III", "acc", 0.5),
    ]
    rows = []
    for name, other, metric, bound in asked:
        if not {"default", other} <= set(report):
            rows.append([name, f">= {bound:g}", MISSING, ""])
            continue
        ours, theirs = report["default"], report[other]
        common = sorted(set(ours) & set(theirs))
        for what, names in ((" as in `wide`", without_raw(common)), ("", common)):
            gain = sum(ours[one][metric] - theirs[one][metric] for one in names) / len(names)
            met = "yes" if gain >= bound else "**no**"
            title = f"{name}, points over {len(names)} datasets{what}"
            rows.append([title, f">= {bound:g}", gain, met])
    why = ""
    if SIMPLE | {"default", "before", "Case III", "auto c"} <= set(report):
        why = raw_genes(report)
        rows += [
            [name, f"{'>=' if bound <= 0 else '<='} {bound:g}", shown, "yes" if met else "**no**"]
            for name, bound, shown, met in by_domain(report)
        ]
    return markdown(["what", "target", "measured", "met"], rows) + why


def raw_genes(report: dict) -> str:
    """The one domain that loses, dataset by dataset, and the same data as the suite has them."""

    def points(names: list[str]) -> str:
        return ", ".join(
            name.removesuffix(", raw")
            + "".join(
                f"{mark}{report['default'][name]['acc'] - report[other][name]['acc']:+.1f}"
                for mark, other in ((" ", "before"), (" and ", "Case III"))
            )
            for name in names
        )

    raw = domains(report).get("raw genes", [])
    logarithms = [name.removesuffix(", raw") for name in raw]
    return (
        "\n\nWhat is lost is lost on raw intensities of genes. Points of ACC above the earlier "
        f"defaults and above Case III: {points(raw)}. With logarithms, as in `wide`: "
        f"{points(logarithms)}. No rule of scaling that was tried helps the raw ones without "
        "losing elsewhere ([the solver](../docs/solver.md)): take logarithms first."
    )


def by_domain(report: dict) -> Iterator[tuple[str, float, str, bool]]:
    """What was asked of every domain of the evidence, of text, and of an unknown c: name, bound,
    measured, met."""
    groups = domains(report)
    everything = groups.pop("all")

    def gains(others: Collection[str], metric: str) -> dict[str, float]:
        """Domain -> points of the default above the best of some rows."""
        ours = {domain: mean(report["default"], names, metric) for domain, names in groups.items()}
        return {
            domain: ours[domain] - max(mean(report[other], names, metric) for other in others)
            for domain, names in groups.items()
        }

    for metric, title in (("acc", "ACC"), ("knn", "5-NN accuracy")):
        for name, others, bound in (
            ("the earlier defaults", {"before"}, -0.3),
            ("MCFS, variance and random", SIMPLE, 0),
        ):
            found = gains(others, metric)
            worst = min(found, key=lambda domain: found[domain])
            what = f"{title} above {name}, points in the worst domain"
            yield what, bound, f"{found[worst]:.2f} ({worst})", found[worst] >= bound
    lost = mean(report["default"], everything, "acc") - mean(report["auto c"], everything, "acc")
    yield 'ACC lost by `n_clusters="auto"`, points', 2, f"{lost:.2f}", lost <= 2


if __name__ == "__main__":
    PAGE.write_text(page())
    README.write_text(readme())
