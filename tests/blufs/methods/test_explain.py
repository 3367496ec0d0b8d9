"""Why a feature was chosen or not, for every method."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from blufs import BLUFS, FSCA, GeneBasis, MaxVariance, PivotedQR
from tests.blufs.methods.test_contract import DATA, SELECTING, selector

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
    "ignore:n_neighbors=10 is not below:UserWarning",
)


@pytest.mark.parametrize("name", SELECTING)
def test_every_method_says_why(name):
    X = np.hstack([DATA["wine"], DATA["wine"][:, :1] * 2, np.ones((len(DATA["wine"]), 1))])
    fitted = selector(name, 4, include=[0], exclude=[3]).fit(X)
    np.testing.assert_array_equal(fitted.indices_, np.argsort(fitted.ranking_)[:4])
    table = fitted.explain(X)
    assert table["status"].tolist().count("chosen") == 3
    assert table.loc["x0", "status"] == "included"
    assert table.loc["x3", "status"] == "excluded"
    assert table.loc["x14", "status"] == "constant"
    assert table.loc["x13", "most_similar"] == "x0"
    assert table.loc["x13", "correlation"] == pytest.approx(1)
    assert table.loc["x13", "explained"] == pytest.approx(1)
    if not fitted.support_[13]:
        assert table.loc["x13", "status"] == "redundant"
    np.testing.assert_array_equal(table["rank"], fitted.ranking_)
    np.testing.assert_array_equal(table["score"], fitted.scores_)


@pytest.mark.parametrize("cls", [FSCA, PivotedQR, GeneBasis])
@pytest.mark.parametrize("s", [4, 13])
def test_greedy_methods_tell_what_each_feature_added_when_it_was_taken(cls, s):
    X = DATA["wine"]
    selector = cls(s).fit(X)
    gains = selector.explain(X)["gain"].to_numpy()
    for t, feature in enumerate(selector.indices_[:4]):
        would_add = cls(t).fit(X).gains_[feature] if t else gains.max()
        assert gains[feature] == pytest.approx(would_add)


def test_explained_is_the_r_squared_of_a_regression_on_the_chosen():
    X = DATA["wine"]
    fitted = MaxVariance(4).fit(X)
    explained = fitted.explain(X)["explained"].to_numpy()
    centred = X - X.mean(axis=0)
    for j in range(X.shape[1]):
        A = centred[:, [i for i in fitted.indices_ if i != j]]
        residual = centred[:, j] - A @ np.linalg.lstsq(A, centred[:, j], rcond=None)[0]
        r_squared = 1 - residual @ residual / (centred[:, j] @ centred[:, j])
        assert explained[j] == pytest.approx(r_squared, abs=1e-8)


def test_a_copy_among_the_chosen_is_explained_and_one_alone_is_not():
    X = DATA["wine"]
    twice = np.hstack([X, X])
    table = MaxVariance(4).fit(twice).explain(twice)
    np.testing.assert_allclose(table["explained"][table["status"] == "chosen"], 1)
    alone = MaxVariance(1).fit(X).explain(X)
    chosen = alone[alone["status"] == "chosen"]
    assert chosen["explained"].tolist() == [0]
    assert chosen["most_similar"].isna().all()
    assert alone["correlation"].isna().sum() == 1


def test_other_columns_are_refused_and_the_estimator_is_left_alone():
    frame = load_wine(as_frame=True).data
    fitted = BLUFS(3, n_clusters=3).fit(frame)
    with pytest.raises(ValueError, match="feature names"):
        fitted.explain(frame.rename(columns={"hue": "shade"}))
    with pytest.raises(ValueError, match="12 features"), pytest.warns(match="valid feature"):
        fitted.explain(frame.to_numpy()[:, :12])
    before = dict(vars(fitted))
    with pytest.warns(UserWarning, match="valid feature names"):
        fitted.explain(frame.to_numpy())
    assert vars(fitted).keys() == before.keys()


def test_without_pandas_it_is_a_dict_of_the_same_columns(monkeypatch):
    X = DATA["wine"]
    fitted = BLUFS(3, n_clusters=3).fit(X)
    table = fitted.explain(X)
    monkeypatch.setitem(sys.modules, "pandas", None)
    plain = fitted.explain(X)
    assert list(plain) == ["feature", *table.columns]
    for name in table:
        pd.testing.assert_series_equal(
            pd.Series(plain[name], name=name), table[name].reset_index(drop=True)
        )
    assert plain["feature"].tolist() == list(table.index)
