"""The results of a suite, and the part of them that is one dataset's."""

import pandas as pd
import pytest

from blufs_bench.results.suite import load
from tests.helpers.results_fixture import make_results_with_gaps


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return load(make_results_with_gaps(tmp_path_factory.mktemp("results") / "fixture"))


@pytest.mark.parametrize("name", ["scores", "selections", "screened", "timing", "stability"])
def test_one_dataset_has_its_rows_of_every_table(results, name):
    whole = getattr(results, name)
    assert whole["dataset"].nunique() > 1
    for dataset in whole["dataset"].unique():
        pd.testing.assert_frame_equal(
            getattr(results.on(dataset), name), whole[whole["dataset"] == dataset]
        )


def test_one_dataset_knows_the_cards_of_all(results):
    dataset = results.scores["dataset"].iloc[0]
    assert results.on(dataset).cards is results.cards
