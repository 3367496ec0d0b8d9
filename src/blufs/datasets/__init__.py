"""Datasets: definitions, download, reading, and the arrays that everything else uses.

``dataset_definitions`` (what is known) -> ``fetch`` (a verified file) -> ``prepare`` (clean arrays)
-> ``write_dataset`` / ``read_dataset``, ``read_graph``, ``read_card``.
"""

from __future__ import annotations

from blufs.datasets.definitions import dataset_definitions
from blufs.datasets.download import at_hand, fetch, mirror_list, source_record
from blufs.datasets.errors import DatasetError, DatasetUnavailableError
from blufs.datasets.prepare import PreparedDataset, prepare, prepare_or_unavailable, unavailable
from blufs.datasets.storage import read_card, read_dataset, read_graph, write_dataset

__all__ = [
    "DatasetError",
    "DatasetUnavailableError",
    "PreparedDataset",
    "at_hand",
    "dataset_definitions",
    "fetch",
    "mirror_list",
    "prepare",
    "prepare_or_unavailable",
    "read_card",
    "read_dataset",
    "read_graph",
    "source_record",
    "unavailable",
    "write_dataset",
]
