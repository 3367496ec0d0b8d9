"""Small synthetic datasets with two informative features, and noise to hide them in."""

from __future__ import annotations

import numpy as np

#: Radii of the rings.
_RADII = (0.25, 0.5, 0.75, 1.0)
#: Diamonds along each side of the lattice.
_LATTICE = 3
#: Keep data and noise of one seed independent of each other.
_DATA_STREAM, _NOISE_STREAM = 0, 1


def generate(shape: str, n_samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a dataset; the classes have equal sizes (give or take one).

    Parameters
    ----------
    shape : {"rings", "bananas", "diamonds"}
    n_samples : int
    seed : int

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,), classes 0, 1, ...
    """
    draw, n_classes = _GENERATORS[shape]
    y = np.arange(n_samples) * n_classes // n_samples
    return draw(y, np.random.default_rng([_DATA_STREAM, seed])), y


def _rings(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Four concentric thin rings."""
    angle = rng.uniform(0, 2 * np.pi, len(y))
    radius = np.asarray(_RADII)[y] + 0.01 * rng.standard_normal(len(y))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _bananas(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two interleaved half circles with blurred edges."""
    angle = rng.uniform(0, np.pi, len(y))
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    return np.where(y[:, None] == 0, arc, lower) + 0.08 * rng.standard_normal((len(y), 2))


def _diamonds(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Nine diamonds |x| + |y| <= 1 in a 3 x 3 lattice of step 2: neighbours share a corner."""
    square = rng.uniform(-1, 1, (len(y), 2))
    turned = np.column_stack([square[:, 0] + square[:, 1], square[:, 0] - square[:, 1]]) / 2
    centres = 2.0 * np.column_stack([y % _LATTICE, y // _LATTICE])
    return turned + centres


_GENERATORS = {"rings": (_rings, 4), "bananas": (_bananas, 2), "diamonds": (_diamonds, 9)}


def mix_with_noise(
    X: np.ndarray, n_features: int, scale: float, seed: int
) -> tuple[np.ndarray, list[int]]:
    """Put the columns of ``X`` (n x d) at random places among ``n_features`` Gaussian ones.

    Were they first, a method that breaks ties by index would find them for nothing. The standard
    deviation of the noise is ``scale`` times the mean standard deviation of the columns of X.

    Returns
    -------
    mixed : ndarray of shape (n, d + n_features)
    places : list of int
        Where the columns of X are.
    """
    rng = np.random.default_rng([_NOISE_STREAM, seed])
    noise = scale * X.std(axis=0).mean() * rng.standard_normal((len(X), n_features))
    order = rng.permutation(X.shape[1] + n_features)
    places = np.argsort(order)[: X.shape[1]]
    return np.hstack([X, noise]).take(order, axis=1), places.tolist()
