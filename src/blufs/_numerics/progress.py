"""Lines about the iterations of a fit, for users who ask for them by ``verbose``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Method and start of the fit that reports, if one does.
_reporting: ContextVar[tuple[str, float] | None] = ContextVar("reporting", default=None)


@contextmanager
def reporting(method: str, verbose: int | bool) -> Iterator[None]:
    """Print what :func:`report` is told meanwhile, if ``verbose``."""
    token = _reporting.set((method, time.perf_counter()) if verbose else None)
    try:
        yield
    finally:
        _reporting.reset(token)


def report(n_iter: int, objective: float, s: int | None = None) -> None:
    """Tell the objective after an iteration, of the fit for s features if there are several."""
    state = _reporting.get()
    if state is not None:
        method, start = state
        which = "" if s is None else f" for s = {s}"
        seconds = time.perf_counter() - start
        print(f"[{method}] iteration {n_iter}{which}: objective {objective:.6g}, {seconds:.1f} s")
