"""A damaged file of any kind is named, with the command that makes it again."""

import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from blufs_bench.datasets.storage import read_card, read_dataset, read_graph
from blufs_bench.files.atomic import read_json, write_json
from blufs_bench.files.damaged import DamagedFileError
from blufs_bench.results.records import read_records
from blufs_bench.results.schemas import SCHEMAS
from blufs_bench.results.tables import read_table
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.page.page import download, fragment, picture
from blufs_bench.show.tables.catalog import TableSpec

pytestmark = pytest.mark.workflow


def records(path):
    return read_records([path])


def table(path):
    return read_table(path, SCHEMAS[path.stem])


def section(path):
    return fragment(path.stem, path, TableSpec(path.stem))


def png(path):
    return picture(path.stem, path, figure_specs(["rings"])[path.stem])


#: Kind of file that one job writes and another reads, under results/<suite> -> how it is read.
READERS = {
    "data/*/source.json": read_json,
    "data/*/card.json": read_card,
    "data/*/dataset.npz": read_dataset,
    "data/*/graph.npz": read_graph,
    "selections/*/*/*.json": records,
    "screens/*/*/*.json": records,
    "choices/*/*.json": read_json,
    "evaluations/*/*/*.json": records,
    "timing/*/*.json": records,
    "resamples/*/*.json": records,
    "*.parquet": table,
    "statistics.json": read_json,
    "provenance.json": read_json,
    "tables/problems.json": read_json,
    "figures/problems.json": read_json,
    "tables/empty.json": read_json,
    "figures/empty.json": read_json,
    "tables/*.html": section,
    "tables/*.csv": download,
    "tables/*.tex": download,
    "figures/*.png": png,
}
#: What is for people only.
FOR_PEOPLE = ("report.html", "summary.txt", "complete.txt", "tables/*.md", "figures/*.pdf")
#: Kinds that the tiny suite does not write: its data are made here, and its settings are screened
#: where they are evaluated. The same functions read them.
ELSEWHERE = {"data/*/source.json", "screens/*/*/*.json", "choices/*/*.json"}


@pytest.fixture(scope="module")
def results(finished):
    return finished.folder / "results/tiny"


def damaged_copies(path: Path, folder: Path):
    """Copies of a file that are cut off at several places, or of which one byte is changed."""
    whole = path.read_bytes()
    contents = [whole[:length] for length in (0, 1, len(whole) // 2, len(whole) - 2)]
    contents.append(whole.replace(whole[-40:-20], b"\xff" * 20))
    for number, content in enumerate(contents):
        copy = folder / str(number) / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        yield copy


@pytest.mark.parametrize("kind", sorted(set(READERS) - ELSEWHERE))
def test_a_damaged_file_is_named_with_the_command_that_makes_it_anew(kind, results, tmp_path):
    path = max(results.glob(kind), key=lambda path: path.stat().st_size)
    READERS[kind](path)
    *cut_off, changed = damaged_copies(path, tmp_path)
    # A changed byte of a text that only people read, or of a picture, is seen by people.
    judged = cut_off if READERS[kind] in (download, section, png) else [*cut_off, changed]
    for copy in judged:
        with pytest.raises(DamagedFileError) as caught:
            READERS[kind](copy)
        assert f"{copy} is damaged" in str(caught.value)
        name = shlex.quote(str(copy))
        assert f"`rm {name}` and add `--forcerun {name}`" in str(caught.value)


def test_every_file_of_a_run_is_of_a_known_kind(results):
    known = {path for kind in (*READERS, *FOR_PEOPLE) for path in results.glob(kind)}
    files = {path for path in results.rglob("*") if path.is_file()}
    assert files <= known
    found = {kind for kind in READERS if list(results.glob(kind))}
    assert found == set(READERS) - ELSEWHERE


@pytest.mark.parametrize("content", [None, {}, {"dataset": "wine"}, [1, 2], ["record"]])
def test_json_that_holds_no_records_is_damaged(content, tmp_path):
    write_json(tmp_path / "part.json", content)
    with pytest.raises(DamagedFileError, match=r"part\.json is damaged .*no list of records"):
        read_records([tmp_path / "part.json"])


@pytest.mark.parametrize("reader", [read_json, read_dataset, read_graph])
def test_a_file_that_is_not_there_is_not_called_damaged(reader, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        reader(tmp_path / "nowhere")


def test_one_flipped_bit_among_the_values_of_a_table_is_noticed(results, tmp_path):
    whole = (results / "scores.parquet").read_bytes()
    columns = pq.read_metadata(results / "scores.parquet").row_group(0)
    copy = tmp_path / "scores.parquet"
    for number in range(columns.num_columns):
        column = columns.column(number)
        start = column.dictionary_page_offset or column.data_page_offset
        changed = bytearray(whole)
        changed[start + column.total_compressed_size - 1] ^= 1
        copy.write_bytes(changed)
        with pytest.raises(DamagedFileError, match=r"scores\.parquet is damaged"):
            table(copy)
