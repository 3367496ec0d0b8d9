# Figures, all in one job: starting a job takes longer than drawing one. What a figure reads and says
# is in its entry of the catalogue.
from blufs_bench.show.figures.catalog import figure_specs, read_by_figures

FIGURES = figure_specs([name for name in PLAN.datasets if DATASETS[name].get("noise")])


rule plot_figures:
    input:
        frames=expand(
            "results/{suite}/{frame}.parquet",
            frame=read_by_figures(),
            allow_missing=True,
        ),
        statistics="results/{suite}/statistics.json",
        cards=cards,
        arrays=arrays,
    output:
        png=[
            report(
                f"results/{{suite}}/figures/{figure}.png",
                category="Figures",
                labels={
                    "figure": FIGURES[figure].title,
                    "shows": FIGURES[figure].caption,
                },
            )
            for figure in FIGURES
        ],
        pdf=expand(
            "results/{suite}/figures/{figure}.pdf", figure=FIGURES, allow_missing=True
        ),
        problems="results/{suite}/figures/problems.json",
        empty="results/{suite}/figures/empty.json",
    log:
        "logs/{suite}/figures.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=PLAN.info(),
        style=PLAN.config["figures"],
        frames=read_by_figures(),
        figures=list(FIGURES),
        code=code_of_script("plot_figures"),
    script:
        "../scripts/plot_figures.py"
