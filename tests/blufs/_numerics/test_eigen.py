"""Lanczos iterations against a dense eigensolver, and twice with the same result."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from blufs import SOGFS
from blufs._numerics.eigen import block_lanczos_eigenvectors, largest_eigenpairs

ORDER = 120


def symmetric(eigenvalues) -> np.ndarray:
    Q = ortho_group(ORDER, seed=0).rvs()
    return (Q * eigenvalues) @ Q.T


@pytest.fixture
def separated() -> np.ndarray:
    return symmetric(np.linspace(1, 10, ORDER) ** 2)


def test_largest_eigenpairs_are_those_of_a_dense_solver(separated):
    values, vectors = largest_eigenpairs(lambda v: separated @ v, ORDER, 5, tol=1e-12)
    expected = np.linalg.eigvalsh(separated)[::-1][:5]
    np.testing.assert_allclose(values, expected, rtol=1e-10)
    np.testing.assert_allclose(separated @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-10)


def test_a_block_finds_the_same_vectors(separated):
    _, single = largest_eigenpairs(lambda v: separated @ v, ORDER, 3, tol=1e-12)
    block = block_lanczos_eigenvectors(lambda B: separated @ B, ORDER, 3, 100, tol=1e-10)
    np.testing.assert_allclose(np.abs(single.T @ block), np.eye(3), atol=1e-6)


def test_an_exhausted_krylov_space_is_continued_in_the_same_way_every_time():
    # Means of groups of ten: after two steps there is no new direction, and ARPACK draws one.
    def means(v):
        return np.repeat(v.reshape(-1, 10).mean(axis=1), 10)

    first, *others = (largest_eigenpairs(means, ORDER, 6, tol=1e-12) for _ in range(4))
    np.testing.assert_allclose(first[0], 1, rtol=1e-10)
    for values, vectors in others:
        np.testing.assert_array_equal(values, first[0])
        np.testing.assert_array_equal(vectors, first[1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_duplicated_samples_and_features_give_the_same_fit_every_time():
    # As in counts of words: few distinct rows and columns, so that many solutions are equally good.
    rng = np.random.default_rng(0)
    few = rng.poisson(0.3, size=(120, 40)).astype(float)
    X = few[rng.integers(120, size=500)][:, rng.integers(40, size=90)]
    first, second = (SOGFS(10, n_clusters=6, max_iter=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.objective_history_, second.objective_history_)
