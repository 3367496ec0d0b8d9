"""When the number of clusters is unknown.

`n_clusters` sets how many pseudo-labels the features have to explain. Fit with several values and
see how much the selection changes. Where neighbouring values agree, the number matters little.
Features that all of them choose are safe.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from blufs import BLUFS

X = load_digits().data
s, counts = 20, [2, 4, 6, 8, 10, 12, 16, 20]
supports = np.array([BLUFS(s, n_clusters=c).fit(X).get_support() for c in counts])
overlap = supports.astype(int) @ supports.T.astype(int)
times = supports.sum(axis=0)
print(f"{np.sum(times == len(counts))} pixels are chosen for every number of clusters")

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6))
image = left.imshow(overlap, cmap="viridis", vmin=0, vmax=s)
left.set(xticks=range(len(counts)), yticks=range(len(counts)), xlabel="n_clusters")
left.set_xticklabels(counts)
left.set_yticklabels(counts)
left.set(ylabel="n_clusters", title=f"shared features of {s}")
fig.colorbar(image, ax=left, shrink=0.8)
image = right.imshow(times.reshape(8, 8), cmap="Reds", vmin=0, vmax=len(counts))
right.set(xticks=[], yticks=[], title=f"how often chosen, of {len(counts)}")
fig.colorbar(image, ax=right, shrink=0.8)
fig.tight_layout()
plt.show()
