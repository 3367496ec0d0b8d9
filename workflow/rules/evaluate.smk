# Cluster and classify with the chosen settings; running time; stability; collect everything.


rule evaluate:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
        graph=f"{RESULTS}/data/{{dataset}}/graph.npz",
        choices=choices_of,
        selections=selections_of,
    output:
        f"{RESULTS}/evaluations/{{dataset}}/{{method}}/{{part}}.json",
    log:
        f"logs/{{suite}}/evaluate/{{dataset}}/{{method}}/{{part}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=fit_mem_mb,
        runtime=evaluate_minutes,
    params:
        default=lambda wc: PLAN.settings(wc.method)[0],
        part=lambda wc: PLAN.evaluate_parts(wc.dataset, wc.method)[wc.part],
        protocol=PLAN.suite["evaluation"],
        limits=PLAN.config["limits"],
        seed=PLAN.config["seed"],
        code=code("blufs.workflow.stages.evaluate", "blufs.workflow.stages.choose"),
    script:
        "../scripts/evaluate.py"


rule show_cell:
    input:
        scores=evaluated_cell,
        selections=selections_of,
    output:
        f"{RESULTS}/cells/{{dataset}}/{{method}}/s{{s}}/repetition{{repetition}}.json",
    log:
        f"logs/{{suite}}/show_cell/{{dataset}}/{{method}}/s{{s}}/repetition{{repetition}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("blufs.workflow.stages.show_cell"),
    script:
        "../scripts/show_cell.py"


rule time_fit:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
    output:
        f"{RESULTS}/timing/{{dataset}}/{{method}}.json",
    log:
        f"logs/{{suite}}/time/{{dataset}}/{{method}}.log",
    conda:
        "../envs/blufs.yaml"
    # All cores, so that nothing else runs meanwhile; the fit itself uses one thread.
    threads: all_cores()
    resources:
        mem_mb=fit_mem_mb,
        runtime=time_fit_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        setting=lambda wc: PLAN.settings(wc.method)[0],
        s=lambda wc: PLAN.s_values(wc.dataset)[-1],
        n_repeats=PLAN.suite["timing"]["repeats"],
        seed=PLAN.config["seed"],
        limits=PLAN.config["limits"],
        code=lambda wc: PLAN.method_code(wc.method),
    script:
        "../scripts/time_fit.py"


rule resample:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
    output:
        f"{RESULTS}/resamples/{{dataset}}/{{method}}.json",
    log:
        f"logs/{{suite}}/resample/{{dataset}}/{{method}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=fit_mem_mb,
        runtime=resample_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        setting=lambda wc: PLAN.settings(wc.method)[0],
        s_values=lambda wc: PLAN.s_values(wc.dataset),
        n_resamples=PLAN.suite["stability"]["resamples"],
        fraction=PLAN.suite["stability"]["fraction"],
        seed=PLAN.config["seed"],
        limits=PLAN.config["limits"],
        code=lambda wc: PLAN.method_code(wc.method),
    script:
        "../scripts/resample.py"


rule collect:
    input:
        selections=parts_of_all_pairs("selections", PLAN.select_parts),
        screened=parts_of_all_pairs("screens", PLAN.screen_parts),
        scores=parts_of_all_pairs("evaluations", PLAN.evaluate_parts),
        timing=repeated_pairs("timing", "timing"),
        resamples=repeated_pairs("stability", "resamples"),
    output:
        results=f"{RESULTS}/results.parquet",
        selections=f"{RESULTS}/selections.parquet",
        screened=f"{RESULTS}/screened.parquet",
        timing=f"{RESULTS}/timing.parquet",
        stability=f"{RESULTS}/stability.parquet",
        summary=f"{RESULTS}/summary.txt",
    log:
        f"logs/{{suite}}/collect.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code(
            "blufs.workflow.stages.collect",
            "blufs.results.tables",
            "blufs.results.outcomes",
        ),
    script:
        "../scripts/collect.py"
