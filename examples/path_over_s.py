"""How many features are enough.

`path` says for several numbers of features s what the selection is worth, without labels: the share
of the variance that the chosen features explain, how well the clusters on them keep neighbours
together, and whether random halves of the samples choose the same.

What to see: left, the curves of BLUFS rise and level off; the dotted line is the elbow of the
explained share, a place to start. Right, how well clusters on the features of several methods keep
neighbours together. With few features the choice of the method matters much; from 30 on, little. A
curve near the dashed line is no better than chance. The explained share is another aim: every pixel
counts the same for it, noisy ones at the border too, so that features for clusters explain less.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from blufs import BLUFS, FSCA, MCFS, LapScore, RandomFeatures, path
from blufs.plot import plot_path

X = load_digits().data[::2]
X = X[:, X.std(axis=0) > 0]
s_values = [2, 4, 6, 10, 15, 20, 30, 40, 50]

table = path(BLUFS(n_clusters=10), X, s_values, n_resamples=6)
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
plot_path(table, ax=left)
left.set_title("BLUFS")

right.plot(s_values, table["criterion"], "o-", ms=4, label="BLUFS")
for method in (MCFS(n_clusters=10), LapScore(), FSCA()):
    other = path(method, X, s_values, n_clusters=10, n_runs=3, n_resamples=0)
    right.plot(s_values, other["criterion"], "o-", ms=4, label=type(method).__name__)
draws = [
    path(RandomFeatures(random_state=seed), X, s_values, n_clusters=10, n_runs=1, n_resamples=0)
    for seed in range(5)
]
random = np.mean([draw["criterion"] for draw in draws], axis=0)
right.plot(s_values, random, "k--", label="random, mean of 5")
right.set(xlabel="number of features s", ylabel="clusters keep neighbours together")
right.grid(alpha=0.3)
right.legend()
plt.show()
