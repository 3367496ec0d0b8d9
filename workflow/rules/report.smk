# The report: one page that needs nothing else, and the record of where it comes from.
from blufs_bench.show.page.assets import assets_digest


report: "../report/workflow.rst"


rule provenance:
    input:
        "results/{suite}/scores.parquet",
    output:
        "results/{suite}/provenance.json",
    log:
        "logs/{suite}/provenance.log",
    localrule: True
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        # Not the whole configuration: mirrors are folders of one machine.
        config={
            "seed": PLAN.config["seed"],
            "suite": PLAN.suite,
            "methods": PLAN.config["methods"],
            "limits": PLAN.limits,
            "statistics": PLAN.config["statistics"],
        },
        code=code_of_script("provenance"),
    script:
        "../scripts/provenance.py"


rule report:
    input:
        scores="results/{suite}/scores.parquet",
        screened="results/{suite}/screened.parquet",
        selections="results/{suite}/selections.parquet",
        stability="results/{suite}/stability.parquet",
        statistics="results/{suite}/statistics.json",
        provenance="results/{suite}/provenance.json",
        cards=cards,
        tables=expand(
            "results/{suite}/tables/{table}.html", table=TABLES, allow_missing=True
        ),
        csv=expand(
            "results/{suite}/tables/{table}.csv", table=TABLES, allow_missing=True
        ),
        tex=expand(
            "results/{suite}/tables/{table}.tex", table=TABLES, allow_missing=True
        ),
        figures=expand(
            "results/{suite}/figures/{figure}.png", figure=FIGURES, allow_missing=True
        ),
        empty_tables="results/{suite}/tables/empty.json",
        empty_figures="results/{suite}/figures/empty.json",
        deviations=os.path.relpath(ROOT / "docs/deviations.md"),
    output:
        report(
            "results/{suite}/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"page": "report of the suite"},
        ),
    log:
        "logs/{suite}/report.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        suite=PLAN.info(),
        tables=TABLES,
        figures=list(FIGURES),
        assets=assets_digest(),
        code=code_of_script("report"),
    script:
        "../scripts/report.py"


rule check_complete:
    input:
        scores="results/{suite}/scores.parquet",
        report="results/{suite}/report.html",
        statistics="results/{suite}/statistics.json",
        tables="results/{suite}/tables/problems.json",
        figures="results/{suite}/figures/problems.json",
        cards=cards,
    output:
        "results/{suite}/complete.txt",
    log:
        "logs/{suite}/check_complete.log",
    localrule: True
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        own_datasets=PLAN.own_datasets,
        code=code_of_script("check_complete"),
    script:
        "../scripts/check_complete.py"
