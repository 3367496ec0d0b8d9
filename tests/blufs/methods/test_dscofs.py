"""DSCOFS: descent, PCA as a special case, a dense transcription and the reference outputs."""

import numpy as np
import pytest

from blufs import DSCOFS, FSPCA
from blufs_bench.selectors import is_random
from tests.helpers.method_data import blobs, reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("shape", [(60, 12), (20, 70)])
@pytest.mark.parametrize("coupling", [0.01, 1.0])
def test_objective_never_rises_and_is_what_it_says(shape, coupling):
    X = blobs(*shape)
    fitted = DSCOFS(
        5,
        n_components=4,
        row_coupling=coupling,
        entry_coupling=coupling / 2,
        entry_share=0.2,
        tol=0,
        max_iter=20,
        random_state=0,
    ).fit(X)
    W, history = fitted.coef_, fitted.objective_history_
    np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-8)
    assert np.diff(history).max() <= 1e-10
    Z = X - X.mean(axis=0)
    variance = np.sum((Z @ W) ** 2) / np.linalg.norm(Z, 2) ** 2
    left_rows = np.sum(W[~fitted.support_] ** 2)
    left_entries = np.sum(np.sort(W.ravel() ** 2)[: W.size - int(0.2 * W.size)])
    objective = coupling * (left_rows + left_entries / 2) - variance
    assert history[-1] == pytest.approx(objective)
    outside = np.linalg.norm(W, axis=1)[~fitted.support_].max()
    assert outside <= np.linalg.norm(W, axis=1)[fitted.support_].min()


def test_selects_the_features_of_a_subspace_that_uses_no_others():
    rng = np.random.default_rng(0)
    X = 0.01 * rng.standard_normal((80, 20))
    relevant = [2, 7, 11, 15]
    X[:, relevant] += rng.standard_normal((80, 3)) @ rng.standard_normal((3, 4))
    for start in ("random", "pca"):
        fitted = DSCOFS(4, n_components=3, entry_share=1.0, start=start, random_state=0).fit(X)
        assert np.flatnonzero(fitted.support_).tolist() == relevant
    assert np.flatnonzero(FSPCA(4, n_components=3).fit(X).support_).tolist() == relevant


def test_only_the_random_start_depends_on_the_seed():
    X = blobs(60, 12)
    first, second = (DSCOFS(4, start="pca", random_state=seed).fit(X) for seed in (0, 1))
    np.testing.assert_array_equal(first.scores_, second.scores_)
    assert not is_random(first)
    assert is_random(DSCOFS())
    with pytest.raises(ValueError, match=r"start must have 12 rows, got shape \(11, 3\)"):
        DSCOFS(4, start=np.eye(11)[:, :3]).fit(X)
    for wrong in (np.nan, 2.0):
        with pytest.raises(ValueError, match="columns of start must be orthonormal"):
            DSCOFS(4, start=wrong * np.eye(12)[:, :3]).fit(X)


def reference_start(X: np.ndarray) -> tuple[np.ndarray, float]:
    """The start of the reference run (the best of ten) and the unit of its weights."""
    rng = np.random.default_rng(1)
    Z = X - X.mean(axis=0)
    starts = [np.linalg.qr(rng.standard_normal((1024, 20)))[0] for _ in range(10)]
    return max(starts, key=lambda W: np.sum((Z @ W) ** 2)), np.linalg.norm(Z, 2) ** 2


def test_reference_features_and_objective():
    X, expected = reference("DSCOFS")
    start, unit = reference_start(X)
    fitted = DSCOFS(
        100,
        row_coupling=1e4 / unit,
        entry_coupling=1e4 / unit,
        n_components=20,
        start=start,
        max_iter=8,
        tol=0,
    ).fit(X)
    assert np.flatnonzero(fitted.support_).tolist() == expected["selected_sorted"]
    # The public code's inner solver hits its limit of steps in iterations 2 to 6.
    np.testing.assert_allclose(fitted.objective_history_ * unit, expected["objective"], rtol=5e-3)


@pytest.mark.parametrize("s", [20, 60])
def test_sets_of_a_port_that_runs_to_its_stopping_rule(s):
    X, expected = reference("DSCOFS-port-sets")
    start, unit = reference_start(X)
    coupling = 1e4 / unit
    fitted = DSCOFS(
        s, row_coupling=coupling, entry_coupling=coupling, n_components=20, start=start
    ).fit(X)
    assert set(np.flatnonzero(fitted.support_)) == set(expected["selected"][str(s)])


@pytest.mark.slow
@pytest.mark.parametrize("coupling", [0.01, 0.1, 1.0])
def test_from_pca_the_features_on_coil20_are_those_with_the_largest_loadings(coupling):
    X, _ = reference("DSCOFS")
    fitted = DSCOFS(
        100, row_coupling=coupling, entry_coupling=coupling, n_components=20, start="pca"
    ).fit(X)
    V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:20]
    largest = np.argsort(-np.linalg.norm(V, axis=0))[:100]
    assert set(np.flatnonzero(fitted.support_)) == set(largest)
