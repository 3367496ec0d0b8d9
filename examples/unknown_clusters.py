"""When the number of clusters is unknown.

BLUFS wants to know how many groups its features should tell apart. `n_clusters="auto"` counts them
in the data. The left picture shows how much the number matters here: k-means always looks for the
ten digits, only the number that BLUFS is told changes. The right picture counts how often a pixel
is chosen. Pixels that most numbers of clusters choose are a safe bet.

What to see: telling BLUFS too few clusters costs more than too many. Where the star lies below the
right end of the curve, the count was too low: it is a start, not an answer, and a larger number is
the safer guess.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from blufs import BLUFS, RandomFeatures, normalized_mutual_info

X, y = load_digits(return_X_y=True)
X, y = X[::2], y[::2]  # half of the digits, to be quick
s, counts = 20, [2, 4, 7, 10, 15, 20, 30]


def nmi(selector):
    """Agreement of k-means on the chosen pixels with the digits."""
    labels = KMeans(10, n_init=10, random_state=0).fit_predict(selector.transform(X))
    return normalized_mutual_info(y, labels)


auto = BLUFS(s, n_clusters="auto").fit(X)
print(f"n_clusters='auto' counts {auto.n_clusters_} clusters; there are 10 digits")
selectors = [BLUFS(s, n_clusters=c).fit(X) for c in counts]
times = np.sum([selector.get_support() for selector in selectors], axis=0)
random = np.mean([nmi(RandomFeatures(s, random_state=seed).fit(X)) for seed in range(10)])

fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4), width_ratios=[3, 2])
left.plot(counts, [nmi(selector) for selector in selectors], "o-", label="BLUFS, 20 pixels")
left.plot([auto.n_clusters_], [nmi(auto)], "r*", ms=13, label='n_clusters="auto"')
left.axhline(random, color="k", ls="--", label="20 random pixels, mean of 10")
left.set(xlabel="n_clusters", ylabel="NMI of k-means with the digits", ylim=(0, 0.8))
left.legend(loc="lower right")
image = right.imshow(times.reshape(8, 8), cmap="Reds", vmin=0, vmax=len(counts))
right.set(xticks=[], yticks=[], title=f"how often chosen, of {len(counts)}")
fig.colorbar(image, ax=right, shrink=0.8)
fig.tight_layout()
plt.show()
