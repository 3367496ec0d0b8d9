"""Select features on random subsets of the samples."""

from blufs.datasets import read_card, read_dataset
from blufs.files.atomic import write_json
from blufs.workflow.run.isolation import Limits
from blufs.workflow.run.job import job
from blufs.workflow.run.seeding import derive_seed
from blufs.workflow.stages.unavailable import absent_resamples

params, dataset = snakemake.params, snakemake.wildcards.dataset
with job(snakemake.log[0]):
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        import blufs.workflow.run.without_pandas  # noqa: F401 (first)
        from blufs.workflow.stages.repeat import resample_fits

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
