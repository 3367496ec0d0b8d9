"""Choose the settings that represent a method on a dataset."""

from blufs_bench.files.atomic import write_json
from blufs_bench.results.records import read_records
from blufs_bench.run.job import job
from blufs_bench.stages.choose import choose_or_explain

params = snakemake.params
with job(snakemake.log[0]):
    choices = choose_or_explain(
        snakemake.wildcards.dataset,
        params.settings,
        read_records(snakemake.input),
        params.s_values,
        budget=params.budget,
        seed=params.seed,
    )
    write_json(snakemake.output[0], choices)
