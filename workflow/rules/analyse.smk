# Statistical tests and tables of the collected results.
from blufs.analysis.tables import TABLES


def table_inputs(wildcards):
    """Result tables, cards and arrays that a table reads."""
    arrays = PLAN.datasets if wildcards.table == "redundancy" else []
    return {
        "frames": result("{frame}.parquet", frame=TABLES[wildcards.table]),
        "cards": result("data/{dataset}/card.json", dataset=PLAN.datasets),
        "arrays": result("data/{dataset}/dataset.npz", dataset=arrays),
    }


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
        unpack(table_inputs),
        paper="data/paper_results.yaml",
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
