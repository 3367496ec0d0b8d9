"""Fail, after everything is made, if cells of the suite have failed."""

from blufs.files.atomic import atomic_path
from blufs.results import schemas
from blufs.results.outcomes import failed_cells, summary
from blufs.results.tables import read_table
from blufs.workflow.run.job import job

inputs = snakemake.input
with job(snakemake.log[0]):
    scores = read_table(inputs.results, schemas.SCORES)
    if failed := failed_cells(scores):
        raise RuntimeError(
            f"{failed} cells failed; all others are in {inputs.report}\n" + summary(scores)
        )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(summary(scores) + "\n", encoding="utf-8")
