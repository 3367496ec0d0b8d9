"""Fit a part of the settings of one method on one dataset."""

from blufs_bench.datasets.storage import read_card, read_dataset
from blufs_bench.files.atomic import write_json
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.run.seeding import derive_seed
from blufs_bench.stages.unavailable import unavailable_selections

params, dataset, method = snakemake.params, snakemake.wildcards.dataset, snakemake.wildcards.method
with job(snakemake.log[0]):
    part = params.part
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        from blufs_bench.stages.select import Target, select

        target = Target.on(card, method, params.method)
        limits = Limits(**params.limits)
        in_chunks = target.reads_chunks(card, params.held, limits)
        X, y = read_dataset(snakemake.input.data, in_chunks=in_chunks, cores=snakemake.threads)
        records = select(
            X,
            target,
            part["settings"],
            part["s_values"],
            {seed: derive_seed(params.seed, dataset, "fit", seed) for seed in part["fit_seeds"]},
            limits,
            default=params.default,
            y=y,
        )
    else:
        records = unavailable_selections(
            dataset, method, part["settings"], part["s_values"], card["reason"]
        )
    write_json(snakemake.output[0], records)
