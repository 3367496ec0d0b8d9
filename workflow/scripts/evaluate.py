"""Cluster and classify with the chosen settings."""

from blufs.datasets.storage import read_card, read_dataset, read_graph
from blufs.files.atomic import read_json, write_json
from blufs.results.records import read_records
from blufs.workflow.run.isolation import Limits
from blufs.workflow.run.job import job
from blufs.workflow.stages.choose import only_choice
from blufs.workflow.stages.evaluate import Part, evaluate
from blufs.workflow.stages.protocol import Protocol

inputs, params = snakemake.input, snakemake.params
with job(snakemake.log[0]):
    chosen = [read_json(path) for path in inputs.choices]
    X, y = read_dataset(inputs.data)
    scores = evaluate(
        X,
        y,
        read_graph(inputs.graph),
        read_card(inputs.card)["n_clusters"],
        read_records(inputs.selections),
        chosen[0] if chosen else only_choice(snakemake.wildcards.dataset, params.default),
        Protocol(seed=params.seed, **params.protocol),
        Part(**params.part),
        Limits(**params.limits),
    )
    write_json(snakemake.output[0], scores)
