"""SPCAPSD: a dense transcription, the low-rank form, PCA-like limits and the reference output."""

import numpy as np
import pytest

from blufs import SPCAPSD
from blufs.base import MethodLimitError
from blufs.methods import spcapsd
from blufs.methods.spcapsd import positive_part, solve
from tests.helpers.method_data import blobs, reference

EPS = np.finfo(float).eps


def centered(n: int, d: int) -> np.ndarray:
    X = blobs(n, d)
    Z = X - X.mean(axis=0)
    return Z / np.linalg.norm(Z, 2)


def transcription(Z, lam, eta, ridge, n_iter):
    d = Z.shape[1]
    S, Om = Z.T @ Z, np.eye(d)
    for _ in range(n_iter):
        w = 1 / (2 * np.sqrt(np.sum(Om**2, axis=1) + EPS))
        M = (S - eta / 2 * np.eye(d)) @ np.linalg.inv(S + np.diag(lam * w + ridge))
        values, U = np.linalg.eigh((M + M.T) / 2)
        Om = (U * np.maximum(values, 0)) @ U.T
    norms = np.linalg.norm(Om, axis=1)
    objective = np.sum((Z - Z @ Om) ** 2) + lam * norms.sum() + eta * np.trace(Om)
    return norms, objective


@pytest.mark.parametrize(
    ("shape", "low_rank"), [((60, 30), False), ((15, 80), False), ((15, 80), True)]
)
@pytest.mark.parametrize(("lam", "eta"), [(0.01, 0.01), (0.1, 0.0), (0.001, 0.2)])
def test_both_forms_agree_with_a_dense_transcription(shape, low_rank, lam, eta):
    Z = centered(*shape)
    expected, objective = transcription(Z, lam, eta, 1e-6, 4)
    weights = (lam, eta, 1e-6)
    norms, _, history, _ = solve(
        Z, np.ones(shape[1]), weights=weights, max_iter=4, tol=0, low_rank=low_rank
    )
    np.testing.assert_allclose(norms, expected, atol=1e-7)
    assert history[-1] == pytest.approx(objective, rel=1e-7)


def test_the_start_does_not_matter():
    Z = centered(60, 12)
    weights = (0.05, 0.02, 1e-6)
    starts = (np.ones(12), np.random.default_rng(0).uniform(0.1, 2, 12))
    first, second = (solve(Z, w, weights=weights, max_iter=500, tol=1e-13) for w in starts)
    np.testing.assert_allclose(first[0], second[0], atol=1e-4)
    assert first[2][-1] == pytest.approx(second[2][-1], rel=1e-6)


def test_without_row_penalty_eigenvalues_are_those_of_the_shrunk_scatter():
    """With lam = 0 the minimiser is known: eigenvalues 1 - eta/2 / l of Om, or 0."""
    Z = centered(60, 12)
    eta = 0.1
    values = np.linalg.eigvalsh(Z.T @ Z)
    shrunk = np.maximum(1 - eta / 2 / values, 0)
    fitted = SPCAPSD(4, lam=0, eta=eta, ridge=1e-12).fit(blobs(60, 12))
    assert fitted.rank_ == np.count_nonzero(shrunk)
    assert np.sum(fitted.scores_**2) == pytest.approx(np.sum(shrunk**2), rel=1e-6)


def test_a_larger_trace_weight_lowers_the_rank():
    ranks = [SPCAPSD(4, eta=eta).fit(blobs(60, 12)).rank_ for eta in (1e-3, 0.1, 1.0)]
    assert ranks[0] > ranks[1] > ranks[2] >= 1


def test_too_many_features_are_refused_unless_samples_are_few(monkeypatch):
    monkeypatch.setattr(spcapsd, "MAX_DENSE_ORDER", 20)
    with pytest.raises(MethodLimitError, match="60 samples with 24 features"):
        SPCAPSD(4).fit(blobs(60, 24))
    assert SPCAPSD(4).fit(blobs(10, 60)).support_.sum() == 4


def test_reference_order_of_all_features():
    X, expected = reference("SPCA-PSD")
    Z = X - X.mean(axis=0)
    unit = np.linalg.norm(Z, 2) ** 2
    start = np.random.default_rng(2).random(1024)
    norms, rank, history, _ = solve(
        Z / np.sqrt(unit), start, weights=(1 / unit, 1 / unit, 1e-3 / unit), max_iter=11, tol=0
    )
    assert rank == expected["rank"]
    np.testing.assert_array_equal(np.argsort(-norms, kind="stable"), expected["ranking"])
    np.testing.assert_allclose(norms**2, expected["col_norm_sq"], rtol=1e-9)
    np.testing.assert_allclose(np.array(history) * unit, expected["objective"][1:], rtol=1e-11)


def test_the_positive_part_drops_the_negative_eigenvalues():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((60, 60)))[0]
    spectrum = np.concatenate([np.linspace(0.5, 3, 25), -rng.uniform(0, 1, 35)])
    values, vectors = positive_part((Q * spectrum) @ Q.T)
    assert len(values) == 25
    expected = (Q * np.maximum(spectrum, 0)) @ Q.T
    np.testing.assert_allclose((vectors * values) @ vectors.T, expected, atol=1e-10)
