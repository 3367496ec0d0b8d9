"""What a suite runs: datasets, methods, settings, and how the work is cut into jobs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from blufs.methods.registry import ALIASES, is_random, known_methods, make_selector, method_class
from blufs.workflow.plan.canonical import canonical, canonical_json
from blufs.workflow.plan.config import (
    ConfigError,
    check_method,
    check_names,
    check_schema,
    check_text_numbers,
    resolve_aliases,
)
from blufs.workflow.plan.digest import code_digest
from blufs.workflow.plan.parts import Part, blocks

_STAGES_OF_A_FIT = ("blufs.workflow.stages.select",)


def expected_shape(definition: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Numbers of samples and features of a dataset as its definition gives them, else None."""
    expect = definition.get("expect") or {}
    n, d = expect.get("n_samples"), expect.get("n_features")
    added = (definition.get("noise") or {}).get("features", 0)
    return n, None if d is None else d + added


class Plan:
    """A checked configuration, and every list and parameter that the rules ask for.

    Parameters
    ----------
    config : the merged configuration
    schema : its JSON schema
    datasets : name -> canonical definition of every known dataset
    results : folder of the results of all suites; what is there is made use of

    Raises
    ------
    ConfigError
        Listing all problems.
    """

    def __init__(
        self,
        config: dict,
        schema: dict,
        datasets: Mapping[str, dict],
        results: Path = Path("results"),
    ):
        problems = check_schema(config, schema)
        if problems:
            raise ConfigError(problems)
        # One spelling of everything: what reaches a job must not change with the way it is written.
        self.config = config = canonical(config)
        self.suite_name: str = config["suite"]
        if self.suite_name not in config["suites"]:
            known = ", ".join(config["suites"])
            raise ConfigError([f"suite: unknown suite {self.suite_name!r}; known: {known}"])
        self.suite: dict[str, Any] = config["suites"][self.suite_name]
        self.all_datasets = datasets
        self.datasets: list[str] = self.suite["datasets"]
        self.methods = resolve_aliases(self.suite["methods"])
        self.ablation = resolve_aliases(self.suite["ablation"]["methods"])
        self.definitions = {
            ALIASES.get(name, name): definition for name, definition in config["methods"].items()
        }
        self._check()
        self._settings = {name: self._expand(name) for name in self.all_methods}
        self._check_settings()
        self._selections = results / self.suite_name / "selections"
        self._parts_there = cache(self._list_parts)

    @property
    def all_methods(self) -> list[str]:
        """Compared methods and ablation variants, each once."""
        return list(dict.fromkeys([*self.methods, *self.ablation]))

    def pairs(self) -> list[tuple[str, str]]:
        """All (dataset, method) that the suite evaluates."""
        pairs = list(itertools.product(self.datasets, self.methods))
        ablated = itertools.product(self.suite["ablation"]["datasets"], self.ablation)
        return list(dict.fromkeys([*pairs, *ablated]))

    def method(self, name: str) -> dict[str, Any]:
        """What identifies the code of a method: its registered name, or its class path."""
        definition = self.definitions.get(name, {})
        return {"name": definition.get("of", name), "class": definition.get("class")}

    def method_class(self, name: str) -> type:
        method = self.method(name)
        return method_class(method["name"], method["class"])

    def method_code(self, name: str) -> str:
        """Digest of the code that fits the method."""
        return code_digest(self.method_class(name).__module__, *_STAGES_OF_A_FIT)

    def settings(self, method: str) -> list[dict[str, Any]]:
        """All settings of a method, the default first."""
        return self._settings[method]

    def is_tuned(self, method: str) -> bool:
        return len(self._settings[method]) > 1

    def s_values(self, dataset: str) -> list[int]:
        """Numbers of features on a dataset."""
        return sorted(self.suite["s_values_of"].get(dataset, self.suite["s_values"]))

    def fit_seeds(self, method: str) -> list[int]:
        """Seeds of a random method's fits; one for the others."""
        selector = make_selector(self.method_class(method), self.settings(method)[0])
        return list(range(self.suite["fit_seeds"] if is_random(selector) else 1))

    def s_values_of(self, dataset: str, method: str) -> list[int]:
        """Numbers of features of a method on a dataset: none where it keeps all of them."""
        return [] if self._selects_all(method) else self.s_values(dataset)

    def select_parts(self, dataset: str, method: str) -> list[str]:
        """Names of the jobs of stage "select"."""
        split_seeds = "seed" in self._split_by and len(self.fit_seeds(method)) > 1
        seeds = self.fit_seeds(method) if split_seeds else [None]
        there = self._parts_there(dataset, method)
        names = []
        for chunk, seed in itertools.product(range(len(self._chunks(method))), seeds):
            if self._selects_all(method):
                names.append(Part(chunk, (), seed).name)
                continue
            existing = [p.s_values for p in there if (p.chunk, p.fit_seed) == (chunk, seed)]
            cut = blocks(self.s_values(dataset), existing, single="s" in self._split_by)
            names += [Part(chunk, block, seed).name for block in cut]
        return names

    def select_part(self, method: str, name: str) -> dict[str, Any]:
        """Settings, s values and fit seeds of a job of stage "select", by its name alone."""
        part = Part.from_name(name)
        chunks = self._chunks(method)
        if part is None or part.chunk >= len(chunks):
            raise ConfigError([f"no part {name} of the settings of {method} in this suite"])
        return {
            "settings": chunks[part.chunk],
            "s_values": list(part.s_values),
            "fit_seeds": self.fit_seeds(method) if part.fit_seed is None else [part.fit_seed],
        }

    def screen_parts(self, dataset: str, method: str) -> list[str]:
        """Names of the jobs of stage "screen": none where there is nothing to choose from."""
        return self.select_parts(dataset, method) if self.is_tuned(method) else []

    def evaluate_parts(self, dataset: str, method: str) -> dict[str, dict[str, Any]]:
        """Jobs of stage "evaluate": name -> the s and seed they cover (None: all)."""
        split_s = "s" in self._split_by and not self._selects_all(method)
        values = self.s_values(dataset) if split_s else [None]
        if "seed" not in self._split_by:
            return {"all" if s is None else f"s{s}": {"s": s, "repetition": None} for s in values}
        count = max(self.suite["evaluation"]["n_clusterings"], self.suite["evaluation"]["n_splits"])
        return {
            f"seed{seed}" if s is None else f"s{s}-seed{seed}": {"s": s, "repetition": seed}
            for s in values
            for seed in range(count)
        }

    def evaluate_part_of_cell(self, dataset: str, method: str, s: int, seed: int) -> str:
        """Name of the evaluate job that holds the cell (s, seed)."""
        for name, cells in self.evaluate_parts(dataset, method).items():
            if cells["s"] in (None, s) and cells["repetition"] in (None, seed):
                return name
        raise ConfigError([f"no cell s{s}/seed{seed} of {method} on {dataset} in this suite"])

    def labels(self) -> dict[str, str]:
        """Method -> the name it is shown under."""
        return {
            name: self.definitions.get(name, {}).get("label", name) for name in self.all_methods
        }

    def info(self) -> dict[str, Any]:
        """What tables, figures and report need to know of the suite."""
        return canonical(
            {
                "name": self.suite_name,
                "methods": self.methods,
                "ablation": self.ablation,
                "titles": self.labels(),
                "datasets": self.datasets,
                "s_values": self.suite["s_values"],
                "significance_level": self.config["statistics"]["alpha"],
            }
        )

    @property
    def _split_by(self) -> list[str]:
        return self.config["jobs"]["split_by"]

    def _selects_all(self, method: str) -> bool:
        return getattr(self.method_class(method), "keeps_all_features", False)

    def _chunks(self, method: str) -> list[list[dict[str, Any]]]:
        """The settings of a method, as many together as one job fits."""
        size = (
            self.definitions.get(method, {}).get("settings_per_job")
            or self.config["jobs"]["settings_per_job"]
        )
        settings = self.settings(method)
        return [settings[start : start + size] for start in range(0, len(settings), size)]

    def _list_parts(self, dataset: str, method: str) -> list[Part]:
        """The selections that are there."""
        files = (self._selections / dataset / method).glob("*.json")
        parts = [Part.from_name(path.stem) for path in files]
        return [part for part in parts if part is not None]

    def _expand(self, name: str) -> list[dict[str, Any]]:
        """Settings of a method: the default, then the products of its grid blocks, each once."""
        definition = self.definitions.get(name, {})
        default = definition.get("parameters", {})
        blocks = self.suite["grids"].get(name, definition.get("grid", []))
        settings = [default]
        for block in blocks:
            for values in itertools.product(*block.values()):
                settings.append({**default, **dict(zip(block, values, strict=True))})
        unique = {canonical_json(setting): canonical(setting) for setting in settings}
        return list(unique.values())

    def _check(self) -> None:
        problems = [
            f"suites.{self.suite_name}.datasets: unknown dataset {name!r}; known: "
            f"{', '.join(self.all_datasets)}; add your own under `datasets:`"
            for name in [*self.datasets, *self.suite["ablation"]["datasets"]]
            if name not in self.all_datasets
        ]
        known = {*known_methods(), *self.definitions}
        problems += [
            f"suites.{self.suite_name}.methods: unknown method {name!r}; known: "
            f"{', '.join(sorted(known))}; a method of your own needs `class: package.module:Class` "
            "under `methods:`"
            for name in self.all_methods
            if name not in known
        ]
        problems += check_names([*self.all_datasets], "datasets")
        problems += check_names([*self.definitions], "methods")
        for key in ("methods", "datasets"):
            names: Sequence[str] = self.suite[key]
            repeated = sorted({name for name in names if list(names).count(name) > 1})
            problems += [f"suites.{self.suite_name}.{key}: {name!r} twice" for name in repeated]
        problems += check_text_numbers(self.config["methods"], "methods")
        problems += check_text_numbers(self.suite["grids"], f"suites.{self.suite_name}.grids")
        problems += self._check_s_values()
        if problems:
            raise ConfigError(problems)

    def _check_s_values(self) -> list[str]:
        problems = []
        for dataset in self.datasets:
            d = expected_shape(self.all_datasets.get(dataset, {}))[1]
            too_many = [s for s in self.s_values(dataset) if d is not None and s > d]
            if too_many:
                problems.append(
                    f"suites.{self.suite_name}: s = {', '.join(map(str, too_many))} is above the "
                    f"{d} features of {dataset}; give it its own list under `s_values_of`"
                )
        return problems

    def _check_settings(self) -> None:
        problems = [
            problem
            for name in self.all_methods
            for problem in check_method(name, self.definitions.get(name, {}), self._settings[name])
        ]
        if problems:
            raise ConfigError(problems)
