# Statistical tests and tables of the collected results.
from blufs_bench.show.tables.catalog import read_by_tables, table_modules, table_names

TABLES = table_names(PLAN.datasets)


rule compare_methods:
    input:
        scores=f"{RESULTS}/scores.parquet",
        cards=cards,
    output:
        f"{RESULTS}/statistics.json",
    log:
        f"logs/{{suite}}/compare_methods.log",
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
        frames=result("{frame}.parquet", frame=read_by_tables()),
        cards=cards,
        arrays=arrays,
        paper=os.path.relpath(ROOT / "data/paper_results.yaml"),
    output:
        csv=[
            report(
                f"{RESULTS}/tables/{table}.csv",
                category="Tables",
                labels={"table": table},
            )
            for table in TABLES
        ],
        md=[f"{RESULTS}/tables/{table}.md" for table in TABLES],
        tex=[f"{RESULTS}/tables/{table}.tex" for table in TABLES],
        html=[f"{RESULTS}/tables/{table}.html" for table in TABLES],
        problems=f"{RESULTS}/tables/problems.json",
        empty=f"{RESULTS}/tables/empty.json",
    log:
        f"logs/{{suite}}/build_tables.log",
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
        code=code_of_script("build_tables", *table_modules()),
    script:
        "../scripts/build_tables.py"
