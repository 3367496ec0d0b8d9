"""How many features are enough.

`select_path` gives the selections for many s at little more than the cost of one fit. The curves
show a figure that needs no labels: the share of the variance that the chosen features explain. They
tell where more features stop helping. The line of random features shows what selection is worth.

What to see: the curves bend somewhere between 15 and 30 pixels; from there on, one more adds
little. FSCA is ahead because it looks for nothing but this share. BLUFS, MCFS and LapScore look
for clusters and leave some of the variance for that. A curve near the dashed line would be no
better than chance.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from blufs import BLUFS, FSCA, MCFS, LapScore, RandomFeatures

X = load_digits().data[::2]
X = X[:, X.std(axis=0) > 0]
centred = X - X.mean(axis=0)
s_values = [2, 4, 6, 10, 15, 20, 30, 40, 50]


def explained(features):
    """Share of the variance of all features in the span of some of them."""
    basis = np.linalg.qr(centred[:, features])[0]
    return np.sum((basis.T @ centred) ** 2) / np.sum(centred**2)


methods = [BLUFS(n_clusters=10), MCFS(n_clusters=10), LapScore(), FSCA()]
fig, ax = plt.subplots(figsize=(6, 3.8))
for method in methods:
    path = method.select_path(X, s_values)
    shares = [explained(path[s].ranked[:s]) for s in s_values]
    ax.plot(s_values, shares, "o-", ms=4, label=type(method).__name__)

draws = [RandomFeatures(1, random_state=seed).fit(X).ranking_.argsort() for seed in range(20)]
random = np.array([[explained(draw[:s]) for s in s_values] for draw in draws])
ax.plot(s_values, random.mean(axis=0), "k--", label="random, mean of 20")
ax.set(xlabel="number of features s", ylabel="share of the variance explained", ylim=(0, 1.02))
ax.grid(alpha=0.3)
ax.legend()
plt.show()
