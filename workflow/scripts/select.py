"""Fit a chunk of settings of one method on one dataset."""

from blufs.benchmark.absent import absent_selections
from blufs.benchmark.isolation import Limits
from blufs.benchmark.job import job
from blufs.datasets import read_card, read_dataset
from blufs.files import write_json
from blufs.seeding import derive_seed

wildcards, params = snakemake.wildcards, snakemake.params
with job(snakemake.log[0]):
    part = params.part
    card = read_card(snakemake.input.card)
    if card["status"] == "ok":
        import blufs.benchmark.quick_start  # noqa: F401 (first)
        from blufs.benchmark.select import select

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
