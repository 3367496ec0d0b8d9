# The report: one page that needs nothing else, and the record of where it comes from.
from blufs_bench.show.page.assets import assets_digest


report: "../report/workflow.rst"


rule provenance:
    input:
        f"{RESULTS}/scores.parquet",
    output:
        f"{RESULTS}/provenance.json",
    log:
        f"logs/{{suite}}/provenance.log",
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
        scores=f"{RESULTS}/scores.parquet",
        screened=f"{RESULTS}/screened.parquet",
        selections=f"{RESULTS}/selections.parquet",
        stability=f"{RESULTS}/stability.parquet",
        statistics=f"{RESULTS}/statistics.json",
        provenance=f"{RESULTS}/provenance.json",
        cards=cards,
        tables=result("tables/{table}.html", table=TABLES),
        csv=result("tables/{table}.csv", table=TABLES),
        tex=result("tables/{table}.tex", table=TABLES),
        figures=result("figures/{figure}.png", figure=FIGURES),
        empty_tables=f"{RESULTS}/tables/empty.json",
        empty_figures=f"{RESULTS}/figures/empty.json",
        deviations=os.path.relpath(ROOT / "docs/deviations.md"),
    output:
        report(
            f"{RESULTS}/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"page": "report of the suite"},
        ),
    log:
        f"logs/{{suite}}/report.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        suite=PLAN.info(),
        tables=TABLES,
        figures=FIGURES,
        assets=assets_digest(),
        code=code_of_script("report"),
    script:
        "../scripts/report.py"


rule check_complete:
    input:
        scores=f"{RESULTS}/scores.parquet",
        report=f"{RESULTS}/report.html",
        statistics=f"{RESULTS}/statistics.json",
        tables=f"{RESULTS}/tables/problems.json",
        figures=f"{RESULTS}/figures/problems.json",
    output:
        f"{RESULTS}/complete.txt",
    log:
        f"logs/{{suite}}/check_complete.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code_of_script("check_complete"),
    script:
        "../scripts/check_complete.py"
