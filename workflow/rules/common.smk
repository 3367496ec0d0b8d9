# Helpers of all rules: the checked configuration, what the jobs need of it, the final targets.
import os
import re
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

try:
    from blufs.workflow.plan.config import ConfigError
    from blufs.workflow.plan.digest import code_digest as code
    from blufs.workflow.plan.plan import Plan, expected_shape
    from blufs.workflow.run.recovery import begin_run, remove_stale_locks
    from blufs.datasets import (
        DatasetError,
        dataset_definitions,
        local_copies_digest,
        mirror_list,
    )
except ImportError as error:
    raise WorkflowError(
        f"{error}. The package `blufs` or one of its dependencies is not installed in this "
        "environment: run `make env` and activate .venv, or `pip install -e '.[workflow]'`."
    )

ROOT = Path(workflow.basedir)
RESULTS = "results/{suite}"


def read_plan():
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    try:
        definitions = dataset_definitions(
            ROOT / "data/datasets.yaml", config.get("datasets") or {}
        )
        return Plan(config, schema, definitions)
    except (ConfigError, DatasetError) as error:
        raise WorkflowError(str(error))


PLAN = read_plan()

# A job of a cluster reads this file too, on a machine that knows nothing of the run.
if workflow.is_main_process:
    remove_stale_locks(Path.cwd())

DATASETS = PLAN.all_datasets
MIRRORS = mirror_list(config["mirrors"])


wildcard_constraints:
    suite=PLAN.suite_name,
    dataset="|".join(map(re.escape, DATASETS)),
    method="|".join(map(re.escape, PLAN.all_methods)),
    part="[a-z0-9-]+",
    s=r"\d+",
    repetition=r"\d+",


def suite_info():
    return PLAN.info()


def result(pattern, **wildcards):
    """Paths under the results of this suite."""
    return expand(f"results/{PLAN.suite_name}/{pattern}", **wildcards)


def parts_of_all_pairs(stage, parts):
    """Files of a stage for all datasets and methods, one per part."""
    return [
        path
        for dataset, method in PLAN.pairs()
        for path in result(
            f"{stage}/{dataset}/{method}/{{part}}.json", part=parts(dataset, method)
        )
    ]


def selections_of(wildcards):
    """Input function: all selections of one method on one dataset."""
    return result(
        f"selections/{wildcards.dataset}/{wildcards.method}/{{part}}.json",
        part=PLAN.select_parts(wildcards.dataset, wildcards.method),
    )


def screens_of(wildcards):
    """Input function: the screened grid of one method on one dataset; none for a single setting."""
    return result(
        f"screens/{wildcards.dataset}/{wildcards.method}/{{part}}.json",
        part=PLAN.screen_parts(wildcards.dataset, wildcards.method),
    )


def choices_of(wildcards):
    """Input function: the chosen settings; none for a single setting."""
    tuned = PLAN.is_tuned(wildcards.method)
    return (
        result(f"choices/{wildcards.dataset}/{wildcards.method}.json") if tuned else []
    )


def evaluated_cell(wildcards):
    """Input function: the evaluation that holds one cell."""
    part = PLAN.evaluate_part_of_cell(
        wildcards.dataset, wildcards.method, int(wildcards.s), int(wildcards.repetition)
    )
    return result(f"evaluations/{wildcards.dataset}/{wildcards.method}/{part}.json")


def repeated_pairs(section, stage):
    """Files of the timing or stability runs."""
    chosen = PLAN.suite[section]
    return result(
        f"{stage}/{{dataset}}/{{method}}.json",
        dataset=chosen["datasets"],
        method=chosen["methods"],
    )


def arrays_of(data):
    """Arrays of a dataset, of "all", or of none."""
    datasets = PLAN.datasets if data == "all" else [data] if data else []
    return result("data/{dataset}/dataset.npz", dataset=datasets)


def own_file(wildcards):
    """Input function: the user's file of a dataset, if it has one and it is there."""
    path = DATASETS[wildcards.dataset].get("path")
    return [path] if path and os.path.isfile(path) else []


# What a job asks of a cluster. The first attempts ask for what such a job should need; the last one
# for all that the limits of a fit allow, so that these, not the cluster, end a fit that goes wrong.
LAST_ATTEMPT = 3


def fit_mem_mb(wildcards, attempt):
    """Memory: copies of the data and a few n x n and d x d blocks."""
    n, d = expected_shape(DATASETS[wildcards.dataset])
    n, d = n or 5000, d or 1000
    likely = 1000 + 8 * (6 * n * d + 8 * (n**2 + d**2)) / 2**20
    most = max(likely, 1000 + PLAN.config["limits"]["memory_mb"])
    return int(most if attempt >= LAST_ATTEMPT else min(likely * attempt, most))


def minutes(fits, wildcards, attempt):
    """Minutes of a job with so many fits (0: none that a limit would end)."""
    n, d = expected_shape(DATASETS[wildcards.dataset])
    likely = (60 + (n or 5000) * (d or 1000) / 50_000) * attempt
    most = 60 + fits * PLAN.config["limits"]["fit_seconds"] / 60
    return int(most if fits and attempt >= LAST_ATTEMPT else likely)


def select_minutes(wildcards, attempt):
    part = PLAN.select_part(wildcards.method, wildcards.part)
    return minutes(len(part["settings"]) * len(part["fit_seeds"]), wildcards, attempt)


def evaluate_minutes(wildcards, attempt):
    return minutes(0, wildcards, attempt)


def time_fit_minutes(wildcards, attempt):
    return minutes(PLAN.suite["timing"]["repeats"], wildcards, attempt)


def resample_minutes(wildcards, attempt):
    return minutes(PLAN.suite["stability"]["resamples"], wildcards, attempt)


def all_cores():
    """The cores of this machine's run; on a cluster, where none are counted, one."""
    return workflow.global_resources["_cores"].value or 1


def spare_scheduling():
    """Let Snakemake look for jobs to start only when one has ended.

    On behalf of its limit of starts per second it looks again a second after every look, and every
    job that ends begins another such series: after some hundred jobs they take a good part of a
    core. The limit that it sets by itself is of no use here; one that a user has set stays.
    """
    limiter = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limiter and (limiter.max_jobs, limiter.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def final_output():
    return result("complete.txt")


def print_summary():
    """How many cells ran and where the report is, at the end of a run."""
    for path in map(Path, result("summary.txt")):
        page = path.with_name("report.html")
        if path.exists():
            print(f"\n{path.read_text().strip()}")
        if page.exists():
            print(f"Report: {page}")
