# Helpers of all rules: the checked configuration, what the jobs need of it, the final targets.
import os
import re
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

try:
    from blufs.benchmark.config import ConfigError
    from blufs.benchmark.digest import code_digest as code
    from blufs.benchmark.plan import Plan, expected_shape
    from blufs.datasets import (
        DatasetError,
        at_hand,
        dataset_definitions,
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
            ROOT / "data/registry.yaml", config.get("datasets") or {}
        )
        return Plan(config, schema, definitions)
    except (ConfigError, DatasetError) as error:
        raise WorkflowError(str(error))


PLAN = read_plan()
DATASETS = PLAN.all_datasets
MIRRORS = mirror_list(config["mirrors"])


wildcard_constraints:
    suite=PLAN.suite_name,
    dataset="|".join(map(re.escape, DATASETS)),
    method="|".join(map(re.escape, PLAN.all_methods)),
    part="[a-z0-9-]+",
    s=r"\d+",
    seed=r"\d+",


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


def evaluated_cell(wildcards):
    """Input function: the evaluation that holds one cell."""
    part = PLAN.evaluate_part_of_cell(
        wildcards.dataset, wildcards.method, int(wildcards.s), int(wildcards.seed)
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


def own_file(wildcards):
    """Input function: the user's file of a dataset, if it has one and it is there."""
    path = DATASETS[wildcards.dataset].get("path")
    return [path] if path and os.path.isfile(path) else []


def samples_times_features(dataset):
    """Size of a dataset as its definition gives it; a middling one where it does not."""
    definition = DATASETS[dataset]
    return (definition.get("n_samples") or 5000) * (
        definition.get("n_features") or 1000
    )


def fit_mem_mb(wildcards, attempt):
    """Memory of a fit: the data a few times over, n x n or d x d blocks; doubled at each retry."""
    return (
        int(1500 + samples_times_features(wildcards.dataset) * 8 * 12 / 2**20) * attempt
    )


def fit_runtime(wildcards, attempt):
    """Minutes that a job of fits or evaluations may take."""
    return int(60 + samples_times_features(wildcards.dataset) / 50_000) * attempt


def final_output():
    return result("verified.txt")


def print_summary():
    """Where the results are and how many cells ran, at the end of a run."""
    for path in map(Path, result("summary.txt")):
        if path.exists():
            print(
                f"\n{path.read_text().strip()}\nReport: {path.with_name('report.html')}"
            )
