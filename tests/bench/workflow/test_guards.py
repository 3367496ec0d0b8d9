"""What rarely happens while a run is planned or read still has a plain answer."""

import pytest

from blufs_bench.files.damaged import DamagedFileError, read_whole, reading
from blufs_bench.plan.digest import code_digest
from blufs_bench.plan.document import repeated_keys
from blufs_bench.plan.sizes import resolve_sizes
from blufs_bench.stages.show_cell import show_cell
from tests.helpers import ROOT

SCRIPT = ROOT / "workflow/scripts/select.py"


def fresh_digest(*modules: str) -> str:
    code_digest.cache_clear()
    return code_digest(SCRIPT, *modules)


def test_a_module_that_cannot_be_parsed_counts_by_its_text(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "my_broken_selector.py"
    module.write_text("def fit(:\n")
    before = fresh_digest("my_broken_selector")
    module.write_text("def fit((:\n")
    assert fresh_digest("my_broken_selector") != before


def test_a_module_inside_of_a_users_package_is_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_own_package").mkdir()
    (tmp_path / "my_own_package" / "__init__.py").write_text("")
    module = tmp_path / "my_own_package" / "selector.py"
    module.write_text("A = 1\n")
    before = fresh_digest("my_own_package.selector")
    module.write_text("A = 2\n")
    assert fresh_digest("my_own_package.selector") != before


def test_modules_without_source_count_by_their_name():
    names = ("math", "no_such_module_anywhere", "no_such_package.module", "json.no_such_module")
    digests = {fresh_digest(name) for name in names}
    assert len(digests) == len(names)


def test_a_file_that_yaml_cannot_read_is_left_to_snakemake(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: [1\n")
    assert repeated_keys(path) == []
    assert repeated_keys(tmp_path / "missing.yaml") == []
    path.write_text("a: &one {b: 1, b: 2}\nc: *one\n")  # the alias is the same dictionary
    assert len(repeated_keys(path)) == 1


def test_a_share_of_unknown_many_features_is_refused():
    assert resolve_sizes([0.1, 3], 20) == [2, 3]
    with pytest.raises(ValueError, match="a share of the features needs their number"):
        resolve_sizes([0.1, 3], None)


def test_a_cell_that_was_not_evaluated_is_told_what_there_is():
    score = {"s": 4, "repetitions": [0], "fit_seeds": [0], "values": [0.5], "setting": "{}"}
    score |= {"choice": "default", "metric": "nmi", "status": "ok", "reason": ""}
    selection = {"setting": "{}", "s": 4, "fit_seed": 0, "features": [1, 2, 3, 5]}
    found = show_cell([score], [selection], 4, 0)
    assert found["default"]["nmi"]["features"] == [1, 2, 3, 5]
    with pytest.raises(KeyError, match=r"no cell with s = 5; there are s = \[4\]"):
        show_cell([score], [selection], 5, 0)


def test_damage_is_named_once_and_a_missing_file_is_not_damaged(tmp_path):
    path = tmp_path / "half.txt"
    path.write_bytes(b"cut o")
    with pytest.raises(DamagedFileError, match="its end is missing") as error, reading(path):
        read_whole(path)
    assert str(error.value).count("is damaged") == 1
    with pytest.raises(DamagedFileError, match="OSError: page"), reading(path):
        raise OSError("page")  # as pyarrow does, without a number of the system
    with pytest.raises(FileNotFoundError), reading(path):
        read_whole(tmp_path / "missing.txt")
