"""What a suite runs: its datasets, methods and settings, and how the work is cut into jobs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from blufs_bench.datasets.definitions import has_source
from blufs_bench.files.canonical import canonical
from blufs_bench.files.damaged import reading
from blufs_bench.method_description import class_facts
from blufs_bench.plan.config import ConfigCheck, ConfigError, method_definitions, own_name
from blufs_bench.plan.fit_memory import held_by
from blufs_bench.plan.memory_law import (
    SCORING,
    chunked_mb,
    exceeds_memory,
    needed_mb,
    scores_chunks,
)
from blufs_bench.plan.parts import Part, blocks, parts_in
from blufs_bench.plan.settings import (
    Method,
    Setting,
    Traits,
    TraitsOfMethods,
    expand,
    find_method,
    setting_problems,
)
from blufs_bench.plan.sizes import (
    DataSize,
    expected_shape,
    expected_size,
    resolve_sizes,
    size_on_card,
)
from blufs_bench.run.process_control import Purpose

#: What the main process has learnt of the methods, for the jobs of a cluster.
NOTES = Path(".snakemake/blufs-methods.json")
#: Keys of a protocol that say how often something is repeated.
_REPETITIONS = ("n_clusterings", "n_splits", "n_forest_splits")


class Plan:
    """A checked configuration, and every list and parameter that the rules ask for.

    Parameters
    ----------
    config : the merged configuration
    schema : its JSON schema
    datasets : name -> canonical definition of every known dataset
    dataset_problems : what is wrong with the user's own, to be reported with all the rest
    results : folder of the results of all suites; what is there is made use of
    purpose : a job trusts the run that started it and checks nothing again
    notes : file with what a run knows of the methods

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
        *,
        dataset_problems: Sequence[str] = (),
        results: Path = Path("results"),
        purpose: Purpose = Purpose.RUN,
        notes: Path = NOTES,
    ):
        self._traits = TraitsOfMethods(purpose, notes)
        if purpose is not Purpose.JOB:
            self._check(ConfigCheck(config, schema, datasets), dataset_problems, purpose)
        # One spelling of everything: what reaches a job must not change with the way it is written.
        self.config = config = canonical(config)
        self.suite_name: str = config["suite"]
        self.suite: dict[str, Any] = config["suites"][self.suite_name]
        self.all_datasets = datasets
        self.datasets: list[str] = self.suite["datasets"]
        self._own_datasets = [n for n, own in config["datasets"].items() if has_source(own)]
        self.methods = [own_name(name) for name in self.suite["methods"]]
        self.ablation = [own_name(name) for name in self.suite["ablation"]["methods"]]
        self.definitions = method_definitions(config)
        self._settings = {name: self._expand(name) for name in self.all_methods}
        self._results = results / self.suite_name
        self._parts_there = cache(self._list_parts)
        self.data_size = cache(self._find_size)

    def _check(self, check: ConfigCheck, problems: Sequence[str], purpose: Purpose) -> None:
        found = [*check.problems(), *problems]
        for name, definitions, settings in check.selected_methods():
            method = find_method(name, definitions)
            if method.is_own and purpose is Purpose.LOOK:
                continue
            found += setting_problems(name, method, settings)
        if found:
            raise ConfigError(list(dict.fromkeys(found)))

    @property
    def all_methods(self) -> list[str]:
        """Compared methods, ablation variants, and those timed and resampled, each once."""
        repeated = [own_name(n) for s in ("timing", "stability") for n in self.suite[s]["methods"]]
        return list(dict.fromkeys([*self.methods, *self.ablation, *repeated]))

    def datasets_of(self, section: str) -> list[str]:
        """Datasets of the section "ablation", "timing" or "stability": those of its list that the
        suite has.

        The user's own data are always timed and resampled. Who puts them into a suite keeps its
        lists, which were written for other data.
        """
        listed = self.suite[section]["datasets"]
        own = [] if section == "ablation" else self._own_datasets
        return [name for name in dict.fromkeys([*listed, *own]) if name in self.datasets]

    @property
    def own_datasets(self) -> list[str]:
        """The user's own data in the suite: if one is left out, the run has failed."""
        return [name for name in self.datasets if name in self._own_datasets]

    def pairs(self) -> list[tuple[str, str]]:
        """All (dataset, method) that the suite evaluates."""
        pairs = list(itertools.product(self.datasets, self.methods))
        ablated = itertools.product(self.datasets_of("ablation"), self.ablation)
        return list(dict.fromkeys([*pairs, *ablated]))

    def repeated_pairs(self, section: str) -> list[tuple[str, str]]:
        """All (dataset, method) of the section "timing" or "stability"."""
        methods = map(own_name, self.suite[section]["methods"])
        return list(itertools.product(self.datasets_of(section), methods))

    def method(self, name: str) -> dict[str, Any]:
        """What identifies the code of a method: its registered name and its class.

        With ``sees_labels`` for a control, and for nothing else.
        """
        method = self._method(name)
        marked = {"sees_labels": True} if method.is_control else {}
        return {"name": method.name, "class": method.class_path, **marked}

    def method_module(self, name: str) -> str:
        """Module of the class of a method."""
        return self._method(name).module

    @property
    def limits(self) -> dict[str, float]:
        """What a fit or a scoring of this suite may use."""
        return {**self.config["limits"], **self.suite.get("limits", {})}

    def settings(self, method: str) -> list[Setting]:
        """All settings of a method, the default first."""
        return self._settings[method]

    def is_tuned(self, method: str) -> bool:
        return len(self._settings[method]) > 1

    def shape(self, dataset: str) -> tuple[int | None, int | None]:
        """Numbers of samples and features, as far as they are known before the data are read."""
        return expected_shape(self.all_datasets[dataset])

    def _find_size(self, dataset: str) -> DataSize:
        """Size of a dataset: off its card if it is prepared, else as its definition gives it."""
        path = self._results / "data" / dataset / "card.json"
        if path.exists():
            with reading(path):
                card = json.loads(path.read_text(encoding="utf-8"))
                if card["status"] == "ok":
                    return size_on_card(card)
        return expected_size(self.all_datasets[dataset])

    def takes_sparse(self, method: str) -> bool:
        return self._traits_of(method).takes_sparse

    def held(self, method: str) -> dict[str, float]:
        """What a fit of the method holds, in finite numbers, see :class:`Held`."""
        held = asdict(held_by(self._method(method).name))
        return {what: count for what, count in held.items() if math.isfinite(count)}

    def takes_chunks(self, method: str) -> bool:
        return self._traits_of(method).takes_chunks

    def reads_chunks(self, dataset: str, method: str) -> bool:
        """Whether fits of the method read their data in chunks; the job decides by the same law."""
        traits = self._traits_of(method)
        limit = self.limits["memory_mb"]
        size, held = self.data_size(dataset), held_by(self._method(method).name)
        return traits.takes_chunks and exceeds_memory(
            size, held, limit_mb=limit, takes_sparse=traits.takes_sparse
        )

    def fit_cores(self, dataset: str, method: str) -> int:
        """Cores of a job of fits: more than one only where it reads its data in chunks."""
        return self.config["jobs"]["large_fit_cores"] if self.reads_chunks(dataset, method) else 1

    def fit_mb(self, dataset: str, method: str, cores: int = 1) -> float:
        """Memory that a fit of the method should need."""
        size, held = self.data_size(dataset), held_by(self._method(method).name)
        if self.reads_chunks(dataset, method):
            return chunked_mb(size, held, cores)
        return needed_mb(size, held, takes_sparse=self.takes_sparse(method))

    def scoring_mb(self, dataset: str) -> float:
        """Memory that scoring selections of a dataset should need."""
        size = self.data_size(dataset)
        if scores_chunks(size, self.limits["memory_mb"]):
            return chunked_mb(size, SCORING)
        return needed_mb(size, SCORING)

    def sizes_on(self, dataset: str) -> list[int]:
        """Numbers of features s on a dataset."""
        asked = self.suite["s_values_by_dataset"].get(dataset, self.suite["s_values"])
        return resolve_sizes(asked, self.shape(dataset)[1])

    def sizes_for(self, dataset: str, method: str) -> list[int]:
        """Numbers of features of a method on a dataset: none where it keeps all of them."""
        return [] if self.keeps_all_features(method) else self.sizes_on(dataset)

    def keeps_all_features(self, method: str) -> bool:
        return self._traits_of(method).keeps_all_features

    def fit_seeds(self, method: str) -> list[int]:
        """Seeds of a random method's fits; one for the others."""
        own = self.definitions.get(method, {}).get("n_fit_seeds")
        count = own or self.suite["n_fit_seeds"]
        return list(range(count if self._traits_of(method).is_random else 1))

    def select_parts(self, dataset: str, method: str) -> list[Part]:
        """The jobs of stage "select"."""
        split_seeds = "repetition" in self._split_by and len(self.fit_seeds(method)) > 1
        seeds = self.fit_seeds(method) if split_seeds else [None]
        there = self._parts_there(dataset, method)
        parts = []
        for chunk, seed in itertools.product(range(len(self._chunks(method))), seeds):
            if self.keeps_all_features(method):
                parts.append(Part(chunk, (), seed))
                continue
            existing = [p.s_values for p in there if (p.chunk, p.fit_seed) == (chunk, seed)]
            cut = blocks(self.sizes_on(dataset), existing, single="s" in self._split_by)
            parts += [Part(chunk, block, seed) for block in cut]
        return parts

    def select_part(self, method: str, part: Part) -> dict[str, Any]:
        """Settings, s values (none: all features) and fit seeds of a job."""
        chunks = self._chunks(method)
        if part.chunk >= len(chunks):
            raise ConfigError([f"no part {part} of the settings of {method} in this suite"])
        return {
            "settings": chunks[part.chunk],
            "s_values": list(part.s_values),
            "fit_seeds": self.fit_seeds(method) if part.fit_seed is None else [part.fit_seed],
        }

    def screens_apart(self, method: str) -> bool:
        """Whether screening and choosing are jobs of their own.

        Settings that one job fits are screened where they are evaluated: starting two more jobs
        would take longer.
        """
        apart = bool(self._split_by) or len(self._chunks(method)) > 1
        return self.is_tuned(method) and apart

    def screen_parts(self, dataset: str, method: str) -> list[Part]:
        """The jobs of stage "screen"."""
        return self.select_parts(dataset, method) if self.screens_apart(method) else []

    def screening(self, dataset: str, method: str) -> dict[str, Any] | None:
        """What stage "evaluate" needs to screen and choose by itself; None where it does not."""
        if not self.is_tuned(method) or self.screens_apart(method):
            return None
        return {
            "protocol": self.suite["screening"],
            "settings": self.settings(method),
            "s_values": self.sizes_for(dataset, method),
            "budget": self.suite["equal_budget"]["settings"],
        }

    def evaluate_parts(self, dataset: str, method: str) -> dict[str, dict[str, Any]]:
        """Jobs of stage "evaluate": name -> the s and repetition they cover (None: all)."""
        split_s = "s" in self._split_by and not self.keeps_all_features(method)
        sizes = self.sizes_on(dataset) if split_s else [None]
        protocol = self.suite["evaluation"]
        count = max(protocol.get(kind, 0) for kind in _REPETITIONS)
        split = range(count) if "repetition" in self._split_by else [None]
        return {
            _part_name(s, repetition): {"s": s, "repetition": repetition}
            for s, repetition in itertools.product(sizes, split)
        }

    def evaluate_part_of_cell(self, dataset: str, method: str, s: int, repetition: int) -> str:
        """Name of the evaluate job that holds the cell (s, repetition)."""
        for name, part in self.evaluate_parts(dataset, method).items():
            if part["s"] in (None, s) and part["repetition"] in (None, repetition):
                return name
        cell = f"s{s}/repetition{repetition}"
        raise ConfigError([f"no cell {cell} of {method} on {dataset} in this suite"])

    def titles(self) -> dict[str, str]:
        """Method -> the title it is shown under."""
        return {
            name: self.definitions.get(name, {}).get("title", name) for name in self.all_methods
        }

    def info(self) -> dict[str, Any]:
        """What tables, figures and report need to know of the suite."""
        controls = [name for name in self.methods if self._method(name).is_control]
        methods = [name for name in self.methods if name not in controls]
        return canonical(
            {
                "name": self.suite_name,
                "methods": methods,
                "controls": controls,
                "ablation": self.ablation,
                "titles": self.titles(),
                "about": {name: self._about(name) for name in self.methods},
                "datasets": self.datasets,
                "s_values": self.suite["s_values"],
                "significance_level": self.config["statistics"]["significance_level"],
            }
        )

    def _about(self, name: str) -> dict[str, Any]:
        method, traits = self._method(name), self._traits_of(name)
        about = {"summary": traits.summary, "papers": list(traits.papers)}
        about |= class_facts(name, method.class_path)
        return about | ({"own": True} if method.is_own else {})

    def note_traits(self) -> None:
        """Note what is known of the methods, for the jobs that plan for themselves."""
        for name in self.all_methods:
            self._traits_of(name)
        self._traits.write()

    def not_imported(self) -> list[str]:
        """Classes of the user that a dry run has not looked at."""
        for name in self.all_methods:
            self._traits_of(name)
        return self._traits.not_imported

    @property
    def _split_by(self) -> list[str]:
        return self.config["jobs"]["split_by"]

    def _method(self, name: str) -> Method:
        return find_method(name, self.definitions)

    def _traits_of(self, name: str) -> Traits:
        return self._traits.of(self._method(name), self.settings(name)[0])

    def _chunks(self, method: str) -> list[list[Setting]]:
        """The settings of a method, as many together as one job fits."""
        size = (
            self.definitions.get(method, {}).get("settings_per_job")
            or self.config["jobs"]["settings_per_job"]
        )
        settings = self.settings(method)
        return [settings[start : start + size] for start in range(0, len(settings), size)]

    def _list_parts(self, dataset: str, method: str) -> list[Part]:
        """The selections that are there."""
        return parts_in(self._results / "selections" / dataset / method)

    def _expand(self, name: str) -> list[Setting]:
        definition = self.definitions.get(name, {})
        overrides = {own_name(key): grid for key, grid in self.suite["grid_overrides"].items()}
        grid = overrides.get(name, definition.get("grid", []))
        return expand(definition.get("parameters", {}), grid)


def _part_name(s: int | None, repetition: int | None) -> str:
    words = [
        *([] if s is None else [f"s{s}"]),
        *([] if repetition is None else [f"repetition{repetition}"]),
    ]
    return "-".join(words) or "all"
