"""Record version, commit, packages, configuration and date."""

from blufs_bench.files.atomic import write_json
from blufs_bench.run.job import job
from blufs_bench.show.page.provenance import provenance

with job(snakemake.log[0]):
    write_json(snakemake.output[0], provenance(snakemake.params.config, snakemake.scriptdir))
