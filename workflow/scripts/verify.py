"""Fail, after everything is made, if cells of the suite have failed."""

import pandas as pd

from blufs.files.atomic import atomic_path
from blufs.workflow.run.job import job
from blufs.workflow.stages.collect import failed_cells, summary

with job(snakemake.log[0]):
    results = pd.read_parquet(snakemake.input.results)
    if failed := failed_cells(results):
        raise RuntimeError(
            f"{failed} cells failed; all others are in {snakemake.input.report}\n"
            + summary(results)
        )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(summary(results) + "\n", encoding="utf-8")
