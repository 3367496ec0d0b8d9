# Statistical tests and tables of the collected results.
from blufs.analysis.catalog import TABLES


rule test_statistics:
    input:
        results=f"{RESULTS}/results.parquet",
        cards=result("data/{dataset}/card.json", dataset=PLAN.datasets),
    output:
        f"{RESULTS}/statistics.json",
    log:
        f"logs/{{suite}}/statistics.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=suite_info(),
        code=code("blufs.analysis.summary"),
    script:
        "../scripts/statistics.py"


rule build_table:
    input:
        frames=lambda wc: result("{frame}.parquet", frame=TABLES[wc.table]),
        cards=result("data/{dataset}/card.json", dataset=PLAN.datasets),
        # Only the correlations of the selected features need the data themselves.
        arrays=lambda wc: result(
            "data/{dataset}/dataset.npz",
            dataset=PLAN.datasets if wc.table == "redundancy" else [],
        ),
        paper=os.path.relpath(ROOT / "data/paper_results.yaml"),
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            category="Tables",
            labels={"table": "{table}"},
        ),
        md=f"{RESULTS}/tables/{{table}}.md",
        tex=f"{RESULTS}/tables/{{table}}.tex",
    log:
        f"logs/{{suite}}/tables/{{table}}.log",
    wildcard_constraints:
        table="|".join(TABLES),
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=suite_info(),
        code=code("blufs.analysis.tables"),
    script:
        "../scripts/table.py"
