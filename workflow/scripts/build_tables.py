"""Build all tables and write them as CSV, Markdown and LaTeX."""

from pathlib import Path

from blufs.analysis.paper import load_paper
from blufs.analysis.tables import build_table, write_table
from blufs.results.suite import Suite, suite_results
from blufs.workflow.run.job import job

inputs, outputs = snakemake.input, snakemake.output
with job(snakemake.log[0]) as logger:
    results = suite_results(inputs.frames, inputs.cards, inputs.arrays)
    suite = Suite(**snakemake.params.suite)
    paper = load_paper(inputs.paper)
    for csv, md, tex in zip(outputs.csv, outputs.md, outputs.tex, strict=True):
        table = build_table(Path(csv).stem, results, suite, paper)
        write_table(table, csv=csv, md=md, tex=tex)
        logger.info("%s: %d rows", table.caption, len(table.tidy))
