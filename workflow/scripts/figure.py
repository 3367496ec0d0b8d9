"""Draw one figure as PNG and PDF."""

from blufs.analysis.figures.draw import draw
from blufs.analysis.figures.style import Style, save
from blufs.results.suite import Suite, suite_results
from blufs.workflow.run.job import job

inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
with job(snakemake.log[0]) as logger:
    style = Style(**params.style)
    results = suite_results(inputs.tables, inputs.cards, inputs.arrays)
    figure = draw(snakemake.wildcards.figure, results, Suite(**params.suite), style)
    save(figure, outputs.png, outputs.pdf, style)
    logger.info("wrote %s and %s", outputs.png, outputs.pdf)
