"""The shared eigen kernels against dense LAPACK, and the row-sparse subspace problem."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles

import blufs
from blufs._numerics.rounding import ten_digits
from blufs.base import MethodLimitError
from blufs.methods import _row_sparse as row_sparse
from blufs.methods._row_sparse import (
    DenseForm,
    FactoredForm,
    laplacian_form,
    row_sparse_subspace,
    smallest_eigenvectors,
)
from blufs.methods.udfs import discriminative_laplacian
from tests.helpers.method_data import blobs


def forms(d: int = 40, rank: int = 12):
    """The same matrices in both forms: plus and minus R'R."""
    R = np.random.default_rng(0).standard_normal((rank, d))
    largest = np.linalg.norm(R, 2) ** 2
    return {
        "dense +": DenseForm(R.T @ R),
        "factored +": FactoredForm(R),
        "dense -": DenseForm(-R.T @ R, lower_bound=-1.01 * largest),
        "factored -": FactoredForm(R, sign=-1),
    }


@pytest.fixture
def iterative(monkeypatch):
    """Shift and invert also for small matrices, and never fall back."""
    monkeypatch.setattr(row_sparse, "_DENSE_UP_TO", 0)
    monkeypatch.setattr(row_sparse, "_dense_eigenvectors", None)


@pytest.mark.parametrize("name", forms())
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.usefixtures("iterative")
def test_smallest_eigenvectors_equal_lapack(name, warm, scale):
    d = 120
    form = forms(d)[name]
    form.max_blocks = 500
    rng = np.random.default_rng(1)
    diagonal = scale * rng.uniform(0.5, 2, d)
    start = rng.standard_normal((d, 5)) if warm else None
    W = smallest_eigenvectors(form, diagonal, 5, start=start)
    values, vectors = np.linalg.eigh(form.dense() + np.diag(diagonal))
    assert values[5] - values[4] > 1e-6 * scale
    np.testing.assert_allclose(W.T @ W, np.eye(5), atol=1e-10)
    assert subspace_angles(W, vectors[:, :5]).max() < 1e-5


@pytest.mark.usefixtures("iterative")
def test_a_guess_that_is_an_invariant_subspace_does_not_hide_smaller_eigenvectors():
    form = DenseForm(np.diag(np.arange(40.0)))
    form.max_blocks = 100
    W = smallest_eigenvectors(form, np.zeros(40), 3, start=np.eye(40)[:, 10:13])
    np.testing.assert_allclose(np.abs(W), np.eye(40)[:, :3], atol=1e-6)


