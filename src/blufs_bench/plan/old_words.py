"""What earlier versions of the configuration called things, for errors that name the new word."""

from __future__ import annotations

from blufs_bench.files.schema import OldWords

OLD_WORDS = OldWords(
    keys={
        "s_values_of": "s_values_by_dataset",
        "grids": "grid_overrides",
        "fit_seeds": "n_fit_seeds",
        "oracle_budget": "equal_budget",
        "clusterings": "n_clusterings",
        "restarts": "n_restarts",
        "splits": "n_splits",
        "neighbors": "n_neighbors",
        "repeats": "n_repeats",
        "resamples": "n_resamples",
        "of": "variant_of",
        "label": "title",
        "alpha": "significance_level",
    },
    values={"seed": "repetition"},
    forms={"oracle_budget": " (write `equal_budget: {{settings: {old}}}`)"},
)
