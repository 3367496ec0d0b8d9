"""The scaling and the number of clusters that show clusters most clearly."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from blufs import SampleGraph
from blufs._numerics.views import (
    clearest_view,
    cluster_gap,
    count_clusters,
    loud_features,
    possible_scalings,
)


def planted(rng, units):
    """120 samples of 3 clusters that 30 loud features tell apart; 170 quiet features are noise."""
    y = np.repeat(np.arange(3), 40)
    signal = 2 * rng.standard_normal((3, 30))[y] + rng.standard_normal((120, 30))
    return np.hstack([signal, rng.standard_normal((120, 170))]) * units


def test_the_gap_is_that_of_the_eigenvalues():
    """Two triangles: the eigenvalues are 1 twice, then -1/2; one triangle has none after its 3."""
    triangle = np.ones((3, 3)) - np.eye(3)
    two = SampleGraph(sp.block_diag([triangle, triangle]))
    assert cluster_gap(two, 1) == pytest.approx(0)
    assert cluster_gap(two, 2) == pytest.approx(1.5)
    assert cluster_gap(SampleGraph(triangle), 3) == 0


@pytest.mark.parametrize("seed", range(4))
def test_loud_signal_under_many_quiet_features_is_seen_at_its_own_scale(seed):
    """At equal norm 600 features of noise hide 20 of signal; at their own scale they are quiet."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), 30)
    signal = 3 * rng.standard_normal((3, 20))[y] + rng.standard_normal((90, 20))
    X = np.hstack([signal, 0.3 * rng.standard_normal((90, 600))])
    assert clearest_view(X, "auto", 3, 10)[0].scaling == "center"
    assert clearest_view(X, "center+unit", 3, 10)[0].scaling == "center+unit"


@pytest.mark.parametrize("seed", range(4))
def test_features_of_many_units_are_brought_to_equal_norm(seed):
    units = 10 ** np.random.default_rng(100 + seed).uniform(-3, 3, 200)
    X = planted(np.random.default_rng(seed), 1.0)
    view, graph = clearest_view(X * units, "auto", 3, 10)
    assert view.scaling == "center+unit"
    same = clearest_view(X, "center+unit", 3, 10)[1]
    assert cluster_gap(graph, 3) == pytest.approx(cluster_gap(same, 3))


def test_the_view_depends_on_neither_a_common_unit_nor_offsets_nor_order():
    rng = np.random.default_rng(0)
    X = planted(rng, rng.uniform(0.5, 2, 200))
    scaling = clearest_view(X, "auto", 3, 10)[0].scaling
    for same in (7 * X, X + rng.uniform(-50, 50, 200), X[::-1], X[:, ::-1], sp.csr_array(X)):
        assert clearest_view(same, "auto", 3, 10)[0].scaling == scaling


def test_empty_data_and_few_loud_features_leave_no_choice():
    rng = np.random.default_rng(0)
    empty = rng.poisson(3, (60, 30)) * (rng.random((60, 30)) < 0.1)
    assert possible_scalings(empty.astype(float), "auto", 3) == ("center",)
    dense = rng.standard_normal((60, 30))
    assert possible_scalings(dense, "auto", 3) == ("center+unit", "center")
    assert possible_scalings(dense * np.where(np.arange(30) < 5, 1000, 1), "auto", 3) == (
        "center+unit",
    )
    assert possible_scalings(empty, "unit", 3) == ("unit",)


def test_loud_features_are_counted_by_their_variances():
    assert loud_features(np.full(7, 3.0)) == pytest.approx(7)
    assert loud_features(np.array([1e300, 1e300, 1e-300])) == pytest.approx(2)


@pytest.mark.parametrize("n_features", [10, 20, 100])
@pytest.mark.parametrize("c", [2, 3, 5, 8, 12])
def test_blobs_are_counted(c, n_features):
    X, _ = make_blobs(max(200, 40 * c), n_features, centers=c, random_state=c)
    assert count_clusters(X, "auto", 10)[0] == c


@pytest.mark.parametrize("c", [2, 4, 6])
def test_blobs_are_counted_among_features_of_noise(c):
    X, _ = make_blobs(200, 20, centers=c, random_state=c)
    noise = X.std() * np.random.default_rng(c).standard_normal((200, 40))
    assert count_clusters(np.hstack([X, noise]), "auto", 10)[0] == c


def test_a_clear_number_is_silent_and_a_guess_says_so():
    X, _ = make_blobs(200, 10, centers=4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c, evidence = count_clusters(X, "auto", 10)
    assert c == next(iter(evidence)) == 4
    assert list(evidence.values()) == sorted(evidence.values(), reverse=True)
    with pytest.warns(UserWarning, match="n_clusters=8 is a guess: no number"):
        c, evidence = count_clusters(np.random.default_rng(0).uniform(size=(200, 20)), "auto", 10)
    counts, gaps = np.array(list(evidence)), np.array(list(evidence.values()))
    assert c == round(np.exp(gaps @ np.log(counts) / gaps.sum())) == 8
