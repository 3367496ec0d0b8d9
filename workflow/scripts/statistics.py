"""Test the differences between the methods and write the verdict."""

from pathlib import Path

from blufs.analysis.results import Suite, load_results
from blufs.analysis.summary import summarise
from blufs.files.atomic import write_json
from blufs.workflow.run.job import job

with job(snakemake.log[0]) as logger:
    folder = Path(snakemake.output[0]).parent
    summary = summarise(load_results(folder), Suite(**snakemake.params.suite))
    write_json(snakemake.output[0], summary)
    logger.info("%s", summary["verdict"])
