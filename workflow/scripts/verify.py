"""Fail, after everything is made, if cells of the suite have failed."""

import pandas as pd

from blufs.benchmark.collect import failed_cells, summary
from blufs.benchmark.job import job
from blufs.files import atomic_path

with job(snakemake.log[0]):
    results = pd.read_parquet(snakemake.input.results)
    if failed := failed_cells(results):
        raise RuntimeError(
            f"{failed} cells failed; all others are in {snakemake.input.report}\n"
            + summary(results)
        )
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(summary(results) + "\n", encoding="utf-8")
