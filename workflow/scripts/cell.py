"""Write one cell of the results by name."""

from blufs.benchmark.cell import cell
from blufs.benchmark.job import job
from blufs.files import read_json, write_json

wildcards = snakemake.wildcards
with job(snakemake.log[0]):
    found = cell(read_json(snakemake.input[0]), int(wildcards.s), int(wildcards.seed))
    write_json(snakemake.output[0], {**dict(wildcards), "choices": found})
