"""Get the verified file of a dataset, or say why it cannot be had."""

import sys
from pathlib import Path

from blufs.datasets import mirror_list, source_record
from blufs.files.atomic import write_json
from blufs.workflow.run.job import job

with job(snakemake.log[0]) as logger:
    record = source_record(
        snakemake.params.definition,
        # Not a parameter: another mirror gives the same file, nothing is to be done again for it.
        mirrors=mirror_list(snakemake.config["mirrors"]),
        cache_dir=Path("data/raw"),
        files_at_hand=snakemake.params.at_hand,
    )
    logger.info("%s", record)
    if record["status"] != "ok":
        print(record["reason"], file=sys.stderr)
    write_json(snakemake.output[0], record)
