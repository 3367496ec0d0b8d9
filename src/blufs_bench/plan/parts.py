"""Names of the jobs of stage "select", which say what their files hold.

``grid002-s10-20-fit1`` is chunk 2 of a method's settings, for 10 and 20 features, with fit seed 1.
A job reads its work off its name, and a plan keeps the files that are there when a number of
features is added: the features for one s do not depend on what other s are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NAME = re.compile(r"grid(\d+)(?:-s(\d+(?:-\d+)*))?(?:-fit(\d+))?")

#: Numbers of features in one name, which is part of a file's name and so of limited length.
_MOST_PER_BLOCK = 24


@dataclass(frozen=True)
class Part:
    """What one job of stage "select" fits.

    ``s_values`` is empty for a method that keeps all features; ``fit_seed`` None means all seeds.
    """

    chunk: int
    s_values: tuple[int, ...]
    fit_seed: int | None = None

    @property
    def name(self) -> str:
        s_values = "-s" + "-".join(map(str, self.s_values)) if self.s_values else ""
        fit_seed = "" if self.fit_seed is None else f"-fit{self.fit_seed}"
        return f"grid{self.chunk:03d}{s_values}{fit_seed}"

    @classmethod
    def from_name(cls, name: str) -> Part | None:
        """The part of that name; None where the name is not one of a part."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        chunk, s_values, fit_seed = found.groups()
        values = tuple(map(int, s_values.split("-"))) if s_values else ()
        part = cls(int(chunk), values, None if fit_seed is None else int(fit_seed))
        return part if part.name == name else None


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
