"""The configuration as a document: what YAML lets pass, and what no check could walk through."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from blufs_bench.files.schema import Problem, place

#: Values that a configuration may have, counted with what its aliases repeat.
MOST_VALUES = 100_000


class _HoldsItselfError(Exception):
    """A value stands inside of itself."""


def repeated_keys(path: str | Path) -> list[str]:
    """Keys that stand twice in one dictionary of a file: YAML takes the last and says nothing."""
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return []  # Snakemake has read it, or says what is wrong with it
    problems, pending, seen = [], [root], set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
        if isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                pending.append(value)
                name, line = str(key.value), key.start_mark.line + 1
                if name in lines:
                    problems.append(
                        f"{path}, lines {lines[name]} and {line}: the key {name!r} stands twice in "
                        "one dictionary, and only the last would count; join them"
                    )
                lines[name] = line
    return problems


def endless(config: Any) -> str | None:
    """Why a configuration cannot be walked through: it holds itself, or far too much."""
    sizes: dict[int, int] = {}
    around: set[int] = set()

    def size(value: Any) -> int:
        if not isinstance(value, Mapping | list):
            return 1
        if id(value) in around:
            raise _HoldsItselfError
        if id(value) not in sizes:
            around.add(id(value))
            items: Collection = value.values() if isinstance(value, Mapping) else value
            sizes[id(value)] = 1 + sum(map(size, items))
            around.discard(id(value))
        return sizes[id(value)]

    try:
        n_values = size(config)
    except _HoldsItselfError:
        return "the configuration holds itself: an alias (*name) stands inside of its own anchor"
    except RecursionError:
        return "the configuration is nested too deeply to be read"
    if n_values > MOST_VALUES:
        return (
            f"the configuration has {n_values} values, counted with what its aliases (*name) "
            f"repeat; at most {MOST_VALUES} are taken"
        )
    return None


def unusable_values(value: Any, path: tuple = ()) -> Iterator[Problem]:
    """NaN passes every bound of a JSON schema; dates and the like pass where anything may stand."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from unusable_values(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from unusable_values(item, (*path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(path, f"{place(path)}: {value} is not a number to work with")
    elif not isinstance(value, str | int | float | None):
        kind = type(value).__name__
        yield Problem(path, f"{place(path)}: {value} is a {kind}; write it in quotes to mean text")
