"""Clean arrays, card and neighbour graph of a dataset; empty ones if it cannot be had."""

from blufs.datasets import prepare_or_unavailable, write_dataset
from blufs.files.atomic import read_json
from blufs.workflow.run.job import job

outputs = snakemake.output
with job(snakemake.log[0]) as logger:
    source = read_json(snakemake.input.source)
    prepared = prepare_or_unavailable(snakemake.params.definition, source)
    logger.info("%s", prepared.card)
    write_dataset(prepared, outputs.data, outputs.card, outputs.graph)
