"""One vocabulary (docs/glossary.md): words that were given up do not come back."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
}
#: What tells users of an old configuration the new keys must know the old ones.
KNOWS_OLD_KEYS = {"src/blufs/workflow/plan/schema.py", "docs/glossary.md"}


def texts() -> list[Path]:
    patterns = ["src/**/*.py", "workflow/**", "Snakefile", "*.md", "docs/*.md", "docs/*/*.md"]
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    paths = [ROOT / name for name in listed.stdout.splitlines() if name not in KNOWS_OLD_KEYS]
    return [path for path in paths if path.name != "CHANGELOG.md" and path.is_file()]


@pytest.mark.parametrize(("old", "new"), OLD_WORDS.items())
def test_an_old_word_is_not_used_any_more(old, new):
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(old, line)
    ]
    assert not found, f"say {new!r} instead: {found}"
