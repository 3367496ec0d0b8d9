"""Record version, commit, packages, configuration and date."""

from blufs.analysis.report.provenance import provenance
from blufs.benchmark.job import job
from blufs.files import write_json

with job(snakemake.log[0]):
    write_json(snakemake.output[0], provenance(snakemake.params.config, snakemake.scriptdir))
