"""Select features on random subsets of the samples."""

from blufs_bench.datasets.storage import read_card, read_dataset
from blufs_bench.files.atomic import write_json
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.run.seeding import derive_seed
from blufs_bench.stages.unavailable import unavailable_resamples

params, dataset, method = snakemake.params, snakemake.wildcards.dataset, snakemake.wildcards.method
with job(snakemake.log[0]):
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        from blufs_bench.stages.resample import resample_fits
        from blufs_bench.stages.select import Target

        target = Target.on(card, method, params.method)
        limits = Limits(**params.limits)
        in_chunks = target.reads_chunks(card, params.held, limits)
        X, _ = read_dataset(snakemake.input.data, in_chunks=in_chunks, cores=snakemake.threads)
        numbers = range(params.n_resamples)
        records = resample_fits(
            X,
            target,
            params.setting,
            [s for s in params.s_values if s <= X.shape[1]],
            derive_seed(params.seed, dataset, "fit", 0),
            seeds=[derive_seed(params.seed, dataset, "resample", number) for number in numbers],
            fraction=params.fraction,
            limits=limits,
        )
    else:
        records = unavailable_resamples(dataset, method, params.s_values, card["reason"])
    write_json(snakemake.output[0], records)
