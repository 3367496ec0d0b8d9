"""Neural selectors.

Three selectors that are trained by gradients, written in numpy as methods of one's own: a concrete
autoencoder (CAE), the same with a Laplacian term (LS-CAE), and gates on a graph (DUFS). In the
benchmark they are methods by their class paths: see the guide "Neural selectors, measured".

What to see: two seeds of the same network hardly share a pixel, although both selections look
alike. What such a network selects is one of many sets that are equally good for it.
"""

import numpy as np
from scipy.special import ndtr
from scipy.stats import truncnorm
from sklearn.utils import check_random_state

from blufs.base import BaseSelector, Solution


def laplacian_score(Y, bandwidth_of):
    """Score -Tr(Y' P P Y) / (n d) of the random walk P on the samples Y (n x d), and its gradient.

    P = W / row sums with W = exp(-D / t), D the squared distances; ``bandwidth_of(D)`` gives t and
    its gradient by D, or 0.
    """
    norms = np.sum(Y**2, axis=1)
    D = np.maximum(norms[:, None] + norms - 2 * Y @ Y.T, 0)
    t, by_D = bandwidth_of(D)
    W = np.exp(-D / t)
    degree = W.sum(axis=1, keepdims=True)
    P = W / degree
    walked = P @ (P @ Y)
    S = Y @ Y.T
    Q = S @ P.T + P.T @ S  # the gradient of Tr(Y' P P Y) by P
    by_exponent = (Q - np.sum(Q * P, axis=1, keepdims=True)) / degree * W / t
    by_distance = np.sum(by_exponent * D) / t * by_D - by_exponent
    by_distance = by_distance + by_distance.T
    direct = walked + P.T @ (P.T @ Y)
    through_graph = 2 * (by_distance.sum(axis=1, keepdims=True) * Y - by_distance @ Y)
    return -np.sum(walked * Y) / Y.size, -(direct + through_graph) / Y.size


def largest_gap_to_a_neighbor(D):
    """The kernel of the package `lscae`: the largest distance to a nearest neighbour, squared."""
    return max(np.max(np.min(D + np.diag(np.full(len(D), np.inf)), axis=1)), 1e-8), 0.0


def five_times_the_nearest(D):
    """The kernel of DUFS: five times the median squared distance to the nearest neighbour."""
    nearest = np.argsort(D, axis=1)[:, 1]
    distances = D[np.arange(len(D)), nearest]
    middle = np.argsort(distances)[(len(D) - 1) // 2 : len(D) // 2 + 1]
    by_D = np.zeros_like(D)
    by_D[middle, nearest[middle]] = 5 / len(middle)
    return max(5 * distances[middle].mean(), 1e-8), by_D


class Adam:
    """Adam on a list of arrays, which it changes in place."""

    def __init__(self, arrays, rates, decay=(0.5, 0.999)):
        self.arrays, self.rates, self.decay = arrays, rates, decay
        self.moments = [(np.zeros_like(a), np.zeros_like(a)) for a in arrays]
        self.step = 0

    def __call__(self, gradients):
        self.step += 1
        (b1, b2), t = self.decay, self.step
        for a, g, rate, (m, v) in zip(
            self.arrays, gradients, self.rates, self.moments, strict=True
        ):
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g**2 - v)
            a -= rate * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + 1e-8)


class ConcreteAutoencoder(BaseSelector):
    """Reconstruct all features from s of them, chosen by s relaxed one-hot vectors.

    Selector M (d x s) = softmax((A + Gumbel noise) / T) over the features, T falling from 10 to
    0.01; decoder s - hidden - d with leaky ReLU; Adam on the mean squared error of z-scores. The
    decoder has no batch norm. With ``laplacian``, the loss is LS-CAE's: reconstruction plus the
    Laplacian score of the features weighted by their largest share in M, each over its own size.

    Parameters
    ----------
    n_epochs, batch_size, hidden : training and width of the decoder
    laplacian : whether to add the Laplacian term (LS-CAE)

    References
    ----------
    .. [1] M. F. Balin, A. Abid, J. Zou. Concrete autoencoders. ICML 2019.

    .. [2] U. Shaham et al. Deep unsupervised feature selection by discarding nuisance and
       correlated features. Neural Networks, 2022.
    """

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_epochs=200,
        batch_size=64,
        hidden=64,
        laplacian=False,
        random_state=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.hidden = hidden
        self.laplacian = laplacian
        self.random_state = random_state

    def _solve(self, X, s_values, precomputed):
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        return {s: self._train(X, s) for s in s_values}

    def _train(self, X, s):
        random = check_random_state(self.random_state)
        n, d = X.shape
        size, hidden = min(self.batch_size, n), self.hidden
        weights = [
            np.zeros((d, s)),
            random.normal(0, s**-0.5, (s, hidden)),
            np.zeros(hidden),
            random.normal(0, hidden**-0.5, (hidden, d)),
            np.zeros(d),
        ]
        descend = Adam(weights, [0.1, 1e-3, 1e-3, 1e-3, 1e-3])
        history = []
        for epoch in range(self.n_epochs):
            temperature = 10 * (0.01 / 10) ** (epoch / max(1, self.n_epochs - 1))
            order = random.permutation(n)
            losses = []
            for start in range(0, n - size + 1, size):
                batch, noise = X[order[start : start + size]], random.gumbel(size=(d, s))
                loss, gradients = self.loss(weights, batch, noise, temperature)
                descend(gradients)
                losses.append(loss)
            history.append(np.mean(losses))
        return _from_slots(weights[0], np.array(history))

    def loss(self, weights, B, noise, temperature):
        """Reconstruction error of a batch B (b x d), and the gradients by the weights."""
        A, W1, b1, W2, b2 = weights
        logits = (A + noise) / temperature
        M = np.exp(logits - logits.max(axis=0))
        M /= M.sum(axis=0)
        Z = B @ M
        inner = Z @ W1 + b1
        slope = np.where(inner > 0, 1.0, 0.2)
        H = inner * slope
        error = H @ W2 + b2 - B
        value = np.mean(error**2)
        by_output = 2 * error / error.size
        by_inner = (by_output @ W2.T) * slope
        by_M = B.T @ (by_inner @ W1.T)
        gradients = [Z.T @ by_inner, by_inner.sum(axis=0), H.T @ by_output, by_output.sum(axis=0)]
        if self.laplacian:  # each term over its own size, as the package has it
            rows, best = np.arange(len(M)), M.argmax(axis=1)
            share = M[rows, best]
            score, by_Y = laplacian_score(B * share, largest_gap_to_a_neighbor)
            gradients, by_M = [g / value for g in gradients], by_M / value
            by_M[rows, best] += np.sum(by_Y * B, axis=0) / max(abs(score), 1e-12)
        by_A = M * (by_M - np.sum(M * by_M, axis=0)) / temperature
        return value, [by_A, *gradients]


