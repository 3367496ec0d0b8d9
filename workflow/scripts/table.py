"""Build one table and write it as CSV, Markdown and LaTeX."""

from pathlib import Path

from blufs.analysis.paper import load_paper
from blufs.analysis.results import Suite, load_results
from blufs.analysis.tables import build_table, write_table
from blufs.benchmark.job import job

outputs = snakemake.output
with job(snakemake.log[0]) as logger:
    table = build_table(
        snakemake.wildcards.table,
        load_results(Path(outputs.csv).parents[1]),
        Suite(**snakemake.params.suite),
        load_paper(snakemake.input.paper),
    )
    write_table(table, csv=outputs.csv, md=outputs.md, tex=outputs.tex)
    logger.info("%s: %d rows", table.caption, len(table.tidy))
