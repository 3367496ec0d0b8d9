"""One vocabulary (docs/glossary.md): words that were given up do not come back."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.helpers import ROOT

#: Given up -> said instead.
OLD_WORDS = {
    r"(?:can|could) ?not be had": "is not available",
    r"has its name is whole": "a file that exists is complete",
    r"criterion likes best": "with the best criterion",
    r"more flattered": "looks better than it is",
    r"in the manners of": "as ... does",
    r"(?:make|makes|made) (?:it )?anew": "make again",
    r"oracle_budget": "oracle_equal_budget",
    r"s_values_of\b": "s_values_by_dataset",
    r"selects_all": "keeps_all_features",
    r"final_cells": "chosen_scores",
    r"Any[S]elector": "WrappedSelector",
    r"verified\.txt": "complete.txt",
    r"test_statistics:": "compare_methods",
    r"grid\.parquet": "screened.parquet",
    r"METRIC_LABELS|CHOICE_LABELS|CHOICE_HEADINGS": "METRICS and CHOICES of the vocabulary",
    r"\bat_hand\b": "local_copies",
    r"\bBaseline\b": "AllFeatures",
    r"\bPROPOSED\b": "METHOD_UNDER_STUDY",
    r"spare_scheduling": "lift_default_rate_limit",
    r"blufs\.(?:benchmark|pipeline)\b": "blufs.workflow",
    r"BLUFS_REFERENCE": "tests/reference",
    r"split_title|_PINNED|numberOf": "data-value of the cell",
}
#: What tells users the new words, and tests of that, must know the old ones.
KNOWS_OLD_WORDS = {
    "CHANGELOG.md",
    "docs/glossary.md",
    "src/blufs/methods/names.py",
    "src/blufs_bench/plan/old_words.py",
    "tests/analysis/test_paper_results.py",
    "tests/docs/test_words.py",
    "tests/methods/test_contract.py",
    "tests/workflow/test_config.py",
}
PLACES = ["src", "workflow", "benchmarks/**/*.py", "examples", "tests/**/*.py", "docs/**/*.md"]
PLACES += ["*.md", "Snakefile", "Makefile", "config.yaml"]


def texts() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", *PLACES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [ROOT / name for name in listed.stdout.splitlines() if name not in KNOWS_OLD_WORDS]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_texts_are_those_of_the_whole_project():
    folders = {path.relative_to(ROOT).parts[0] for path in texts()}
    assert folders >= {"src", "workflow", "benchmarks", "examples", "tests", "docs", "README.md"}


@pytest.mark.parametrize(("old", "new"), OLD_WORDS.items())
def test_an_old_word_is_not_used_any_more(old, new):
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(old, line)
    ]
    assert not found, f"say {new!r} instead: {found}"
