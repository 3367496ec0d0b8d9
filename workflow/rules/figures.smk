# Figures, all in one job: starting a job takes longer than drawing one. What a figure reads and says
# is in its entry of the catalogue.
from blufs_bench.show.figures.catalog import (
    figure_modules,
    figure_names,
    figure_spec,
    read_by_figures,
)

FIGURES = figure_names([name for name in PLAN.datasets if DATASETS[name].get("noise")])


rule plot_figures:
    input:
        frames=result("{frame}.parquet", frame=read_by_figures(FIGURES)),
        cards=cards,
        arrays=arrays,
    output:
        png=[
            report(
                f"{RESULTS}/figures/{figure}.png",
                caption="../report/figure.rst",
                category="Figures",
                labels={
                    "figure": figure_spec(figure).title,
                    "shows": figure_spec(figure).caption,
                },
            )
            for figure in FIGURES
        ],
        pdf=[f"{RESULTS}/figures/{figure}.pdf" for figure in FIGURES],
        problems=f"{RESULTS}/figures/problems.json",
        empty=f"{RESULTS}/figures/empty.json",
    log:
        f"logs/{{suite}}/figures.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=PLAN.info(),
        style=PLAN.config["figures"],
        frames=read_by_figures(FIGURES),
        figures=FIGURES,
        code=code_of_script("plot_figures", *figure_modules(FIGURES)),
    script:
        "../scripts/plot_figures.py"
