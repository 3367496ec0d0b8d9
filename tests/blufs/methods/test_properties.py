"""Any data of any shape, scale, offset and kind: every method answers, and as documented.

A table in docs/deviations.md says which methods depend on offsets, units and order.
"""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from tests.blufs.methods.test_contract import (
    FEATURE_ORDER_MATTERS,
    OFFSETS_MATTER,
    SELECTING,
    UNIT_MATTERS,
    selector,
)

#: Scores agree so far; the projection of BLFSE is not unique where d is about n.
TOLERANCE = {"BLFSE": 2e-3}

#: Kinds of data in which features, scores and distances differ, so that no place decides.
WITHOUT_TIES = ("normal", "clusters", "constants")

bounded = settings(
    max_examples=5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def data(draw, kinds=("normal", "whole", "binary", "clusters", "duplicates", "constants")):
    """An n x d array with at least two features that vary."""
    n, d = draw(st.integers(6, 24)), draw(st.integers(3, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    kind = draw(st.sampled_from(kinds))
    X = rng.standard_normal((n, d))
    if kind == "whole":
        X = rng.poisson(2.0, (n, d)).astype(float)
    elif kind == "binary":
        X = (rng.random((n, d)) < 0.4).astype(float)
    elif kind == "clusters":
        X += 50 * rng.standard_normal((3, d))[rng.integers(3, size=n)]
    elif kind == "duplicates":
        X = X[rng.integers(n // 2, size=n)][:, rng.integers(d, size=d)]
    elif kind == "constants":
        X[:, 2:][:, rng.random(d - 2) < 0.5] = 7.0
    X[:2, :2] = [[0.0, 1.0], [1.0, 0.0]]
    return X


def fitted(name: str, X: np.ndarray, s: int = 2):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector(name, s).fit(X)


@bounded
@given(
    X=data(),
    exponent=st.integers(-950, 950),
    offset=st.sampled_from([0.0, 1.0, -1e6, 1.7e9]),
    dtype=st.sampled_from([np.float64, np.float32]),
    order=st.sampled_from("CF"),
)
@pytest.mark.parametrize("name", SELECTING)
def test_every_answer_is_finite_and_complete(name, X, exponent, offset, dtype, order):
    if dtype == np.float32:
        exponent, offset = exponent // 15, np.sign(offset) * min(abs(offset), 100)
    X = np.asarray(np.ldexp(X + offset, exponent), dtype=dtype, order=order)
    varying = np.ptp(np.ldexp(X.astype(float), -exponent), axis=0) > 0
    try:
        result = fitted(name, X)
    except ValueError as error:
        # Fewer features than neighbours, and values so large that lam is nothing to them.
        if name == "UDFS" and "is lost next to the scatter" in str(error):
            return
        raise
    assert result.support_.sum() == 2
    assert np.isfinite(result.scores_).all()
    assert sorted(result.ranking_) == list(range(1, X.shape[1] + 1))
    # Whatever is constant comes after all that varies.
    assert varying[np.argsort(result.ranking_)[: varying.sum()]].all()


def assert_same_scores(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=TOLERANCE.get(name, 1e-5))


@bounded
@given(X=data(kinds=WITHOUT_TIES), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", [name for name in SELECTING if name not in FEATURE_ORDER_MATTERS])
def test_the_order_of_features_does_not_matter(name, X, seed):
    order = np.random.default_rng(seed).permutation(X.shape[1])
    assert_same_scores(name, fitted(name, X[:, order]).scores_, fitted(name, X).scores_[order])


@bounded
@given(X=data(kinds=WITHOUT_TIES), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", SELECTING)
def test_the_order_of_samples_does_not_matter(name, X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    assert_same_scores(name, fitted(name, X[order]).scores_, fitted(name, X).scores_)


HARD = {
    "parts": make_blobs(72, 12, centers=6, cluster_std=0.3, random_state=1)[0],
    "unequal parts": make_blobs([40, 9, 23], 10, cluster_std=0.2, random_state=2)[0],
    "clusters": make_blobs(60, 15, centers=4, cluster_std=4.0, random_state=3)[0],
    "equal columns": np.repeat(make_blobs(50, 6, centers=3, random_state=4)[0], 2, axis=1),
}


@pytest.mark.parametrize("kind", HARD)
@pytest.mark.parametrize("name", SELECTING)
def test_the_order_of_samples_of_hard_data_does_not_matter(name, kind):
    """Graphs that fall into more or fewer parts than there are clusters, and equal columns."""
    if kind == "equal columns" and name in ("UDFS", "SOGFS", "FSPCA"):
        pytest.skip("several subspaces are equally good there, and rounding chooses one")
    X = HARD[kind]
    expected = fitted(name, X, 4)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        found = fitted(name, X[order], 4)
        assert_same_scores(name, found.scores_, expected.scores_)
        np.testing.assert_array_equal(found.support_, expected.support_)


@bounded
@given(X=data(kinds=WITHOUT_TIES), offset=st.sampled_from([3.0, -4096.0, 1.7e9]))
@pytest.mark.parametrize("name", [name for name in SELECTING if name not in OFFSETS_MATTER])
def test_an_offset_does_not_matter(name, X, offset):
    X = np.round(X * 256) / 256  # the shifted values are exact
    offsets = offset * np.arange(1, X.shape[1] + 1)
    assert_same_scores(name, fitted(name, X + offsets).scores_, fitted(name, X).scores_)


@bounded
@given(X=data(), exponent=st.integers(-950, 950))
@pytest.mark.parametrize("name", [name for name in SELECTING if name not in UNIT_MATTERS])
def test_a_unit_does_not_matter(name, X, exponent):
    plain, scaled = fitted(name, X), fitted(name, np.ldexp(X, exponent))
    np.testing.assert_array_equal(scaled.support_, plain.support_)
