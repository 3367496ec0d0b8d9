"""Write one cell of the results by name."""

from blufs.files.atomic import write_json
from blufs.results.records import read_records
from blufs.workflow.run.job import job
from blufs.workflow.stages.show_cell import show_cell

inputs, wildcards = snakemake.input, snakemake.wildcards
with job(snakemake.log[0]):
    selections = read_records(inputs.selections)
    found = show_cell(
        read_records([inputs.scores]), selections, int(wildcards.s), int(wildcards.repetition)
    )
    write_json(snakemake.output[0], {**dict(wildcards), "choices": found})
