"""Prepare a dataset in a process of its own: whatever ends that process, the run goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from blufs_bench.datasets.preparation import prepare_or_unavailable, unavailable
from blufs_bench.datasets.storage import read_card, write_dataset
from blufs_bench.files.disk import is_disk_trouble

#: An exit code above this is that and the number of an error of the disk.
_DISK_TROUBLE = 100


def prepare_files(
    spec: Mapping[str, Any],
    source: Mapping[str, Any],
    npz_path: str | os.PathLike,
    card_path: str | os.PathLike,
    graph_path: str | os.PathLike,
) -> dict[str, Any]:
    """Prepare a dataset and write arrays, card and graph; the card.

    A parser of a damaged file may crash, and the system may end a process that needs too much
    memory. Then a stand-in is written, whose card says so. The processes share nothing but the
    files, so nothing is unpickled. A disk that takes no more files says nothing about the dataset:
    then the error of the system is raised.
    """
    process = multiprocessing.get_context("fork").Process(
        target=_prepare_and_write, args=(spec, source, npz_path, card_path, graph_path), daemon=True
    )
    process.start()
    process.join()
    code = process.exitcode or 0
    if code > _DISK_TROUBLE:
        number = code - _DISK_TROUBLE
        raise OSError(number, os.strerror(number), os.fspath(npz_path))
    if code:
        reason = f"dataset {spec['name']}: preparation {_how_it_ended(code)}"
        write_dataset(unavailable(spec, reason, source), npz_path, card_path, graph_path)
    return read_card(card_path)


def _prepare_and_write(spec, source, npz_path, card_path, graph_path) -> None:
    try:
        write_dataset(prepare_or_unavailable(spec, source), npz_path, card_path, graph_path)
    except OSError as error:
        if is_disk_trouble(error):
            sys.exit(_DISK_TROUBLE + (error.errno or 0))
        raise


def _how_it_ended(exit_code: int) -> str:
    if exit_code == -signal.SIGKILL:
        return "was killed, probably because memory ran out"
    if exit_code < 0:
        return f"crashed ({signal.Signals(-exit_code).name}); the file is probably damaged"
    return f"failed with exit code {exit_code}; see its log"
