"""Any data of any shape, scale, offset and kind: every method answers, and as documented.

docs/deviations.md says which methods may depend on offsets and units.
"""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.methods.test_contract import (
    RANDOM_BY_POSITION,
    SELECTING,
    selector,
    without_effect_of_offsets,
)

#: Parameters of MCFS and UDFS are in units of the data; NDFS follows the clusters of its spectral
#: start, which rounding may decide where there are hardly any.
UNIT_MATTERS = {"MCFS", "UDFS", "NDFS"}

bounded = settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    database=None,
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


@bounded
@given(X=data(kinds=("normal", "clusters")), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", [name for name in SELECTING if name not in RANDOM_BY_POSITION])
def test_the_order_of_features_does_not_matter(name, X, seed):
    order = np.random.default_rng(seed).permutation(X.shape[1])
    direct, permuted = fitted(name, X), fitted(name, X[:, order])
    np.testing.assert_allclose(permuted.scores_, direct.scores_[order], rtol=1e-3, atol=1e-5)


@bounded
@given(
    X=data(kinds=("normal", "clusters", "constants")), offset=st.sampled_from([3.0, -4096.0, 1.7e9])
)
@pytest.mark.parametrize("name", list(filter(without_effect_of_offsets, SELECTING)))
def test_an_offset_does_not_matter(name, X, offset):
    X = np.round(X * 256) / 256  # the shifted values are exact
    plain, shifted = fitted(name, X), fitted(name, X + offset)
    np.testing.assert_allclose(shifted.scores_, plain.scores_, rtol=1e-3, atol=1e-5)


@bounded
@given(X=data(), exponent=st.integers(-950, 950))
@pytest.mark.parametrize("name", [name for name in SELECTING if name not in UNIT_MATTERS])
def test_a_unit_does_not_matter(name, X, exponent):
    plain, scaled = fitted(name, X), fitted(name, np.ldexp(X, exponent))
    np.testing.assert_array_equal(scaled.support_, plain.support_)
