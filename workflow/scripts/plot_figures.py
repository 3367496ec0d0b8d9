"""Draw all figures as PNG and PDF."""

from blufs_bench.compare.comparison import Comparison
from blufs_bench.files.atomic import remove_others, write_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.run.job import job
from blufs_bench.show.figures.draw import write_figure
from blufs_bench.show.figures.style import Style

inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
with job(snakemake.log[0]) as logger:
    style, suite = Style(**params.style), Suite(**params.suite)
    frames = dict(zip(params.frames, inputs.frames, strict=True))
    results = SuiteResults(frames, inputs.cards, suite.by_dataset(inputs.arrays))
    comparison = Comparison.read(inputs.statistics)
    problems, empty = [], {}
    for name, png, pdf in zip(params.figures, outputs.png, outputs.pdf, strict=True):
        made = write_figure(name, results, suite, style, comparison, png, pdf)
        empty[name], found = made
        problems += found
        logger.info("wrote %s and %s", png, pdf)
    write_json(outputs.problems, problems)
    write_json(outputs.empty, {name: why for name, why in empty.items() if why})
    remove_others(outputs)  # of datasets that are gone
