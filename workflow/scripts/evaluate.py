"""Cluster and classify with the chosen settings."""

from blufs.datasets import read_dataset, read_graph
from blufs.files.atomic import read_json, write_json
from blufs.results.records import read_records
from blufs.workflow.run.job import job
from blufs.workflow.stages.choose import only_choice
from blufs.workflow.stages.evaluate import Cells, evaluate
from blufs.workflow.stages.protocol import make_protocol

wildcards, params = snakemake.wildcards, snakemake.params
with job(snakemake.log[0]):
    chosen = [read_json(path) for path in snakemake.input.choices]
    X, y = read_dataset(snakemake.input.data)
    evaluation = evaluate(
        X,
        y,
        read_graph(snakemake.input.graph),
        wildcards.dataset,
        read_records(snakemake.input.selections),
        chosen[0] if chosen else only_choice(wildcards.dataset, params.default),
        make_protocol(params.seed, params.protocol),
        Cells(**params.cells),
    )
    write_json(snakemake.output[0], evaluation)
