"""Shifts and factors: exact, only where needed, refused where they would lose a feature."""

import numpy as np
import pytest

from blufs._numerics.matrix.conditioning import conditioned, without_offset


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((40, 5))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ordinary_data_are_handed_back_without_a_copy(X, dtype):
    X = (X + np.array([0, 1, -2, 3, 5])).astype(dtype)
    assert without_offset(X) is X
    assert conditioned(X, ignores_offsets=True, ignores_scale=True) is X
    assert conditioned(X, ignores_offsets=False, ignores_scale=False) is X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [1e2, -1e5, 1.7e9, 1e12])
def test_a_shift_brings_features_near_zero_and_changes_no_difference(X, dtype, offset):
    far = (1000 * X + offset).astype(dtype)
    shifted = without_offset(far)
    assert shifted.dtype == dtype
    if offset > 1e6:
        assert np.abs(shifted).max() <= 4 * np.ptp(far.astype(float), axis=0).max()
    exact = far.astype(np.longdouble)
    difference = shifted.astype(np.longdouble) - shifted[0]
    np.testing.assert_array_equal(difference, exact - exact[0])


def test_whole_numbers_stay_whole_numbers():
    """Else distances that are equal would differ by rounding, and ties would not go by index."""
    X = np.random.default_rng(1).integers(0, 7, (30, 6)) + 1_700_000_003.0
    shifted = without_offset(X)
    assert np.abs(shifted).max() < 8
    np.testing.assert_array_equal(shifted, np.rint(shifted))


@pytest.mark.parametrize("exponent", [-1060, -900, -300, 300, 900, 1018])
def test_one_factor_for_all_is_a_power_of_two(X, exponent):
    result = conditioned(np.ldexp(X, exponent), ignores_offsets=False, ignores_scale=False)
    ratio = result / np.ldexp(X, exponent)
    mantissa, power = np.frexp(ratio)
    if exponent > -1000:  # below, the data themselves have lost digits
        assert set(mantissa.ravel()) == {0.5}
        assert len(set(power.ravel())) == 1
    assert 1e-61 < np.abs(result).max() < 1e61


def test_features_get_a_factor_each_where_their_scale_does_not_matter(X):
    exponents = np.array([-1000, -300, 0, 300, 1018])
    result = conditioned(np.ldexp(X, exponents), ignores_offsets=True, ignores_scale=True)
    for j in range(5):
        mantissa = np.frexp(result[:, j] / X[:, j])[0]
        assert set(mantissa) == {0.5}
    assert 0.25 < np.abs(result).max(axis=0).min() <= np.abs(result).max() <= 1


def test_a_feature_that_would_vanish_is_named_with_both_sizes(X):
    X[:, 2] *= 1e300
    with pytest.raises(ValueError, match=r"reaches \d.\de\+300, another only \d.\de\+00"):
        conditioned(X, ignores_offsets=True, ignores_scale=False)
    # A tiny one among ordinary ones is left as it is.
    X[:, 2] = 1e-300 * X[:, 0]
    assert conditioned(X, ignores_offsets=True, ignores_scale=False) is X


def test_the_largest_numbers_of_both_signs_do_not_overflow():
    X = np.array([[1.7e308, 1.0], [-1.7e308, 2.0], [0.0, 5.0]])
    result = conditioned(X, ignores_offsets=True, ignores_scale=True)
    assert np.isfinite(result).all()
    np.testing.assert_array_equal(result[0, 0], -result[1, 0])


@pytest.mark.parametrize("factor", [2.0**63, 2.0**90, 2.0**-60, 2.0**-100])
def test_single_precision_near_its_ends_is_held_in_double(X, factor):
    X = X.astype(np.float32)
    result = conditioned(X * np.float32(factor), ignores_offsets=False, ignores_scale=False)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, X.astype(float) * factor)
