# Cluster and classify with the chosen settings; running time; stability; collect everything.


rule evaluate:
    input:
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
        graph="results/{suite}/data/{dataset}/graph.npz",
        choices=choices_of,
        selections=selections_of,
    output:
        scores="results/{suite}/evaluations/{dataset}/{method}/{part}.json",
        screened="results/{suite}/evaluations/{dataset}/{method}/{part}.screened.json",
    log:
        "logs/{suite}/evaluate/{dataset}/{method}/{part}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=scoring_mem_mb,
        runtime=scoring_minutes,
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
        "results/{suite}/cells/{dataset}/{method}/s{s}/repetition{repetition}.json",
    log:
        "logs/{suite}/show_cell/{dataset}/{method}/s{s}/repetition{repetition}.log",
    localrule: True
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
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
    output:
        "results/{suite}/timing/{dataset}/{method}.json",
    log:
        "logs/{suite}/time/{dataset}/{method}.log",
    conda:
        "../envs/blufs.yaml"
    # All cores, so that nothing else runs meanwhile; the fit itself uses one thread.
    threads: all_cores()
    resources:
        mem_mb=fit_mem_mb,
        runtime=time_fit_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        held=lambda wc: PLAN.held(wc.method),
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
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
    output:
        "results/{suite}/resamples/{dataset}/{method}.json",
    log:
        "logs/{suite}/resample/{dataset}/{method}.log",
    conda:
        "../envs/blufs.yaml"
    threads: fit_cores
    resources:
        mem_mb=fit_mem_mb,
        runtime=resample_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        held=lambda wc: PLAN.held(wc.method),
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
        timing=repeated_fits("timing", "timing/{dataset}/{method}.json"),
        resamples=repeated_fits("stability", "resamples/{dataset}/{method}.json"),
    output:
        scores="results/{suite}/scores.parquet",
        selections="results/{suite}/selections.parquet",
        screened="results/{suite}/screened.parquet",
        timing="results/{suite}/timing.parquet",
        stability="results/{suite}/stability.parquet",
        summary="results/{suite}/summary.txt",
    log:
        "logs/{suite}/collect.log",
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
