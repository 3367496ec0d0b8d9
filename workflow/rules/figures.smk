# Figures: one rule, what a figure reads and says is in its entry of the catalogue.
from blufs.analysis.figures.catalog import figure_names, figure_spec

FIGURES = figure_names([name for name in PLAN.datasets if DATASETS[name].get("noise")])


rule plot_figure:
    input:
        tables=lambda wc: result("{table}.parquet", table=figure_spec(wc.figure).tables),
        cards=cards,
        arrays=lambda wc: arrays_of(figure_spec(wc.figure).data),
    output:
        png=report(
            f"{RESULTS}/figures/{{figure}}.png",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
    log:
        f"logs/{{suite}}/figures/{{figure}}.log",
    wildcard_constraints:
        figure="|".join(map(re.escape, FIGURES)),
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=PLAN.info(),
        style=PLAN.config["figures"],
        caption=lambda wc: figure_spec(wc.figure).caption,
        code=lambda wc: code_of_script(
            "figure", figure_spec(wc.figure).qualified_module
        ),
    script:
        "../scripts/figure.py"
