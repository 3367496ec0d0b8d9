"""LapScore: the definition feature by feature, and the reference outputs."""

import numpy as np
import pytest

from blufs import LapScore, SampleGraph
from tests.helpers.method_data import blobs, reference


def test_score_from_the_definition():
    X = blobs(40, 6)
    S = SampleGraph.from_data(X, 5).similarity.toarray()
    degree = S.sum(axis=1)
    scores = LapScore(3, n_neighbors=5).fit(X).scores_
    for score, feature in zip(scores, X.T, strict=True):
        f = feature - degree @ feature / degree.sum()
        smoothness = f @ (np.diag(degree) - S) @ f / (f @ np.diag(degree) @ f)
        assert score == pytest.approx(1 - smoothness)


@pytest.mark.parametrize(("name", "k"), [("LapScore-k10", 10), ("LapScore", 5)])
def test_reference_order(name, k):
    X, expected = reference(name)
    fitted = LapScore(100, n_neighbors=k).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"][:100])
    np.testing.assert_allclose(fitted.scores_, expected["score"], rtol=1e-8)
