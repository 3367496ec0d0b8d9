"""The transcription of the paper's tables: complete, in its ranges, wrong averages listed."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from blufs_bench.compare.paper import load_paper
from blufs_bench.method_names import BUILT_IN
from blufs_bench.results.vocabulary import METRICS
from tests.helpers import ROOT

PATH = ROOT / "data" / "paper_results.yaml"
#: Tables with averages.
SCORED = ("clustering_acc", "nmi", "classification")
DATASETS = ["Isolet", "Jaffe", "pie", "COIL20", "MSTAR", "warpAR", "lung", "gisette"]


@pytest.fixture(scope="module")
def content():
    return yaml.safe_load(PATH.read_text(encoding="utf-8"))


def _means(block) -> np.ndarray:
    """Printed means, datasets x methods."""
    return np.array(
        [
            [cell[0] if isinstance(cell, list) else cell for cell in block["cells"][dataset]]
            for dataset in DATASETS
        ]
    )


def _wrong_averages(content):
    for table in SCORED:
        block = content[table]
        computed = _means(block).mean(axis=0)
        for method, printed, right in zip(
            block["methods"], block["average"], computed, strict=True
        ):
            # Printed cells and averages are rounded to two digits: together less than 0.01.
            if abs(printed - right) > 0.0101:
                yield {
                    "kind": "average",
                    "table": table,
                    "method": method,
                    "printed": printed,
                    "computed": round(float(right), 2),
                }


def test_the_listed_wrong_averages_are_those_of_the_numbers(content):
    """A slip of the pen in the transcription would break more averages than the paper has."""
    listed = [flaw for flaw in content["known_inconsistencies"] if flaw["kind"] == "average"]
    assert listed == list(_wrong_averages(content))
    printed = sum(len(content[table]["average"]) for table in SCORED)
    assert printed == 32
    assert len(listed) < printed / 2


def test_every_table_is_complete(content):
    numbers = load_paper(PATH).numbers()
    counts = {}
    for number in numbers:
        counts[number.table.number] = counts.get(number.table.number, 0) + 1
    clustering = 8 * (1 + 10 * 3) + 11
    assert counts == {
        "I": 8 * 3,
        "II": clustering,
        "III": clustering,
        "V": 8 * 2 * 4,
        "VI": 4 * 2,
        "VII": 8 * 10 + 10,
        "VIII": 8 * 5,
    }
    keys = [replace(number, value=0) for number in numbers]
    assert len(set(keys)) == len(keys)
    methods = {number.method for number in numbers}
    assert methods <= {"", *BUILT_IN, "BLUFS-I", "BLUFS-II", "BLUFS-III"}


def test_numbers_are_in_their_ranges():
    for number in load_paper(PATH).numbers():
        if number.statistic == "std":
            assert 1 < number.value < 7
        elif number.statistic == "s":
            assert number.value in range(10, 101, 10)
        elif number.quantity in METRICS:
            assert 0 < number.value < 100
        else:
            assert number.value > 0
