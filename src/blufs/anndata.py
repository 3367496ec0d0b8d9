"""Genes of an AnnData object by a selector of this library.

Takes its arguments and leaves its results as ``scanpy.pp.highly_variable_genes`` does, so that what
comes after it in a scanpy script goes on as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from blufs._numerics.feature_names import feature_indices
from blufs._numerics.matrix import column_variances
from blufs._numerics.matrix.chunked import as_row_chunks, first_row, is_dask
from blufs._numerics.warn import warn_user
from blufs.base import BaseSelector, check_count
from blufs.methods.blufs import BLUFS

if TYPE_CHECKING:
    from anndata import AnnData
    from pandas import DataFrame


#: Arguments of scanpy's function that judge genes one by one.
SCANPY_ONLY = frozenset(
    {"flavor", "min_mean", "max_mean", "min_disp", "max_disp", "span", "n_bins"}
    | {"check_values", "filter_unexpressed_genes"}
)
#: Groups of genes of like mean, in which dispersions are normalised.
_N_BINS = 20


def select_genes(
    adata: AnnData,
    n_top_genes: int | str = 2000,
    *,
    layer: str | None = None,
    batch_key: str | None = None,
    n_clusters: int | str = "auto",
    subset: bool = False,
    inplace: bool = True,
    estimator: BaseSelector | None = None,
    include: Any = None,
    exclude: Any = None,
    **others: Any,
) -> DataFrame | None:
    """Select genes that tell groups of cells apart; ``scanpy.pp.pca(adata)`` goes on with them.

    Parameters
    ----------
    adata : AnnData of n cells and d genes
        Log-normalised values, sparse or dense: run ``scanpy.pp.normalize_total`` and
        ``scanpy.pp.log1p`` first; raw counts give a warning. Sparse values stay sparse. An object
        on disk (``backed="r"``) is read in chunks of cells, or batch by batch; a dask array is
        worked on where its chunks are.
    n_top_genes : int or "auto", default=2000
        Number of genes; all of them, with a warning, if there are not so many. With ``"auto"``
        BLUFS counts the genes that gain enough; of batches it is the median.
    layer : str, optional
        The values are in ``adata.layers[layer]`` instead of ``adata.X``.
    batch_key : str, optional
        Column of ``adata.obs``. Genes are selected in every batch by itself; those with the best
        median rank over the batches that chose them win, ties by the number of batches.
    n_clusters : int or "auto", default="auto"
        Kinds of cells that one expects; ``"auto"`` counts them in the data.
    subset : bool, default=False
        Whether to keep only the selected genes.
    inplace : bool, default=True
        Whether to write into ``adata``; if not, the columns are returned.
    estimator : selector of this library, optional
        Used instead of ``BLUFS(n_clusters=n_clusters)``.
    include, exclude : str or array-like, optional
        Genes that must be selected, such as markers that you know, and genes that must not be, such
        as mitochondrial ones: a column of ``adata.var`` with truth values; or names, positions or
        a boolean mask. Included ones count as selected; BLUFS chooses the others given them.

    **others
        None. Arguments of scanpy's function that make no sense here are named in an error.

    Returns
    -------
    DataFrame or None
        With ``inplace=False`` what would be written to ``adata.var``, one row per gene:
        ``highly_variable`` (bool), ``highly_variable_rank`` (0 is best, the median over batches,
        NaN for genes that no batch chose), ``blufs_score`` (mean over batches, larger is better)
        and, with batches, ``highly_variable_nbatches``; and what
        ``scanpy.pl.highly_variable_genes`` draws, which took no part in the choice: ``means``,
        ``dispersions`` and ``dispersions_norm``. ``adata.uns["hvg"]`` says how they were made.
    """
    if type(adata).__name__ != "AnnData":
        raise TypeError(f"select_genes takes an AnnData object, got {type(adata).__name__}")
    _refuse_arguments(others)
    _refuse_subset_on_disk(adata, subset and inplace)
    if estimator is None:
        estimator = BLUFS(n_clusters=n_clusters)
    elif n_clusters != "auto":
        raise ValueError("n_clusters is a parameter of the estimator if one is given: set it there")
    if not isinstance(estimator, BaseSelector):
        raise TypeError(
            f"estimator must be a selector of this library, got {type(estimator).__name__}; fit "
            "any other one to adata.X"
        )
    if estimator.costs is not None or estimator.groups is not None:
        raise ValueError(
            "select_genes counts genes: fit an estimator that has costs or groups to adata.X"
        )
    estimator = clone(estimator)
    for name, genes in (("include", include), ("exclude", exclude)):
        if genes is not None:
            estimator.set_params(**{name: _genes(adata, genes, name)})
    given = estimator._by_position(adata.n_vars, list(adata.var_names))
    estimator.set_params(**given)
    n_top = _check_count(n_top_genes, adata.n_vars - len(given.get("exclude", ())))
    X = _values(adata, layer, estimator)
    raw = _looks_raw(X)
    if raw:
        warn_user(
            "the values are whole numbers, as raw counts are, of which the loudest genes rule the "
            "result. Run scanpy.pp.normalize_total(adata) and scanpy.pp.log1p(adata) first"
        )
    fits = _fit_batches(X, _batches(adata, batch_key), estimator, n_top)
    if isinstance(n_top, str):
        n_top = int(np.median([fit.get_support().sum() for fit in fits]))
    table = _table(adata, fits, n_top, with_batches=batch_key is not None)
    for column, values in _dispersions(X, raw).items():
        table[column] = values
    if not inplace:
        return table[table["highly_variable"]] if subset else table
    adata.uns["hvg"] = {"flavor": type(estimator).__name__, "n_top_genes": n_top}
    _write(adata, table, subset)
    return None


def _write(adata: AnnData, table: DataFrame, subset: bool) -> None:
    if "highly_variable_nbatches" in adata.var:  # of a call with batches before this one
        del adata.var["highly_variable_nbatches"]
    for column in table:
        adata.var[column] = table[column]
    if subset:
        adata._inplace_subset_var(table["highly_variable"].to_numpy())


def _fit_batches(X, batches: list, estimator: BaseSelector, n_top: int | str) -> list[BaseSelector]:
    """The estimator fitted to the cells of every batch."""
    fits = []
    for name, cells in batches:
        selector = clone(estimator).set_params(n_features_to_select=n_top)
        try:
            fits.append(selector.fit(X if cells is None else _rows(X, cells)))
        except ValueError as error:
            where = "" if name is None else f" in batch {name!r}"
            raise ValueError(f"no genes could be selected{where}: {error}") from error
    return fits


def _genes(adata: AnnData, genes, argument: str) -> np.ndarray:
    """Positions of genes that are given as ``select_genes`` takes them."""
    if isinstance(genes, str):
        if genes not in adata.var:
            raise ValueError(f"{argument}: adata.var has no column {genes!r}")
        genes = adata.var[genes].to_numpy()
        if genes.dtype != bool:
            raise ValueError(f"{argument}: that column of adata.var must have truth values")
    return feature_indices(genes, adata.n_vars, list(adata.var_names), argument)


def _refuse_arguments(others: dict[str, Any]) -> None:
    if unknown := sorted(set(others) - SCANPY_ONLY):
        raise TypeError(f"select_genes takes no {', '.join(unknown)}")
    if others:
        raise TypeError(
            f"select_genes takes no {', '.join(sorted(others))}: by these scanpy judges genes one "
            "by one. Leave them out, and say how many genes, such as n_top_genes=2000"
        )


def _looks_raw(X) -> bool:
    """Whether the first cell holds whole numbers, some above 1."""
    chunks = as_row_chunks(X)
    values = first_row(X if chunks is None else chunks)
    return bool(values.max() > 1 and np.array_equal(values, np.round(values)))


def _expm1(block):
    block = block.astype(np.float64)
    return block.expm1() if sp.issparse(block) else np.expm1(block)


def _dispersions(X, raw: bool) -> dict[str, np.ndarray]:
    """What scanpy writes with its flavour "seurat", each (d,), for counts or their logarithms X.

    Logarithm of the variance over the mean of the normalised counts, and that standardised among
    genes of like ``log(1 + mean)``.
    """
    import pandas as pd

    chunks, n = as_row_chunks(X), X.shape[0]
    with np.errstate(all="ignore"):  # values that are no logarithms may overflow or be below 0
        if chunks is not None:
            summary = (chunks if raw else chunks.map(_expm1)).summary
            mean, variance = summary.mean, summary.squares / max(1, n - 1)
        else:
            counts = X if raw else _expm1(X)
            mean = np.asarray(counts.mean(axis=0, dtype=np.float64)).ravel()
            variance = column_variances(counts) * n / max(1, n - 1)
        known = np.isfinite(variance) & (mean > 0) & (variance > 0)
        dispersion = np.log(np.where(known, variance / mean, np.nan))
        means = np.log1p(mean)
    values = pd.Series(dispersion)
    groups = values.groupby(pd.cut(np.where(np.isfinite(means), means, 0), _N_BINS, labels=False))
    middle, spread = groups.transform("mean"), groups.transform("std")
    alone = spread.isna()  # as in scanpy, a gene alone in its group gets 1
    middle[alone], spread[alone] = 0.0, middle[alone]
    normalised = ((values - middle) / spread).to_numpy()
    return {"means": means, "dispersions": dispersion, "dispersions_norm": normalised}


def _refuse_subset_on_disk(adata: AnnData, wanted: bool) -> None:
    if adata.isbacked and wanted:
        raise ValueError(
            "adata is on disk and keeps all genes there; leave subset out, and go on with "
            'adata[:, adata.var["highly_variable"]].to_memory()'
        )


def _values(adata: AnnData, layer: str | None, estimator: BaseSelector):
    """The matrix of cells and genes, in memory if the estimator does not read chunks."""
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"adata has no layer {layer!r}, only {sorted(adata.layers)}")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None or 0 in X.shape:
        raise ValueError("adata holds no values: it needs cells, genes and a matrix adata.X")
    chunks = None if estimator.takes_chunks else as_row_chunks(X)
    return X if chunks is None else chunks.columns(slice(None))


def _rows(X, cells: np.ndarray):
    """The given cells (boolean, (n,)) of X; of a file they are in memory, of dask another array."""
    if is_dask(X):
        return X[np.flatnonzero(cells)]
    chunks = as_row_chunks(X)
    return X[cells] if chunks is None else chunks[cells]


def _check_count(n_top_genes: int | str, n_genes: int) -> int | str:
    if n_top_genes == "auto":
        return "auto"
    n_top = check_count(n_top_genes)
    if n_top <= n_genes:
        return n_top
    warn_user(
        f"n_top_genes={n_top_genes} is above the number of genes to choose from, {n_genes}; "
        "taking all of them",
    )
    return n_genes


def _batches(adata: AnnData, batch_key: str | None) -> list[tuple[Any, np.ndarray | None]]:
    """Name and cells (boolean, (n,)) of every batch; all cells without a name if there are none."""
    if batch_key is None:
        return [(None, None)]
    if batch_key not in adata.obs:
        raise ValueError(f"adata.obs has no column {batch_key!r}, only {list(adata.obs)}")
    batch = adata.obs[batch_key]
    if batch.isna().any():
        raise ValueError(
            f"{int(batch.isna().sum())} cells have no batch in adata.obs[{batch_key!r}]"
        )
    return [(name, (batch == name).to_numpy()) for name in sorted(batch.unique(), key=str)]


def _table(adata: AnnData, fits: list, n_top: int, *, with_batches: bool) -> DataFrame:
    """One row per gene, from the fits of all batches."""
    import pandas as pd

    ranks = np.array([fit.ranking_ - 1.0 for fit in fits])
    chosen = np.array([fit.get_support() for fit in fits])
    n_batches = chosen.sum(axis=0)
    ranks[~chosen] = np.nan
    median = np.full(adata.n_vars, np.nan)
    median[n_batches > 0] = np.nanmedian(ranks[:, n_batches > 0], axis=0)
    order = np.lexsort((-n_batches, median))  # NaN comes last
    highly_variable = np.zeros(adata.n_vars, dtype=bool)
    highly_variable[order[:n_top]] = True
    columns = {
        "highly_variable": highly_variable,
        "highly_variable_rank": median,
        "blufs_score": np.mean([fit.scores_ for fit in fits], axis=0),
    }
    if with_batches:
        columns["highly_variable_nbatches"] = n_batches
    return pd.DataFrame(columns, index=adata.var_names)
