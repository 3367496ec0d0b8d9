"""Features as users name them: by position, by name, or by a boolean mask."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np


def feature_indices(wanted: Any, d: int, names: Sequence[str] | None, argument: str) -> np.ndarray:
    """Positions of the wanted features, ascending, each once.

    Parameters
    ----------
    wanted : None or array-like of one dimension
        Positions from 0, names, or a mask of d truth values; None for no feature.
    d : int
        Number of features.
    names : sequence of d strings, optional
        None where the data have no names.
    argument : str
        What the user calls ``wanted``, for messages.
    """
    if wanted is None:
        return np.empty(0, dtype=np.intp)
    values = np.asarray(_in_order(wanted, names, argument))
    if values.ndim != 1:
        raise ValueError(f"{argument} must be a list of features, got {wanted!r}")
    if values.size == 0:
        return np.empty(0, dtype=np.intp)
    if all(isinstance(value, bool | np.bool_) for value in wanted):
        if len(values) != d:
            raise ValueError(f"{argument} is a mask of {len(values)} values, X has {d} features")
        return np.flatnonzero(values)
    if any(isinstance(value, bool | np.bool_) for value in wanted):
        raise _mixed(wanted, argument)
    if np.issubdtype(values.dtype, np.integer):
        if d == len(values) > 2 and np.isin(values, [0, 1]).all():
            raise ValueError(
                f"{argument} has {d} values that are 0 or 1: a mask needs truth values, such as "
                f"numpy.asarray({argument}, dtype=bool)"
            )
        outside = values[(values < 0) | (values >= d)]
        if outside.size:
            raise ValueError(
                f"{argument} has {shown(outside)}, but the {d} features of X have the positions "
                f"0 to {d - 1}"
            )
        return np.unique(values).astype(np.intp)
    return np.unique(_positions_of_names(values.tolist(), names, argument))


def _in_order(wanted: Any, names: Sequence[str] | None, argument: str) -> Any:
    """Truth values of a pandas Series in the order of the features, if its index names them."""
    index: Any = getattr(wanted, "index", None)
    if names is None or not hasattr(index, "get_indexer") or wanted.dtype != bool:
        return wanted
    if not all(isinstance(name, str) for name in index):
        return wanted
    if set(index) != set(names) or not index.is_unique:
        raise ValueError(f"{argument} is a mask whose index does not name the features of X")
    return wanted[list(names)]


def _mixed(wanted: Any, argument: str) -> ValueError:
    return ValueError(
        f"{argument} must have positions, names or truth values of features, all of one kind; "
        f"got {shown(list(wanted))}"
    )


def _positions_of_names(wanted: list, names: Sequence[str] | None, argument: str) -> np.ndarray:
    if not all(isinstance(name, str) for name in wanted):
        raise _mixed(wanted, argument)
    if names is None:
        raise ValueError(
            f"{argument} names features, but X has no names: give a DataFrame with strings as "
            "column names, or positions"
        )
    positions = {str(name): position for position, name in enumerate(names)}
    unknown = [name for name in wanted if name not in positions]
    if unknown:
        near = difflib.get_close_matches(unknown[0], positions, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{argument} has names that X does not have: {shown(unknown)}{hint}")
    return np.array([positions[name] for name in wanted], dtype=np.intp)


def shown(values: Sequence | np.ndarray, most: int = 5) -> str:
    """The first of some values, for a message."""
    text = ", ".join(repr(getattr(value, "item", lambda v=value: v)()) for value in values[:most])
    return text if len(values) <= most else f"{text} and {len(values) - most} more"
