# The checked plan, and the functions that tell a rule its inputs, parameters and resources.
import os
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError

try:
    from blufs_bench.datasets.download import local_copies_digest, mirror_list
    from blufs_bench.plan.config import ConfigError
    from blufs_bench.plan.digest import code_digest
    from blufs_bench.plan.memory_law import PREPARING, needed_mb
    from blufs_bench.plan.parts import Part
    from blufs_bench.plan.read import name_source, project_folder, read_plan
    from blufs_bench.plan.resources import memory_mb, minutes
    from blufs_bench.run.process_control import (
        FolderInUseError,
        hold_folder,
        lift_default_rate_limit,
        purpose_of,
        release_folder,
    )
except ImportError as error:
    raise WorkflowError(
        f"{error}. The package `blufs` or one of its dependencies is not installed in this "
        "environment: run `make env` and activate .venv, or `pip install -e '.[workflow]'`."
    )

# By this file, not by the Snakefile: another workflow may use this one as a `module:`.
ROOT = project_folder(workflow.current_basedir.get_path_or_uri(secret_free=True))
name_source(ROOT)
try:
    hold_folder(workflow, Path.cwd())
    PLAN = read_plan(config, ROOT, purpose_of(workflow), files=workflow.configfiles)
except (ConfigError, FolderInUseError) as error:
    raise WorkflowError(str(error))
DATASETS = PLAN.all_datasets
MIRRORS = mirror_list(PLAN.config["mirrors"])


wildcard_constraints:
    suite=re.escape(PLAN.suite_name),
    dataset="|".join(map(re.escape, DATASETS)),
    method="|".join(map(re.escape, PLAN.all_methods)),
    part="[a-z0-9-]+",
    chunk=r"\d+",
    s_values=r"all|\d+(-\d+)*",
    fit_seed=r"all|\d+",
    s=r"\d+",
    repetition=r"\d+",


def code_of_script(name, *modules):
    """Digest of all code that a script runs; modules that it finds by name are named here."""
    return code_digest(ROOT / f"workflow/scripts/{name}.py", *modules)


def code_of_fit(script):
    """Parameter function: the same with the method that the job fits."""
    return lambda wildcards: code_of_script(
        script, PLAN.method_module(wildcards.method)
    )


def result(pattern, **wildcards):
    """Paths under the results of this suite."""
    return expand(f"results/{PLAN.suite_name}/{pattern}", **wildcards)


def cards(wildcards):
    """Input function: the cards of all datasets of the suite."""
    return result("data/{dataset}/card.json", dataset=PLAN.datasets)


def arrays(wildcards):
    """Input function: the arrays of all datasets of the suite."""
    return result("data/{dataset}/dataset.npz", dataset=PLAN.datasets)


def part_files(pattern, pairs, parts):
    """Files of a stage for datasets and methods, one per part."""
    return [
        path
        for dataset, method in pairs
        for path in result(
            pattern, dataset=dataset, method=method, part=parts(dataset, method)
        )
    ]


def selections_of_suite(wildcards):
    """Input function: the selections of the suite."""
    pattern = "selections/{dataset}/{method}/{part}.json"
    return part_files(pattern, PLAN.pairs(), PLAN.select_parts)


def screens_of_suite(wildcards):
    """Input function: the screened settings of the suite, by jobs of their own or by evaluate."""
    apart, inside = (
        "screens/{dataset}/{method}/{part}.json",
        "evaluations/{dataset}/{method}/{part}.screened.json",
    )
    return part_files(apart, PLAN.pairs(), PLAN.screen_parts) + part_files(
        inside, PLAN.pairs(), PLAN.evaluate_parts
    )


def evaluations_of_suite(wildcards):
    """Input function: the evaluations of the suite."""
    pattern = "evaluations/{dataset}/{method}/{part}.json"
    return part_files(pattern, PLAN.pairs(), PLAN.evaluate_parts)


