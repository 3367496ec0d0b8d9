"""Settings of the methods, and what must be known of a method before its jobs are named.

Only the main process of a real run imports methods, to check every setting through the estimators.
It notes what it has learnt in a file, which spares the jobs of a cluster, each of which plans for
itself, the import of scikit-learn. A dry run imports the methods of installed packages, not a
class that the configuration names.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blufs_bench.files.canonical import canonical, canonical_json
from blufs_bench.method_names import CONTROLS, code_of
from blufs_bench.plan.digest import code_digest
from blufs_bench.run.process_control import Purpose

Setting = dict[str, Any]
#: Settings that a grid may have: each is checked before the first job, and fitted later.
MOST_SETTINGS = 10_000


@dataclass(frozen=True)
class Method:
    """The code behind a name in the configuration.

    Attributes
    ----------
    name : registered name of the method (of a variant: of the method it comes from)
    class_path : ``package.module:Class``
    is_own : whether the configuration itself names the class
    """

    name: str
    class_path: str
    is_own: bool

    @property
    def module(self) -> str:
        return self.class_path.partition(":")[0]

    @property
    def is_control(self) -> bool:
        """Whether its fits see the labels, so that it competes with no method."""
        return not self.is_own and self.name in CONTROLS


@dataclass(frozen=True)
class Traits:
    """What the plan has to know of a method with its default setting.

    Attributes
    ----------
    summary, papers : what the report says of it, from the docstring of its class
    """

    is_random: bool = False
    keeps_all_features: bool = False
    takes_sparse: bool = False
    takes_chunks: bool = False
    summary: str = ""
    papers: Sequence[str] = ()


def find_method(name: str, definitions: Mapping[str, dict[str, Any]]) -> Method:
    """The code of a method, a variant or a user's own class; the name must be known."""
    return Method(*code_of(name, definitions))


def count_settings(grid: Sequence[Mapping[str, Sequence[Any]]]) -> int:
    """Number of settings of a grid with the default, repeated ones included."""
    return 1 + sum(math.prod(len(values) for values in block.values()) for block in grid)


def expand(default: Setting, grid: Sequence[Mapping[str, Sequence[Any]]]) -> list[Setting]:
    """The default, then the product of each block of the grid; each setting once."""
    settings = [default]
    for block in grid:
        for values in itertools.product(*block.values()):
            settings.append({**default, **dict(zip(block, values, strict=True))})
    return list({canonical_json(setting): canonical(setting) for setting in settings}.values())


def setting_problems(name: str, method: Method, settings: Sequence[Setting]) -> list[str]:
    """Problems of a method: no such class, no selector, inadmissible parameters of any setting."""
    from blufs.base import BaseSelector
    from blufs_bench.selectors import UnknownMethodError, import_class, make_selector

    try:
        cls = import_class(method.name, method.class_path)
    except UnknownMethodError as error:
        return [f"methods.{name}: {error}"]
    except (Exception, SystemExit) as error:  # a module of the user's may raise anything
        raised = f"{type(error).__name__}: {error}"
        return [f"methods.{name}: importing {method.module} raised {raised}"]
    if not (isinstance(cls, type) and hasattr(cls, "fit") and hasattr(cls, "get_support")):
        return [
            f"methods.{name}: {method.class_path} is not a feature selector: it needs `fit` and "
            "`get_support`, see docs/guides/own-method.md"
        ]
    bodies = ("_rank", "_solve", "_solve_given")
    if issubclass(cls, BaseSelector) and all(
        getattr(cls, body) is getattr(BaseSelector, body) for body in bodies
    ):
        return [f"methods.{name}: {cls.__name__} implements neither _rank nor _solve"]
    problems = []
    for setting in settings:
        try:
            selector = make_selector(cls, setting)
            if hasattr(selector, "estimator"):
                selector._count_parameter()
            inner: Any = getattr(selector, "estimator", selector)
            # Selectors of other packages need not say what their parameters may be.
            if hasattr(inner, "_parameter_constraints"):
                inner._validate_params()
        except (TypeError, ValueError) as error:
            problems.append(f"methods.{name}: {error}")
        except Exception as error:  # a class of the user's may raise anything
            raised = f"{type(error).__name__}: {error}"
            problems.append(f"methods.{name}: {cls.__name__} raised {raised}")
    return sorted(set(problems))


class TraitsOfMethods:
    """Traits of methods, by import or from the notes of the last run.

    Parameters
    ----------
    notes : the file that a run writes and its jobs read
    """

    def __init__(self, purpose: Purpose, notes: Path):
        self.purpose = purpose
        self.notes = notes
        self._noted = _read(notes)
        self._known: dict[str, Traits] = {}
        self.not_imported: list[str] = []

    def of(self, method: Method, default: Setting) -> Traits:
        key = f"{method.class_path} {canonical_json(default)} {code_digest(method.module)}"
        if key not in self._known:
            self._known[key] = self._find(key, method, default)
        return self._known[key]

    def write(self) -> None:
        """Note what is known, for the jobs of this run."""
        from blufs_bench.files.atomic import write_json

        self.notes.parent.mkdir(exist_ok=True)
        write_json(self.notes, {key: asdict(traits) for key, traits in self._known.items()})

    def _find(self, key: str, method: Method, default: Setting) -> Traits:
        noted = self._noted.get(key)
        if noted and self.purpose is not Purpose.RUN:
            return noted
        if self.purpose is Purpose.LOOK and method.is_own:
            self.not_imported.append(method.class_path)
            return Traits()
        from sklearn.utils import get_tags

        from blufs_bench.method_description import about
        from blufs_bench.selectors import import_class, is_random, make_selector

        cls = import_class(method.name, method.class_path)
        selector = make_selector(cls, default)
        summary, papers = about(cls)
        return Traits(
            is_random=bool(is_random(selector)),
            keeps_all_features=bool(getattr(cls, "keeps_all_features", False)),
            takes_sparse=bool(get_tags(selector).input_tags.sparse),
            takes_chunks=bool(getattr(cls, "takes_chunks", False)),
            summary=summary,
            papers=papers,
        )


def _read(notes: Path) -> dict[str, Traits]:
    """The notes; none where they are missing or of another version."""
    try:
        found = json.loads(notes.read_text(encoding="utf-8"))
        return {key: Traits(**traits) for key, traits in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
