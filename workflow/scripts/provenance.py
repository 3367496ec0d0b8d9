"""Record version, commit, packages, configuration and date."""

from blufs.analysis.report.provenance import provenance
from blufs.files.atomic import write_json
from blufs.workflow.run.job import job

with job(snakemake.log[0]):
    write_json(snakemake.output[0], provenance(snakemake.params.config, snakemake.scriptdir))
