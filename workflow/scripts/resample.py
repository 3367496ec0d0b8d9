"""Select features on random subsets of the samples."""

from blufs.benchmark.absent import absent_resamples
from blufs.benchmark.isolation import Limits
from blufs.benchmark.job import job
from blufs.datasets import read_card, read_dataset
from blufs.files import write_json
from blufs.seeding import derive_seed

params, dataset = snakemake.params, snakemake.wildcards.dataset
with job(snakemake.log[0]):
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        import blufs.benchmark.quick_start  # noqa: F401 (first)
        from blufs.benchmark.repeat import resample_fits

        X, _ = read_dataset(snakemake.input.data)
        records = resample_fits(
            X,
            card["n_classes"],
            params.method,
            params.settings,
            [s for s in params.s_values if s <= X.shape[1]],
            derive_seed(params.seed, dataset, "fit", 0),
            resamples=[
                derive_seed(params.seed, dataset, "resample", r) for r in range(params.resamples)
            ],
            fraction=params.fraction,
            limits=Limits(params.limits["fit_seconds"], params.limits["memory_mb"]),
        )
    else:
        records = absent_resamples(params.s_values, card["reason"])
    write_json(snakemake.output[0], records)
