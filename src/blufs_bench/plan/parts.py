"""The jobs of stage "select": what each fits, and the wildcards in the path of its file.

``grid002-s10-20-fit1`` is chunk 2 of a method's settings, for 10 and 20 features, with fit seed 1.
A plan keeps the files that are there when a number of features is added: the features for one s do
not depend on what other s are asked for. So each path says what its file is for, in wildcards, and
a job of a cluster, which plans for itself while others finish, does the work it was sent for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

#: Numbers of features in one path, whose length is limited.
_MOST_PER_BLOCK = 24
_ALL = "all"


class Part(NamedTuple):
    """What one job of stage "select" fits.

    ``s_values`` is empty for a method that keeps all features; ``fit_seed`` None means all seeds.
    """

    chunk: int
    s_values: tuple[int, ...]
    fit_seed: int | None = None

    @classmethod
    def of(cls, wildcards: Any) -> Part:
        """The part with these wildcards: ``chunk``, ``s_values`` and ``fit_seed``."""
        s_values, seed = wildcards.s_values, wildcards.fit_seed
        return cls(
            int(wildcards.chunk),
            () if s_values == _ALL else tuple(map(int, s_values.split("-"))),
            None if seed == _ALL else int(seed),
        )

    def __str__(self) -> str:
        """The name of its file, without the suffix."""
        s_values = "-".join(map(str, self.s_values)) or _ALL
        fit_seed = _ALL if self.fit_seed is None else self.fit_seed
        return f"grid{self.chunk:03d}-s{s_values}-fit{fit_seed}"


def parts_in(folder: Path) -> list[Part]:
    """The parts whose selections are in a folder."""
    from snakemake.io import glob_wildcards

    found = glob_wildcards(
        f"{folder}/grid{{chunk,\\d+}}-s{{s_values,all|\\d[\\d-]*}}-fit{{fit_seed,all|\\d+}}.json"
    )
    return [Part.of(type(found)(*row)) for row in zip(*found, strict=True)]


def blocks(
    asked: Sequence[int], existing: Iterable[tuple[int, ...]], *, single: bool = False
) -> list[tuple[int, ...]]:
    """Cut the numbers of features into blocks, one job each.

    Existing blocks whose values are all asked for are kept, the larger first; what they leave is
    new. So planning again while or after the new blocks are made gives the same blocks. With
    ``single`` every value is a block of its own.
    """
    left = sorted(set(asked))
    if single:
        return [(s,) for s in left]
    kept = []
    for block in sorted(existing, key=lambda block: (-len(block), block)):
        if block and set(block) <= set(left):
            kept.append(block)
            left = [s for s in left if s not in block]
    new = [
        tuple(left[start : start + _MOST_PER_BLOCK])
        for start in range(0, len(left), _MOST_PER_BLOCK)
    ]
    return sorted([*kept, *new])
