"""The results of one suite, read on first use, and what the suite asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blufs_bench.files.atomic import read_json
from blufs_bench.results.vocabulary import ALL_FEATURES

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


#: The cards of all datasets of a kept run.
KEPT_CARDS = "cards.json"


class MissingDataError(LookupError):
    """What is asked for needs the data themselves, which a kept run has not."""


@dataclass(frozen=True)
class Suite:
    """What a suite compares, in the order of its tables.

    Attributes
    ----------
    methods : names of the compared methods
    ablation : names of the variants of BLUFS without one of its parts
    titles : name of a method or variant -> the title it is shown under
    controls : names of the methods that see the labels; they stand beside the others and take part
        in no comparison
    about : name of a method -> ``summary`` (a sentence) and ``papers`` (a list), where known, what
        :func:`blufs_bench.method_description.class_facts` says, and ``own`` if its class is the
        user's
    s_values : numbers of selected features
    significance_level : level of the statistical tests
    """

    name: str
    datasets: Sequence[str]
    methods: Sequence[str]
    ablation: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    controls: Sequence[str] = ()
    about: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    s_values: Sequence[int] = ()
    significance_level: float = 0.05

    def title(self, method: str) -> str:
        """Title under which a method is shown."""
        return self.titles.get(method, method)

    def by_dataset(self, files: Sequence[str | Path]) -> dict[str, str | Path]:
        """Dataset -> its file, of one for each dataset in the order of the suite."""
        return dict(zip(self.datasets, files, strict=True))

    @property
    def ranked_methods(self) -> list[str]:
        """The compared methods that select: all but the one that keeps all features."""
        return [method for method in self.methods if method != ALL_FEATURES]


@dataclass(frozen=True)
class SuiteResults:
    """Tables, dataset cards and arrays of one suite, each read when it is first asked for.

    Attributes
    ----------
    tables : name of a table of :mod:`blufs_bench.results.schemas` -> its Parquet file
    card_paths : the cards of the datasets, each of which says whose it is
    array_paths : name of a dataset -> its arrays
    """

    tables: Mapping[str, str | Path]
    card_paths: Sequence[str | Path] = ()
    array_paths: Mapping[str, str | Path] = field(default_factory=dict)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per dataset, method, choice, metric, s and repetition."""
        return self._read("scores")

    @cached_property
    def selections(self) -> pd.DataFrame:
        """One row per dataset, method, setting, s and fit seed: the features."""
        return self._read("selections")

    @cached_property
    def screened(self) -> pd.DataFrame:
        """One row per dataset, method, setting, s and fit seed: scores by the light protocol."""
        return self._read("screened")

    @cached_property
    def timing(self) -> pd.DataFrame:
        """Seconds of a fit, one row per dataset, method, s and repeat."""
        return self._read("timing")

    @cached_property
    def stability(self) -> pd.DataFrame:
        """Features selected on resampled data, one row per dataset, method, s and resample."""
        return self._read("stability")

    @cached_property
    def cards(self) -> dict[str, dict[str, Any]]:
        """Dataset name -> its card; the cards of a kept run lie in one file."""
        found = map(read_json, self.card_paths)
        return {
            card["name"]: card
            for one in found
            for card in (one if isinstance(one, list) else [one])
        }

    def data(self, dataset: str) -> tuple[Any, np.ndarray | None]:
        """Prepared data of shape (n, d), dense or sparse, and labels of shape (n,), or None.

        The data stay in their file: tables and figures need a few columns or samples of each.
        """
        from blufs_bench.datasets.storage import map_dataset

        if dataset not in self.array_paths:
            raise MissingDataError(f"The data of {dataset} are not beside these results.")
        return map_dataset(self.array_paths[dataset])

    def dataset_title(self, dataset: str) -> str:
        """Title under which a dataset is shown."""
        return self.cards.get(dataset, {}).get("title") or dataset

    def is_labelled(self, dataset: str) -> bool:
        """Whether the dataset has classes; one without a card counts as if it had."""
        return self.cards.get(dataset, {}).get("labelled", True)

    def compared_datasets(self, names: Sequence[str]) -> list[str]:
        """The datasets that averages and ranks are taken over: those that were measured.

        Datasets made of known real features and noise are for looking at what is selected, not for
        clustering; they count only if there are no others.
        """
        measured = [name for name in names if not self.cards.get(name, {}).get("real_features")]
        return measured or list(names)

    def on(self, dataset: str) -> SuiteResults:
        """The same results with the rows of one dataset alone."""
        return _OnDataset(
            self.tables, self.card_paths, self.array_paths, whole=self, dataset=dataset
        )

    def _read(self, name: str) -> pd.DataFrame:
        from blufs_bench.results.schemas import SCHEMAS
        from blufs_bench.results.tables import read_table

        return read_table(self.tables[name], SCHEMAS[name])


@dataclass(frozen=True)
class _OnDataset(SuiteResults):
    """The rows of one dataset, taken from the tables that ``whole`` has read."""

    whole: SuiteResults = field(kw_only=True)
    dataset: str = field(kw_only=True)

    @cached_property
    def cards(self) -> dict[str, dict[str, Any]]:
        return self.whole.cards

    def _read(self, name: str) -> pd.DataFrame:
        rows = getattr(self.whole, name)
        return rows[rows["dataset"] == self.dataset]


def load(folder: str | Path) -> SuiteResults:
    """The results of the suite in ``folder`` (``results/<suite>``, or a copy of it).

    Examples
    --------
    >>> from blufs_bench.results.suite import load
    >>> load("results/demo").scores  # doctest: +SKIP
    """
    from blufs_bench.results.schemas import SCHEMAS

    folder = Path(folder)
    tables = {name: folder / f"{name}.parquet" for name in SCHEMAS}
    tables = {name: path for name, path in tables.items() if path.exists()}
    if not tables:
        raise FileNotFoundError(f"no results in {folder}: run the suite first")
    cards = sorted(folder.glob("data/*/card.json"))
    arrays = {read_json(card)["name"]: card.with_name("dataset.npz") for card in cards}
    arrays = {name: path for name, path in arrays.items() if path.exists()}
    return SuiteResults(tables, cards or [folder / KEPT_CARDS], arrays)
