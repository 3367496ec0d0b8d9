"""Settings of the methods, and what must be known of a method before its jobs are named.

Only the main process of a real run imports methods, to check every setting through the estimators.
It notes what it has learnt in a file, which spares the jobs of a cluster, each of which plans for
itself, the import of scikit-learn. A dry run imports the methods of installed packages, not a
class that the configuration names.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blufs.methods.names import known_methods
from blufs.workflow.plan.canonical import canonical, canonical_json
from blufs.workflow.plan.digest import code_digest
from blufs.workflow.run.purpose import Purpose

Setting = dict[str, Any]


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


@dataclass(frozen=True)
class Traits:
    """What the plan has to know of a method with its default setting."""

    is_random: bool = False
    keeps_all_features: bool = False


def find_method(name: str, definitions: Mapping[str, dict[str, Any]]) -> Method:
    """The code of a method, a variant or a user's own class; the name must be known."""
    definition = definitions.get(name, {})
    base = definition.get("variant_of", name)
    own = definition.get("class") or definitions.get(base, {}).get("class")
    return Method(base, own or known_methods()[base], own is not None)


def expand(default: Setting, grid: Sequence[Mapping[str, Sequence[Any]]]) -> list[Setting]:
    """The default, then the product of each block of the grid; each setting once."""
    settings = [default]
    for block in grid:
        for values in itertools.product(*block.values()):
            settings.append({**default, **dict(zip(block, values, strict=True))})
    return list({canonical_json(setting): canonical(setting) for setting in settings}.values())


def setting_problems(name: str, method: Method, settings: Sequence[Setting]) -> list[str]:
    """Problems of a method: no such class, no selector, inadmissible parameters of any setting."""
    from blufs.methods.registry import UnknownMethodError, make_selector, method_class

    try:
        cls = method_class(method.name, method.class_path)
    except UnknownMethodError as error:
        return [f"methods.{name}: {error}"]
    if not (isinstance(cls, type) and hasattr(cls, "fit") and hasattr(cls, "get_support")):
        return [
            f"methods.{name}: {method.class_path} is not a feature selector: it needs `fit` and "
            "`get_support`, see docs/own-method.md"
        ]
    problems = []
    for setting in settings:
        try:
            selector = make_selector(cls, setting)
            if hasattr(selector, "estimator"):
                selector._count_parameter()
            validate = getattr(getattr(selector, "estimator", selector), "_validate_params", None)
            if validate is not None:
                validate()
        except (TypeError, ValueError) as error:
            problems.append(f"methods.{name}: {error}")
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
        from blufs.files.atomic import write_json

        self.notes.parent.mkdir(exist_ok=True)
        write_json(self.notes, {key: asdict(traits) for key, traits in self._known.items()})

    def _find(self, key: str, method: Method, default: Setting) -> Traits:
        noted = self._noted.get(key)
        if noted and self.purpose is not Purpose.RUN:
            return noted
        if self.purpose is Purpose.LOOK and method.is_own:
            self.not_imported.append(method.class_path)
            return Traits()
        from blufs.methods.registry import is_random, make_selector, method_class

        cls = method_class(method.name, method.class_path)
        keeps_all = getattr(cls, "keeps_all_features", False)
        return Traits(bool(is_random(make_selector(cls, default))), bool(keeps_all))


def _read(notes: Path) -> dict[str, Traits]:
    """The notes; none where they are missing or of another version."""
    try:
        found = json.loads(notes.read_text(encoding="utf-8"))
        return {key: Traits(**traits) for key, traits in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
