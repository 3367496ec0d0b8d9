"""Get the verified file of a dataset, or say why it is not available."""

import sys
from pathlib import Path

from blufs_bench.datasets.download import fetch_or_explain, mirror_list
from blufs_bench.files.atomic import write_json
from blufs_bench.run.job import job

with job(snakemake.log[0]) as logger:
    record = fetch_or_explain(
        snakemake.params.definition,
        # Not a parameter: another mirror gives the same file, nothing is to be done again for it.
        mirrors=mirror_list(snakemake.config.get("mirrors", [])),
        cache_dir=Path("data/raw"),
        local_copies=snakemake.params.local_copies,
    )
    logger.info("%s", record)
    if record["status"] != "ok":
        print(record["reason"], file=sys.stderr)
    write_json(snakemake.output[0], record)
