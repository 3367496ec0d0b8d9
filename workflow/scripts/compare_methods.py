"""Test the differences between the methods and write the verdict."""

from blufs_bench.compare.summary import summarise_or_explain
from blufs_bench.files.atomic import write_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.run.job import job

inputs = snakemake.input
with job(snakemake.log[0]) as logger:
    results = SuiteResults({"scores": inputs.scores}, inputs.cards)
    summary = summarise_or_explain(results, Suite(**snakemake.params.suite))
    write_json(snakemake.output[0], summary, indent=None)  # of many datasets it is long
    logger.info("%s", summary["verdict"])
