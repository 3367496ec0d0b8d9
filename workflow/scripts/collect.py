"""Collect the records of all jobs into tidy tables."""

import pandas as pd

from blufs.files.atomic import atomic_path
from blufs.workflow.run.job import job
from blufs.workflow.stages import collect

inputs, outputs = snakemake.input, snakemake.output
with job(snakemake.log[0]) as logger:
    results, selections = collect.evaluated(inputs.evaluations)
    collect.write_table(outputs.results, results, collect.RESULTS)
    collect.write_table(outputs.selections, selections, collect.SELECTIONS)
    grid = collect.keyed_records(inputs.screens)
    collect.write_table(outputs.grid, grid, collect.grid_schema(grid))
    collect.write_table(outputs.timing, collect.keyed_records(inputs.timing), collect.TIMING)
    collect.write_table(
        outputs.stability, collect.keyed_records(inputs.resamples), collect.STABILITY
    )
    summary = collect.summary(pd.read_parquet(outputs.results))
    logger.info("%s", summary)
    with atomic_path(outputs.summary) as temporary:
        temporary.write_text(summary + "\n", encoding="utf-8")
