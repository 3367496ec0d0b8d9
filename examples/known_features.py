"""Features that must be in, and why the others were chosen.

Three measurements of cells are taken anyway, and standard errors are not wanted: `include` and
`exclude` say so, and BLUFS chooses three more given those three. `explain` tells for every feature
what it adds.

What to see: left, what each feature gains, the given three on top and the best ones below. Dropping
a chosen feature would cost the length of its bar; another one would add that much. Right, how much
of each feature the chosen ones explain together: nearly all of the perimeters and areas, which
therefore need not be measured as well.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from blufs import BLUFS
from blufs.plot import plot_explain

X = load_breast_cancer(as_frame=True).data
known = ["mean radius", "mean texture", "mean smoothness"]
errors = [name for name in X if name.endswith("error")]

selector = BLUFS(6, n_clusters=2, include=known, exclude=errors).fit(X)
print(
    "chosen in addition:", [name for name in selector.get_feature_names_out() if name not in known]
)

table = selector.explain(X)
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
plot_explain(table, most=16, ax=left)
plot_explain(table, most=16, value="explained", ax=right)
right.get_legend().remove()
plt.show()
