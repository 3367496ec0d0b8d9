"""Score a chunk of selections by the light protocol."""

from blufs.datasets import read_dataset, read_graph
from blufs.files.atomic import read_json, write_json
from blufs.workflow.run.job import job
from blufs.workflow.stages.protocol import make_protocol
from blufs.workflow.stages.screen import screen

with job(snakemake.log[0]):
    X, y = read_dataset(snakemake.input.data)
    records = screen(
        X,
        y,
        read_graph(snakemake.input.graph),
        snakemake.wildcards.dataset,
        read_json(snakemake.input.selections),
        make_protocol(snakemake.params.seed, snakemake.params.protocol),
    )
    write_json(snakemake.output[0], records)