class LSCAE(ConcreteAutoencoder):
    """The concrete autoencoder with the Laplacian term."""

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_epochs=200,
        batch_size=64,
        hidden=64,
        laplacian=True,
        random_state=None,
    ):
        super().__init__(
            n_features_to_select,
            n_epochs=n_epochs,
            batch_size=batch_size,
            hidden=hidden,
            laplacian=laplacian,
            random_state=random_state,
        )


def _from_slots(logits, history):
    """The features of the slots, each once, in their order; then by the largest logit."""
    best = logits.max(axis=1)
    slots = list(dict.fromkeys(logits.argmax(axis=0).tolist()))
    others = [j for j in np.argsort(-best, kind="stable") if j not in set(slots)]
    order = np.array([*slots, *others])
    scores = np.empty(len(order))
    scores[order] = np.arange(len(order), 0, -1)
    return Solution(scores=scores, order=order, objective_history=history, n_iter=len(history))


class DUFS(BaseSelector):
    """Gates on the features, opened where they make the graph of the samples smoother.

    z_ij = clip(mu_j + 1/2 + sigma e_ij, 0, 1) with fresh normal noise e, Y = z * X (z-scores); the
    parameter-free loss is the Laplacian score of Y over the mean probability of an open gate. Plain
    gradient descent on mu, with a rate of d / 4 because the score is a mean over d features. All
    samples are one batch: O(n^2 d) an epoch.

    Parameters
    ----------
    n_epochs : int, default=1000

    References
    ----------
    .. [1] O. Lindenbaum et al. Differentiable unsupervised feature selection based on a gated
       Laplacian. NeurIPS 2021.
    """

    sigma = 0.5

    def __init__(self, n_features_to_select=None, *, n_epochs=1000, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.n_epochs = n_epochs
        self.random_state = random_state

    def _rank(self, X, precomputed):
        random = check_random_state(self.random_state)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        mu = truncnorm.rvs(-2, 2, scale=0.01, size=X.shape[1], random_state=random)
        history = []
        for _ in range(self.n_epochs):
            value, gradient = self.loss(mu, X, random.standard_normal(X.shape))
            mu -= X.shape[1] / 4 * gradient
            history.append(value)
        return Solution(scores=mu, objective_history=np.array(history), n_iter=len(history))

    def loss(self, mu, X, noise):
        """Score over the share of open gates, and its gradient by mu."""
        gate = mu + 0.5 + self.sigma * noise
        z = np.clip(gate, 0, 1)
        score, by_Y = laplacian_score(z * X, five_times_the_nearest)
        by_mu = np.sum(by_Y * X * ((gate > 0) & (gate < 1)), axis=0)
        u = (mu + 0.5) / self.sigma
        share = np.mean(ndtr(u)) + 1e-6
        by_share = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi) / self.sigma / len(mu)
        return score / share, by_mu / share - score * by_share / share**2


if __name__ == "__main__":
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_digits

    X = load_digits().data[:300]
    fig, axes = plt.subplots(1, 3, figsize=(8, 2.9))
    for ax, method in zip(axes, (ConcreteAutoencoder, LSCAE, DUFS), strict=True):
        ax.imshow(X.mean(axis=0).reshape(8, 8), cmap="gray_r")
        for seed, color in ((0, "tab:red"), (1, "tab:blue")):
            selector = method(15, n_epochs=60, random_state=seed).fit(X)
            rows, columns = np.nonzero(selector.get_support().reshape(8, 8))
            shift = 0.1 * (2 * seed - 1)
            ax.scatter(columns + shift, rows, s=60, facecolors="none", edgecolors=color)
        ax.set(title=method.__name__, xticks=[], yticks=[])
    plt.show()
