"""Datasets: definitions, download, reading, and the arrays that everything else uses.

``dataset_definitions`` (what is known) -> ``fetch`` (a verified file) -> ``prepare`` (clean arrays)
-> ``write_dataset`` / ``read_dataset``, ``read_graph``, ``read_card``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blufs_bench.datasets.definitions import dataset_definitions
    from blufs_bench.datasets.download import (
        fetch,
        fetch_or_explain,
        local_copies_digest,
        mirror_list,
    )
    from blufs_bench.datasets.errors import DatasetError, DatasetUnavailableError, DefinitionError
    from blufs_bench.datasets.preparation import (
        prepare,
        prepare_files,
        prepare_or_unavailable,
        unavailable,
    )
    from blufs_bench.datasets.storage import (
        PreparedDataset,
        read_card,
        read_dataset,
        read_graph,
        write_dataset,
    )

#: Where each name is from. Jobs that only read prepared arrays import nothing else.
_MODULES = {
    "DatasetError": "errors",
    "DatasetUnavailableError": "errors",
    "DefinitionError": "errors",
    "PreparedDataset": "storage",
    "dataset_definitions": "definitions",
    "fetch": "download",
    "fetch_or_explain": "download",
    "local_copies_digest": "download",
    "mirror_list": "download",
    "prepare": "preparation",
    "prepare_files": "preparation",
    "prepare_or_unavailable": "preparation",
    "read_card": "storage",
    "read_dataset": "storage",
    "read_graph": "storage",
    "unavailable": "preparation",
    "write_dataset": "storage",
}

__all__ = [
    "DatasetError",
    "DatasetUnavailableError",
    "DefinitionError",
    "PreparedDataset",
    "dataset_definitions",
    "fetch",
    "fetch_or_explain",
    "local_copies_digest",
    "mirror_list",
    "prepare",
    "prepare_files",
    "prepare_or_unavailable",
    "read_card",
    "read_dataset",
    "read_graph",
    "unavailable",
    "write_dataset",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
