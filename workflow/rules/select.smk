# Select features: one job fits a chunk of a method's settings on a dataset, all s inside.


rule select:
    input:
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
    output:
        "results/{suite}/selections/{dataset}/{method}/grid{chunk}-s{s_values}-fit{fit_seed}.json",
    log:
        "logs/{suite}/select/{dataset}/{method}/grid{chunk}-s{s_values}-fit{fit_seed}.log",
    conda:
        "../envs/blufs.yaml"
    threads: fit_cores
    resources:
        mem_mb=fit_mem_mb,
        runtime=select_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        held=lambda wc: PLAN.held(wc.method),
        part=lambda wc: PLAN.select_part(wc.method, Part.of(wc)),
        default=lambda wc: PLAN.settings(wc.method)[0],
        seed=PLAN.config["seed"],
        limits=PLAN.limits,
        code=code_of_fit("select"),
    script:
        "../scripts/select.py"


rule screen:
    input:
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
        graph="results/{suite}/data/{dataset}/graph.npz",
        selections="results/{suite}/selections/{dataset}/{method}/grid{chunk}-s{s_values}-fit{fit_seed}.json",
    output:
        "results/{suite}/screens/{dataset}/{method}/grid{chunk}-s{s_values}-fit{fit_seed}.json",
    log:
        "logs/{suite}/screen/{dataset}/{method}/grid{chunk}-s{s_values}-fit{fit_seed}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=scoring_mem_mb,
        runtime=scoring_minutes,
    params:
        protocol=PLAN.suite["screening"],
        limits=PLAN.limits,
        seed=PLAN.config["seed"],
        code=code_of_script("screen"),
    script:
        "../scripts/screen.py"


rule choose:
    input:
        screens_of,
    output:
        "results/{suite}/choices/{dataset}/{method}.json",
    log:
        "logs/{suite}/choose/{dataset}/{method}.log",
    localrule: True
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        settings=lambda wc: PLAN.settings(wc.method),
        s_values=lambda wc: PLAN.sizes_for(wc.dataset, wc.method),
        budget=PLAN.suite["equal_budget"]["settings"],
        seed=PLAN.config["seed"],
        code=code_of_script("choose"),
    script:
        "../scripts/choose.py"
