"""The numbers that the paper prints, as transcribed in ``data/paper_results.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blufs_bench.files.read_yaml import read_yaml

#: Kinds of printed numbers: of one dataset, or an average over the paper's datasets.
DATA, AVERAGE = "data", "average"


@dataclass(frozen=True)
class PaperTable:
    """One of the paper's tables.

    Attributes
    ----------
    number : as printed
    title : what it is about
    holds : "sizes", "scores" or "seconds": what its numbers are compared with
    s : number of features at which its scores are, None for the one that a choice reports
    """

    number: str
    title: str
    holds: str
    s: int | None = None

    @property
    def depends_on_choice(self) -> bool:
        return self.holds == "scores"


@dataclass(frozen=True)
class PaperNumber:
    """A printed number.

    Attributes
    ----------
    quantity : a metric, ``seconds``, or a size such as ``n_samples``
    statistic : "mean", "std" or "s" (the number of features) of the quantity
    kind : ``data``, or ``average`` where ``dataset`` is empty
    method : by the name of this library; empty in the table of datasets
    """

    table: PaperTable
    quantity: str
    statistic: str
    kind: str
    dataset: str
    method: str
    value: float


@dataclass(frozen=True)
class Paper:
    """The paper's tables; methods go by the names of this library."""

    content: dict[str, Any]

    @property
    def datasets(self) -> list[str]:
        """Datasets in the order of the paper's first table."""
        return list(self.content["datasets"])

    def method(self, printed: str) -> str:
        """Name in this library of a method that the paper prints."""
        return self.content["aliases"].get(printed, printed)

    @property
    def cases(self) -> dict[str, dict[str, bool]]:
        """Variant -> which of feature, clustering and graph level it keeps."""
        return {self.method(name): parts for name, parts in self.content["cases"].items()}

    def numbers(self) -> list[PaperNumber]:
        """Every printed number."""
        return [
            *self._sizes(PaperTable("I", "Datasets", "sizes")),
            *self._matrix(PaperTable("II", "ACC", "scores"), "clustering_acc", "clustering_acc"),
            *self._matrix(PaperTable("III", "NMI", "scores"), "nmi", "nmi"),
            *self._ablation(PaperTable("V", "Ablation", "scores")),
            *self._pixels(PaperTable("VI", "Pixels", "scores", self.content["pixels"]["s"])),
            *self._matrix(
                PaperTable("VII", "Classification", "scores"), "classification", "knn_accuracy"
            ),
            *self._matrix(PaperTable("VIII", "Running time in s", "seconds"), "time", "seconds"),
        ]

    def _sizes(self, table: PaperTable) -> Iterator[PaperNumber]:
        for dataset, sizes in self.content["datasets"].items():
            for quantity, value in sizes.items():
                yield PaperNumber(table, quantity, "mean", DATA, dataset, "", value)

    def _matrix(self, table: PaperTable, key: str, quantity: str) -> Iterator[PaperNumber]:
        """Datasets x methods; a cell is a mean, or a list of mean, deviation and s."""
        block = self.content[key]
        methods = [self.method(name) for name in block["methods"]]
        for dataset, row in block["cells"].items():
            for method, cell in zip(methods, row, strict=True):
                values = cell if isinstance(cell, list) else [cell]
                for statistic, value in zip(("mean", "std", "s"), values, strict=False):
                    yield PaperNumber(table, quantity, statistic, DATA, dataset, method, value)
        for method, value in zip(methods, block.get("average", []), strict=False):
            yield PaperNumber(table, quantity, "mean", AVERAGE, "", method, value)

    def _ablation(self, table: PaperTable) -> Iterator[PaperNumber]:
        block = self.content["ablation"]
        methods = [self.method(name) for name in block["methods"]]
        for dataset, rows in block["cells"].items():
            for metric, row in rows.items():
                for method, value in zip(methods, row, strict=True):
                    yield PaperNumber(table, metric, "mean", DATA, dataset, method, value)

    def _pixels(self, table: PaperTable) -> Iterator[PaperNumber]:
        block = self.content["pixels"]
        for printed, row in block["cells"].items():
            for metric, value in row.items():
                method = self.method(printed)
                yield PaperNumber(table, metric, "mean", DATA, block["dataset"], method, value)


def load_paper(path: str | Path) -> Paper:
    """Read ``data/paper_results.yaml``."""
    return Paper(read_yaml(Path(path)))
