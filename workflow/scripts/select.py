"""Fit a chunk of settings of one method on one dataset."""

from blufs.datasets import read_card, read_dataset
from blufs.files.atomic import write_json
from blufs.workflow.run.isolation import Limits
from blufs.workflow.run.job import job
from blufs.workflow.run.seeding import derive_seed
from blufs.workflow.stages.unavailable import absent_selections

wildcards, params = snakemake.wildcards, snakemake.params
with job(snakemake.log[0]):
    part = params.part
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        import blufs.workflow.run.without_pandas  # noqa: F401 (first)
        from blufs.workflow.stages.select import select

        X, _ = read_dataset(snakemake.input.data)
        records = select(
            X,
            card["n_classes"],
            params.method,
            part["settings"],
            part["s_values"],
            {
                seed: derive_seed(params.seed, wildcards.dataset, "fit", seed)
                for seed in part["fit_seeds"]
            },
            Limits(params.limits["fit_seconds"], params.limits["memory_mb"]),
        )
    else:
        records = absent_selections(part["settings"], part["s_values"], card["reason"])
    write_json(snakemake.output[0], records)
