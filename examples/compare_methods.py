"""Compare methods on your data, without the workflow.

A loop over the methods, k-means on the features of each, and two lines that belong into every
comparison: all features and random ones. This is the quick look. For a fair study with tuned
settings, repetitions and tests use the benchmark instead.

What to see: a bar that ends right of the orange band beats random pixels, one that ends inside it
does not. No bar reaches the black line: 15 of 64 pixels hold less than all of them. The order is
that of these data and this s; others have another one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from blufs import (
    BLSFS,
    BLUFS,
    FSCA,
    FSPCA,
    MCFS,
    NDFS,
    SPCAFS,
    UDFS,
    LapScore,
    MaxVariance,
    RandomFeatures,
    normalized_mutual_info,
)

X, y = load_digits(return_X_y=True)
X, y = X[::2], y[::2]  # half of the digits, to be quick
s, c = 15, 10
methods = [
    BLUFS(s, n_clusters=c),
    MCFS(s, n_clusters=c),
    BLSFS(s, n_clusters=c, random_state=0),
    SPCAFS(s, n_clusters=c),
    FSPCA(s, n_clusters=c),
    FSCA(s),
    NDFS(s, n_clusters=c, random_state=0),
    MaxVariance(s),
    UDFS(s, n_clusters=c),
    LapScore(s),
]


def nmi(Z):
    """Agreement of k-means with the classes, mean of 3 starts."""
    runs = [KMeans(c, n_init=2, random_state=seed).fit_predict(Z) for seed in range(3)]
    return np.mean([normalized_mutual_info(y, labels) for labels in runs])


scores = {type(method).__name__: nmi(method.fit_transform(X)) for method in methods}
random = [nmi(RandomFeatures(s, random_state=seed).fit_transform(X)) for seed in range(5)]

names = sorted(scores, key=scores.get)
fig, ax = plt.subplots(figsize=(6, 3.4))
ax.barh(names, [scores[name] for name in names], color="tab:blue")
ax.axvline(nmi(X), color="k", label="all 64 features")
ax.axvline(np.mean(random), color="tab:orange", ls="--", label=f"{s} random features, mean of 5")
ax.axvspan(min(random), max(random), color="tab:orange", alpha=0.15)
ax.set(xlabel=f"NMI of k-means on {s} features")
ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncol=2)
plt.show()
