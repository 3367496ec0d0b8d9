"""The vocabulary of results is whole."""

import pytest

from blufs_bench.results.schemas import SCHEMAS
from blufs_bench.results.suite import load
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, METRICS, STATUSES





def test_the_key_of_a_table_comes_first_and_every_column_is_explained():
    for table in SCHEMAS.values():
        assert set(table.key) <= {column.name for column in table.columns}
        assert all(column.description for column in table.columns)


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=tmp_path.name):
        load(tmp_path)
