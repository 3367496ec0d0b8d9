"""Say how many cells ran; fail, after everything is made, if anything has failed."""

import sys

from blufs_bench.files.atomic import atomic_path, read_json
from blufs_bench.results import schemas
from blufs_bench.results.outcomes import failed_cells, summary
from blufs_bench.results.tables import read_table
from blufs_bench.run.job import job

inputs = snakemake.input
with job(snakemake.log[0]) as logger:
    scores = read_table(inputs.scores, schemas.SCORES)
    problems = read_json(inputs.statistics)["problems"]
    problems += read_json(inputs.tables) + read_json(inputs.figures)
    if failed := failed_cells(scores):
        problems.append(f"{failed} cells failed")
    cards = {card["name"]: card for card in map(read_json, inputs.cards)}
    for card in (cards[name] for name in snakemake.params.own_datasets):
        if card["status"] != "ok":
            problems.append(f"{card['name']}, of your own data, was left out: {card['reason']}")
    text = "\n".join([*problems, summary(scores)])
    logger.info("%s", text)
    print(f"\n{text}\nReport: {inputs.report}", flush=True)
    if problems:
        sys.exit(1)
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
