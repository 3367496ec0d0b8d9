"""Would other samples give the same features.

A selection that changes with the samples should not be read as a finding about the features.
`StabilitySelector` selects on random halves of the samples and keeps the features that most halves
choose.

What to see: left, features with long bars would be chosen again. Those with short bars come and go,
and most of them have a twin: radius, perimeter and area of a cell say nearly the same, so that now
one and now the other is chosen. They should be read as a group. Right, the more features are chosen
on each half, the more are kept, and the more of those may be kept by chance. Where the bound is
above what is kept, as here, it rules nothing out: a higher threshold lowers it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from blufs import BLUFS, StabilitySelector
from blufs.plot import plot_stability

X = load_breast_cancer(as_frame=True).data
selector = StabilitySelector(BLUFS(6, n_clusters=2), n_resamples=40, threshold=0.6).fit(X)
print("kept:", ", ".join(selector.get_feature_names_out()))
print(f"expected by chance alone: at most {selector.error_bound_:.1f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[2, 1])
plot_stability(selector, most=14, ax=left)

sizes = [4, 6, 8, 10, 12]
fits = [
    StabilitySelector(BLUFS(s, n_clusters=2), n_resamples=20, threshold=0.6).fit(X) for s in sizes
]
right.plot(sizes, [fit.support_.sum() for fit in fits], "o-", label="kept")
right.plot(sizes, [fit.error_bound_ for fit in fits], "s--", label="at most by chance")
right.set(xlabel="features chosen on each half", ylabel="features", ylim=(0, None))
right.set_xticks(np.array(sizes))
right.legend()
fig.tight_layout()
plt.show()
