"""The numbers that the paper prints, as transcribed in ``data/paper_results.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Paper:
    """The paper's tables; methods go by the names of this library."""

    content: dict[str, Any]

    @property
    def datasets(self) -> list[str]:
        """Datasets in the order of the paper's first table."""
        return list(self.content["datasets"])

    @property
    def cases(self) -> dict[str, dict[str, bool]]:
        """Label of a variant -> which of feature, clustering and graph level it keeps."""
        return self.content["cases"]

    def numbers(self) -> list[dict[str, Any]]:
        """Every printed number as a record: table, quantity, dataset, method, value.

        ``dataset`` is ``Average`` for the printed averages and ``method`` is empty in the table
        of datasets. Quantities are named as in the results (acc, nmi, accuracy in %, seconds), and
        ``acc_std``, ``acc_s`` and so on for what stands beside them.
        """
        numbers = [
            *self._dataset_numbers(),
            *self._clustering_numbers("clustering_acc", "II"),
            *self._clustering_numbers("nmi", "III"),
            *self._ablation_numbers(),
            *self._pixel_numbers(),
            *self._matrix_numbers("classification", "VII", "knn_accuracy"),
            *self._matrix_numbers("time", "VIII", "seconds"),
        ]
        aliases = self.content["aliases"]
        return [n | {"method": aliases.get(n["method"], n["method"])} for n in numbers]

    def _dataset_numbers(self) -> list[dict[str, Any]]:
        return [
            _number("I", quantity, dataset, "", value)
            for dataset, sizes in self.content["datasets"].items()
            for quantity, value in sizes.items()
        ]

    def _clustering_numbers(self, metric: str, table: str) -> list[dict[str, Any]]:
        block = self.content[metric]
        numbers = []
        for dataset, row in block["cells"].items():
            for method, cell in zip(block["methods"], row, strict=True):
                names = (metric, f"{metric}_std", f"{metric}_s")
                numbers += [
                    _number(table, quantity, dataset, method, value)
                    for quantity, value in zip(names, cell, strict=False)
                ]
        return numbers + self._averages(block, table, metric)

    def _matrix_numbers(self, key: str, table: str, quantity: str) -> list[dict[str, Any]]:
        block = self.content[key]
        numbers = [
            _number(table, quantity, dataset, method, value)
            for dataset, row in block["cells"].items()
            for method, value in zip(block["methods"], row, strict=True)
        ]
        return numbers + self._averages(block, table, quantity)

    def _averages(self, block: dict[str, Any], table: str, quantity: str) -> list[dict[str, Any]]:
        return [
            _number(table, quantity, "Average", method, value)
            for method, value in zip(block["methods"], block.get("average", []), strict=False)
        ]

    def _ablation_numbers(self) -> list[dict[str, Any]]:
        block = self.content["ablation"]
        return [
            _number("V", metric, dataset, method, value)
            for dataset, rows in block["cells"].items()
            for metric, row in rows.items()
            for method, value in zip(block["methods"], row, strict=True)
        ]

    def _pixel_numbers(self) -> list[dict[str, Any]]:
        block = self.content["pixels"]
        return [
            _number("VI", metric, block["dataset"], method, value)
            for method, row in block["cells"].items()
            for metric, value in row.items()
        ]


def _number(table: str, quantity: str, dataset: str, method: str, value: float) -> dict[str, Any]:
    return {
        "table": table,
        "quantity": quantity,
        "dataset": dataset,
        "method": method,
        "paper": value,
    }


def load_paper(path: str | Path) -> Paper:
    """Read ``data/paper_results.yaml``."""
    return Paper(yaml.safe_load(Path(path).read_text(encoding="utf-8")))
