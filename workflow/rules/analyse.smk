# Statistical tests and tables of the collected results.
from blufs_bench.show.tables.catalog import read_by_tables, table_specs

TABLES = list(table_specs(PLAN.datasets))


rule compare_methods:
    input:
        scores="results/{suite}/scores.parquet",
        selections="results/{suite}/selections.parquet",
        cards=cards,
    output:
        "results/{suite}/statistics.json",
    log:
        "logs/{suite}/compare_methods.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=PLAN.info(),
        code=code_of_script("compare_methods"),
    script:
        "../scripts/compare_methods.py"


# All tables in one job: loading their code takes longer than building them.
rule build_tables:
    input:
        frames=expand(
            "results/{suite}/{frame}.parquet",
            frame=read_by_tables(),
            allow_missing=True,
        ),
        statistics="results/{suite}/statistics.json",
        cards=cards,
        arrays=arrays,
        paper=os.path.relpath(ROOT / "data/paper_results.yaml"),
    output:
        csv=[
            report(
                f"results/{{suite}}/tables/{table}.csv",
                category="Tables",
                labels={"table": table},
            )
            for table in TABLES
        ],
        md=expand("results/{suite}/tables/{table}.md", table=TABLES, allow_missing=True),
        tex=expand(
            "results/{suite}/tables/{table}.tex", table=TABLES, allow_missing=True
        ),
        html=expand(
            "results/{suite}/tables/{table}.html", table=TABLES, allow_missing=True
        ),
        problems="results/{suite}/tables/problems.json",
        empty="results/{suite}/tables/empty.json",
    log:
        "logs/{suite}/build_tables.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        suite=PLAN.info(),
        frames=read_by_tables(),
        tables=TABLES,
        code=code_of_script("build_tables"),
    script:
        "../scripts/build_tables.py"
