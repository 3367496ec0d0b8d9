# Cluster and classify with the chosen settings; running time; stability; collect everything.


rule evaluate:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
        graph=f"{RESULTS}/data/{{dataset}}/graph.npz",
        choices=choices_of,
        selections=selections_of,
    output:
        scores=f"{RESULTS}/evaluations/{{dataset}}/{{method}}/{{part}}.json",
        screened=f"{RESULTS}/evaluations/{{dataset}}/{{method}}/{{part}}.screened.json",
    log:
        f"logs/{{suite}}/evaluate/{{dataset}}/{{method}}/{{part}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=scoring_mem_mb,
        runtime=job_minutes,
    params:
        default=lambda wc: PLAN.settings(wc.method)[0],
        part=lambda wc: PLAN.evaluate_parts(wc.dataset, wc.method)[wc.part],
        protocol=PLAN.suite["evaluation"],
        screening=lambda wc: PLAN.screening(wc.dataset, wc.method),
        limits=PLAN.limits,
        seed=PLAN.config["seed"],
        code=code_of_script("evaluate"),
    script:
        "../scripts/evaluate.py"


rule show_cell:
    input:
        scores=evaluation_of_cell,
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
        code=code_of_script("show_cell"),
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
        s=lambda wc: PLAN.sizes_on(wc.dataset)[-1],
        n_repeats=PLAN.suite["timing"]["n_repeats"],
        seed=PLAN.config["seed"],
        limits=PLAN.limits,
        code=code_of_fit("time_fit"),
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
        s_values=lambda wc: PLAN.sizes_on(wc.dataset),
        n_resamples=PLAN.suite["stability"]["n_resamples"],
        fraction=PLAN.suite["stability"]["fraction"],
        seed=PLAN.config["seed"],
        limits=PLAN.limits,
        code=code_of_fit("resample"),
    script:
        "../scripts/resample.py"


rule collect:
    input:
        selections=selections_of_suite,
        screened=screens_of_suite,
        scores=evaluations_of_suite,
        timing=repeated_fits("timing", "timing"),
        resamples=repeated_fits("stability", "resamples"),
    output:
        scores=f"{RESULTS}/scores.parquet",
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
        code=code_of_script("collect"),
    script:
        "../scripts/collect.py"
