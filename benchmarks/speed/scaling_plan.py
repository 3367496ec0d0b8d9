"""How long the paper's suite takes on 1 to 4096 cores: the jobs of its plan, scheduled on paper.

``python -m benchmarks.speed.scaling_plan`` takes the times of benchmarks/results/job_times.json
(see ``job_times.py``), gives every job of the plan its time, runs a list scheduler over the graph
and writes docs/results/scaling.md.
"""

from __future__ import annotations

import heapq
import json
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness import markdown
from benchmarks.speed.job_times import OUTPUT, ROOT, paper_plan
from blufs_bench.plan.jobs import Plan

CORES = (1, 16, 256, 4096)
CUTS = {
    "as configured": {},
    "one setting a job": {"settings_per_job": 1},
    "one setting and one s a job": {"settings_per_job": 1, "split_by": ["s"]},
}
#: Selections that the choices of a tuned method evaluate for one s, at most: clustering for the
#: default, the blind choice and two oracles by ACC and by NMI; classification for one each.
MOST_CHOICES = {"cluster": 6, "classify": 4}


@dataclass
class Job:
    """Seconds of a job, the jobs it waits for, and the seconds from its start to the end of all."""

    seconds: float
    after: list[str] = field(default_factory=list)
    remaining: float = 0.0


def unmeasured(plan: Plan, measured: dict) -> list[str]:
    """Datasets of which not all fits were measured."""
    fits = {name: entry["fits"] for name, entry in measured["datasets"].items()}
    return sorted({name for name, method in plan.pairs() if method not in fits.get(name, {})})


class Graph:
    """The jobs of a plan with their times; ``stopped`` is that of a fit too long to measure."""

    def __init__(self, plan: Plan, measured: dict, stopped: float):
        self.plan, self.stopped = plan, stopped
        self.start = cluster_start(measured)
        self.measured = measured["datasets"]
        self.jobs: dict[str, Job] = {}
        self.missing = unmeasured(plan, measured)
        for dataset in plan.datasets:
            if dataset not in self.missing:
                self._add(f"download {dataset}", 0)
                self._add(f"preprocess {dataset}", 0, [f"download {dataset}"])
        for dataset, method in plan.pairs():
            if dataset not in self.missing:
                self._add_pair(dataset, method)
        self._add_repeats("time_fit", plan.suite["timing"], "n_repeats")
        self._add_repeats("resample", plan.suite["stability"], "n_resamples")
        self._add("collect", 0, [n for n in self.jobs if n.split()[0] not in ("select", "choose")])
        shown = ("compare_methods", "provenance", "build_tables", "plot_figures")
        self._add("report", 0, [self._add(name, 0, ["collect"]) for name in shown])
        self._add("check_complete", 0, ["report"])
        self._set_remaining()

    def _add(self, name: str, seconds: float, after: list[str] | None = None) -> str:
        self.jobs[name] = Job(self.start + seconds, after or [])
        return name

    def _fit(self, dataset: str, method: str) -> float:
        measured = self.measured[dataset]["fits"][method]["seconds"]
        return self.stopped if measured is None else measured

    def _add_pair(self, dataset: str, method: str) -> None:
        plan, scoring = self.plan, self.measured[dataset]["scoring"]
        sizes = plan.sizes_for(dataset, method) or [None]
        ready, selected, screened, screening = [f"preprocess {dataset}"], [], [], 0.0
        for part in plan.select_parts(dataset, method):
            work = plan.select_part(method, part)
            fits = len(work["settings"]) * len(work["fit_seeds"])
            seconds = fits * self._fit(dataset, method)
            selected.append(self._add(f"select {dataset} {method} {part}", seconds, ready))
            light = sum(scoring["screening"].values()) * fits * len(work["s_values"] or [None])
            if plan.screens_apart(method):
                name = f"screen {dataset} {method} {part}"
                screened.append(self._add(name, light, selected[-1:]))
            elif plan.is_tuned(method):
                screening += light  # by the job that evaluates
        if screened:
            selected.append(self._add(f"choose {dataset} {method}", 0, screened))
        choices = MOST_CHOICES if plan.is_tuned(method) else dict.fromkeys(MOST_CHOICES, 1)
        one_s = sum(choices[kind] * scoring["evaluation"][kind] for kind in choices)
        parts = plan.evaluate_parts(dataset, method)
        for part in parts:
            seconds = screening + one_s * len(sizes) / len(parts)
            self._add(f"evaluate {dataset} {method} {part}", seconds, selected)

    def _add_repeats(self, rule: str, section: dict, count: str) -> None:
        for dataset in section["datasets"]:
            for method in section["methods"] if dataset not in self.missing else []:
                seconds = section[count] * self._fit(dataset, method)
                self._add(f"{rule} {dataset} {method}", seconds, [f"preprocess {dataset}"])

    def _set_remaining(self) -> None:
        followers: dict[str, list[str]] = {name: [] for name in self.jobs}
        for name, job in self.jobs.items():
            for before in job.after:
                followers[before].append(name)
        for name in reversed(self.jobs):  # jobs are added after those they wait for
            longest = max((self.jobs[f].remaining for f in followers[name]), default=0.0)
            self.jobs[name].remaining = self.jobs[name].seconds + longest
        self.followers = followers

    def makespan(self, cores: int) -> float:
        """Seconds of all jobs on so many cores; of those ready, the longest way to go first."""
        waiting = {name: len(job.after) for name, job in self.jobs.items()}
        ready = [(-job.remaining, name) for name, job in self.jobs.items() if not job.after]
        heapq.heapify(ready)
        running: list[tuple[float, str]] = []
        now = 0.0
        while ready or running:
            while ready and len(running) < cores:
                name = heapq.heappop(ready)[1]
                heapq.heappush(running, (now + self.jobs[name].seconds, name))
            now, done = heapq.heappop(running)
            for name in self.followers[done]:
                waiting[name] -= 1
                if not waiting[name]:
                    heapq.heappush(ready, (-self.jobs[name].remaining, name))
        return now

    def longest_way(self) -> list[str]:
        """The jobs of which each waits for the one before and that together take longest."""
        name = max(self.jobs, key=lambda name: self.jobs[name].remaining)
        way = [name]
        while self.followers[name]:
            name = max(self.followers[name], key=lambda follower: self.jobs[follower].remaining)
            way.append(name)
        return way


