"""A user's own method: by class path, by entry point, and as a plain scikit-learn selector."""

import ast
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from scipy.stats import kurtosis
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.utils.estimator_checks import check_estimator

from blufs_bench import method_names as names
from blufs_bench import registry, selectors
from blufs_bench.plan.settings import Method, setting_problems
from tests.helpers import ROOT

CLASS_PATH = "own_method:QuantileSpread"


@pytest.fixture
def example_on_path(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")


@pytest.fixture
def installed(example_on_path, monkeypatch):
    """As if a package declared the example in the entry points of ``blufs.methods``."""
    point = EntryPoint("Spread", CLASS_PATH, "blufs.methods")
    monkeypatch.setattr(names, "entry_points", lambda group: [point])
    names.known_methods.cache_clear()
    yield
    names.known_methods.cache_clear()


def by_hand(X, tail):
    low, high = np.quantile(X, [tail, 1 - tail], axis=0)
    return (high - low) / np.ptp(X, axis=0)


def test_example_by_class_path(example_on_path):
    X = load_wine().data
    cls = selectors.import_class("Spread", CLASS_PATH)
    selector = selectors.make_selector(cls, {"tail": 0.1})
    path = selector.select_path(X, [2, 5])
    expected = np.argsort(-by_hand(X, 0.1), kind="stable")
    np.testing.assert_array_equal(path[5].ranked, expected)
    assert cls(2, tail=0.1).fit(X).get_support(indices=True).tolist() == sorted(expected[:2])


def test_example_shares_its_precomputation_over_a_grid(example_on_path):
    X = load_wine().data
    cls = selectors.import_class("Spread", CLASS_PATH)
    shared = cls().precompute(X)
    for tail in (0.05, 0.25):
        scores = cls(tail=tail).fit(X, precomputed=shared).scores_
        np.testing.assert_allclose(scores, by_hand(X, tail))


def test_example_follows_scikit_learn(example_on_path):
    check_estimator(selectors.import_class("Spread", CLASS_PATH)())


def test_installed_methods_are_known_by_name(installed):
    assert "Spread" in names.known_methods()
    assert registry.method_class("Spread").__name__ == "QuantileSpread"
    assert not selectors.is_random(registry.method_class("Spread"))


def test_missing_class_is_named():
    with pytest.raises(selectors.UnknownMethodError, match="no_such_module"):
        selectors.import_class("Mine", "no_such_module:Mine")
    with pytest.raises(selectors.UnknownMethodError, match=r"`class: package\.module:Class`"):
        registry.method_class("Mine")


class KurtosisBest(SelectorMixin, BaseEstimator):
    def __init__(self, k=10):
        self.k = k

    def fit(self, X, y=None):
        self.scores_ = kurtosis(X)
        return self

    def _get_support_mask(self):
        return np.isin(np.arange(len(self.scores_)), np.argsort(-self.scores_)[: self.k])


def variances(X, y=None):
    return X.var(axis=0)


def test_plain_scikit_learn_selector():
    X = load_wine().data
    X[:, 3] = 7.0
    selector = selectors.as_selector(SelectKBest(variances))
    path = selector.select_path(X, [1, 4])
    best = np.argsort(-X.var(axis=0))
    assert path[4].ranked[:4].tolist() == best[:4].tolist()
    assert path[1].ranked[0] == best[0]
    assert path[4].ranked[-1] == 3


def test_a_selector_that_declares_no_constraints_is_taken():
    """As documented: `fit`, `get_support` and `k`; scikit-learn's own declare more."""
    method = Method("Kurt", f"{__name__}:KurtosisBest", True)
    assert setting_problems("Kurt", method, [{}, {"k": 4}]) == []
    X = load_wine().data
    chosen = selectors.make_selector(KurtosisBest, {}).select_path(X, [3])[3].ranked[:3]
    assert set(chosen) == set(np.argsort(-kurtosis(X))[:3])


def test_selector_without_a_number_of_features_is_refused():
    class Odd:
        def get_params(self, deep=True):
            return {}

    with pytest.raises(TypeError, match="Odd has none of the parameters"):
        selectors.as_selector(Odd()).select_path(load_wine().data, [2])


def test_documentation_shows_the_example_as_it_is():
    example = (ROOT / "examples/own_method.py").read_text()
    classes = [node for node in ast.parse(example).body if isinstance(node, ast.ClassDef)]
    source = ast.get_source_segment(example, classes[0])
    assert source in (ROOT / "docs/guides/own-method.md").read_text()
