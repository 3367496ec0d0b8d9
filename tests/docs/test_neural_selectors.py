"""The neural selectors of the examples: their gradients, and what they promise."""

import importlib.util

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import make_moons

from tests.helpers import ROOT

spec = importlib.util.spec_from_file_location(
    "neural_selectors", ROOT / "examples/neural_selectors.py"
)
neural = importlib.util.module_from_spec(spec)
spec.loader.exec_module(neural)
RNG = np.random.default_rng(0)


def test_gradient_of_the_laplacian_score():
    Y = RNG.standard_normal((7, 3))

    def score(y):
        return neural.laplacian_score(y.reshape(7, 3), neural.five_times_the_nearest)[0]

    def gradient(y):
        return neural.laplacian_score(y.reshape(7, 3), neural.five_times_the_nearest)[1].ravel()

    assert check_grad(score, gradient, Y.ravel()) < 1e-6
    D = ((Y[:, None] - Y) ** 2).sum(axis=2)
    W = np.exp(-D / (5 * np.median(np.sort(D, axis=1)[:, 1])))
    P = W / W.sum(axis=1, keepdims=True)
    assert score(Y.ravel()) == pytest.approx(-np.trace(Y.T @ P @ P @ Y) / 21)


def test_gradient_of_the_autoencoder():
    B, noise = RNG.standard_normal((6, 5)), RNG.gumbel(size=(5, 2))
    shapes = [(5, 2), (2, 4), (4,), (4, 5), (5,)]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    model = neural.ConcreteAutoencoder(2)

    def parts(flat):
        return [p.reshape(s) for p, s in zip(np.split(flat, ends[:-1]), shapes, strict=True)]

    def value(flat):
        return model.loss(parts(flat), B, noise, 0.7)[0]

    def gradient(flat):
        return np.concatenate([g.ravel() for g in model.loss(parts(flat), B, noise, 0.7)[1]])

    assert check_grad(value, gradient, RNG.standard_normal(ends[-1])) < 1e-6


def test_gradient_of_the_gates():
    X, noise, model = RNG.standard_normal((6, 4)), RNG.standard_normal((6, 4)), neural.DUFS(2)
    mu = 0.2 * RNG.standard_normal(4)
    difference = check_grad(
        lambda m: model.loss(m, X, noise)[0], lambda m: model.loss(m, X, noise)[1], mu
    )
    assert difference < 1e-6


def test_the_gates_of_the_two_moons_open_alone():
    X, _ = make_moons(100, noise=0.1, random_state=0)
    X = np.hstack([X, np.random.default_rng(0).standard_normal((100, 18))])
    fitted = neural.DUFS(2, n_epochs=1500, random_state=1).fit(X)
    assert set(fitted.indices_) == {0, 1}


def groups_of_copies():
    """Three groups of ten copies: one feature of each reconstructs all of them."""
    factors = np.random.default_rng(1).standard_normal((200, 3))
    return np.repeat(factors, 10, axis=1) + 0.05 * RNG.standard_normal((200, 30))


def test_an_autoencoder_takes_one_feature_of_each_group():
    fitted = neural.ConcreteAutoencoder(3, n_epochs=150, random_state=0).fit(groups_of_copies())
    assert sorted(fitted.indices_ // 10) == [0, 1, 2]


def test_the_same_seed_gives_the_same_ranking():
    X = groups_of_copies()
    first, again, other = (
        neural.LSCAE(3, n_epochs=20, random_state=seed).fit(X).ranking_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_slots_of_the_same_feature_count_once_and_the_largest_logit_follows():
    logits = np.array([[5.0, 4.0, 0.0], [1.0, 2.0, 6.0], [3.0, 0.0, 0.0], [0.0, 3.5, 0.0]])
    solution = neural._from_slots(logits, np.zeros(1))
    assert solution.ranked.tolist() == [0, 1, 3, 2]
