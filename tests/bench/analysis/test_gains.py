"""Gains over random features and comparisons pair by pair, on matrices with known answers."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from blufs_bench.compare.pairs import bayesian_comparison, gains_over, pairwise, rival_tests

SCORES = pd.DataFrame(
    {
        "Random": [0.5, 0.4, 0.6, 0.7],
        "Good": [0.6, 0.5, 0.7, 0.8],
        "Mixed": [0.5, 0.3, np.nan, 0.9],
    },
    index=["a", "b", "c", "d"],
)


def test_a_gain_is_a_mean_difference_in_points_with_its_wins():
    gains = gains_over(SCORES, "Random")
    assert list(gains.index) == ["Good", "Mixed"]
    good, mixed = gains.loc["Good"], gains.loc["Mixed"]
    assert good["gain"] == pytest.approx(10)
    assert (good["low"], good["high"]) == (pytest.approx(10), pytest.approx(10))
    assert tuple(good[["wins", "ties", "losses"]]) == (4, 0, 0)
    assert mixed["gain"] == pytest.approx(100 * (0 - 0.1 + 0.2) / 3)
    assert mixed["low"] < mixed["gain"] < mixed["high"]
    assert tuple(mixed[["wins", "ties", "losses", "n_datasets"]]) == (1, 1, 1, 3)


def test_scores_that_differ_by_rounding_are_ties():
    scores = pd.DataFrame({"Random": [0.3, 0.4], "Good": [0.1 + 0.2, 0.5]})
    gains = gains_over(scores, "Random")
    assert tuple(gains.loc["Good", ["wins", "ties", "losses"]]) == (1, 1, 0)


def test_every_pair_is_seen_from_both_sides():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((12, 3)), columns=list("xyz"))
    pairs = pairwise(scores).set_index(["method", "other"])
    assert len(pairs) == 6
    for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
        one, other = pairs.loc[(a, b)], pairs.loc[(b, a)]
        assert one["difference"] == pytest.approx(-other["difference"])
        assert (one["wins"], one["losses"]) == (other["losses"], other["wins"])
        assert one["p_value"] == other["p_value"]


def test_the_bayesian_test_knows_better_from_practically_equal():
    rng = np.random.default_rng(1)
    base = pd.Series(rng.random(20))
    clear = bayesian_comparison(base + 0.05, base)
    assert clear["better"] > 0.99
    same = bayesian_comparison(base + 0.002, base)
    assert same["equal"] > 0.99
    assert sum(same.values()) == pytest.approx(1)
    assert bayesian_comparison(base[:1], base[:1]) is None


def test_the_interval_of_a_gain_is_that_of_all_resamples_of_the_datasets():
    # Two datasets give the means 0, 5 and 10 with the probabilities 1/4, 1/2 and 1/4; three give
    # the extremes with 1/27 each, above 2.5 %, so that the interval reaches them too.
    for worth in ([0.0, 0.1], [0.0, 0.03, 0.1]):
        scores = pd.DataFrame({"Random": 0.5, "Other": 0.5 + np.array(worth)})
        found = gains_over(scores, "Random").loc["Other"]
        assert (found["low"], found["high"]) == (pytest.approx(0), pytest.approx(10))
    # Of four, the means of all 4^4 resamples; the quantiles are known up to neighbouring means.
    worth = np.array([-0.02, 0.01, 0.05, 0.11])
    means = np.sort([100 * np.mean(draw) for draw in itertools.product(worth, repeat=4)])
    scores = pd.DataFrame({"Random": 0.5, "Other": 0.5 + worth})
    found = gains_over(scores, "Random").loc["Other"]
    assert np.quantile(means, 0.015) <= found["low"] <= np.quantile(means, 0.035)
    assert np.quantile(means, 0.965) <= found["high"] <= np.quantile(means, 0.985)


def test_datasets_count_alike_in_any_order():
    shuffled = SCORES.loc[["d", "b", "a", "c"]]
    for method, row in gains_over(SCORES, "Random").iterrows():
        other = gains_over(shuffled, "Random").loc[method]
        assert other["gain"] == pytest.approx(row["gain"])
        assert tuple(other[["wins", "ties", "losses"]]) == tuple(row[["wins", "ties", "losses"]])


def test_p_values_of_pairs_are_scipys_corrected_by_statsmodels():
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.random((15, 4)) + np.array([0, 0.1, 0.3, 0.6]), columns=list("wxyz"))
    names = list(itertools.combinations("wxyz", 2))
    raw = [stats.wilcoxon(scores[a], scores[b]).pvalue for a, b in names]
    expected = multipletests(raw, method="holm")[1]
    found = pairwise(scores).set_index(["method", "other"])["p_value"]
    np.testing.assert_allclose([found[pair] for pair in names], expected, rtol=1e-10)


def signed_rank_chances(difference, rope, n_draws=4000):
    """The Bayesian signed-rank test by its definition (Benavoli et al., ICML 2014).

    A Dirichlet draw of weights on the differences and on a pseudo-difference 0 of weight 1/2; the
    side with the largest part of the weighted pairs (their mean against the region) wins a draw.
    """
    values = np.append(difference, 0.0)
    middle = (values[:, None] + values) / 2
    weights = np.random.default_rng(5).dirichlet([*np.ones(len(difference)), 0.5], n_draws)
    above = np.einsum("ri,ij,rj->r", weights, (middle > rope).astype(float), weights)
    below = np.einsum("ri,ij,rj->r", weights, (middle < -rope).astype(float), weights)
    parts = np.column_stack([above, 1 - above - below, below])
    return np.bincount(parts.argmax(axis=1), minlength=3) / n_draws


@pytest.mark.parametrize("shift", [-0.01, 0.0, 0.012, 0.02])
def test_the_bayesian_test_follows_its_definition(shift):
    rng = np.random.default_rng(7)
    first = pd.Series(rng.random(12))
    second = first - shift - 0.02 * rng.standard_normal(12)
    found = bayesian_comparison(first, second)
    expected = signed_rank_chances((first - second).to_numpy(), 0.01)
    np.testing.assert_allclose(
        [found[k] for k in ("better", "equal", "worse")], expected, atol=0.04
    )
    turned = bayesian_comparison(second, first)
    assert turned["worse"] == pytest.approx(found["better"], abs=0.04)
    assert turned["better"] == pytest.approx(found["worse"], abs=0.04)


def test_the_region_of_practical_equivalence_is_one_point_wide_on_either_side():
    base = pd.Series(np.linspace(0.2, 0.8, 9))
    assert bayesian_comparison(base + 0.0099, base)["equal"] > 0.97
    assert bayesian_comparison(base + 0.0101, base)["better"] > 0.97
    assert bayesian_comparison(base - 0.0101, base)["worse"] > 0.97
    assert bayesian_comparison(base + 0.0101, base, rope_points=2)["equal"] > 0.97


def test_a_method_against_its_rivals_is_corrected_over_these_alone():
    rng = np.random.default_rng(0)
    names = ["BLUFS", "A", "B", "C"]
    scores = pd.DataFrame(rng.uniform(0.3, 0.5, (9, 4)), columns=names, index=[*"abcdefghi"])
    scores["BLUFS"] = scores.max(axis=1) + np.linspace(0.01, 0.09, 9)
    found = rival_tests(scores, "BLUFS")
    # All nine won: 2 / 2^9 for each, three times that by Holm over three rivals, of six pairs more.
    np.testing.assert_allclose(found[["A", "B", "C"]], 3 * 2 / 2**9)
    pairs = pairwise(scores).query("method == 'BLUFS'").set_index("other")["p_value"]
    assert (pairs >= found).all()
    assert pairs.max() == pytest.approx(6 * 2 / 2**9)
    # Two of the datasets are one study: eight are left.
    fewer = rival_tests(scores, "BLUFS", {"a": "one", "b": "one"})
    np.testing.assert_allclose(fewer, 3 * 2 / 2**8)
    pairs = pairwise(scores, {"a": "one", "b": "one"})
    assert set(pairs.query("method == 'BLUFS'")["wins"]) == {9}
