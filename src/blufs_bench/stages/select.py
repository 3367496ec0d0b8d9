"""Stage "select": fit a method with several settings and record the features for every s."""

from __future__ import annotations

import inspect
import logging
import operator
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from blufs.base import BaseSelector, MethodLimitError, Solution
from blufs_bench.files.canonical import canonical_json
from blufs_bench.files.damaged import in_words, one_line
from blufs_bench.plan.memory_law import Held, exceeds_memory
from blufs_bench.plan.sizes import size_on_card
from blufs_bench.results.records import Record, failed_selection
from blufs_bench.run.isolation import Limits, Outcome, run_isolated
from blufs_bench.run.usage import processor_seconds
from blufs_bench.selectors import import_class, is_random, make_selector

logger = logging.getLogger("blufs.select")


@dataclass(frozen=True)
class Target:
    """What is fitted: a method on a dataset.

    Attributes
    ----------
    dataset, method : their names in the records
    code : {"name", "class"} of the method; "class" is ``module:Class``; and "sees_labels" if it is
        a control, as :data:`blufs_bench.method_names.CONTROLS` marks it
    n_clusters : number of clusters that a method is told
    include, exclude : positions of the features that must be chosen, and that must not be
    """

    dataset: str
    method: str
    code: Mapping[str, Any]
    n_clusters: int
    include: Sequence[int] = ()
    exclude: Sequence[int] = ()

    @classmethod
    def on(cls, card: Mapping[str, Any], method: str, code: Mapping[str, Any]) -> Target:
        """The method, with its code, on the dataset with this card."""
        return cls(card["name"], method, code, card["n_clusters"], card["include"], card["exclude"])

    @property
    def cls(self) -> type:
        return import_class(self.code["name"], self.code["class"])

    @property
    def sees_labels(self) -> bool:
        return bool(self.code.get("sees_labels", False))

    def selector(self, fit: Fit) -> Any:
        """The selector for a fit.

        Raises
        ------
        MethodLimitError
            If the dataset includes or excludes features, and the method cannot.
        """
        cls = self.cls
        selector = make_selector(cls, fit_parameters(cls, fit, self.n_clusters))
        given = {"include": self.include, "exclude": self.exclude}
        given = {name: features for name, features in given.items() if len(features)}
        accepted = selector.get_params(deep=False)
        if unknown := [name for name in given if name not in accepted]:
            raise MethodLimitError(f"does not take {' or '.join(unknown)}, which the dataset has")
        return selector.set_params(**given)

    def reads_chunks(
        self, card: Mapping[str, Any], held: Mapping[str, float], limits: Limits
    ) -> bool:
        """Whether fits of the dataset with this card read it in chunks, as the plan says it too.

        ``held`` is what a fit of the method holds.
        """
        cls: Any = self.cls
        return getattr(cls, "takes_chunks", False) and exceeds_memory(
            size_on_card(card),
            Held(**held),
            limit_mb=limits.memory_mb,
            takes_sparse=cls.takes_sparse,
        )


@dataclass(frozen=True)
class Fit:
    """One fit of a part: a setting and, for random methods, a seed; all s inside."""

    setting: dict[str, Any]
    fit_seed: int
    random_state: int


