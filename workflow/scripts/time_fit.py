"""Measure the running time of a method's fit."""

from blufs_bench.datasets.storage import read_card, read_dataset
from blufs_bench.files.atomic import write_json
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.run.seeding import derive_seed
from blufs_bench.stages.unavailable import unavailable_times

params, dataset, method = snakemake.params, snakemake.wildcards.dataset, snakemake.wildcards.method
with job(snakemake.log[0]):
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        from blufs_bench.stages.select import Target
        from blufs_bench.stages.time_fit import time_fits

        target = Target.on(card, method, params.method)
        limits = Limits(**params.limits)
        in_chunks = target.reads_chunks(card, params.held, limits)
        X, _ = read_dataset(snakemake.input.data, in_chunks=in_chunks)
        records = time_fits(
            X,
            target,
            params.setting,
            min(params.s, X.shape[1]),
            derive_seed(params.seed, dataset, "fit", 0),
            n_repeats=params.n_repeats,
            limits=limits,
        )
    else:
        records = unavailable_times(dataset, method, params.s, card["reason"])
    write_json(snakemake.output[0], records)
