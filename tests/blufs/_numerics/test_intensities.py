"""Which values look like raw intensities."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from blufs import BLUFS
from blufs._numerics.intensities import looks_like_raw_intensities


@pytest.fixture
def intensities():
    """Genes of various levels, each spread over a factor of ten or so."""
    rng = np.random.default_rng(0)
    return np.exp(rng.normal(5, 1.5, 80) + 0.8 * rng.standard_normal((60, 80)))


def test_intensities_are_told_from_their_logarithms(intensities):
    assert looks_like_raw_intensities(intensities)
    assert looks_like_raw_intensities(1e-6 * intensities)
    assert looks_like_raw_intensities(sp.csr_array(intensities))
    assert not looks_like_raw_intensities(np.log(intensities))
    assert not looks_like_raw_intensities(intensities - intensities.mean(axis=0))


def test_other_data_do_not_look_like_intensities():
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        assert not looks_like_raw_intensities(load().data)
    rng = np.random.default_rng(0)
    words = rng.poisson(rng.gamma(0.1, 1, 300), (100, 300)).astype(float)
    assert not looks_like_raw_intensities(words)
    assert not looks_like_raw_intensities(sp.csr_array(words))
    assert not looks_like_raw_intensities(rng.uniform(size=(50, 20)))


def test_levels_that_differ_by_rounding_have_no_trend():
    one = np.random.default_rng(0).lognormal(5, 1, (40, 1))
    with warnings.catch_warnings(action="error"):
        assert not looks_like_raw_intensities(one * (1 + 1e-13 * np.arange(5)))


def test_the_fit_says_once_what_to_do(intensities):
    with pytest.warns(UserWarning, match=r"raw intensities.*log1p") as caught:
        BLUFS(5, n_clusters=3).fit(intensities)
    assert sum("raw intensities" in str(warning.message) for warning in caught) == 1
