"""Quick start.

Select 20 of the 64 pixels of handwritten digits without labels, cluster the digits by them, and
look at what was chosen. The labels serve only to check the result at the end.

What to see: the 20 pixels do clearly better than 20 random ones. All 64 do better still: a
selection saves measurements, it adds no information. Chosen pixels are spread over the image,
because a neighbour of a chosen one says little new.
"""

from sklearn.datasets import load_digits

from blufs import BLUFS

X, y = load_digits(return_X_y=True)
selector = BLUFS(n_features_to_select=20, n_clusters=10).fit(X)
X_small = selector.transform(X)  # 1797 x 20

import numpy as np
from sklearn.cluster import KMeans

from blufs import RandomFeatures, clustering_accuracy


def accuracy(Z):
    return clustering_accuracy(y, KMeans(10, n_init=5, random_state=0).fit_predict(Z))


print(f"k-means on all 64 pixels:  {accuracy(X):.2f}")
print(f"k-means on the 20 chosen:  {accuracy(X_small):.2f}")
draws = [RandomFeatures(20, random_state=seed).fit_transform(X) for seed in range(10)]
random = np.mean([accuracy(draw) for draw in draws])
print(f"k-means on 20 random ones: {random:.2f} (mean of 10 draws)")

import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 4, figsize=(9, 2.6))
chosen = selector.get_support().reshape(8, 8)
for ax, digit in zip(axes, [0, 1, 4, 7], strict=True):
    ax.imshow(X[y == digit].mean(axis=0).reshape(8, 8), cmap="gray_r")
    rows, columns = np.nonzero(chosen)
    ax.scatter(columns, rows, s=60, facecolors="none", edgecolors="tab:red", linewidths=1.8)
    ax.set(title=f"mean {digit}", xticks=[], yticks=[])
fig.suptitle("The 20 chosen pixels", y=1.02)
plt.show()
