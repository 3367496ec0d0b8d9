# All rules, in the order of the stages. Both Snakefiles include this file: the one at the top, and
# workflow/Snakefile, where the workflow catalogue and snakedeploy look.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


# The defaults. Where this is a `module:` from another machine, they come with the package.
if hasattr(workflow.current_basedir, "__fspath__"):

    configfile: str(Path(workflow.current_basedir).parents[1] / "config.yaml")


if config.get("container"):

    container: config["container"]


include: "common.smk"
include: "data.smk"
include: "select.smk"
include: "evaluate.smk"
include: "analyse.smk"
include: "figures.smk"
include: "report.smk"


onstart:
    lift_default_rate_limit(workflow)


onsuccess:
    release_folder(Path.cwd())


onerror:
    release_folder(Path.cwd())
