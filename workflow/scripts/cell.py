"""Write one cell of the results by name."""

from blufs.files.atomic import read_json, write_json
from blufs.workflow.run.job import job
from blufs.workflow.stages.show_cell import cell

wildcards = snakemake.wildcards
with job(snakemake.log[0]):
    found = cell(read_json(snakemake.input[0]), int(wildcards.s), int(wildcards.seed))
    write_json(snakemake.output[0], {**dict(wildcards), "choices": found})