@pytest.mark.parametrize("name", forms())
def test_solver_inverts(name):
    form = forms()[name]
    delta = np.linspace(1, 2, 40) - form.lower_bound
    B = np.random.default_rng(2).standard_normal((40, 3))
    expected = np.linalg.solve(form.dense() + np.diag(delta), B)
    np.testing.assert_allclose(form.solver(delta)(B), expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(form.times(B), form.dense() @ B, atol=1e-10)


def test_start_is_the_mean_over_the_null_space():
    """28 directions of R'R cost nothing: squared row norms are those of a random choice of 5."""
    form = forms()["factored +"]
    start = form.unregularized(5)
    assert start.W is None
    assert start.squared_norms.sum() == pytest.approx(5)
    np.testing.assert_allclose(
        forms()["dense +"].unregularized(5).squared_norms, start.squared_norms, atol=1e-10
    )
    null = np.linalg.eigh(form.dense())[1][:, :28]
    rng = np.random.default_rng(3)
    mean = np.zeros(40)
    for _ in range(2000):
        W = null @ np.linalg.qr(rng.standard_normal((28, 5)))[0]
        mean += np.einsum("ij,ij->i", W, W) / 2000
    np.testing.assert_allclose(start.squared_norms, mean, atol=0.01)


@pytest.mark.parametrize("d", [40, 70])
@pytest.mark.parametrize("seed", range(4))
def test_the_null_space_of_separate_clusters_is_counted_whatever_the_order_of_features(d, seed):
    """Three far clusters of 8: L has 3 zero eigenvalues, so ``X' L X`` has rank 24 - 3."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((24, d)) + np.repeat(1e3 * rng.standard_normal((3, d)), 8, axis=0)
    L = discriminative_laplacian(X - X.mean(axis=0), 5, 1.0)
    start = laplacian_form(X, L).unregularized(3)
    basis = np.linalg.qr(np.vstack([X[i : i + 8] - X[i : i + 8].mean(axis=0) for i in (0, 8, 16)]))
    V = np.linalg.svd(basis[1])[2][:21]
    expected = 3 / (d - 21) * (1 - np.einsum("ij,ij->j", V, V))
    np.testing.assert_allclose(start.squared_norms, expected, atol=1e-9)
    order = rng.permutation(d)
    permuted = laplacian_form(X[:, order], L).unregularized(3)
    np.testing.assert_allclose(permuted.squared_norms, expected[order], atol=1e-9)


def test_multiple_eigenvalue_at_the_cut_is_averaged():
    start = DenseForm(np.diag([0.0, 1.0, 1.0, 1.0, 5.0])).unregularized(2)
    np.testing.assert_allclose(start.squared_norms, [1, 1 / 3, 1 / 3, 1 / 3, 0], atol=1e-12)


def with_eigenvalues(values) -> np.ndarray:
    Q = np.linalg.qr(np.random.default_rng(5).standard_normal((len(values), len(values))))[0]
    product = (Q * values) @ Q.T
    return (product + product.T) / 2


@pytest.mark.parametrize("sign", [1, -1])
def test_start_by_lanczos_equals_lapack_and_sees_multiple_eigenvalues(sign, monkeypatch):
    monkeypatch.setattr(row_sparse, "_DENSE_INVERSE_UP_TO", 100)
    values = np.concatenate([[0, 0, 0], [1, 1], np.linspace(2, 3, 395)])
    if sign < 0:
        form = DenseForm(with_eigenvalues(values - 4), lower_bound=-4.01)
    else:
        form = DenseForm(with_eigenvalues(values))
    vectors = np.linalg.eigh(form.M)[1]
    for m in (3, 5):
        W = row_sparse._separated_eigenvectors(form, m)
        np.testing.assert_allclose(W.T @ W, np.eye(m), atol=1e-10)
        assert subspace_angles(W, vectors[:, :m]).max() < 1e-8
        start = form.unregularized(m)
        expected = np.sum(vectors[:, :m] ** 2, axis=1)
        np.testing.assert_allclose(start.squared_norms, expected, atol=1e-8)
    # The cut goes through a multiple eigenvalue: no answer from there, the mean from LAPACK.
    for m in (1, 2, 4):
        assert row_sparse._separated_eigenvectors(form, m) is None
    mean = np.sum(vectors[:, :3] ** 2, axis=1) * 2 / 3
    np.testing.assert_allclose(form.unregularized(2).squared_norms, mean, atol=1e-10)


@pytest.mark.parametrize("name", forms())
@pytest.mark.parametrize("gamma", [1e-2, 1.0, 100.0])
@pytest.mark.parametrize("p", [1.0, 0.5])
def test_objective_falls_and_constraint_holds(name, gamma, p):
    result = row_sparse_subspace(forms()[name], gamma, 4, p=p, max_iter=60, tol=1e-8)
    np.testing.assert_allclose(result.W.T @ result.W, np.eye(4), atol=1e-8)
    # The reweighting majorises the smoothed penalty, hence the tiny allowance.
    assert np.diff(result.history).max() <= 1e-5 * gamma + 1e-9 * np.abs(result.history).max()
    form = forms()[name]
    penalty = np.sum(np.linalg.norm(result.W, axis=1) ** p)
    objective = np.trace(result.W.T @ form.dense() @ result.W) + gamma * penalty
    assert result.history[-1] == pytest.approx(objective)


@pytest.mark.parametrize("name", ["dense -", "dense +"])
def test_end_is_a_fixed_point(name):
    form = forms()[name]
    result = row_sparse_subspace(form, 0.5, 4, max_iter=500, tol=1e-13)
    assert result.converged
    q = 0.5 / np.sqrt(result.squared_norms + np.finfo(float).eps)
    again = smallest_eigenvectors(form, 0.5 * q, 4)
    np.testing.assert_allclose(np.sum(again**2, axis=1), result.squared_norms, atol=1e-4)


def test_heavy_penalty_leaves_the_cheapest_rows():
    """With gamma large W is m unit vectors, those of the smallest diagonal entries."""
    M = np.diag(np.arange(1.0, 31.0))
    result = row_sparse_subspace(DenseForm(M), 1e4, 3, max_iter=50, tol=1e-10)
    assert np.flatnonzero(result.squared_norms > 0.5).tolist() == [0, 1, 2]


def test_limit_of_dense_eigenproblems(monkeypatch):
    monkeypatch.setattr("blufs.base.MAX_DENSE_ORDER", 10)
    for form in (DenseForm, FactoredForm):
        with pytest.raises(MethodLimitError, match="order 11, the limit is 10"):
            form(np.eye(11))


@pytest.mark.parametrize("name", ["SPCAFS", "UDFS", "SOGFS"])
def test_methods_refuse_too_large_data(name, monkeypatch):
    monkeypatch.setattr("blufs.base.MAX_DENSE_ORDER", 10)
    with pytest.raises(MethodLimitError, match="limit is 10"):
        getattr(blufs, name)(3, n_clusters=3).fit(blobs(30, 20))
    # Far more features than samples need no matrix of that order.
    wide = blobs(9, 330)
    neighbors = {} if name == "SPCAFS" else {"n_neighbors": 5}
    assert getattr(blufs, name)(3, n_clusters=3, **neighbors).fit(wide).support_.sum() == 3


@pytest.mark.parametrize("name", ["SPCAFS", "UDFS", "SOGFS"])
def test_features_that_a_large_penalty_leaves_alike_are_ranked_by_index(name):
    """Six rows of W have norm 1 but for rounding errors, which must not decide."""
    neighbors = {} if name == "SPCAFS" else {"n_neighbors": 5}
    selector = getattr(blufs, name)(3, n_clusters=6, gamma=1e4, **neighbors)
    scores = selector.fit(blobs(60, 20)).scores_
    left = np.flatnonzero(scores > 0.5)
    assert len(left) == 6
    np.testing.assert_allclose(scores[left], 1, atol=1e-10)
    assert np.flatnonzero(selector.support_).tolist() == left[:3].tolist()


def test_ten_digits_keep_the_order_of_what_differs():
    values = np.array([1 - 1e-15, 1.0, 1 + 1e-15, 1.001, 3e-20, 3.1e-20, 0.0])
    rounded = ten_digits(values)
    assert rounded[0] == rounded[1] == rounded[2] == 1
    assert np.argsort(-rounded, kind="stable").tolist() == [3, 0, 1, 2, 5, 4, 6]
    np.testing.assert_allclose(rounded, values, rtol=1e-9)
