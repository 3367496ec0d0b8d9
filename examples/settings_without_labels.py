"""Settings and s without labels.

`BlindSearch` fits every setting of a grid for every s, clusters by the chosen features and judges
the clusters by a criterion that needs no labels. The picture compares that criterion with the
agreement with the true classes, which it never saw.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from blufs import BLUFS, BlindSearch, normalized_mutual_info
from blufs.evaluation.clustering import cluster
from blufs.evaluation.pick import DEFAULT_CRITERION

X, y = load_digits(return_X_y=True)
X, y = X[::3], y[::3]  # a third of the digits, to be quick
grid = {"alpha": [0.1, 10, 1000], "lam": [0.1, 10]}
search = BlindSearch(BLUFS(n_clusters=10), grid, s_values=[5, 10, 20, 30]).fit(X)
print("chosen:", search.best_params_)


def nmi(row):
    (labels,) = cluster(X[:, row["features"]], 10, [0])
    return normalized_mutual_info(y, labels)


fig, ax = plt.subplots(figsize=(6, 3.8))
for s in (5, 10, 20, 30):
    rows = [row for row in search.results_ if row["s"] == s]
    ax.scatter(
        [row[DEFAULT_CRITERION] for row in rows],
        [nmi(row) for row in rows],
        label=f"s = {s}",
    )
ax.set(xlabel=f"label-free criterion ({DEFAULT_CRITERION})", ylabel="NMI with the true classes")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
