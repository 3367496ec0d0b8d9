"""Small datasets for the tests of the methods, and the reference outputs in tests/reference."""

import itertools
import json
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import load_iris, load_wine, make_blobs

from tests.helpers import ROOT
from tests.helpers.real_data import real_file

_REFERENCE = Path(__file__).parents[1] / "reference"
_DEVIATIONS = ROOT / "docs/deviations.md"


def blobs(n: int = 60, d: int = 12, seed: int = 0) -> np.ndarray:
    """Three clusters in the first half of the features, noise in the second."""
    rng = np.random.default_rng(seed)
    X = make_blobs(n, d, centers=3, cluster_std=1.0, random_state=seed)[0]
    X[:, d // 2 :] = rng.standard_normal((n, d - d // 2))
    return X


def small_datasets() -> dict[str, np.ndarray]:
    """Real and made up; more samples than features and the other way round."""
    return {
        "iris": load_iris().data,
        "wine": load_wine().data[::2],
        "blobs": blobs(),
        "wide": blobs(n=24, d=70, seed=1),
    }


def documented_to_depend_on(what: str) -> set[str]:
    """Methods whose result depends on ``what``, a column of the table in the deviations."""
    text = _DEVIATIONS.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(text) if line.startswith("| method | a constant"))
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in itertools.takewhile(lambda line: line.startswith("|"), text[start:])
    ]
    column = rows[0].index(what)
    return {row[0] for row in rows[2:] if row[column] == "depends"}


def reference(name: str, dataset: str = "COIL20") -> tuple[np.ndarray, dict]:
    """Data and output of a public reference implementation; skips where the data are missing."""
    X = loadmat(real_file(f"{dataset}.mat"))["X"].astype(np.float64)
    return X, json.loads((_REFERENCE / f"{name}_{dataset}.json").read_text())


def fixture(name: str) -> Path:
    """Stored initial values of a reference run."""
    return _REFERENCE / name
