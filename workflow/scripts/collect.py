"""Collect the records of all jobs into tidy tables."""

import sys

from blufs_bench.files.atomic import atomic_path
from blufs_bench.results import schemas
from blufs_bench.results.outcomes import summary
from blufs_bench.results.records import read_records
from blufs_bench.results.tables import read_table, write_table
from blufs_bench.run.job import job
from blufs_bench.stages.collect import score_rows, scored_selections

inputs, outputs = snakemake.input, snakemake.output
with job(snakemake.log[0]) as logger:
    scores = read_records(inputs.scores)
    if scores and all(score["status"] != "ok" for score in scores):
        # Better no tables and no report than empty ones in the place of earlier ones.
        reasons = sorted({score["reason"] for score in scores})
        print("nothing has a score:", *reasons, sep="\n  ", file=sys.stderr)
        sys.exit(1)
    selections = scored_selections(scores, read_records(inputs.selections))
    write_table(outputs.scores, schemas.SCORES, score_rows(scores))
    write_table(outputs.selections, schemas.SELECTIONS, selections)
    write_table(outputs.screened, schemas.SCREENED, read_records(inputs.screened))
    write_table(outputs.timing, schemas.TIMING, read_records(inputs.timing))
    write_table(outputs.stability, schemas.STABILITY, read_records(inputs.resamples))
    text = summary(read_table(outputs.scores, schemas.SCORES))
    logger.info("%s", text)
    with atomic_path(outputs.summary) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
