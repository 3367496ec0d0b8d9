"""Compare the methods: means, tests, pairs, and what they say in words."""

from functools import partial

from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.comparison import compare_methods, no_comparison
from blufs_bench.files.atomic import write_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.run.job import job

inputs = snakemake.input
with job(snakemake.log[0]) as logger:
    tables = {"scores": inputs.scores, "selections": inputs.selections}
    results, suite = SuiteResults(tables, inputs.cards), Suite(**snakemake.params.suite)
    made, _ = attempt("statistics", partial(compare_methods, results, suite), no_comparison)
    write_json(snakemake.output[0], made.content, indent=None)  # of many datasets it is long
    logger.info("%s", made.verdict)
