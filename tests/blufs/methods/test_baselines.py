"""The baselines: random features, largest variance, and the table that names all methods."""

import numpy as np

from blufs import MaxVariance, RandomFeatures
from blufs_bench.selectors import is_random
from tests.helpers.method_data import blobs, reference


def test_random_features_of_one_seed_are_nested_and_seeds_differ():
    X = blobs(30, 40)
    path = RandomFeatures(random_state=3).select_path(X, [5, 10, 20])
    assert set(path[5].ranked[:5]) < set(path[10].ranked[:10]) < set(path[20].ranked[:20])
    first, second = (RandomFeatures(10, random_state=seed).fit(X) for seed in (0, 1))
    assert (first.support_ != second.support_).any()
    assert is_random(RandomFeatures)
    assert is_random(first)


def test_every_feature_is_drawn_equally_often():
    X = blobs(20, 10)
    drawn = sum(RandomFeatures(3, random_state=seed).fit(X).support_ for seed in range(2000))
    # 600 expected, standard deviation 20.
    assert np.abs(drawn - 600).max() < 100


def test_variance_is_that_of_the_raw_features():
    X = blobs(50, 8) * np.arange(1, 9) + 1e6
    fitted = MaxVariance(3).fit(X)
    np.testing.assert_allclose(fitted.scores_, X.var(axis=0), rtol=1e-6)
    assert set(np.flatnonzero(fitted.support_)) == set(np.argsort(-X.var(axis=0))[:3])
    assert not is_random(fitted)


def test_variance_reference_order():
    X, expected = reference("MaxVar")
    fitted = MaxVariance(100).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), expected["ranking"])
