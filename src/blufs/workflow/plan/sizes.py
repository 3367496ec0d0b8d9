"""Sizes that are known before the first job: samples and features of a dataset, values of s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


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
