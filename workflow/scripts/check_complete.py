"""Fail, after everything is made, if cells, statistics, tables or figures have failed."""

from blufs_bench.files.atomic import atomic_path, read_json
from blufs_bench.results import schemas
from blufs_bench.results.outcomes import failed_cells, summary
from blufs_bench.results.tables import read_table
from blufs_bench.run.job import job

inputs = snakemake.input
with job(snakemake.log[0]):
    scores = read_table(inputs.scores, schemas.SCORES)
    problems = read_json(inputs.statistics)["problems"]
    problems += read_json(inputs.tables) + read_json(inputs.figures)
    if failed := failed_cells(scores):
        problems.append(f"{failed} cells failed")
    if problems:
        text = "\n".join([*problems, summary(scores)])
        raise RuntimeError(f"all but the following is in {inputs.report}:\n{text}")
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(summary(scores) + "\n", encoding="utf-8")
