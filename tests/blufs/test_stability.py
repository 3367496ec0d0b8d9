"""Stability selection: frequencies, bounds, and what it keeps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from statsmodels.stats.proportion import proportion_confint

from blufs import BLUFS, FSCA, MaxVariance, RandomFeatures, StabilitySelector
from blufs.stability import random_parts, wilson_intervals
from tests.helpers.beyond_memory import KINDS, beyond_memory


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True).data


@parametrize_with_checks([StabilitySelector(MaxVariance(), n_resamples=4)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_frequencies_are_those_of_fits_to_the_parts(wine):
    X = wine.to_numpy()
    selector = StabilitySelector(FSCA(3), n_resamples=6, fraction=0.3, random_state=5).fit(X)
    parts = random_parts(len(X), 6, 0.3, np.random.RandomState(5))
    supports = [FSCA(3).fit(X[rows]).support_ for rows in parts]
    np.testing.assert_array_equal(selector.supports_, supports)
    np.testing.assert_array_equal(selector.frequencies_, np.mean(supports, axis=0))
    np.testing.assert_array_equal(selector.support_, selector.frequencies_ >= 0.6)
    assert selector.n_chosen_ == 3
    assert selector.error_bound_ == pytest.approx(9 / (0.2 * 13))


def test_halves_come_in_pairs_without_overlap():
    parts = random_parts(21, 7, 0.5, np.random.RandomState(0))
    assert [len(part) for part in parts] == [10] * 7
    for first, second in zip(parts[::2], parts[1::2], strict=False):
        assert not set(first) & set(second)
    assert set(parts[0]) != set(parts[2])


def test_the_bound_on_false_features_holds_for_a_selector_that_chooses_by_chance():
    """All features are chosen no more often than by chance: kept ones are false."""
    X = np.random.default_rng(0).standard_normal((40, 50))
    kept = []
    for seed in range(80):
        selector = StabilitySelector(
            RandomFeatures(10), n_resamples=10, threshold=0.6, random_state=seed
        )
        with warnings.catch_warnings(action="ignore"):
            kept.append(selector.fit(X).support_.sum())
    assert np.mean(kept) <= selector.error_bound_ == pytest.approx(10)
    assert np.mean(kept) > 0.1


def test_what_is_there_is_kept_and_noise_is_not():
    rng = np.random.default_rng(0)
    kinds = rng.integers(4, size=200)
    signal = 4 * rng.standard_normal((4, 6))[kinds] + rng.standard_normal((200, 6))
    X = np.hstack([rng.standard_normal((200, 30)), signal])
    selector = StabilitySelector(BLUFS(8, n_clusters=4), n_resamples=20).fit(X)
    assert selector.get_support(indices=True).tolist() == list(range(30, 36))
    assert selector.frequencies_[:30].max() < 0.6


def test_wilson_intervals_are_those_of_statsmodels():
    counts = np.array([0, 1, 7, 20])
    low, high = proportion_confint(counts, 20, method="wilson")
    found = wilson_intervals(counts / 20, 20)
    np.testing.assert_allclose(found, np.column_stack([low, high]), atol=1e-12)


def test_jobs_names_sparse_data_and_labels(wine):
    one, two = (
        StabilitySelector(MaxVariance(3), n_resamples=4, n_jobs=jobs).fit(wine) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.supports_, two.supports_)
    pipeline = make_pipeline(
        StandardScaler(), StabilitySelector(FSCA(4), n_resamples=6)
    ).set_output(transform="pandas")
    chosen = pipeline.fit_transform(wine)
    assert set(chosen.columns) <= set(wine.columns)
    sparse = StabilitySelector(MaxVariance(3), n_resamples=4).fit(sp.csr_array(wine.to_numpy()))
    np.testing.assert_array_equal(sparse.supports_, one.supports_)
    labels = load_wine().target
    guided = StabilitySelector(SelectKBest(k=3), n_resamples=4).fit(wine, labels)
    assert guided.supports_.sum(axis=1).tolist() == [3] * 4


@pytest.mark.parametrize("kind", KINDS)
def test_data_beyond_memory_stay_there(kind, wine, tmp_path):
    X = beyond_memory(kind, wine.to_numpy(), tmp_path)
    selector = StabilitySelector(MaxVariance(3), n_resamples=4)
    plain, found = (selector.fit(data).supports_ for data in (wine.to_numpy(), X))
    np.testing.assert_array_equal(found, plain)
    chosen = selector.transform(X)
    assert chosen.shape == (178, 3)
    assert hasattr(chosen, "compute") == kind.endswith("dask")


def test_nothing_stable_is_said(wine):
    selector = StabilitySelector(RandomFeatures(1), n_resamples=20, threshold=1.0)
    with pytest.warns(UserWarning, match="no feature was chosen on 100% of the parts"):
        selector.fit(wine)
    with pytest.raises(ValueError, match="fewer than 2 samples"):
        StabilitySelector(MaxVariance(1), fraction=0.001).fit(wine)


class Positions(MaxVariance):
    """A selector of another library that gives positions instead of a mask."""

    def get_support(self, indices=True):
        return super().get_support(indices=True)


def test_a_selector_that_gives_no_mask_is_refused(wine):
    with pytest.raises(TypeError, match=r"Positions.get_support\(\) must give 13 truth values"):
        StabilitySelector(Positions(3), n_resamples=4).fit(wine)


def test_an_error_on_a_part_says_so():
    X = np.zeros((40, 6))
    X[0] = 1  # what varies is on one part only
    with pytest.raises(ValueError, match=r"a random part .*, 20 of the 40 samples: X has no varia"):
        StabilitySelector(MaxVariance(2), n_resamples=4).fit(X)
