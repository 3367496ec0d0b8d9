"""Choose the settings that represent a method on a dataset."""

from blufs.benchmark.choose import choose
from blufs.benchmark.job import job
from blufs.benchmark.records import read_records
from blufs.files import write_json

with job(snakemake.log[0]):
    choices = choose(
        snakemake.wildcards.dataset,
        snakemake.params.settings,
        read_records(snakemake.input),
        snakemake.params.s_values,
        budget=snakemake.params.budget,
        seed=snakemake.params.seed,
    )
    write_json(snakemake.output[0], choices)