def select(
    X: np.ndarray | sp.csr_array,
    target: Target,
    settings: Sequence[dict[str, Any]],
    s_values: Sequence[int],
    random_states: Mapping[int, int],
    limits: Limits,
    *,
    default: dict[str, Any],
    y: np.ndarray | None = None,
) -> list[Record]:
    """Selected features for every setting, fit seed and s.

    Parameters
    ----------
    X : ndarray, csr_array or dask array of shape (n, d)
        A method that does not take sparse data gets a dense copy in the process of its fits.
    settings : parameters of the method, one fit each
    s_values : numbers of features, none for a method that keeps all of them; those above d become
        records with status "skipped"
    random_states : fit seed -> state of the generator, one fit each
    default : the setting whose row norms of W are kept
    y : ndarray of shape (n,); only fits of a control see it

    Returns
    -------
    One record per (setting, fit seed, s), whatever happened to the fit: see its ``status``.
    """
    d = X.shape[1]
    least, most = len(target.include), d - len(target.exclude)
    impossible = {s: _why_not(s, least, most) for s in s_values if not least <= s <= most}
    usable = [s for s in s_values if s not in impossible] if s_values else [most]
    fits = [
        Fit(setting, seed, state) for setting in settings for seed, state in random_states.items()
    ]
    labels = y if target.sees_labels else None
    worker = _Worker(target, X, usable, canonical_json(default), limits, labels)
    records = []
    for number, outcome in enumerate(_until_timeout(worker, fits, limits), start=1):
        fit = outcome.task
        if outcome.status == "ok":
            found = outcome.value
        else:
            found = _failure(target, fit, usable, outcome.status, outcome.reason)
        records += found
        for s, why in impossible.items():
            records += _failure(target, fit, [s], "skipped", why)
        worst = next((r for r in found if r["status"] != "ok"), {"status": "ok", "reason": ""})
        logger.info(
            "fit %d of %d: %s seed %d: %s %s (%.2f s)",
            number,
            len(fits),
            canonical_json(fit.setting),
            fit.fit_seed,
            worst["status"],
            worst["reason"],
            sum(r["fit_seconds"] for r in found),
        )
    return records


def _why_not(s: int, least: int, most: int) -> str:
    if s < least:
        return f"fewer features asked for than the {least} that the dataset includes"
    return f"more features asked for than the {most} there are"


def _until_timeout(worker: _Worker, fits: Sequence[Fit], limits: Limits) -> Iterator[Outcome[Fit]]:
    """Outcomes of all fits; after one that took too long the others are not tried.

    They would take as long: a method that is too slow for a dataset costs the limit once.
    """

    def allowed(fit: Fit) -> Limits:
        is_default = canonical_json(fit.setting) == worker.default
        return limits if is_default else limits.of_grid()

    left = list(fits)
    stopped = 0.0
    for outcome in run_isolated(worker, fits, allowed):
        yield outcome
        left.pop(0)
        if outcome.status == "timeout":
            stopped = allowed(outcome.task).fit_seconds
            break
    reason = f"not tried: another setting was stopped after the limit of {stopped:g} s"
    yield from (Outcome(fit, "timeout", reason=reason) for fit in left)


class _Worker:
    """Fit one setting; keep what fits with equal untuned parameters share."""

    def __init__(
        self,
        target: Target,
        X,
        s_values: list[int],
        default: str,
        limits: Limits,
        labels: np.ndarray | None = None,
    ):
        self.target = target
        self.limits = limits
        self.cls = target.cls
        self.X = X
        self.s_values = s_values
        self.default = default
        self.labels = labels
        self.shared: dict[str, Any] = {}

    def __call__(self, fit: Fit) -> list[Record]:
        start = processor_seconds()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # recorded per solution
                solutions = self._solve(fit)
            seconds = (processor_seconds() - start) / len(solutions)
            return [self._record(fit, s, solutions[s], seconds) for s in sorted(solutions)]
        except MemoryError:
            raise
        except Exception as error:
            failure = failure_status(error)
            if failure["status"] == "failed":
                logger.exception("%s failed with %s", self.cls.__name__, fit.setting)
            return _failure(self.target, fit, self.s_values, **failure)

    def _solve(self, fit: Fit) -> dict[int, Solution]:
        selector = self.target.selector(fit)
        if self.labels is not None:
            selector.see(self.labels)
        self.X = data_for(selector, self.X, self.limits)
        tuned = set(selector.tuned_parameters)
        shared = {k: v for k, v in fit.setting.items() if k not in tuned}
        # What a seed decides must not be handed to another seed.
        drawn = is_random(selector) and "random_state" not in tuned
        key = canonical_json([shared, fit.fit_seed if drawn else None])
        if key not in self.shared:
            self.shared = {key: selector.precompute(self.X)}
        return selector.select_path(self.X, self.s_values, precomputed=self.shared[key])

    def _record(self, fit: Fit, s: int, solution: Solution, seconds: float) -> Record:
        setting = canonical_json(fit.setting)
        d = self.X.shape[1]
        weights = solution.per_feature.get("coef_") if setting == self.default else None
        history: Any = solution.objective_history
        history = [] if history is None else history
        numbers = {
            "scores": _reals(solution.scores, "scores"),
            "the objective": _reals(history, "objective_history"),
            "W": np.empty(0) if weights is None else _reals(weights, "coef_"),
        }
        wrong = [name for name, values in numbers.items() if not np.isfinite(values).all()]
        diverged = f"{' and '.join(wrong)} not finite" if wrong else ""
        return {
            "dataset": self.target.dataset,
            "method": self.target.method,
            "setting": setting,
            "s": s,
            "fit_seed": fit.fit_seed,
            "features": _features(solution.ranked, s, d),
            "row_norms": None if weights is None or wrong else _row_norms(numbers["W"], d),
            "objective_history": [] if wrong else numbers["the objective"].ravel().tolist(),
            "n_iter": _count(solution.n_iter),
            "converged": bool(solution.converged),
            "fit_seconds": seconds,
            "status": "diverged" if wrong else "ok",
            "reason": diverged,
        }


