# The whole benchmark: datasets -> selections -> evaluation -> statistics, tables, figures, report.
# Rules by stage in workflow/rules/, what they run in src/blufs/, what they run on in config.yaml.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


configfile: str(Path(workflow.current_basedir) / "config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/select.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


# Not worth a job of a cluster, whose nodes may have no network either.
localrules:
    all,
    download,
    choose,
    show_cell,
    provenance,
    check_complete,


rule all:
    default_target: True
    input:
        final_output(),


onstart:
    begin_run(workflow, Path.cwd())


onsuccess:
    print_summary()


onerror:
    print_summary()
