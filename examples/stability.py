"""Would other samples give the same features.

Select on random halves of the samples and count how often each feature is chosen. A selection that
changes with the samples should not be read as a finding about the features. Column names are kept
when X is a data frame.

What to see: features with long bars would be chosen again. Those with short bars come and go, and
most of them have a twin: radius, perimeter and area of a cell say nearly the same, so that now one
and now the other is chosen. They should be read as a group.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from blufs import BLUFS, MCFS

X = load_breast_cancer(as_frame=True).data
X = (X - X.mean()) / X.std()
n_halves, s = 20, 6
counts = {}
for method in (BLUFS(s, n_clusters=2), MCFS(s, n_clusters=2)):
    counts[type(method).__name__] = np.zeros(X.shape[1])
    for seed in range(n_halves):
        half = X.sample(frac=0.5, random_state=seed)
        counts[type(method).__name__] += method.fit(half).get_support()

order = np.argsort(-sum(counts.values()))[:14]
fig, ax = plt.subplots(figsize=(7, 4))
for shift, (name, count) in zip([-0.2, 0.2], counts.items(), strict=True):
    ax.barh(np.arange(14) + shift, count[order] / n_halves, height=0.38, label=name)
ax.set(yticks=range(14), xlabel=f"share of {n_halves} random halves that choose it (s = {s})")
ax.set_yticklabels(X.columns[order])
ax.invert_yaxis()
ax.legend()
fig.tight_layout()
plt.show()
