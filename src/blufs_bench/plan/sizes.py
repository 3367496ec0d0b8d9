"""Sizes that are known before the first job: samples and features of a dataset, values of s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DataSize:
    """Samples, features and, of sparse data, the part of the entries that are not zero.

    None stands for what is not known; a density of None for dense data.
    """

    n_samples: int | None
    n_features: int | None
    density: float | None = None


def expected_size(definition: Mapping[str, Any]) -> DataSize:
    """Size of a dataset as its definition gives it."""
    density = (definition.get("expect") or {}).get("density")
    return DataSize(*expected_shape(definition), density)


def size_on_card(card: Mapping[str, Any]) -> DataSize:
    """Size of a prepared dataset."""
    density = card["density"] if card["sparse"] else None
    return DataSize(card["n_samples"], card["n_features"], density)


def expected_shape(definition: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Numbers of samples and features of a dataset as its definition gives them, else None."""
    expect = definition.get("expect") or {}
    generated = definition.get("generate") or {}
    n = expect.get("n_samples", generated.get("samples"))
    d = expect.get("n_features", 2 if generated else None)
    n = (definition.get("subset") or {}).get("samples", n)
    added = (definition.get("noise") or {}).get("features", 0)
    return n, None if d is None else d + added


def resolve_sizes(s_values: Sequence[float], d: int | None) -> list[int]:
    """Numbers of features in ascending order; a share f of them becomes max(1, round(f d)).

    Raises
    ------
    ValueError
        If a share is asked for and d is not known.
    """
    if d is None and any(s < 1 for s in s_values):
        raise ValueError("a share of the features needs their number")
    return sorted({int(s) if s >= 1 else max(1, round(s * d)) for s in s_values})  # type: ignore[operator]
