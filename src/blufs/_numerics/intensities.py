"""Raw intensities: values whose logarithm should be taken before anything else."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.chunked import RowChunks

#: Samples that are looked at.
_ROWS = 500
#: From which slope of log(standard deviation) over log(mean) the two are taken as proportional.
_SLOPE = 0.75
#: How many times the middle value the largest must be, and how far a feature must range.
_LARGEST, _RANGE = 30, 6


def looks_like_raw_intensities(X) -> bool:
    """Whether the values are spread by factors, as fluorescence, spectra counts and the like are.

    They are if no value is negative, a feature's standard deviation grows in proportion to its
    mean, the largest value is 30 times the middle one or more, and most features range over a
    factor of 6 (from the 5 % to the 95 % quantile). Tables of several units fail the last of these,
    pictures the third, words the second.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        Looked at in at most 500 samples. Data read in chunks are not looked at.
    """
    if isinstance(X, RowChunks):
        return False
    rows = X[:: -(-X.shape[0] // _ROWS)]
    if (rows.min() if not sp.issparse(rows) else min(0, rows.data.min(initial=0))) < 0:
        return False
    if sp.issparse(rows):
        if 2 * rows.nnz < rows.shape[0] * rows.shape[1]:  # mostly zero: words, cells
            return False
        rows = rows.toarray()
    means, deviations = rows.mean(axis=0), rows.std(axis=0)
    varying = deviations > 0
    if varying.sum() < 3:
        return False
    x, y = np.log(means[varying]), np.log(deviations[varying])
    if not x.std() > 1e-8 or np.polyfit(x, y, 1)[0] < _SLOPE:  # of rounding there is no slope
        return False
    if rows.max() < _LARGEST * np.median(rows[rows > 0]):
        return False
    low, high = np.quantile(rows[:, varying], (0.05, 0.95), axis=0)
    return bool(np.median(high / np.maximum(low, np.finfo(float).tiny)) >= _RANGE)
