"""Statistics against Demšar's worked example (JMLR 7, 2006) and against their definitions."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from blufs_bench.compare import tests as st
from blufs_bench.compare.selections import (
    absolute_correlation,
    kuncheva_index,
    nogueira_index,
    redundancy,
)

# AUC of C4.5 and three variants on 14 datasets: table 6 of the article. It prints 0.975 twice in
# the 13th row but ranks the third method before the fourth there: 0.9751 stands for that.
C45 = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    index=[f"data {i}" for i in range(14)],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_ranks_are_the_published_ones():
    mean = st.average_ranks(C45)
    # 3.143, 2.000, 2.893, 1.964 in the article; the sums of ranks are exact halves.
    np.testing.assert_allclose(mean * 14, [44, 28, 40.5, 27.5], atol=1e-12)


def test_friedman_is_the_published_one():
    result = st.friedman(C45)
    squares = (44**2 + 28**2 + 40.5**2 + 27.5**2) / 14**2
    by_hand = 12 * 14 / (4 * 5) * (squares - 4 * 25 / 4)
    assert round(by_hand, 2) == 9.28
    assert result["chi2_uncorrected"] == pytest.approx(by_hand, abs=1e-9)
    f_by_hand = 13 * by_hand / (14 * 3 - by_hand)
    assert round(f_by_hand, 2) == 3.69
    assert result["f"] == pytest.approx(f_by_hand, abs=1e-9)
    assert result["f_p_value"] == pytest.approx(stats.f.sf(f_by_hand, 3, 39), abs=1e-12)
    # Ties: 3 rows with a pair, 1 row of four: correction sum(t^3 - t) / (N k (k^2 - 1)).
    correction = 1 - (3 * (2**3 - 2) + (4**3 - 4)) / (14 * 4 * 15)
    assert result["chi2"] == pytest.approx(by_hand / correction, abs=1e-9)
    # What Matlab and R print for the same data.
    assert result["chi2"] == pytest.approx(10.2283464566929, abs=1e-9)
    assert result["p_value"] == pytest.approx(0.0167215803284414, abs=1e-9)


def test_critical_difference_is_the_published_one():
    # The article: q = 2.569 at 0.05 and 2.291 at 0.10 for four methods; CD 1.25 and 1.12.
    assert st.critical_difference(4, 14, 0.05) == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    assert round(st.critical_difference(4, 14, 0.05), 2) == 1.25
    assert round(st.critical_difference(4, 14, 0.10), 2) == 1.12
    # q from the definition of the range of k normal variables, integrated here.
    q = st.critical_difference(4, 14, 0.05) / np.sqrt(20 / 84) * np.sqrt(2)
    z = np.linspace(-9, 9, 20001)
    inside = stats.norm.cdf(z) - stats.norm.cdf(z - q)
    assert np.trapezoid(4 * stats.norm.pdf(z) * inside**3, z) == pytest.approx(0.95, abs=1e-6)


def test_nemenyi_p_values_follow_the_studentised_range():
    p_values = st.nemenyi(C45)
    mean = st.average_ranks(C45)
    statistic = abs(mean["C4.5"] - mean["C4.5+m+cf"]) / np.sqrt(20 / 84)
    expected = stats.studentized_range.sf(statistic * np.sqrt(2), 4, np.inf)
    assert p_values.loc["C4.5", "C4.5+m+cf"] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(p_values, p_values.T)
    # At 0.10 the article finds C4.5 worse than both variants with m, and nothing else beyond doubt.
    significant = p_values < 0.10
    assert set(significant.columns[significant.loc["C4.5"]]) == {"C4.5+m", "C4.5+m+cf"}


@pytest.mark.parametrize("alpha", [0.05, 0.10, 0.3])
def test_cd_and_nemenyi_agree(alpha):
    mean = st.average_ranks(C45).to_numpy()
    by_cd = np.abs(mean[:, None] - mean) > st.critical_difference(4, 14, alpha)
    np.testing.assert_array_equal(by_cd, st.nemenyi(C45).to_numpy() < alpha)


def test_cliques_of_the_published_example():
    mean, p_values = st.average_ranks(C45), st.nemenyi(C45)
    assert st.cliques(mean, p_values, 0.05) == [["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]]
    assert st.cliques(mean, p_values, 0.10) == [
        ["C4.5+m+cf", "C4.5+m", "C4.5+cf"],
        ["C4.5+cf", "C4.5"],
    ]
    assert st.cliques(mean, 0 * p_values, 0.05) == []


def test_wilcoxon_of_the_published_example():
    # Table 2 of the article: R+ = 93, R- = 12 for C4.5+m against C4.5 with the two zero
    # differences split. The p-value counts the signs of the twelve others that are as extreme.
    pair = C45[["C4.5", "C4.5+m"]]
    difference = (pair["C4.5+m"] - pair["C4.5"]).round(10)
    rank = difference.abs().rank()
    zeros = rank[difference == 0].sum() / 2
    assert rank[difference > 0].sum() + zeros == 93
    assert rank[difference < 0].sum() + zeros == 12
    p_value = st.wilcoxon_holm(pair).loc["C4.5", "C4.5+m"]
    others = rank[difference != 0].to_numpy()
    signs = (np.arange(2 ** len(others))[:, None] >> np.arange(len(others))) & 1
    assert p_value == pytest.approx(2 * (signs @ others + zeros <= 12).mean(), abs=1e-12)
    assert p_value < 0.05


def test_holm_multiplies_the_sorted_p_values():
    raw = {}
    names = list(C45.columns)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            raw[a, b] = st.wilcoxon_holm(C45[[a, b]]).loc[a, b]
    running, expected = 0.0, {}
    for position, pair in enumerate(sorted(raw, key=raw.get)):
        running = max(running, min(1.0, (len(raw) - position) * raw[pair]))
        expected[pair] = running
    corrected = st.wilcoxon_holm(C45)
    for (a, b), value in expected.items():
        assert corrected.loc[a, b] == pytest.approx(value, abs=1e-12)
        assert corrected.loc[b, a] == pytest.approx(value, abs=1e-12)


def test_gaps_are_left_out_by_name():
    few = C45.iloc[:8]
    scores = few.copy()
    scores.loc["data 3", "C4.5+m"] = np.nan
    scores.loc["nowhere"] = np.nan
    scores["hardly"] = np.nan
    scores.loc["data 0", "hardly"] = 1.0
    block = st.complete_block(scores)
    assert block.left_out_methods == ["hardly"]
    assert block.left_out_datasets == ["data 3", "nowhere"]
    pd.testing.assert_frame_equal(block.scores, few.drop("data 3"))
    summary = st.rank_tests(scores)
    assert summary["methods"] == list(C45.columns)
    assert any("data 3, nowhere" in note for note in summary["notes"])
    assert any("hardly" in note for note in summary["notes"])


def test_compare_says_when_there_is_too_little():
    summary = st.rank_tests(C45.iloc[:1])
    assert summary["friedman"] is None
    assert summary["nemenyi"] is None
    assert "4 methods on 1 datasets" in summary["notes"][0]
    few = st.rank_tests(C45.iloc[:3])
    assert few["friedman"] is not None
    assert any("Wilcoxon" in note and "too few" in note for note in few["notes"])
    nothing = st.rank_tests(C45 * np.nan)
    assert nothing["datasets"] == []
    assert nothing["average_ranks"] == {}
    with pytest.raises(ValueError, match="needs 3 methods and 2 datasets"):
        st.friedman(C45.iloc[:, :2])


def test_compare_leaves_wilcoxon_out_only_when_asked():
    found = pd.DataFrame(st.rank_tests(C45)["wilcoxon_holm"])
    pd.testing.assert_frame_equal(found, st.wilcoxon_holm(C45))


def test_equal_scores_everywhere_differ_nowhere():
    summary = st.rank_tests(pd.DataFrame(0.5, index=list("abcd"), columns=list("xyz")))
    assert summary["friedman"]["p_value"] == 1.0
    assert set(summary["average_ranks"].values()) == {2.0}
    assert summary["cliques"] == [["x", "y", "z"]]


def test_smallest_wilcoxon_p_value_is_the_one_the_note_names():
    """On n datasets where one method always wins the two-sided p-value is 2^(1-n)."""
    scores = pd.DataFrame({"a": np.arange(5) * 1.1 + 1, "b": np.arange(5) * 1.0})
    assert st.wilcoxon_holm(scores).loc["a", "b"] == pytest.approx(2**-4)
    assert any("0.0625" in note for note in st.rank_tests(scores)["notes"])


def test_signed_rank_tests_are_scipys_exact_ones_without_ties():
    rng = np.random.default_rng(0)
    for n in (2, 5, 13, 30):
        differences = rng.normal(0.3, 1, (n, 3))
        expected = stats.wilcoxon(differences, method="exact", axis=0).pvalue
        np.testing.assert_allclose(st.signed_rank_tests(differences), expected, atol=1e-12)


def test_signed_rank_tests_count_all_signs_with_ties_and_zeros():
    rng = np.random.default_rng(1)
    for n in (4, 7, 10):
        differences = rng.integers(-2, 4, (n, 2)).astype(float)
        # SciPy draws up the 2^n patterns of signs, because there are ties.
        expected = [stats.wilcoxon(d, zero_method="zsplit").pvalue for d in differences.T]
        np.testing.assert_allclose(st.signed_rank_tests(differences), expected, atol=1e-12)
    for n in (3, 60):
        assert st.signed_rank_tests(np.zeros((n, 1))) == [1.0]


def test_signed_rank_tests_of_many_are_near_the_normal_approximation():
    differences = np.random.default_rng(2).integers(-3, 5, (50, 2)).astype(float)
    normal = {"zero_method": "zsplit", "method": "asymptotic", "axis": 0}
    expected = stats.wilcoxon(differences, **normal).pvalue
    np.testing.assert_allclose(st.signed_rank_tests(differences), expected, rtol=0.05)
    many = np.concatenate([differences, differences])
    expected = stats.wilcoxon(many, **normal).pvalue
    np.testing.assert_allclose(st.signed_rank_tests(many), expected)


def test_bootstrap_interval_is_scipys():
    values = np.random.default_rng(0).random((3, 2, 11))
    expected = stats.bootstrap(
        (values,), np.mean, axis=-1, n_resamples=2000, method="percentile", rng=0
    ).confidence_interval
    np.testing.assert_allclose(st.bootstrap_interval(values), expected, rtol=1e-12)


def test_an_interval_of_few_values_holds_all_of_them():
    values = np.array([0.1, 0.7, 0.4, 0.9])
    few = values[: st.MIN_FOR_INTERVAL - 1]
    assert st.bootstrap_interval(few) == pytest.approx((few.min(), few.max()))
    low, high = st.bootstrap_interval(values)
    assert values.min() < low < high < values.max()


def test_bootstrap_interval():
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    low, high = st.bootstrap_interval(values)
    half = 1.96 * values.std() / np.sqrt(400)
    assert low == pytest.approx(values.mean() - half, abs=0.05)
    assert high == pytest.approx(values.mean() + half, abs=0.05)
    assert st.bootstrap_interval(values) == (low, high)
    assert st.bootstrap_interval(np.ones(5)) == (1.0, 1.0)
    assert np.isnan(st.bootstrap_interval(np.ones(1))).all()


def test_stability_by_hand():
    # d = 4, {0,1} and {0,2}: one common feature, (1*4 - 4) / (2*2) = 0.
    assert kuncheva_index([[0, 1], [0, 2]], 4) == 0
    assert kuncheva_index([[0, 1], [1, 0]], 4) == 1
    assert kuncheva_index([[0, 1], [2, 3]], 4) == -1
    # Sizes 1 and 2 of d = 3: variances 0, 1/2, 0; k = 3/2: 1 - (1/6) / (1/4) = 1/3.
    assert nogueira_index([[0], [0, 1]], 3) == pytest.approx(1 / 3)
    assert np.isnan(nogueira_index([[0, 1], [0, 1]], 2))
    assert np.isnan(nogueira_index([[0]], 3))
    with pytest.raises(ValueError, match=r"one size, got \[1, 2\]"):
        kuncheva_index([[0], [0, 1]], 3)


def test_nogueira_equals_kuncheva_for_one_size():
    rng = np.random.default_rng(0)
    selections = [rng.choice(30, 7, replace=False) for _ in range(9)]
    expected = kuncheva_index(selections, 30)
    assert nogueira_index(selections, 30) == pytest.approx(expected, abs=1e-12)


def test_redundancy_by_hand():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    X = np.column_stack([x, -2 * x, [1, -1, -1, 1], np.ones(4)])
    assert redundancy(X, [0, 1]) == pytest.approx(1)
    assert redundancy(X, [0, 2]) == pytest.approx(0)
    assert redundancy(X, [0, 1, 2]) == pytest.approx(1 / 3)
    assert redundancy(X, [0, 1, 3]) == pytest.approx(1)
    assert np.isnan(redundancy(X, [0, 3]))


def test_sparse_data_have_the_redundancy_of_their_dense_copy():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 8)) * (rng.random((30, 8)) < 0.4)
    features = [6, 1, 3]
    for kind in (sparse.csr_array, sparse.csc_matrix):
        assert redundancy(kind(X), features) == pytest.approx(redundancy(X, features), abs=1e-14)
        found = absolute_correlation(kind(X), features)
        np.testing.assert_allclose(found, np.abs(np.corrcoef(X[:, features].T)), atol=1e-14)


STUDIES = {"a": "one", "b": "one", "c": "c"}


def test_a_study_counts_once_with_its_mean():
    scores = pd.DataFrame({"x": [0.2, 0.4, 0.9, 0.5], "y": [0.0, 0.0, 1.0, 0.5]}, index=[*"abcd"])
    merged = st.one_per_study(scores, STUDIES)
    assert list(merged.index) == ["a", "c", "d"]
    np.testing.assert_allclose(merged["x"], [0.3, 0.9, 0.5])
    assert st.one_per_study(scores, None) is scores
    assert st.one_per_study(scores, {"a": "p", "b": "q"}) is scores


def test_tests_of_the_ranks_do_not_change_when_a_dataset_is_there_twice():
    twice = pd.concat([C45, C45.iloc[:1].rename(lambda name: f"{name} again")])
    studies = {twice.index[0]: "one", twice.index[-1]: "one"}
    found, wanted = st.rank_tests(twice, studies=studies), st.rank_tests(C45)
    for key in ("friedman", "nemenyi", "wilcoxon_holm", "critical_difference", "average_ranks"):
        assert found[key] == wanted[key]
    assert (len(found["datasets"]), found["n_studies"]) == (len(C45) + 1, len(C45))
    assert any("15 datasets come from 14 studies" in note for note in found["notes"])
    assert st.rank_tests(twice)["friedman"] != wanted["friedman"]


def test_the_bootstrap_draws_studies_with_all_their_datasets():
    rng = np.random.default_rng(0)
    values = rng.normal(size=6)
    names = [*"abcdef"]
    alone = st.bootstrap_interval(values)
    assert st.bootstrap_interval(values, datasets=names, studies={}) == alone
    # Every dataset three times over, as one study each, is what one of each is.
    thrice = np.repeat(values, 3)
    labels = [f"{name}{i}" for name in names for i in range(3)]
    studies = {label: label[0] for label in labels}
    assert st.bootstrap_interval(thrice, datasets=labels, studies=studies) == pytest.approx(alone)
    low, high = st.bootstrap_interval(thrice)
    assert high - low < 0.8 * (alone[1] - alone[0])
    whole = dict.fromkeys(names, "one")
    assert np.isnan(st.bootstrap_interval(values, datasets=names, studies=whole)).all()
