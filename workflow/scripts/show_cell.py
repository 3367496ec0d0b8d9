"""Write one cell of the results by name."""

from blufs_bench.files.atomic import write_json
from blufs_bench.results.records import read_records
from blufs_bench.run.job import job
from blufs_bench.stages.show_cell import show_cell

inputs, wildcards = snakemake.input, snakemake.wildcards
with job(snakemake.log[0]):
    selections = read_records(inputs.selections)
    found = show_cell(
        read_records([inputs.scores]), selections, int(wildcards.s), int(wildcards.repetition)
    )
    write_json(snakemake.output[0], {**dict(wildcards), "choices": found})
