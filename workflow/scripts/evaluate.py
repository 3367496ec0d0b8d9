"""Cluster and classify with the chosen settings; choose them first if no other job does."""

from blufs_bench.datasets.storage import read_card, read_dataset, read_graph
from blufs_bench.files.atomic import read_json, write_json
from blufs_bench.plan.memory_law import scores_chunks
from blufs_bench.plan.sizes import size_on_card
from blufs_bench.results.records import read_records
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.stages.choose import choose_or_explain, only_choice
from blufs_bench.stages.evaluate import Cells, evaluate
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.screen import screen

inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
dataset, screening = snakemake.wildcards.dataset, params.screening
with job(snakemake.log[0]):
    card, limits = read_card(inputs.card), Limits(**params.limits)
    # Data that are not available have no graph, whose reading would load SciPy.
    graph = read_graph(inputs.graph) if card["status"] == "ok" else None
    in_chunks = scores_chunks(size_on_card(card), limits.memory_mb)
    data = *read_dataset(inputs.data, in_chunks=in_chunks), graph
    n_clusters = card["n_clusters"]
    selections = read_records(inputs.selections)
    screened = []
    if screening:
        light = Protocol(seed=params.seed, **screening["protocol"])
        screened = screen(*data, n_clusters, selections, light, limits)
        sizes, budget = screening["s_values"], screening["budget"]
        given = dataset, screening["settings"], screened, sizes
        choices = choose_or_explain(*given, budget=budget, seed=params.seed)
    elif inputs.choices:
        choices = read_json(inputs.choices)
    else:
        choices = only_choice(dataset, params.default)
    protocol, part = Protocol(seed=params.seed, **params.protocol), Cells(**params.part)
    scores = evaluate(*data, n_clusters, selections, choices, protocol, part, limits)
    write_json(outputs.screened, screened)
    write_json(outputs.scores, scores)
