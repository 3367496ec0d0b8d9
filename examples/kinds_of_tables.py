"""pandas, polars, dask and AnnData.

The same line takes any of them. What `fit` is given as a data frame keeps its column names, and
`set_output` says what `transform` gives back; a dask array stays one, block by block. For AnnData
there is `select_genes`. What is not installed is left out.

What to see: every row has the same dots. The kind of table changes where the numbers are, not what
is chosen.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from blufs import BLUFS

frame = load_wine(as_frame=True).data
inputs = {"NumPy": frame.to_numpy(), "pandas": frame}
if find_spec("polars"):
    import polars

    inputs["polars"] = polars.DataFrame({name: frame[name].to_numpy() for name in frame})
if find_spec("dask"):
    import dask.array

    inputs["dask"] = dask.array.from_array(frame.to_numpy(), chunks=(60, -1))

chosen = {}
for kind, X in inputs.items():
    selector = BLUFS(5, n_clusters=3)
    if kind in ("pandas", "polars"):
        selector.set_output(transform=kind)
    reduced = selector.fit_transform(X)
    chosen[kind] = selector.get_support()
    print(f"{kind}: {type(reduced).__name__}, {', '.join(selector.get_feature_names_out())}")

if find_spec("anndata"):
    from anndata import AnnData

    from blufs.anndata import select_genes

    adata = AnnData(frame.reset_index(drop=True).rename(index=str))
    select_genes(adata, 5, n_clusters=3)
    chosen["AnnData"] = adata.var["highly_variable"].to_numpy()
    print(f"AnnData: {', '.join(adata.var_names[chosen['AnnData']])}")

fig, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
rows, columns = np.nonzero(list(chosen.values()))
ax.scatter(columns, rows, s=80)
ax.set_yticks(range(len(chosen)), chosen)
ax.set_xticks(range(frame.shape[1]), frame.columns, rotation=35, ha="right")
ax.set(title="chosen features of the wines", xlim=(-0.5, frame.shape[1] - 0.5))
ax.margins(y=0.15)
ax.invert_yaxis()
ax.grid(alpha=0.3)
plt.show()
