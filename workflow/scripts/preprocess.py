"""Clean arrays, card and neighbour graph of a dataset; empty ones if it is not available."""

import sys

from blufs_bench.datasets.preparation import prepare_files
from blufs_bench.files.atomic import read_json
from blufs_bench.run.job import job

outputs = snakemake.output
with job(snakemake.log[0]) as logger:
    made_here = {"status": "ok", "file": None}
    source = read_json(snakemake.input.source) if snakemake.input.source else made_here
    card = prepare_files(
        snakemake.params.definition, source, outputs.data, outputs.card, outputs.graph
    )
    logger.info("%s", card)
    if card["status"] != "ok":
        print(card["reason"], file=sys.stderr)
