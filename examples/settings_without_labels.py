"""Blind search: settings without labels.

`BlindSearch` fits every setting of a grid, clusters the data by the chosen features and judges the
clusters by a criterion that needs no labels. It keeps the estimator's own setting, orange in the
picture, unless another one is better by a margin.

What to see: settings with a higher criterion agree better with the true classes, which the search
never saw, but only loosely. The chosen one need not be the best.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from blufs import BLUFS, BlindSearch, normalized_mutual_info

X, y = load_digits(return_X_y=True)
X, y = X[::3], y[::3]  # a third of the digits, to be quick
grid = {"alpha": [3, 10, 30], "lam": [1, 3, 10]}
search = BlindSearch(BLUFS(30, n_clusters=10), grid).fit(X)
X_small = search.transform(X)  # with the chosen setting
print("chosen:", search.best_params_)


def nmi(Z):
    return normalized_mutual_info(y, KMeans(10, n_init=5, random_state=0).fit_predict(Z))


fig, ax = plt.subplots(figsize=(6, 3.8))
for row in search.results_:
    at = row[search.criterion], nmi(X[:, row["features"]])
    ax.plot(*at, "o", color="tab:orange" if row["is_default"] else "tab:blue")
    if {**row["params"], "n_features_to_select": 30} == search.best_params_:
        ax.plot(*at, "o", ms=14, mfc="none", mec="k", label="chosen")
ax.set(xlabel=f"label-free criterion ({search.criterion})", ylabel="NMI with the true classes")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
