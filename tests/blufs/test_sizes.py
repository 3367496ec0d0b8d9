"""The path over numbers of features, and the pictures."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import NotFittedError

from blufs import BLUFS, FSCA, AllFeatures, MaxVariance, RandomFeatures, StabilitySelector, path
from blufs.plot import plot_explain, plot_path, plot_stability
from blufs.sizes import elbow, explained_share
from tests.helpers.beyond_memory import KINDS, beyond_memory

mpl.use("Agg")


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True).data


@pytest.fixture(scope="module")
def table(wine):
    return path(FSCA(scaling="standard"), wine, [1, 3, 6, 13], n_clusters=3, n_resamples=4)


def test_explained_is_what_fsca_says_that_it_explains(wine, table):
    """FSCA of standardised data maximises this very share and reports it."""
    fitted = FSCA(13, scaling="standard").fit(wine)
    np.testing.assert_allclose(
        table["explained"], fitted.explained_variance_ratio_[[0, 2, 5, 12]], rtol=1e-6
    )
    np.testing.assert_allclose(table["explained"].iloc[-1], 1)
    steps = np.diff(table["explained"], prepend=0) / [1, 2, 3, 7]
    np.testing.assert_allclose(table["gain"], steps)


def test_features_and_stability_are_those_of_the_selections(wine, table):
    fitted = FSCA(3, scaling="standard").fit(wine)
    assert table["features"].iloc[1] == list(wine.columns[fitted.indices_])
    assert np.isnan(table["stability"].iloc[-1])  # all features: nothing to agree on
    assert (table["stability"].iloc[:3] > 0.3).all()
    noise = np.random.default_rng(0).standard_normal((60, 40))
    random = path(RandomFeatures(), noise, [5], n_clusters=2, n_resamples=4)
    stable = path(MaxVariance(), noise * np.arange(1, 41), [5], n_clusters=2, n_resamples=4)
    assert stable["stability"][0] > 0.5 > random["stability"][0] - 0.5


def test_the_criterion_is_higher_where_the_clusters_are(wine):
    rng = np.random.default_rng(0)
    kinds = rng.integers(3, size=120)
    signal = 6 * rng.standard_normal((3, 4))[kinds] + rng.standard_normal((120, 4))
    X = np.hstack([signal, rng.standard_normal((120, 4))])
    best = path(BLUFS(n_clusters=3, include=[0, 1, 2, 3]), X, [4], n_resamples=0)
    worst = path(BLUFS(n_clusters=3, include=[4, 5, 6, 7]), X, [4], n_resamples=0)
    assert best["criterion"][0] > worst["criterion"][0] + 0.2
    assert best["criterion_spread"][0] >= 0


def test_default_sizes_sparse_data_and_jobs():
    X = load_digits().data[:150]
    dense = path(MaxVariance(), X, n_clusters=4, n_resamples=2)
    assert dense["s"].iloc[0] == 1
    assert dense["s"].iloc[-1] == 63
    sparse = path(MaxVariance(), sp.csr_array(X), n_clusters=4, n_resamples=2, n_jobs=2)
    np.testing.assert_allclose(sparse["explained"], dense["explained"], rtol=1e-9)
    np.testing.assert_array_equal(sparse["stability"], dense["stability"])


def test_default_sizes_are_those_that_include_and_exclude_leave(wine):
    selector = MaxVariance(include=["hue", "ash", "alcohol"], exclude=["proline", "flavanoids"])
    table = path(selector, wine, n_clusters=3, n_resamples=0)
    assert (table["s"].iloc[0], table["s"].iloc[-1]) == (3, 10)
    assert set(table["features"].iloc[0]) == {"hue", "ash", "alcohol"}
    assert "proline" not in table["features"].iloc[-1]
    few = path(MaxVariance(exclude=list(range(12))), wine.to_numpy(), n_clusters=3, n_resamples=0)
    assert few["s"].tolist() == [1]


@pytest.mark.filterwarnings("ignore:the neighbour graph has:UserWarning")
@pytest.mark.parametrize("kind", [*KINDS, "list", "polars"])
def test_every_kind_of_data_has_the_same_path(kind, wine, tmp_path):
    if kind == "polars":
        polars = pytest.importorskip("polars")
        X = polars.DataFrame({name: wine[name].to_numpy() for name in wine})
    else:
        X = wine.to_numpy()
        X = X.tolist() if kind == "list" else beyond_memory(kind, X, tmp_path)
    selector = MaxVariance()
    found, plain = (path(selector, data, [2, 5], n_clusters=3, n_resamples=4) for data in (X, wine))
    for column in ("explained", "criterion", "stability"):
        np.testing.assert_allclose(found[column], plain[column])
    names = found["features"].iloc[1]
    assert (
        names == plain["features"].iloc[1]
        or list(wine.columns[names]) == (plain["features"].iloc[1])
    )


@pytest.mark.parametrize(
    ("estimator", "given", "message"),
    [
        (MaxVariance(), {"s_values": [2.5]}, "must be a positive integer, got 2.5"),
        (MaxVariance(), {"s_values": ["3"]}, "must be a positive integer, got '3'"),
        (MaxVariance(), {"s_values": 3}, "must be a list of numbers"),
        (MaxVariance(), {"n_clusters": 0}, "'n_clusters' parameter of path"),
        (MaxVariance(), {"n_runs": 0}, "'n_runs' parameter of path"),
        (MaxVariance(), {"n_resamples": -1}, "'n_resamples' parameter of path"),
        (MaxVariance(), {"random_state": "a"}, "'random_state' parameter of path"),
        (AllFeatures(), {}, "AllFeatures keeps all features"),
        (StabilitySelector(MaxVariance()), {}, "'estimator' parameter of path"),
    ],
)
def test_what_has_no_path_is_said(wine, estimator, given, message):
    with pytest.raises(ValueError, match=message):
        path(estimator, wine, **({"n_clusters": 3} | given))


def test_few_samples(wine):
    three = path(MaxVariance(), wine[:3], [2], n_clusters=2)
    assert np.isnan(three["stability"][0])
    with pytest.raises(ValueError, match="2 of the 4 samples: n_clusters=3"):
        path(BLUFS(n_clusters=3), wine[:4], [2])
    with pytest.warns(UserWarning, match="the criterion tells nothing"):
        path(MaxVariance(), wine, [2], n_clusters=1, n_resamples=0)


def test_the_elbow_is_where_the_curve_turns():
    assert elbow([1, 2, 5, 10, 20], [0.2, 0.4, 0.9, 0.95, 1.0]) == 5
    assert elbow([1, 2, 3], [0.5, 0.5, 0.5]) == 1
    assert elbow([4], [0.3]) == 4


def test_all_features_explain_all(wine):
    X = np.hstack([wine, np.ones((len(wine), 1))])
    assert explained_share(X, np.arange(13)) == pytest.approx(1)
    assert explained_share(np.hstack([X, X]), np.arange(13)) == pytest.approx(1)


def test_pictures_show_the_numbers(wine, table):
    ax = plot_path(table)
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["variance explained"].get_ydata(), table["explained"])
    assert any(label.startswith("elbow: s = ") for label in lines)

    fitted = BLUFS(4, n_clusters=3, include=["hue"]).fit(wine)
    reasons = fitted.explain(wine)
    ax = plot_explain(reasons, most=6)
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == list(reasons.sort_values("rank").index[:6])
    widths = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in ax.patches}
    np.testing.assert_allclose(
        [widths[i] for i in range(6)], reasons.sort_values("rank")["gain"][:6]
    )
    assert plot_explain(reasons, value="score", ax=ax) is ax

    selector = StabilitySelector(MaxVariance(3), n_resamples=4).fit(wine)
    ax = plot_stability(selector, most=5)
    assert [bar.get_width() for bar in ax.patches] == sorted(selector.frequencies_)[::-1][:5]


def test_names_with_dollars_are_drawn_as_they_are(wine):
    frame = wine.rename(columns={name: f"$f_{{{name}$" for name in wine})
    reasons = MaxVariance(3).fit(frame).explain(frame)
    ax = plot_explain(reasons)
    ax.figure.draw_without_rendering()  # a formula that does not end would raise
    assert ax.get_yticklabels()[0].get_text().startswith("$f_{")


def test_pictures_of_something_else_are_refused(wine, table):
    reasons = MaxVariance(3).fit(wine).explain(wine)
    for draw, given in ((plot_path, reasons), (plot_explain, table), (plot_path, 3)):
        with pytest.raises(ValueError, match=r"this draws the table that (path|explain) returned"):
            draw(given)
    with pytest.raises(ValueError, match=r"this draws the table .*'weight'"):
        plot_explain(reasons, value="weight")
    with pytest.raises(ValueError, match="the column 'status' holds no numbers"):
        plot_explain(reasons, value="status")
    with pytest.raises(ValueError, match="most must be a positive number of features, got -1"):
        plot_explain(reasons, most=-1)
    with pytest.raises(TypeError, match="a fitted StabilitySelector, got MaxVariance"):
        plot_stability(MaxVariance(3).fit(wine))
    with pytest.raises(NotFittedError):
        plot_stability(StabilitySelector(MaxVariance(3)))


def test_pictures_say_that_they_need_matplotlib(monkeypatch, table):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_path(table)