def _reals(values: Any, name: str) -> np.ndarray:
    """What a method returned, as real numbers of double precision."""
    if np.iscomplexobj(values):
        raise TypeError(f"{name}: complex numbers instead of real ones")
    return np.asarray(values, dtype=np.float64)


def _features(ranked: Any, s: int, d: int) -> list[int]:
    """The first s of a ranking of d features."""
    features = [operator.index(feature) for feature in ranked[:s]]
    if len(set(features)) != s or not set(features) <= set(range(d)):
        raise ValueError(f"the ranking does not begin with {s} of the {d} features")
    return features


def _count(n_iter: Any) -> int | None:
    """A number of iterations that a table can hold."""
    if n_iter is None:
        return None
    count = operator.index(n_iter)
    if not 0 <= count < 2**63:
        raise ValueError(f"n_iter is no number of iterations: {count:.3g}")
    return count


def _row_norms(weights: np.ndarray, d: int) -> list[float]:
    """Norms of the rows of W (d x c), in single precision."""
    if weights.ndim != 2 or len(weights) != d:
        raise ValueError(f"coef_ has shape {weights.shape} for {d} features")
    return np.linalg.norm(weights, axis=1).astype(np.float32).tolist()


def failure_status(error: Exception) -> dict[str, str]:
    """Status and reason of a fit that raised."""
    if isinstance(error, MethodLimitError):
        return {"status": "skipped", "reason": one_line(error)}
    diverged = isinstance(error, FloatingPointError | np.linalg.LinAlgError)
    return {"status": "diverged" if diverged else "failed", "reason": in_words(error)}


def data_for(selector: BaseSelector, X, limits: Limits):
    """X (n x d) as the selector takes it: a dense copy of sparse data where it must be.

    Raises
    ------
    MethodLimitError
        If that copy alone is larger than the memory of a fit.
    """
    if not sp.issparse(X) or get_tags(selector).input_tags.sparse:
        return X
    megabytes = X.shape[0] * X.shape[1] * 8 / 2**20
    if megabytes > limits.memory_mb:
        raise MethodLimitError(
            f"does not take sparse data, and the dense copy would take {megabytes:.0f} MB, above "
            f"the limit of {limits.memory_mb:g} MB"
        )
    return X.toarray()


def fit_parameters(cls: type, fit: Fit, n_clusters: int) -> dict[str, Any]:
    """Constructor arguments: the setting, the number of clusters and the seed where they apply."""
    accepted = inspect.signature(cls).parameters
    parameters = dict(fit.setting)
    if "n_clusters" in accepted:
        parameters.setdefault("n_clusters", n_clusters)
    if "random_state" in accepted:
        parameters.setdefault("random_state", fit.random_state)
    return parameters


def _failure(
    target: Target, fit: Fit, s_values: Sequence[int], status: str, reason: str
) -> list[Record]:
    setting = canonical_json(fit.setting)
    key = target.dataset, target.method, setting
    return [failed_selection(*key, s, fit.fit_seed, status=status, reason=reason) for s in s_values]
