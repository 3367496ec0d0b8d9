"""Blind search: settings and s without labels.

`BlindSearch` fits every setting of a grid for every s, clusters the data by the chosen features and
judges the clusters by a criterion that needs no labels. It keeps the estimator's own setting unless
another one is better by a margin. The picture compares the criterion with the agreement with the
true classes, which the search never saw.

What to see: points further right also lie higher, so the criterion and the true classes agree
about s. For one s the points are a loose cloud: there the search gains little. The criterion grows
with s, so the largest s that is offered tends to win: offer what you can afford.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from blufs import BLUFS, BlindSearch, normalized_mutual_info

X, y = load_digits(return_X_y=True)
X, y = X[::3], y[::3]  # a third of the digits, to be quick
s_values = [5, 10, 20, 30]
grid = {"alpha": [0.1, 10, 1000], "lam": [0.1, 10]}
search = BlindSearch(BLUFS(n_clusters=10), grid, s_values=s_values).fit(X)
X_small = search.transform(X)  # with the chosen setting and s
print("chosen:", search.best_params_)


def nmi(Z):
    return normalized_mutual_info(y, KMeans(10, n_init=5, random_state=0).fit_predict(Z))


fig, ax = plt.subplots(figsize=(6, 3.8))
for s in s_values:
    rows = [row for row in search.results_ if row["s"] == s]
    criterion = [row[search.criterion] for row in rows]
    ax.scatter(criterion, [nmi(X[:, row["features"]]) for row in rows], label=f"s = {s}")
    for row in rows:
        if {**row["params"], "n_features_to_select": s} == search.best_params_:
            ring = {"s": 170, "facecolors": "none", "edgecolors": "k", "label": "chosen"}
            ax.scatter([row[search.criterion]], [nmi(X[:, row["features"]])], **ring)
ax.set(xlabel=f"label-free criterion ({search.criterion})", ylabel="NMI with the true classes")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
