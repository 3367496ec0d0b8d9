"""Build all tables and write them as CSV, Markdown and LaTeX."""

from pathlib import Path

from blufs.analysis.paper import load_paper
from blufs.analysis.results import Suite, load_results
from blufs.analysis.tables import build_table, write_table
from blufs.workflow.run.job import job

outputs = snakemake.output
with job(snakemake.log[0]) as logger:
    results = load_results(Path(outputs.csv[0]).parents[1])
    suite = Suite(**snakemake.params.suite)
    paper = load_paper(snakemake.input.paper)
    for csv, md, tex in zip(outputs.csv, outputs.md, outputs.tex, strict=True):
        table = build_table(Path(csv).stem, results, suite, paper)
        write_table(table, csv=csv, md=md, tex=tex)
        logger.info("%s: %d rows", table.caption, len(table.tidy))
