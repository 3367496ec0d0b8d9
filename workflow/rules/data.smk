# Datasets: get the file (verified, mirrors first), then clean arrays, card and neighbour graph.


rule download:
    input:
        own_file,
    output:
        "results/{suite}/data/{dataset}/source.json",
    log:
        "logs/{suite}/download/{dataset}.log",
    localrule: True
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=lambda wc, attempt: 500 * attempt,
        runtime=lambda wc, attempt: 60 * attempt,
    # No digest of code: another way to download gives the same verified file.
    params:
        definition=lambda wc: DATASETS[wc.dataset],
        # Changes when a copy of a missing file appears, so that its dataset is tried again.
        local_copies=lambda wc: local_copies_digest(
            DATASETS[wc.dataset],
            mirrors=MIRRORS,
            cache_dir="data/raw",
            source_path=f"results/{wc.suite}/data/{wc.dataset}/source.json",
        ),
    script:
        "../scripts/download.py"


rule preprocess:
    input:
        own_file,
        source=source_of,
    output:
        data="results/{suite}/data/{dataset}/dataset.npz",
        card="results/{suite}/data/{dataset}/card.json",
        graph="results/{suite}/data/{dataset}/graph.npz",
    log:
        "logs/{suite}/preprocess/{dataset}.log",
    conda:
        "../envs/blufs.yaml"
    threads: 1
    resources:
        mem_mb=preprocess_mem_mb,
        runtime=lambda wc, attempt: 30 * attempt,
    params:
        definition=lambda wc: DATASETS[wc.dataset],
        code=code_of_script("preprocess"),
    script:
        "../scripts/preprocess.py"
