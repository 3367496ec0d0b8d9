"""The positive control: features that are chosen by the labels.

It shows what there is to reach on a dataset; no method without labels is asked to reach it. The
registry marks it (:data:`blufs_bench.method_names.CONTROLS`), so that its fits see the labels and
it takes part in no comparison.
"""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval

from blufs.base import BaseSelector, MethodLimitError, Solution, constraints


class Supervised(BaseSelector):
    """The features by which a random forest tells the classes apart, given the labels.

    Score of a feature: its mean decrease of Gini impurity over the trees (scikit-learn's
    ``feature_importances_``). The labels of all samples are seen, also of those on which
    classifiers are tested later, so that its accuracies are somewhat too good.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_estimators : int, default=500
        Number of trees.
    random_state : int, RandomState instance or None, default=None
        Seeds the forest.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    References
    ----------
    .. [1] L. Breiman. Random forests. Machine Learning 45, 2001.
    """

    takes_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict] = constraints(
        "random_state", n_estimators=[Interval(Integral, 1, None, closed="left")]
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_estimators=500,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def see(self, y: np.ndarray) -> Self:
        """Show it the labels, shape (n_samples,); without them it selects nothing."""
        self._labels = np.asarray(y)
        return self

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        labels = getattr(self, "_labels", None)
        if labels is None:
            raise MethodLimitError(f"{type(self).__name__} chooses by labels, and there are none")
        # Imported here: a job that fits another method needs no forests.
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(self.n_estimators, random_state=self.random_state)
        return Solution(scores=forest.fit(X, labels).feature_importances_)
