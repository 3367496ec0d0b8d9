"""Reading and checking the configuration: all problems at once, before the first job.

What the schema finds fault with is cut out of a copy, and the other checks look at what is left:
so one mistake does not hide another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from blufs_bench.files.schema import Problem, place, schema_problems, suggestion, text_number
from blufs_bench.method_names import ALIASES, CONTROLS, known_methods
from blufs_bench.plan.document import endless, unusable_values
from blufs_bench.plan.settings import MOST_SETTINGS, count_settings, expand
from blufs_bench.plan.sizes import expected_shape

#: The suite from which others take what they do not say.
BASE_SUITE = "demo"
#: What methods are compared with: nobody else's class may have these names.
REFERENCES = ("AllFeatures", "RandomFeatures", *CONTROLS)
#: Parameters that the workflow sets itself.
_RESERVED = ("n_features_to_select", "random_state")
#: Sections of a suite with lists of datasets and methods of their own.
_SECTIONS = ("ablation", "timing", "stability")


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


def completed(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with the project's defaults; an own suite takes the rest from `demo`.

    One that has numbers of features of its own does not take those that single datasets have in
    `demo`.
    """
    merged = with_defaults(config, defaults)
    suites = merged.get("suites")
    base = suites.get(BASE_SUITE) if isinstance(suites, Mapping) else None
    if not isinstance(suites, Mapping) or not isinstance(base, Mapping):
        return merged
    merged["suites"] = {}
    for name, suite in suites.items():
        if name not in defaults["suites"] and isinstance(suite, Mapping):
            own_sizes: dict[str, Any] = {"s_values_by_dataset": {}} if "s_values" in suite else {}
            suite = with_defaults(suite, {**base, **own_sizes})
        merged["suites"][name] = suite
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
    config : the completed configuration
    schema : its JSON schema
    datasets : name -> definition of every known dataset
    """

    def __init__(self, config: Any, schema: dict[str, Any], datasets: Mapping[str, dict]):
        self.datasets = datasets
        if reason := endless(config):
            raise ConfigError([reason])
        self._found = [*unusable_values(config), *schema_problems(config, schema)]
        named = config.get("methods") if isinstance(config, Mapping) else None
        names = [str(name) for name in named] if isinstance(named, Mapping) else []
        self.known_methods = {*known_methods(), *map(own_name, names)}
        # The definition of a method counts as a whole.
        paths = (p.path[:2] if p.path[:1] == ("methods",) else p.path for p in self._found)
        self.config = _without(config, paths) if isinstance(config, Mapping) else {}
        self.suites: dict[str, Any] = self.config.get("suites", {})
        self.methods: dict[str, Any] = self.config.get("methods", {})
        self.broken_methods = {*map(own_name, names)} - {*map(own_name, self.methods)}

    def problems(self) -> list[str]:
        """All problems that can be seen without importing a method."""
        found = [*self._found, *self._of_methods(), *self._of_palette()]
        found += _same_but_for_case(("suites",), self.suites)
        for name, suite in self.suites.items():
            found += self._of_suite(("suites", name), suite)
        chosen = self.config.get("suite")
        if chosen is not None and chosen not in self.suites:
            text = f"unknown suite {chosen!r}; {suggestion(chosen, self.suites)}"
            found.append(_problem(("suite",), text))
        return list(dict.fromkeys(problem.text for problem in found))

    def selected_methods(self) -> Iterator[tuple[str, dict[str, dict], list[dict[str, Any]]]]:
        """Name, definitions and settings of each method of the suite, where these are sound."""
        suite = self.suites.get(str(self.config.get("suite")), {})
        definitions = {own_name(name): definition for name, definition in self.methods.items()}
        overrides = {own_name(n): grid for n, grid in suite.get("grid_overrides", {}).items()}
        for name in _used_methods(suite):
            definition = definitions.get(name, {})
            base = definition.get("variant_of", name)
            has_class = "class" in definition or "class" in definitions.get(base, {})
            grid = overrides.get(name, definition.get("grid", []))
            if name in self.broken_methods or not (has_class or base in known_methods()):
                continue
            if count_settings(grid) <= MOST_SETTINGS:
                yield name, definitions, expand(definition.get("parameters", {}), grid)

    def _of_methods(self) -> Iterator[Problem]:
        """Definitions of methods."""
        yield from _repeated(("methods",), [(own_name(name), name) for name in self.methods])
        for name, definition in self.methods.items():
            path = ("methods", name)
            base = definition.get("variant_of")
            if "class" in definition and own_name(name) in REFERENCES:
                text = f"{own_name(name)} is what methods are compared with; choose another name"
                yield _problem(path, text)
            elif "class" in definition and base is not None:
                yield _problem(path, "`class` and `variant_of` exclude each other; give one")
            elif base is not None:
                if "variant_of" in self.methods.get(base, {}):
                    text = f"{base!r} is a variant itself; name the method it comes from"
                    yield _problem(path, text)
                elif own_name(base) not in self.known_methods:
                    known = suggestion(base, self.known_methods)
                    yield _problem(path, f"variant_of: unknown method {base!r}; {known}")
            elif "class" not in definition and own_name(name) not in known_methods():
                known = suggestion(name, known_methods())
                yield _problem(
                    path,
                    f"no method of this name; {known} A method of your own needs "
                    "`class: package.module:Class`, a variant needs `variant_of`",
                )
            yield from _bad_parameters((*path, "parameters"), definition.get("parameters", {}))
            yield from _bad_grid((*path, "grid"), definition.get("grid", []))

    def _of_suite(self, root: tuple, suite: Mapping[str, Any]) -> Iterator[Problem]:
        """Names, titles, numbers of features and protocols of a suite."""
        for path, names in _lists(suite, "datasets", "s_values_by_dataset"):
            yield from _unknown("dataset", (*root, *path), names, self.datasets)
            yield from _repeated((*root, *path), [(name, name) for name in names])
        for path, names in _lists(suite, "methods", "grid_overrides"):
            yield from _unknown("method", (*root, *path), names, self.known_methods)
            yield from _repeated((*root, *path), [(own_name(name), name) for name in names])
        for name, grid in suite.get("grid_overrides", {}).items():
            yield from _bad_grid((*root, "grid_overrides", name), grid)
        methods = _used_methods(suite)
        datasets = [n for n in dict.fromkeys(suite.get("datasets", [])) if n in self.datasets]
        own = {own_name(name): definition for name, definition in self.methods.items()}
        for kind, titles in (
            ("datasets", {name: self.datasets[name].get("title", name) for name in datasets}),
            ("methods", {name: own.get(name, {}).get("title", name) for name in methods}),
        ):
            yield from _same_but_for_case((*root, kind), titles)
            yield from _same_title((*root, kind), titles)
        for name in datasets:
            yield from self._sizes(root, suite, name)

    def _sizes(self, root: tuple, suite: Mapping[str, Any], name: str) -> Iterator[Problem]:
        """Numbers of features that a dataset does not have, and splits that it does not allow."""
        n, d = expected_shape(self.datasets[name])
        asked = suite.get("s_values_by_dataset", {}).get(name) or suite.get("s_values", [])
        if d is None and any(s < 1 for s in asked):
            yield _problem(
                root,
                f"a share of the features needs their number, which is not known for {name}: "
                "state it in its definition, `expect: {n_features: ...}`, or list whole "
                "numbers for it under `s_values_by_dataset`",
            )
        if too_many := [s for s in asked if d is not None and s > d]:
            yield _problem(
                root,
                f"s = {', '.join(map(str, too_many))} is above the {d} features of {name}; "
                "give it its own list under `s_values_by_dataset`",
            )
        for protocol in ("screening", "evaluation"):
            share = suite.get(protocol, {}).get("train_fraction")
            if n is not None and share and max(1, round(share * n)) >= n:
                text = f"train_fraction: {share} leaves no test sample of the {n} of {name}"
                yield _problem((*root, protocol), text)

    def _of_palette(self) -> Iterator[Problem]:
        name = self.config.get("figures", {}).get("palette")
        if name in (None, "safe"):
            return
        import seaborn

        try:
            seaborn.color_palette(name)
        except (ValueError, TypeError):
            known = suggestion(name, ["safe", "colorblind", "deep", "muted", "bright", "husl"])
            yield _problem(("figures", "palette"), f"no palette {name!r} in seaborn; {known}")


def _without(document: Mapping[str, Any], paths: Iterable[tuple]) -> dict[str, Any]:
    """A copy without the places at ``paths``; a list with a bad item goes as a whole."""
    gone: dict[Any, list[tuple]] = {}
    for key, *rest in filter(None, paths):
        inner = () if rest and isinstance(rest[0], int) else tuple(rest)
        gone.setdefault(key, []).append(inner)
    return {
        key: _without(value, gone[key]) if key in gone and isinstance(value, Mapping) else value
        for key, value in document.items()
        if () not in gone.get(key, [])
    }


def _lists(
    suite: Mapping[str, Any], kind: str, keyed: str
) -> Iterator[tuple[tuple[str, ...], list]]:
    """Where a suite names datasets or methods, and the names; ``keyed`` has them as keys."""
    yield (kind,), suite.get(kind, [])
    for section in _SECTIONS:
        yield (section, kind), suite.get(section, {}).get(kind, [])
    yield (keyed,), list(suite.get(keyed, {}))


def _used_methods(suite: Mapping[str, Any]) -> list[str]:
    """Methods in the lists of a suite, under their own names."""
    lists = list(_lists(suite, "methods", "grid_overrides"))[:-1]
    return list(dict.fromkeys(own_name(name) for _, names in lists for name in names))


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


def _same_but_for_case(path: tuple, names: Iterable[str]) -> Iterator[Problem]:
    """Names become folders, and not every file system tells capitals from small letters."""
    for name, count in Counter(map(str.lower, names)).items():
        if count > 1:
            same = " and ".join(sorted(n for n in names if n.lower() == name))
            yield _problem(path, f"{same} differ in capitals only; rename one")


def _same_title(path: tuple, titles: Mapping[str, str]) -> Iterator[Problem]:
    """Two columns or rows under one title could not be told apart."""
    for title, count in Counter(titles.values()).items():
        if count > 1:
            same = " and ".join(sorted(name for name, shown in titles.items() if shown == title))
            yield _problem(path, f"{same} have the same title {title!r}")


def _bad_grid(path: tuple, grid: list[Mapping[str, list]]) -> Iterator[Problem]:
    for number, block in enumerate(grid):
        yield from _bad_parameters((*path, number), block)
    if (count := count_settings(grid)) > MOST_SETTINGS:
        yield _problem(path, f"{count} settings; at most {MOST_SETTINGS} are taken")


def _bad_parameters(path: tuple, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Numbers written as text, and parameters that are not the user's to set."""
    for name, value in parameters.items():
        if name in _RESERVED:
            yield _problem(path, f"{name!r} is set by the workflow; leave it out")
        for item in value if isinstance(value, list) else [value]:
            if text := text_number(item):
                yield _problem((*path, name), text)
