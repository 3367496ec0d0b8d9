"""What X and s may be, apart from what scikit-learn checks; messages name the method."""

from __future__ import annotations

from collections import Counter
from numbers import Integral

import numpy as np
import scipy.sparse as sp

from blufs._numerics.chunked import is_lazy


def refuse_unusable(X, name: str, *, takes_sparse: bool) -> None:
    """Raise what tells the user why the method of that name does not take X, and what to do."""
    if np.ma.is_masked(X):
        raise ValueError(
            f"{name} does not take masked values; fill them in first, for example by X.filled(0) "
            "or SimpleImputer"
        )
    if is_lazy(X):
        raise TypeError(
            f"{name} does not read data in chunks; load X first, for example by X.compute() "
            "(dask) or X[:] (a file), if it fits into memory"
        )
    # Two columns of one name cannot be told apart by ``get_feature_names_out``.
    counts = Counter(getattr(X, "columns", ()))
    twice = [str(column) for column, count in counts.items() if count > 1]
    if twice:
        raise ValueError(f"X has several columns named {', '.join(twice[:5])}; rename them")
    # A data frame has the accessor only if all its columns are sparse.
    if not takes_sparse and (sp.issparse(X) or hasattr(X, "sparse")):
        raise TypeError(
            f"{name} does not take sparse data; give it a dense copy, X.toarray() or "
            "frame.sparse.to_dense(), if that fits into memory"
        )


def check_count(s, d: int) -> int:
    """s as an int, if it is a number of features that X with d of them can give."""
    if isinstance(s, bool) or not isinstance(s, Integral) or int(s) < 1:
        raise ValueError(f"the number of features must be a positive integer, got {s!r}")
    if int(s) > d:
        raise ValueError(f"n_features_to_select={s} is above the number of features, {d}")
    return int(s)
