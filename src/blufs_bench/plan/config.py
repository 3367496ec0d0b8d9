"""Reading and checking the configuration: all problems at once, before the first job.

A check needs some part of the configuration. Where the schema finds fault with that part, the
check leaves it out and the others go on, so that one mistake does not hide another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from blufs_bench.files.schema import Problem, place, schema_problems, suggestion, text_number
from blufs_bench.method_names import ALIASES, known_methods
from blufs_bench.plan.document import endless, unusable_values
from blufs_bench.plan.old_words import OLD_WORDS
from blufs_bench.plan.settings import MOST_SETTINGS, count_settings, expand
from blufs_bench.plan.sizes import expected_shape

#: Parameters that the workflow sets itself.
_RESERVED = ("n_features_to_select", "random_state")
#: Where a suite names datasets and methods. A list counts with its items, a dictionary by its keys.
_DATASET_LISTS = (
    ("datasets",),
    ("ablation", "datasets"),
    ("timing", "datasets"),
    ("stability", "datasets"),
    ("s_values_by_dataset",),
)
_METHOD_LISTS = (
    ("methods",),
    ("ablation", "methods"),
    ("timing", "methods"),
    ("stability", "methods"),
    ("grid_overrides",),
)


class ConfigError(ValueError):
    """The configuration has problems; the message lists all of them."""

    def __init__(self, problems: list[str]):
        self.problems = problems
        lines = "\n".join(f"  - {problem}" for problem in problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"the configuration has {count}:\n{lines}")


def with_defaults(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with what it leaves out: dictionaries are merged, all else replaced."""
    merged = dict(defaults)
    for key, value in config.items():
        known = merged.get(key)
        both = isinstance(value, Mapping) and isinstance(known, Mapping)
        merged[key] = with_defaults(value, known) if both else value  # type: ignore[arg-type]
    return merged


