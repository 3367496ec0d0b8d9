"""Stage "select": fit a method with several settings and record the features for every s."""

from __future__ import annotations

import inspect
import logging
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from blufs.base import MethodLimitError, Solution
from blufs.methods.registry import make_selector, method_class
from blufs.results.records import Record, failed_fit
from blufs.workflow.plan.canonical import canonical_json
from blufs.workflow.run.isolation import Limits, run_isolated

logger = logging.getLogger("blufs.select")


@dataclass(frozen=True)
class Fit:
    """One fit of a chunk: a setting and, for random methods, a seed; all s inside."""

    settings: dict[str, Any]
    fit_seed: int
    random_state: int


def select(
    X: np.ndarray,
    n_classes: int,
    method: Record,
    settings: Sequence[dict[str, Any]],
    s_values: Sequence[int],
    random_states: Mapping[int, int],
    limits: Limits,
) -> list[Record]:
    """Selected features for every setting, fit seed and s.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    method : {"name", "class"}, where "class" is None for a registered method
    settings : parameters of the method, one fit each
    s_values : numbers of features; those above d become records with status "skipped"
    random_states : fit seed -> state of the generator, one fit each

    Returns
    -------
    One record per (settings, fit seed, s), whatever happened to the fit: see its ``status``.
    """
    cls = method_class(method["name"], method["class"])
    impossible = [] if _selects_all(cls) else [s for s in s_values if s > X.shape[1]]
    usable = [s for s in s_values if s not in impossible]
    fits = [
        Fit(setting, seed, state) for setting in settings for seed, state in random_states.items()
    ]
    worker = _Worker(cls, X, n_classes, usable)
    records = []
    for number, outcome in enumerate(run_isolated(worker, fits, limits), start=1):
        if outcome.status == "ok":
            found = outcome.value
        else:
            found = _failure(outcome.task, usable, outcome.status, outcome.reason)
        records += found
        records += _failure(
            outcome.task,
            impossible,
            "skipped",
            f"more features asked for than the {X.shape[1]} there are",
        )
        worst = next((r for r in found if r["status"] != "ok"), {"status": "ok", "reason": ""})
        logger.info(
            "fit %d of %d: %s seed %d: %s %s (%.2f s)",
            number,
            len(fits),
            canonical_json(outcome.task.settings),
            outcome.task.fit_seed,
            worst["status"],
            worst["reason"],
            sum(r["fit_seconds"] for r in found),
        )
    return records


def _selects_all(cls: type) -> bool:
    return getattr(cls, "selects_all", False)


class _Worker:
    """Fit one setting; keep what fits with equal untuned parameters share."""

    def __init__(self, cls: type, X: np.ndarray, n_classes: int, s_values: list[int]):
        self.cls = cls
        self.X = X
        self.n_classes = n_classes
        self.s_values = s_values
        self.shared: dict[str, Any] = {}

    def __call__(self, fit: Fit) -> list[Record]:
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # recorded per solution
                solutions = self._solve(fit)
        except MemoryError:
            raise
        except Exception as error:
            failure = failure_status(error)
            if failure["status"] == "failed":
                logger.exception("%s failed with %s", self.cls.__name__, fit.settings)
            return _failure(fit, self.s_values, **failure)
        seconds = (time.perf_counter() - start) / len(solutions)
        return [_success(fit, s, solutions[s], seconds) for s in sorted(solutions)]

    def _solve(self, fit: Fit) -> dict[int, Solution]:
        selector = make_selector(self.cls, fit_parameters(self.cls, fit, self.n_classes))
        tuned = set(selector.tuned_parameters)
        key = canonical_json({k: v for k, v in fit.settings.items() if k not in tuned})
        if key not in self.shared:
            self.shared = {key: selector.precompute(self.X)}
        return selector.select_path(self.X, self.s_values, precomputed=self.shared[key])


def failure_status(error: Exception) -> dict[str, str]:
    """Status and reason of a fit that raised."""
    if isinstance(error, MethodLimitError):
        return {"status": "skipped", "reason": str(error)}
    diverged = isinstance(error, FloatingPointError | np.linalg.LinAlgError)
    reason = f"{type(error).__name__}: {error}"
    return {"status": "diverged" if diverged else "failed", "reason": reason}


def fit_parameters(cls: type, fit: Fit, n_classes: int) -> dict[str, Any]:
    """Constructor arguments: the settings, the number of clusters and the seed where they apply."""
    accepted = inspect.signature(cls).parameters
    parameters = dict(fit.settings)
    if "n_clusters" in accepted:
        parameters.setdefault("n_clusters", n_classes)
    if "random_state" in accepted:
        parameters.setdefault("random_state", fit.random_state)
    return parameters


def _success(fit: Fit, s: int, solution: Solution, seconds: float) -> Record:
    history = solution.objective_history
    finite = np.isfinite(solution.scores).all() and (history is None or np.isfinite(history).all())
    return {
        "settings": canonical_json(fit.settings),
        "fit_seed": fit.fit_seed,
        "s": s,
        "status": "ok" if finite else "diverged",
        "reason": "" if finite else "scores or objective are not finite",
        "features": [int(feature) for feature in solution.ranked[:s]],
        "objective_history": [] if history is None else [float(value) for value in history],
        "n_iter": solution.n_iter,
        "converged": bool(solution.converged),
        "fit_seconds": seconds,
    }


def _failure(fit: Fit, s_values: Sequence[int], status: str, reason: str) -> list[Record]:
    return [failed_fit(fit.settings, fit.fit_seed, s, status, reason) for s in s_values]
