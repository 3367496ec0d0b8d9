"""Build all tables and write them as CSV, Markdown, LaTeX and fragments of HTML."""

from blufs_bench.compare.comparison import Comparison
from blufs_bench.compare.paper import load_paper
from blufs_bench.files.atomic import remove_others, write_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.run.job import job
from blufs_bench.show.tables.build import make_table
from blufs_bench.show.tables.render import write_table

inputs, outputs = snakemake.input, snakemake.output
with job(snakemake.log[0]) as logger:
    suite = Suite(**snakemake.params.suite)
    frames = dict(zip(snakemake.params.frames, inputs.frames, strict=True))
    results = SuiteResults(frames, inputs.cards, suite.by_dataset(inputs.arrays))
    comparison = Comparison.read(inputs.statistics)
    paper, problems, empty = load_paper(inputs.paper), [], {}
    for name, csv, md, tex, html in zip(
        snakemake.params.tables, outputs.csv, outputs.md, outputs.tex, outputs.html, strict=True
    ):
        table, problem = make_table(name, results, suite, paper, comparison)
        problems += problem
        if not table.blocks and not problem:
            empty[name] = "; ".join(table.notes)
        write_table(table, csv=csv, md=md, tex=tex, html=html)
        logger.info("%s: %d rows", table.caption, len(table.tidy))
    write_json(outputs.problems, problems)
    write_json(outputs.empty, empty)
    remove_others(outputs)  # of datasets that are gone
