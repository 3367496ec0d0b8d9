"""From the class of a method to a selector that the benchmark can fit.

Any scikit-learn selector will do: see :func:`as_selector`. Nothing here knows the names of the
methods: every fit depends on this module, and must not on what other methods there are.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from blufs.base import BaseSelector, Solution

#: Names of the parameter that sets the number of features, in other people's selectors.
_COUNT_PARAMETERS = ("n_features_to_select", "k", "max_features", "n_features")


class UnknownMethodError(LookupError):
    """No method of that name, or its class cannot be imported."""


def import_class(name: str, class_path: str) -> type:
    """Class of the method ``name`` at ``class_path`` (``package.module:Class``)."""
    module, _, attribute = class_path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownMethodError(
            f"method {name!r}: cannot import {class_path!r}: {error}"
        ) from error


def is_random(method: type | BaseEstimator) -> bool:
    """Whether the result can depend on a seed: there is a parameter ``random_state``.

    An estimator (not a class) may know better, by its property ``_is_random``.
    """
    known = None if isinstance(method, type) else getattr(method, "_is_random", None)
    if known is not None:
        return bool(known)
    cls = method if isinstance(method, type) else type(method)
    return "random_state" in inspect.signature(cls).parameters


def make_selector(cls: type, parameters: dict[str, Any]) -> BaseSelector:
    """Selector of class ``cls`` with ``parameters``, wrapped if it is not one of ours."""
    return as_selector(cls(**parameters))


def as_selector(estimator) -> BaseSelector:
    """The estimator itself if it has ``select_path``, else a wrapper that fits it once per s.

    Anything with ``fit`` and ``get_support`` and one of the parameters ``n_features_to_select``,
    ``k``, ``max_features`` or ``n_features`` will do. The features are ordered by ``ranking_`` or
    ``scores_`` where the estimator has one, else by index.
    """
    if isinstance(estimator, BaseSelector):
        return estimator
    return WrappedSelector(estimator)


class WrappedSelector(BaseSelector):
    """Give a plain scikit-learn selector the path over s that the benchmark asks for."""

    def __init__(self, estimator):
        self.estimator = estimator

    n_features_to_select = None
    _parameter_constraints: ClassVar[dict] = {"estimator": "no_validation"}

    @staticmethod
    def _condition(X: np.ndarray, **_) -> np.ndarray:
        """Nothing is known about the estimator: it gets the data as they are."""
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):  # not every selector is scikit-learn's
            tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    @property
    def _is_random(self) -> bool:
        return "random_state" in self.estimator.get_params(deep=False)

    def _solve(self, X: np.ndarray, s_values: Sequence[int], precomputed) -> dict[int, Solution]:
        name = self._count_parameter()
        return {
            s: _solution(clone(self.estimator).set_params(**{name: s}).fit(X), s) for s in s_values
        }

    def _count_parameter(self) -> str:
        parameters = self.estimator.get_params(deep=False)
        for name in _COUNT_PARAMETERS:
            if name in parameters:
                return name
        raise TypeError(
            f"{type(self.estimator).__name__} has none of the parameters "
            f"{', '.join(_COUNT_PARAMETERS)}, so the number of features cannot be set"
        )


def _solution(fitted, s: int) -> Solution:
    support = fitted.get_support()
    if support.sum() != s:
        raise ValueError(
            f"{type(fitted).__name__} selected {support.sum()} features where {s} were asked for"
        )
    if hasattr(fitted, "ranking_"):
        scores = -np.asarray(fitted.ranking_, dtype=float)
    else:
        scores = np.asarray(getattr(fitted, "scores_", np.zeros(len(support))), dtype=float)
    scores = np.nan_to_num(scores, nan=-np.inf)
    order = np.lexsort((np.arange(len(support)), -scores, ~support))
    return Solution(scores=np.where(np.isfinite(scores), scores, 0.0), order=order)
