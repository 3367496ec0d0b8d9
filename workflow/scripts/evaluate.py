"""Cluster and classify with the chosen settings."""

from blufs.benchmark.evaluate import Cells, evaluate
from blufs.benchmark.job import job
from blufs.benchmark.protocol import make_protocol
from blufs.benchmark.records import read_records
from blufs.datasets import read_dataset, read_graph
from blufs.files import read_json, write_json

with job(snakemake.log[0]):
    X, y = read_dataset(snakemake.input.data)
    evaluation = evaluate(
        X,
        y,
        read_graph(snakemake.input.graph),
        snakemake.wildcards.dataset,
        read_records(snakemake.input.selections),
        read_json(snakemake.input.choices),
        make_protocol(snakemake.params.seed, snakemake.params.protocol),
        Cells(**snakemake.params.cells),
    )
    write_json(snakemake.output[0], evaluation)
