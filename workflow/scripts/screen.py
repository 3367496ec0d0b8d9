"""Score a part of the selections by the light protocol."""

from blufs_bench.datasets.storage import read_card, read_dataset, read_graph
from blufs_bench.files.atomic import write_json
from blufs_bench.plan.memory_law import scores_chunks
from blufs_bench.plan.sizes import size_on_card
from blufs_bench.results.records import read_records
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.screen import screen

inputs, params = snakemake.input, snakemake.params
with job(snakemake.log[0]):
    card, limits = read_card(inputs.card), Limits(**params.limits)
    in_chunks = scores_chunks(size_on_card(card), limits.memory_mb)
    X, y = read_dataset(inputs.data, in_chunks=in_chunks)
    # Data that are not available have no graph, whose reading would load SciPy.
    graph = read_graph(inputs.graph) if card["status"] == "ok" else None
    records = screen(
        X,
        y,
        graph,
        card["n_clusters"],
        read_records([inputs.selections]),
        Protocol(seed=params.seed, **params.protocol),
        limits,
    )
    write_json(snakemake.output[0], records)
