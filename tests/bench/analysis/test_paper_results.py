"""The transcription of the paper's tables: complete, in agreement with its prose, flaws listed."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import yaml

from blufs_bench.compare.paper import load_paper
from blufs_bench.method_names import BUILT_IN
from blufs_bench.results.vocabulary import METRICS
from tests.helpers import ROOT

PATH = ROOT / "data" / "paper_results.yaml"
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
    for table in ("clustering_acc", "nmi", "classification"):
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


def _repeated_columns(content):
    for table in ("clustering_acc", "nmi", "classification"):
        block = content[table]
        means = _means(block)
        for (i, one), (j, other) in combinations(enumerate(block["methods"]), 2):
            equal = [
                d for d, a, b in zip(DATASETS, means[:, i], means[:, j], strict=True) if a == b
            ]
            if len(equal) > 1:
                yield {
                    "kind": "repeated_column",
                    "table": table,
                    "methods": [one, other],
                    "datasets": equal,
                }


def _ablation_against_main(content):
    for dataset, rows in content["ablation"]["cells"].items():
        for metric, row in rows.items():
            main = content[metric]["cells"][dataset][-1][0]
            if row[-1] != main:
                yield {
                    "kind": "same_cell_twice",
                    "tables": ["ablation", metric],
                    "dataset": dataset,
                    "method": "BLUFS",
                    "metric": metric,
                    "printed": [row[-1], main],
                }


def _pixels_against_ablation(content):
    block, ablation = content["pixels"], content["ablation"]
    for method, row in block["cells"].items():
        for metric, value in row.items():
            position = ablation["methods"].index(method)
            other = ablation["cells"][block["dataset"]][metric][position]
            if value != other:
                yield {
                    "kind": "same_cell_twice",
                    "tables": ["pixels", "ablation"],
                    "dataset": block["dataset"],
                    "method": method,
                    "metric": metric,
                    "printed": [value, other],
                }


def _wrong_bold(content):
    for table, pick in (
        ("clustering_acc", max),
        ("nmi", max),
        ("classification", max),
        ("time", min),
    ):
        block = content[table]
        for dataset, bold in block["bold"].items():
            row = [cell[0] if isinstance(cell, list) else cell for cell in block["cells"][dataset]]
            values = dict(zip(block["methods"], row, strict=True))
            values.pop("Baseline", None)
            best = pick(values, key=values.get)
            if bold != best:
                yield {
                    "kind": "bold",
                    "table": table,
                    "dataset": dataset,
                    "printed": bold,
                    "computed": best,
                }


def _wrong_claims(content):
    """Claims of the prose that its own tables do not bear out."""
    lead = {
        m: content[m]["average"][-1] - content[m]["average"][-2] for m in ("clustering_acc", "nmi")
    }
    if min(lead.values()) < 8:
        yield {
            "kind": "claim",
            "text": "BLUFS outperformed the second-place BLSFS by at least 8 % on average",
            "computed": {metric: round(value, 2) for metric, value in lead.items()},
        }
    pie = dict(
        zip(
            content["clustering_acc"]["methods"],
            content["clustering_acc"]["cells"]["pie"],
            strict=True,
        )
    )
    bilevel = ("BLSFE", "BLSFS", "BLUFS")
    single = max(cell[0] for m, cell in pie.items() if m not in (*bilevel, "Baseline"))
    gain = min(pie[method][0] for method in bilevel) - single
    if gain < 5:
        yield {
            "kind": "claim",
            "text": "on pie the bi-level methods improve ACC by at least 5 %",
            "computed": {"clustering_acc": round(gain, 2)},
        }


def derive(content) -> list[dict]:
    checks = (
        _wrong_averages,
        _repeated_columns,
        _ablation_against_main,
        _pixels_against_ablation,
        _wrong_bold,
        _wrong_claims,
    )
    return [flaw for check in checks for flaw in check(content)]


def test_the_listed_inconsistencies_are_those_of_the_numbers(content):
    assert content["known_inconsistencies"] == derive(content)


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


def test_the_prose_agrees_with_the_transcription(content):
    """Differences that the text names, from the numbers of the tables."""
    block = content["classification"]
    column = {method: _means(block)[:, i] for i, method in enumerate(block["methods"])}
    pie, gisette = DATASETS.index("pie"), DATASETS.index("gisette")
    assert round(column["BLUFS"][pie] - column["BLSFS"][pie], 2) == 7.21
    assert round(column["BLUFS"][gisette] - column["BLSFE"][gisette], 2) == 7.53
    average = dict(zip(block["methods"], block["average"], strict=True))
    assert round(average["BLUFS"] - average["BLSFS"], 2) == 5.15
    acc = dict(
        zip(
            content["clustering_acc"]["methods"],
            content["clustering_acc"]["cells"]["gisette"],
            strict=True,
        )
    )
    assert acc["BLUFS"][0] - max(acc["BLSFS"][0], acc["BLSFE"][0]) >= 14
    nmi = dict(zip(content["nmi"]["methods"], content["nmi"]["cells"]["gisette"], strict=True))
    assert nmi["BLUFS"][0] - max(nmi["BLSFS"][0], nmi["BLSFE"][0]) >= 20


def test_most_averages_are_right(content):
    """The transcription stands behind the flaws: a slip of the pen would break more averages."""
    wrong = list(_wrong_averages(content))
    printed = sum(
        len(content[table]["average"]) for table in ("clustering_acc", "nmi", "classification")
    )
    assert printed == 32
    assert len(wrong) < printed / 2