def selections_of(wildcards):
    """Input function: all selections of one method on one dataset."""
    pair = (wildcards.dataset, wildcards.method)
    pattern = "selections/{dataset}/{method}/{part}.json"
    return part_files(pattern, [pair], PLAN.select_parts)


def screens_of(wildcards):
    """Input function: the screened settings of one method on one dataset; none for a single one."""
    pair = (wildcards.dataset, wildcards.method)
    pattern = "screens/{dataset}/{method}/{part}.json"
    return part_files(pattern, [pair], PLAN.screen_parts)


def choices_of(wildcards):
    """Input function: the chosen settings, where choosing is a job of its own."""
    apart = PLAN.screens_apart(wildcards.method)
    return "results/{suite}/choices/{dataset}/{method}.json" if apart else []


def evaluation_of_cell(wildcards):
    """Input function: the evaluation that holds one cell."""
    part = PLAN.evaluate_part_of_cell(
        wildcards.dataset,
        wildcards.method,
        int(wildcards.s),
        int(wildcards.repetition),
    )
    return f"results/{{suite}}/evaluations/{{dataset}}/{{method}}/{part}.json"


def repeated_fits(section, pattern):
    """Files of the timing or stability runs."""
    return [
        path
        for dataset, method in PLAN.repeated_pairs(section)
        for path in result(pattern, dataset=dataset, method=method)
    ]


def source_of(wildcards):
    """Input function: where the data came from; nothing for data that are made here."""
    made_here = {"builtin", "generate"} & set(DATASETS[wildcards.dataset])
    return [] if made_here else "results/{suite}/data/{dataset}/source.json"


def own_file(wildcards):
    """Input function: the user's file of a dataset, if it has one and it is there."""
    path = DATASETS[wildcards.dataset].get("path")
    return [path] if path and os.path.isfile(path) else []


def fit_cores(wildcards):
    return PLAN.fit_cores(wildcards.dataset, wildcards.method)


def fit_mem_mb(wildcards, attempt):
    likely = PLAN.fit_mb(wildcards.dataset, wildcards.method, fit_cores(wildcards))
    return memory_mb(likely, attempt, limit_mb=PLAN.limits["memory_mb"])


def preprocess_mem_mb(wildcards, attempt):
    likely = needed_mb(PLAN.data_size(wildcards.dataset), PREPARING)
    return memory_mb(likely, attempt, limit_mb=PLAN.limits["memory_mb"])


def scoring_mem_mb(wildcards, attempt):
    likely = PLAN.scoring_mb(wildcards.dataset)
    return memory_mb(likely, attempt, limit_mb=PLAN.limits["memory_mb"])


def job_minutes(wildcards, attempt, fits=0):
    size, limits = PLAN.data_size(wildcards.dataset), PLAN.limits
    return minutes(size, attempt, fits=fits, fit_seconds=limits["fit_seconds"])


def select_minutes(wildcards, attempt):
    part = PLAN.select_part(wildcards.method, Part.of(wildcards))
    fits = len(part["settings"]) * len(part["fit_seeds"])
    return job_minutes(wildcards, attempt, fits)


def scoring_minutes(wildcards, attempt):
    dataset, method = wildcards.dataset, wildcards.method
    n_fits = len(PLAN.settings(method)) * len(PLAN.fit_seeds(method)) + 1
    n_sizes = max(1, len(PLAN.sizes_for(dataset, method)))
    return job_minutes(wildcards, attempt, n_fits * n_sizes)


def time_fit_minutes(wildcards, attempt):
    return job_minutes(wildcards, attempt, PLAN.suite["timing"]["n_repeats"])


def resample_minutes(wildcards, attempt):
    return job_minutes(wildcards, attempt, PLAN.suite["stability"]["n_resamples"])


def all_cores():
    """The cores of this machine's run; on a cluster, where none are counted, one."""
    try:
        return workflow.cores
    except WorkflowError:
        return 1
