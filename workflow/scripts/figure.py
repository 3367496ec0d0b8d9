"""Draw one figure as PNG and PDF."""

from pathlib import Path

from blufs.analysis.figures.draw import draw
from blufs.analysis.figures.style import Style, save
from blufs.analysis.results import Suite, load_results
from blufs.workflow.run.job import job

with job(snakemake.log[0]) as logger:
    png, pdf = Path(snakemake.output.png), Path(snakemake.output.pdf)
    style = Style(**snakemake.params.style)
    results = load_results(png.parents[1])
    figure = draw(snakemake.wildcards.figure, results, Suite(**snakemake.params.suite), style)
    save(figure, png, pdf, style)
    logger.info("wrote %s and %s", png, pdf)
