"""Labelled sets of several domains, read as the benchmark reads them (data/datasets.yaml).

A set whose file, or whose reader, is not there is left out. The evidence uses at most 1000 samples
of each, so that a trial over all of them takes minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import DATA, ROOT
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.preparation import prepare

MAX_SAMPLES = 1000
#: What is raised where a set is not there.
NOT_THERE = (OSError, ImportError, DatasetError)
#: Gene expression as raw intensities: taken by logarithm, and as it is.
_INTENSITIES = ("khan", "bhattacharjee", "su", "ramaswamy", "golub", "laiho", "shipp", "singh")
_NAMES = {
    "image": (
        *("COIL20", "Jaffe", "pie", "warpAR", "Yale", "YaleB", "umist", "MSRA25"),
        *("MSTAR_SOC_pix32", "ORL", "orlraws10P", "pixraw10P"),
    ),
    "digits": ("mnist", "USPS", "binaryalphadigs"),
    "genes": (
        *("ALLAML", "ProstateGE", "GLIOMA", "Pollen", "lymphoma", "nci9", "colon", "garber"),
        *("bittner", "liang", *_INTENSITIES),
    ),
    "raw genes": tuple(f"{name}, raw" for name in _INTENSITIES),
    "text": (
        *("BASEHOCK", "PCMAC", "CNAE9", "tr11", "wap", "k1b", "tr41", "tr45", "news4a"),
        "bbcsport",
    ),
    "other": ("Isolet", "arcene", "madelon", "musk", "IndianPines"),
    "cells": ("Zeisel", "CITEseq"),
}
#: Set -> its domain.
DATASETS = {name: domain for domain, names in _NAMES.items() for name in names}


@cache
def _definitions() -> dict[str, dict[str, Any]]:
    return dataset_definitions(ROOT / "data/datasets.yaml")


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X (n x d) and labels 0..c-1; of the transforms of the benchmark only that of word counts."""
    definition = dict(_definitions()[name])
    definition.pop("subset", None)
    if definition.get("transform") != "tfidf":
        definition.pop("transform", None)
        definition.pop("floor", None)
    path = DATA / definition["file"] if "file" in definition else None
    if path and not path.exists():
        raise FileNotFoundError(path)
    prepared = prepare(definition, path)
    X = prepared.X.toarray() if sp.issparse(prepared.X) else prepared.X
    return X, prepared.y


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X (n x d, float64) with the transform that its domain wants, and labels 0..c-1."""
    X, y = read(name.removesuffix(", raw"))
    if name in _INTENSITIES:
        X = np.log1p(np.maximum(X, 0) / np.median(X))
    if name == "CITEseq":  # counts, at equal sums
        sums = X.sum(axis=1, keepdims=True)
        X = np.log1p(X / np.maximum(sums, 1) * np.median(sums))
    return X, y


def study(name: str) -> str:
    """Sets of one study are not independent."""
    name = name.removesuffix(", raw")
    return _definitions()[name].get("study", name)


def load_part(name: str, most: int = MAX_SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """At most 1000 samples or ``most``, drawn once, without the features that are then constant."""
    X, y = load(name)
    keep = np.sort(np.random.default_rng(0).permutation(len(X))[:most])
    X, y = X[keep], np.unique(y[keep], return_inverse=True)[1]
    return np.ascontiguousarray(X[:, (X[0] != X).any(axis=0)]), y


def load_available(*names: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, X and labels of those sets whose file and reader are there; says which are not."""
    for name in names:
        try:
            X, y = load(name)
        except NOT_THERE as missing:
            print(f"skipped {name}: {missing}", flush=True)
        else:
            yield name, X, y
