"""PivotedQR: the pivots of a QR factorisation, the companion of FSCA."""

from __future__ import annotations

from typing import ClassVar

from blufs.methods._greedy import GreedyColumnSelector


class PivotedQR(GreedyColumnSelector):
    """Features in the order of the pivots of a QR factorisation of the centred data.

    The next feature is the one with the largest part that the features before it do not explain,
    ``||x_j - P_S x_j||``. The selections for different s are nested. FSCA asks what a feature
    explains of all others, this what others do not explain of it.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    scaling : str, default="none"
        How features are scaled before they are centred, see :mod:`blufs._numerics.matrix.scaling`.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    costs, groups : array-like or dict, optional
        What each feature costs, which makes ``n_features_to_select`` a budget; and which features
        are chosen together, which makes it count groups. See :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Squared norm of a selected feature's unexplained part when it was taken, of the others'
        now, as a share of the squared norm of the data.
    gains_ : ndarray of shape (n_features,)
        The same; constant and excluded features have 0.
    explained_variance_ratio_ : ndarray of shape (s,)
        Share of the total variance explained by the first 1, 2, ..., s selected features.

    Notes
    -----
    Stops after s pivots, O(n d s). With n samples there are at most n - 1 pivots; the features
    after them are ordered by variance.

    References
    ----------
    P. Businger, G. H. Golub. Linear least squares solutions by Householder transformations.
    Numerische Mathematik 7, 1965. 10.1007/BF01436084.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import PivotedQR
    >>> selector = PivotedQR(n_features_to_select=2).fit(load_wine().data)
    >>> selector.get_support(indices=True)
    array([ 4, 12])
    """

    _explain: ClassVar[bool] = False
