"""Measure the running time of a method's fit."""

from blufs.datasets import read_card, read_dataset
from blufs.files.atomic import write_json
from blufs.workflow.run.isolation import Limits
from blufs.workflow.run.job import job
from blufs.workflow.run.seeding import derive_seed
from blufs.workflow.stages.unavailable import absent_times

params = snakemake.params
with job(snakemake.log[0]):
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        import blufs.workflow.run.without_pandas  # noqa: F401 (first)
        from blufs.workflow.stages.repeat import time_fits

        X, _ = read_dataset(snakemake.input.data)
        records = time_fits(
            X,
            card["n_classes"],
            params.method,
            params.settings,
            min(params.s, X.shape[1]),
            derive_seed(params.seed, snakemake.wildcards.dataset, "fit", 0),
            repeats=params.repeats,
            limits=Limits(params.limits["fit_seconds"], params.limits["memory_mb"]),
        )
    else:
        records = absent_times(params.s, card["reason"])
    write_json(snakemake.output[0], records)
