"""Write the report of the suite."""

from blufs_bench.compare.comparison import Comparison
from blufs_bench.files.atomic import atomic_path, read_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.run.job import job
from blufs_bench.show.page.page import render

READ = ("scores", "screened", "selections", "stability")
inputs, names = snakemake.input, snakemake.params.tables
with job(snakemake.log[0]), atomic_path(snakemake.output[0]) as temporary:
    page = render(
        SuiteResults({name: inputs[name] for name in READ}, inputs.cards),
        Suite(**snakemake.params.suite),
        comparison=Comparison.read(inputs.statistics),
        provenance=read_json(inputs.provenance),
        tables=dict(zip(names, inputs.tables, strict=True)),
        downloads=dict(zip(names, zip(inputs.csv, inputs.tex, strict=True), strict=True)),
        figures=dict(zip(snakemake.params.figures, inputs.figures, strict=True)),
        empty_tables=read_json(inputs.empty_tables),
        empty_figures=read_json(inputs.empty_figures),
        deviations=inputs.deviations,
        target=snakemake.output[0],
    )
    temporary.write_text(page, encoding="utf-8")
