"""Choosing one of many candidates by a criterion that sees no labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: The criterion by which :func:`choose_blind` chooses unless told otherwise.
DEFAULT_CRITERION = "principal_cohesion"
#: By how much a criterion must rise for the default setting to be left (docs/solver.md).
DEFAULT_MARGIN = 0.005


def choose_blind(
    table: Sequence[Mapping[str, Any]],
    criterion: str = DEFAULT_CRITERION,
    *,
    default_rows: Sequence[Mapping[str, Any]] = (),
    margin: float = DEFAULT_MARGIN,
) -> Mapping[str, Any]:
    """The row with the best criterion, or the default unless another is better by a margin.

    Parameters
    ----------
    table : sequence of dicts, or DataFrame
        One row per candidate. The criteria of
        :func:`blufs.evaluation.criteria.label_free_criteria` stand in it under their name or with
        the prefix ``criterion_``; a row where one is NaN is never chosen.
    criterion : str
    default_rows : sequence of dicts, or DataFrame
        Those rows of the table that have the default setting. The best of them is chosen unless
        the best of all rows is above it by more than the margin; without them there is no default.
    margin : float

    Returns
    -------
    dict
        The row itself; the first one on ties.
    """
    table, default_rows = _rows(table), _rows(default_rows)
    if not len(table):
        raise ValueError("there is no row to choose from")
    values = _column(table, criterion)
    if np.isnan(values).all():
        raise ValueError(f"no row has a value of the criterion {criterion!r}")
    best = table[int(np.nanargmax(values))]
    own = _column(default_rows, criterion) if len(default_rows) else np.array([np.nan])
    if np.isnan(own).all() or np.nanmax(values) - np.nanmax(own) > margin:
        return best
    return default_rows[int(np.nanargmax(own))]


def _rows(table) -> Sequence[Mapping[str, Any]]:
    """The rows of a list or DataFrame as dicts."""
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def _column(table: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
    """Values of a criterion, shape (number of rows,)."""
    for key in (name, f"criterion_{name}"):
        if key in table[0]:
            return np.array([row[key] for row in table], dtype=float)
    raise KeyError(f"the rows have no {name!r} and no 'criterion_{name}': {sorted(table[0])}")
