"""How many features are enough.

`path` says for several numbers of features s what the selection is worth, without labels: the share
of the variance that the chosen features explain, how well the clusters on them keep neighbours
together, and whether random halves of the samples choose the same.

What to see: left, the curves of BLUFS rise and level off; the dotted line is the elbow of the
explained share, a place to start. Right, FSCA is ahead because it looks for nothing but this share.
BLUFS, MCFS and LapScore look for clusters and leave some of the variance for that. A curve near the
dashed line would be no better than chance.
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

right.plot(s_values, table["explained"], "o-", ms=4, label="BLUFS")
for method in (MCFS(n_clusters=10), LapScore(), FSCA(scaling="standard")):
    other = path(method, X, s_values, n_clusters=10, n_runs=1, n_resamples=0)
    right.plot(s_values, other["explained"], "o-", ms=4, label=type(method).__name__)
draws = [
    path(RandomFeatures(random_state=seed), X, s_values, n_clusters=10, n_runs=1, n_resamples=0)
    for seed in range(5)
]
random = np.mean([draw["explained"] for draw in draws], axis=0)
right.plot(s_values, random, "k--", label="random, mean of 5")
right.set(xlabel="number of features s", ylabel="share of the variance explained", ylim=(0, 1.02))
right.grid(alpha=0.3)
right.legend()
plt.show()
