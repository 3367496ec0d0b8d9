# Select features: one job fits a chunk of a method's settings on a dataset, all s inside.


rule select:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
    output:
        f"{RESULTS}/selections/{{dataset}}/{{method}}/{{part}}.json",
    log:
        f"logs/{{suite}}/select/{{dataset}}/{{method}}/{{part}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=fit_mem_mb,
        runtime=select_minutes,
    params:
        method=lambda wc: PLAN.method(wc.method),
        part=lambda wc: PLAN.select_part(wc.method, wc.part),
        default=lambda wc: PLAN.settings(wc.method)[0],
        seed=PLAN.config["seed"],
        limits=PLAN.limits,
        code=code_of_fit("select"),
    script:
        "../scripts/select.py"


rule screen:
    input:
        data=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        card=f"{RESULTS}/data/{{dataset}}/card.json",
        graph=f"{RESULTS}/data/{{dataset}}/graph.npz",
        selections=f"{RESULTS}/selections/{{dataset}}/{{method}}/{{part}}.json",
    output:
        f"{RESULTS}/screens/{{dataset}}/{{method}}/{{part}}.json",
    log:
        f"logs/{{suite}}/screen/{{dataset}}/{{method}}/{{part}}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=scoring_mem_mb,
        runtime=job_minutes,
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
        f"{RESULTS}/choices/{{dataset}}/{{method}}.json",
    log:
        f"logs/{{suite}}/choose/{{dataset}}/{{method}}.log",
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
