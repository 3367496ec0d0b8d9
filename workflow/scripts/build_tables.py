"""Build all tables and write them as CSV, Markdown, LaTeX and fragments of HTML."""

from blufs.analysis.paper import load_paper
from blufs.analysis.tables.build import build_table
from blufs.analysis.tables.render import write_table
from blufs.results.suite import Suite, suite_results
from blufs.workflow.run.job import job

inputs, outputs = snakemake.input, snakemake.output
with job(snakemake.log[0]) as logger:
    results = suite_results(inputs.frames, inputs.cards, inputs.arrays)
    suite = Suite(**snakemake.params.suite)
    paper = load_paper(inputs.paper)
    for name, csv, md, tex, html in zip(
        snakemake.params.tables, outputs.csv, outputs.md, outputs.tex, outputs.html, strict=True
    ):
        table = build_table(name, results, suite, paper)
        write_table(table, csv=csv, md=md, tex=tex, html=html)
        logger.info("%s: %d rows", table.caption, len(table.tidy))
