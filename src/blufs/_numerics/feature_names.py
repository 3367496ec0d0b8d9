"""Features as users name them: by position, by name, or by a boolean mask; and what they say of
each."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

#: Largest cost of a feature, and the inverse of the least.
_MAX_COST = 1e50


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
    _refuse_masked(wanted, argument)
    values = np.asarray(_in_order(wanted, names, argument))
    if values.ndim != 1:
        raise ValueError(
            f"{argument} must be a list of features, got {type(wanted).__name__} "
            f"{shown([wanted])[:100]}"
        )
    if values.size == 0:
        return np.empty(0, dtype=np.intp)
    if len({isinstance(value, str) for value in wanted}) == 2:  # NumPy makes texts of all
        raise _mixed(wanted, argument)
    if all(isinstance(value, bool | np.bool_) for value in wanted):
        if len(values) != d:
            raise ValueError(f"{argument} is a mask of {len(values)} values, X has {d} features")
        return np.flatnonzero(values)
    if any(isinstance(value, bool | np.bool_) for value in wanted):
        raise _mixed(wanted, argument)
    if all(isinstance(value, Integral) for value in wanted):  # of objects as well
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
        return np.unique(values.astype(np.intp))
    return np.unique(_positions_of_names(values.tolist(), names, argument))


def feature_costs(costs: Any, d: int, names: Sequence[str] | None) -> np.ndarray:
    """What each of d features costs, shape (d,), positive and finite."""
    given = _feature_values(costs, d, names, "costs")
    if len(given) < d:
        missing = [j if names is None else names[j] for j in range(d) if j not in given]
        raise ValueError(f"costs does not say what these features cost: {shown(missing)}")
    values = [given[j] for j in range(d)]
    bad = [value for value in values if not _is_cost(value)]
    if bad:
        raise ValueError(f"costs must be positive finite numbers, got {shown(bad)}")
    return np.array(values, dtype=float)


def _is_cost(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return is_number and 1 / _MAX_COST <= value <= _MAX_COST


def feature_groups(groups: Any, d: int, names: Sequence[str] | None) -> np.ndarray:
    """The group 0, 1, ... of each of d features, in the order of their first ones, shape (d,).

    Features that a mapping does not name are groups of their own.
    """
    given = _feature_values(groups, d, names, "groups")
    missing = [j for j, label in given.items() if is_missing(label)]
    if missing:
        raise ValueError(
            f"groups has no label at {shown(missing)}: give a feature that goes alone a label of "
            "its own"
        )
    known: dict[Any, int] = {}
    # Of another type than labels can be, so that none is the same.
    labels = [(given[j],) if j in given else j for j in range(d)]
    try:
        return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.intp)
    except TypeError:
        raise ValueError("groups must have one label per feature, such as a text") from None


def is_missing(label: Any) -> bool:
    """None, NaN (the one value that differs from itself) and pandas' NA, which compares as NA."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _feature_values(
    values: Any, d: int, names: Sequence[str] | None, argument: str
) -> dict[int, Any]:
    """What a list of d values, a mapping or a Series by name says of each feature, by position."""
    _refuse_masked(values, argument)
    index: Any = getattr(values, "index", None)
    if names is not None and hasattr(index, "get_indexer") and index.inferred_type == "string":
        if not index.is_unique:
            raise ValueError(
                f"{argument} names features several times: {shown(index[index.duplicated()])}"
            )
        values = dict(zip(index, values, strict=True))
    if isinstance(values, Mapping):
        if not all(isinstance(name, str) for name in values):
            raise ValueError(f"{argument} must have names of features as keys")
        positions = _positions_of_names(list(values), names, argument)
        return dict(zip(positions.tolist(), values.values(), strict=True))
    try:
        array = np.asarray(values)
    except ValueError:  # values that are lists of several lengths
        raise ValueError(f"{argument} must be one value per feature, such as a text") from None
    if array.shape != (d,):
        what = f"{len(array)} values" if array.ndim == 1 else f"shape {array.shape}"
        raise ValueError(f"{argument} has {what}, X has {d} features: give one for each")
    return dict(enumerate(values))


def _refuse_masked(values: Any, argument: str) -> None:
    if np.ma.is_masked(values):
        raise ValueError(f"{argument} has masked values: leave them out, or fill them in")


def _in_order(wanted: Any, names: Sequence[str] | None, argument: str) -> Any:
    """Truth values of a pandas Series in the order of the features, if its index names them."""
    index: Any = getattr(wanted, "index", None)
    if names is None or not hasattr(index, "get_indexer") or wanted.ndim != 1:
        return wanted
    if wanted.dtype != bool:
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
    positions: dict[str, int] = {}
    twice = set()
    for position, name in enumerate(map(str, names)):
        if positions.setdefault(name, position) != position:
            twice.add(name)
    if ambiguous := sorted(twice.intersection(wanted)):
        raise ValueError(
            f"{argument} names {shown(ambiguous)}, but several features are called so: give "
            "positions, or rename them"
        )
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