def known_datasets(
    registry: Path, schema: Path, own: Any
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Definitions of all known datasets by name, and the problems of the user's own."""
    from blufs_bench.datasets.definitions import dataset_definitions
    from blufs_bench.datasets.errors import DefinitionError

    try:
        return dataset_definitions(registry, own or {}, schema_path=schema), []
    except DefinitionError as error:
        problems = error.problems
    names = own if isinstance(own, Mapping) else {}
    definitions = dataset_definitions(registry, {}, schema_path=schema)
    return {**definitions, **{name: {} for name in names}}, problems


def own_name(method: str) -> str:
    """The name of a method where the paper calls it by another."""
    return ALIASES.get(method, method)


def method_definitions(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The section ``methods`` under the methods' own names."""
    return {own_name(name): definition for name, definition in config["methods"].items()}


class ConfigCheck:
    """All that is wrong with a configuration.

    Parameters
    ----------
    config : the merged configuration
    schema : its JSON schema
    datasets : name -> definition of every known dataset
    """

    def __init__(self, config: Any, schema: dict[str, Any], datasets: Mapping[str, dict]):
        self.config = config
        self.datasets = datasets
        if reason := endless(config):
            raise ConfigError([reason])
        self._found = [*unusable_values(config), *schema_problems(config, schema, old=OLD_WORDS)]
        self._broken = {problem.path for problem in self._found}
        self.known_methods = {*known_methods(), *map(own_name, self.keys("methods"))}

    def problems(self) -> list[str]:
        """All problems that can be seen without importing a method."""
        found = [*self._found, *self.methods(), *self.palette()]
        suites = self.keys("suites")
        found += _same_but_for_case(("suites",), suites)
        for suite in suites:
            found += self.suite(suite)
        chosen = self.value("suite")
        if chosen is not None and chosen not in suites:
            found.append(
                _problem(("suite",), f"unknown suite {chosen!r}; {suggestion(chosen, suites)}")
            )
        return list(dict.fromkeys(problem.text for problem in found))

    def selected_methods(self) -> Iterator[tuple[str, dict[str, dict], list[dict[str, Any]]]]:
        """Name, definitions and settings of each method of the suite, where these are sound."""
        root = ("suites", self.value("suite"))
        definitions = {own_name(name): self.value("methods", name) for name in self.keys("methods")}
        sound = {name: known for name, known in definitions.items() if known is not None}
        overrides = {
            own_name(name): self.value(*root, "grid_overrides", name)
            for name in self.keys(*root, "grid_overrides")
        }
        for name in self._used_methods(root):
            definition = sound.get(name, {})
            base = definition.get("variant_of", name)
            has_class = "class" in definition or "class" in sound.get(base, {})
            grid = overrides.get(name, definition.get("grid", []))
            is_broken = name in definitions and name not in sound
            if is_broken or grid is None or not (has_class or base in known_methods()):
                continue
            if count_settings(grid) > MOST_SETTINGS:
                continue
            yield name, sound, expand(definition.get("parameters", {}), grid)

    def is_sound(self, *path: Any, deep: bool = True) -> bool:
        """Whether nothing is wrong with a place, nor around it, nor (``deep``) below it."""
        return not any(
            bad == path[: len(bad)] or (deep and bad[: len(path)] == path) for bad in self._broken
        )

    def value(self, *path: Any, deep: bool = True) -> Any:
        """What is at a place; None where it is missing or not sound."""
        if not self.is_sound(*path, deep=deep):
            return None
        found = self.config
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        return found

    def keys(self, *path: Any) -> list[str]:
        """Sound names in a dictionary."""
        found = self.value(*path, deep=False)
        names = found if isinstance(found, Mapping) else []
        return [
            key for key in names if isinstance(key, str) and self.is_sound(*path, key, deep=False)
        ]

    def names(self, *path: Any) -> list[str]:
        """Items of a list, or keys of a dictionary."""
        found = self.value(*path, deep=False)
        if isinstance(found, Mapping):
            return self.keys(*path)
        return self.value(*path) or []

    def methods(self) -> Iterator[Problem]:
        """Definitions of methods."""
        names = [(own_name(name), name) for name in self.keys("methods")]
        yield from _repeated(("methods",), names)
        for name in self.keys("methods"):
            path = ("methods", name)
            definition = self.value(*path, deep=False)
            base = definition.get("variant_of")
            if "class" in definition and base is not None:
                yield _problem(path, "`class` and `variant_of` exclude each other; give one")
            elif base is not None:
                yield from self._variant(path, base)
            elif "class" not in definition and own_name(name) not in known_methods():
                known = suggestion(name, known_methods())
                yield _problem(
                    path,
                    f"no method of this name; {known} A method of your own needs "
                    "`class: package.module:Class`, a variant needs `variant_of`",
                )
            yield from _bad_parameters((*path, "parameters"), definition.get("parameters"))
            yield from self._grid((*path, "grid"))

    def _variant(self, path: tuple, base: Any) -> Iterator[Problem]:
        definition = self.value("methods", base, deep=False) or {}
        if "variant_of" in definition:
            yield _problem(path, f"{base!r} is a variant itself; name the method it comes from")
        elif own_name(str(base)) not in self.known_methods:
            known = suggestion(base, self.known_methods)
            yield _problem(path, f"variant_of: unknown method {base!r}; {known}")

    def suite(self, suite: str) -> Iterator[Problem]:
        """Names, numbers of features and protocols of a suite."""
        root = ("suites", suite)
        for section in _DATASET_LISTS:
            names = self.names(*root, *section)
            yield from _unknown("dataset", (*root, *section), names, self.datasets)
            yield from _repeated((*root, *section), [(name, name) for name in names])
        for section in _METHOD_LISTS:
            names = self.names(*root, *section)
            yield from _unknown("method", (*root, *section), names, self.known_methods)
            yield from _repeated((*root, *section), [(own_name(name), name) for name in names])
        for name in self.keys(*root, "grid_overrides"):
            yield from self._grid((*root, "grid_overrides", name))
        yield from _same_but_for_case((*root, "datasets"), self._used_datasets(root))
        yield from _same_but_for_case((*root, "methods"), self._used_methods(root))
        yield from self._titles(root)
        yield from self._sizes(root)
        for protocol in ("screening", "evaluation"):
            yield from self._splits((*root, protocol))

    def _titles(self, root: tuple) -> Iterator[Problem]:
        """Two columns or rows under one title could not be told apart."""
        own = {own_name(name): self.value("methods", name) or {} for name in self.keys("methods")}
        titles = {name: own.get(name, {}).get("title", name) for name in self._used_methods(root)}
        shown = {n: self.datasets[n].get("title", n) for n in self._used_datasets(root)}
        for kind, by_name in (("methods", titles), ("datasets", shown)):
            for title, count in Counter(by_name.values()).items():
                if count > 1:
                    same = " and ".join(sorted(n for n, t in by_name.items() if t == title))
                    yield _problem((*root, kind), f"{same} have the same title {title!r}")

    def _grid(self, path: tuple) -> Iterator[Problem]:
        grid = self.value(*path) or []
        for number, block in enumerate(grid):
            yield from _bad_parameters((*path, number), block)
        if (count := count_settings(grid)) > MOST_SETTINGS:
            yield _problem(path, f"{count} settings; at most {MOST_SETTINGS} are taken")

    def _used_methods(self, root: tuple) -> list[str]:
        """Methods in the lists of a suite, under their own names."""
        names = [name for section in _METHOD_LISTS[:4] for name in self.names(*root, *section)]
        return list(dict.fromkeys(map(own_name, names)))

    def _used_datasets(self, root: tuple) -> list[str]:
        """Known datasets of a suite; what its other lists name beyond them is not run."""
        names = dict.fromkeys(self.names(*root, "datasets"))
        return [name for name in names if name in self.datasets]

    def _sizes(self, root: tuple) -> Iterator[Problem]:
        for name in self._used_datasets(root):
            own = self.value(*root, "s_values_by_dataset", name)
            asked = own or self.value(*root, "s_values") or []
            d = expected_shape(self.datasets[name])[1]
            if d is None and any(s < 1 for s in asked):
                yield _problem(
                    root,
                    f"a share of the features needs their number, which is not known for {name}: "
                    "state it in its definition, `expect: {n_features: ...}`, or list whole "
                    "numbers for it under `s_values_by_dataset`",
                )
            too_many = [s for s in asked if d is not None and s > d]
            if too_many:
                yield _problem(
                    root,
                    f"s = {', '.join(map(str, too_many))} is above the {d} features of {name}; "
                    "give it its own list under `s_values_by_dataset`",
                )

    def _splits(self, path: tuple) -> Iterator[Problem]:
        share = self.value(*path, "train_fraction")
        for name in self._used_datasets(path[:2]) if share else []:
            n = expected_shape(self.datasets[name])[0]
            if n is not None and max(1, round(share * n)) >= n:
                text = f"train_fraction: {share} leaves no test sample of the {n} of {name}"
                yield _problem(path, text)

    def palette(self) -> Iterator[Problem]:
        name = self.value("figures", "palette")
        if name in (None, "safe"):
            return
        import seaborn

        try:
            seaborn.color_palette(name)
        except (ValueError, TypeError):
            known = suggestion(name, ["safe", "colorblind", "deep", "muted", "bright", "husl"])
            yield _problem(("figures", "palette"), f"no palette {name!r} in seaborn; {known}")


def _problem(path: tuple, text: str) -> Problem:
    return Problem(path, f"{place(path)}: {text}")


def _unknown(kind: str, path: tuple, names: list[str], known: Collection[str]) -> Iterator[Problem]:
    own = {
        "dataset": "add your own under `datasets:`",
        "method": "a method of your own needs `class: package.module:Class` under `methods:`",
    }[kind]
    for name in names:
        if name not in known and not (kind == "method" and own_name(name) in known):
            yield _problem(path, f"unknown {kind} {name!r}; {suggestion(name, known)} ({own})")


def _repeated(path: tuple, names: list[tuple[str, str]]) -> Iterator[Problem]:
    """``names`` are pairs of a thing's own name and how it is written."""
    written: dict[str, list[str]] = {}
    for name, spelling in names:
        written.setdefault(name, []).append(spelling)
    for name, spellings in written.items():
        if len(spellings) > 1:
            other = "" if len(set(spellings)) == 1 else f" (as {' and '.join(spellings)})"
            yield _problem(path, f"{name!r} twice{other}")


def _same_but_for_case(path: tuple, names: list[str]) -> Iterator[Problem]:
    """Names become folders, and not every file system tells capitals from small letters."""
    for name, count in Counter(map(str.lower, names)).items():
        if count > 1:
            same = " and ".join(sorted(n for n in names if n.lower() == name))
            yield _problem(path, f"{same} differ in capitals only; rename one")


def _bad_parameters(path: tuple, parameters: Any) -> Iterator[Problem]:
    """Numbers written as text, and parameters that are not the user's to set."""
    if not isinstance(parameters, Mapping):
        return
    for name, value in parameters.items():
        if name in _RESERVED:
            yield _problem(path, f"{name!r} is set by the workflow; leave it out")
        for item in value if isinstance(value, list) else [value]:
            if text := text_number(item):
                yield _problem((*path, name), text)