def in_words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def cluster_start(measured: dict) -> float:
    """A job of a cluster reads the workflow twice (in the batch job and in its step)."""
    return measured["start"]["script"] + 2 * measured["start"]["workflow"]


def between(least: float, most: float) -> str:
    words = [in_words(least), in_words(most)]
    return words[0] if words[0] == words[1] else " to ".join(words)


def makespans(graphs: dict[str, tuple[Graph, Graph]]) -> str:
    head = ["jobs are", "jobs", "work", *(f"cores: {cores}" for cores in CORES), "longest way"]
    rows = [
        [
            name,
            str(len(pair[0].jobs)),
            between(*(sum(job.seconds for job in graph.jobs.values()) for graph in pair)),
            *(between(*(graph.makespan(cores) for graph in pair)) for cores in CORES),
            between(*(max(job.remaining for job in graph.jobs.values()) for graph in pair)),
        ]
        for name, pair in graphs.items()
    ]
    return markdown(head, rows)


def fit_in_words(fit: dict | None) -> str:
    if fit is None:
        return ""
    return "-" if fit["seconds"] is None else f"{fit['seconds']:.2g}"


def fits(measured: dict) -> str:
    datasets = measured["datasets"]
    methods = list(dict.fromkeys(m for entry in datasets.values() for m in entry["fits"]))
    rows = []
    for name, entry in datasets.items():
        mark = "" if entry["origin"] == "the file" else "*"
        size = f"{entry['n_samples']} x {entry['n_features']}"
        cells = [fit_in_words(entry["fits"].get(method)) for method in methods]
        rows.append([name + mark, size, *cells])
    return markdown(["dataset", "size", *methods], rows)


PAGE = """\
# Scaling

How long the suite `paper` would take on 1 to 4096 cores. This is a calculation: nothing was run on
that many cores. Single fits and the start of jobs were timed (`python -m
benchmarks.speed.job_times`), every job of the plan got its time, and a scheduler was simulated
(`python -m benchmarks.speed.scaling_plan`, which writes this page).

{makespans}

{missing}Every job needs {job_start:.1f} s to start: {script:.1f} s for imports, and on a cluster
twice {workflow:.1f} s in which Snakemake reads the workflow. On one machine it is less. Waiting in
a queue is not in the table. The dry run of the whole suite takes {dry_run:.1f} processor seconds.

The numbers are upper bounds: every setting is assumed to cost as much as the default, every choice
to need an evaluation of its own, and a fit for one s to cost as much as the path over all of them.
Of the fits, {stopped} were stopped while measuring, so their true time is not known. The lower end
of a range assumes {least:g} s for them, after which they were stopped; the upper end assumes
{most:g} s, after which the suite stops a fit.

## What limits it

Jobs wait for each other. As configured, the longest chain is (at the lower end):
{configured_way}.

With one setting and one s per job:
{finest_way}.

More cores than jobs of one stage gain nothing. Then the longest job of each stage decides, and the
time to start the jobs of the chain. In the configuration,
`jobs: {{settings_per_job: 1, split_by: [s, repetition]}}` makes the smallest jobs possible. A
single fit always runs on one core, because results must not depend on the number of threads.

## Measured: processor seconds of one fit, all numbers of features

{fits}

\\* random clusters of the same size, because the file was not available; "-": stopped while
measuring.
"""


def way_in_words(graph: Graph) -> str:
    return " -> ".join(
        f"`{name}` ({in_words(graph.jobs[name].seconds)})" for name in graph.longest_way()
    )


def page(measured: dict, graphs: dict[str, tuple[Graph, Graph]]) -> str:
    start = measured["start"]
    found = [fit for entry in measured["datasets"].values() for fit in entry["fits"].values()]
    configured, *_, finest = [least for least, _ in graphs.values()]
    missing = configured.missing
    return PAGE.format(
        makespans=makespans(graphs),
        missing=f"Not measured, and not in the table: {', '.join(missing)}.\n\n" if missing else "",
        job_start=cluster_start(measured),
        script=start["script"],
        workflow=start["workflow"],
        dry_run=start["dry run of the suite"],
        stopped=f"{sum(fit['seconds'] is None for fit in found)} of {len(found)}",
        least=measured["limit"],
        most=configured.plan.config["limits"]["fit_seconds"],
        configured_way=way_in_words(configured),
        finest_way=way_in_words(finest),
        fits=fits(measured),
    )


def main() -> None:
    measured = json.loads(OUTPUT.read_text())
    graphs = {}
    for name, jobs in CUTS.items():
        plan = paper_plan(**jobs)
        bounds = (measured["limit"], plan.config["limits"]["fit_seconds"])
        graphs[name] = tuple(Graph(plan, measured, stopped) for stopped in bounds)
    Path(ROOT / "docs/results/scaling.md").write_text(page(measured, graphs), encoding="utf-8")


if __name__ == "__main__":
    main()
