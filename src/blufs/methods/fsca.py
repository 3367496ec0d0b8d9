"""FSCA: forward selection component analysis (Puggini, McLoone, TPAMI 2017)."""

from __future__ import annotations

from typing import ClassVar

from blufs.methods._greedy import GreedyColumnSelector


class FSCA(GreedyColumnSelector):
    """Features that explain most of the variance of all features, chosen one after the other.

    With Xc the centred data and ``P_S`` the projector onto the span of the columns in S, the next
    feature is the one that makes ``||P_S Xc||^2`` largest. This greedy column subset selection has
    no parameters, and the selections for different s are nested.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    scaling : str, default="none"
        How features are scaled before they are centred, see :mod:`blufs._numerics.matrix.scaling`.
        ``"standard"`` lets features in different units count the same.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    costs, groups : array-like or dict, optional
        What each feature costs, which makes ``n_features_to_select`` a budget; and which features
        are chosen together, which makes it count groups. See :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Share of the total variance that a selected feature explained when it was taken; for the
        others the share they would explain next.
    gains_ : ndarray of shape (n_features,)
        The same; constant and excluded features have 0.
    explained_variance_ratio_ : ndarray of shape (s,)
        Share explained by the first 1, 2, ..., s selected features, shorter if fewer explain all.

    Notes
    -----
    The gains follow from a recursion (Farahat et al.) that builds no residual matrix. It costs O(n
    d min(n, d)) once and O(n d + d t) for feature t. Once the selected features span all others,
    the rest is ordered by variance.

    References
    ----------
    L. Puggini, S. McLoone. Forward selection component analysis: algorithms and applications.
    IEEE TPAMI 39(12), 2017. 10.1109/TPAMI.2017.2648792.

    A. K. Farahat, A. Ghodsi, M. S. Kamel. Efficient greedy feature selection for unsupervised
    learning. Knowledge and Information Systems 35, 2013.
    10.1007/s10115-012-0538-1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import FSCA
    >>> selector = FSCA(n_features_to_select=3, scaling="standard").fit(load_wine().data)
    >>> selector.explained_variance_ratio_.round(2)
    array([0.31, 0.46, 0.57])
    """

    _explain: ClassVar[bool] = True
