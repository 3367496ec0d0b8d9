"""Score a part of the selections by the light protocol."""

from blufs.datasets.storage import read_card, read_dataset, read_graph
from blufs.files.atomic import write_json
from blufs.results.records import read_records
from blufs.workflow.run.isolation import Limits
from blufs.workflow.run.job import job
from blufs.workflow.stages.protocol import Protocol
from blufs.workflow.stages.screen import screen

inputs, params = snakemake.input, snakemake.params
with job(snakemake.log[0]):
    X, y = read_dataset(inputs.data)
    card = read_card(inputs.card)
    # Data that are not available have no graph, whose reading would load SciPy.
    graph = read_graph(inputs.graph) if card["status"] == "ok" else None
    records = screen(
        X,
        y,
        graph,
        card["n_clusters"],
        read_records([inputs.selections]),
        Protocol(seed=params.seed, **params.protocol),
        Limits(**params.limits),
    )
    write_json(snakemake.output[0], records)
