"""Equal settings have one spelling; the digest of code sees what runs and nothing else."""

import re
import shutil
import sys
from modulefinder import ModuleFinder
from pathlib import Path

import pytest

from blufs_bench.files.canonical import canonical, canonical_json
from blufs_bench.method_names import BUILT_IN
from blufs_bench.plan.digest import closure, code_digest
from tests.helpers import ROOT

SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))


def test_key_order_and_whole_floats_do_not_matter():
    assert canonical_json({"b": 1.0, "a": [2.0, 0.5]}) == canonical_json({"a": [2, 0.5], "b": 1})
    assert canonical_json({"a": 1}) != canonical_json({"a": 1.5})
    assert canonical(True) is True


@pytest.fixture
def package(tmp_path):
    """A small package of the same name, which the test may edit, and its digest as it is now."""
    root = tmp_path / "blufs"
    (root / "inner").mkdir(parents=True)
    (root / "__init__.py").write_text("__version__ = '1'\n")
    (root / "inner" / "__init__.py").write_text("")
    (root / "inner" / "helper.py").write_text("def half(x):\n    return x / 2\n")
    (root / "lazy.py").write_text("VALUE = 1\n")
    (root / "unrelated.py").write_text("VALUE = 1\n")
    (root / "method.py").write_text(
        '"""A method."""\nfrom typing import TYPE_CHECKING\nfrom blufs.inner.helper import half\n\n'
        "if TYPE_CHECKING:\n    from blufs import unrelated\n\n\n"
        "def fit(x):\n    from blufs import lazy\n\n    return half(x) + lazy.VALUE\n"
    )
    script = tmp_path / "script.py"
    script.write_text('"""A script."""\nfrom blufs.method import fit\n\nprint(fit(2))\n')

    def fresh():
        code_digest.cache_clear()
        return code_digest(script, source=tmp_path)

    return root, fresh


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_docstrings_comments_and_layout_do_not_change_the_digest(package):
    root, fresh = package
    before = fresh()
    edit(root / "method.py", '"""A method."""', '"""Another text."""\n\n# a comment')
    edit(root.parent / "script.py", '"""A script."""', '"""Another."""\n\n\n')
    assert fresh() == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("../script.py", "fit(2)", "fit(3)"),
        ("method.py", "half(x)", "half(x + 1)"),
        ("inner/helper.py", "x / 2", "x / 3"),
        ("inner/__init__.py", "", "import warnings\n"),
        ("lazy.py", "1", "2"),
    ],
)
def test_what_the_script_imports_changes_the_digest(package, name, old, new):
    root, fresh = package
    before = fresh()
    edit(root / name, old, new)
    assert fresh() != before


def test_what_it_does_not_import_and_the_version_do_not_change_the_digest(package):
    root, fresh = package
    before = fresh()
    edit(root / "unrelated.py", "1", "2")
    edit(root / "__init__.py", "'1'", "'2'")
    assert fresh() == before


@pytest.fixture(scope="module")
def as_it_runs(tmp_path_factory) -> Path:
    """A copy of the source in which the compiler leaves out what is for type checkers only."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "src", folder, dirs_exist_ok=True)
    for path in folder.rglob("*.py"):
        path.write_text(path.read_text().replace("if TYPE_CHECKING:", "if False:"))
    # The list of public names, which changes no number, does not count.
    (folder / "blufs" / "__init__.py").write_text("")
    return folder


def found_by_the_standard_library(script: Path, source: Path) -> set[str]:
    """Modules of this package that a script can import, by their bytecode."""
    finder = ModuleFinder(path=[str(source)])
    finder.run_script(str(script))
    return {name for name in finder.modules if name.startswith(("blufs.", "blufs_bench."))}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_closure_of_a_script_is_what_the_standard_library_finds(script, as_it_runs):
    assert set(closure(script)) - {script.name} == found_by_the_standard_library(script, as_it_runs)


def planned_jobs() -> dict[tuple[str, ...], tuple[Path | str, ...]]:
    """Rule (and method) -> its script and the modules that it finds by name, as the rules say."""
    jobs: dict[tuple[str, ...], tuple[Path | str, ...]] = {(p.stem,): (p,) for p in SCRIPTS}
    module = {name: class_path.partition(":")[0] for name, class_path in BUILT_IN.items()}
    jobs |= {("select", name): (*jobs["select",], module[name]) for name in BUILT_IN}
    jobs |= {(rule, "BLUFS"): (*jobs[rule,], module["BLUFS"]) for rule in ("time_fit", "resample")}
    return jobs


def test_every_rule_counts_the_code_of_its_own_script():
    rules = {}
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        for block in re.split(r"^rule ", path.read_text(), flags=re.M)[1:]:
            script = re.search(r'"../scripts/(\w+)\.py"', block)
            counted = re.search(r'code=code_of_(?:script|fit)\(\s*"(\w+)"', block)
            rules[block.partition(":")[0]] = (script and script[1], counted and counted[1])
    assert rules.pop("download") == ("download", None)  # another way gives the same verified file
    assert len(rules) == len(SCRIPTS) - 1
    assert all(script == counted == rule for rule, (script, counted) in rules.items())


def test_a_module_is_in_the_digests_of_those_that_use_it_and_no_others(tmp_path):
    """Edit one module in ten and see which rules would run again."""
    for package in ("blufs", "blufs_bench"):
        shutil.copytree(ROOT / "src" / package, tmp_path / package)
    jobs = planned_jobs()
    uses = {job: set(closure(*roots)) for job, roots in jobs.items()}

    def digests():
        code_digest.cache_clear()
        return {job: code_digest(*roots, source=tmp_path) for job, roots in jobs.items()}

    before = digests()
    for path in sorted(tmp_path.rglob("*.py"))[::10]:
        text = path.read_text()
        path.write_text(text + "\nADDED = 1\n")
        after = digests()
        path.write_text(text)
        name = ".".join(path.relative_to(tmp_path).with_suffix("").parts).removesuffix(".__init__")
        changed = {job for job in jobs if after[job] != before[job]}
        assert changed == {job for job in jobs if name in uses[job]}, name


@pytest.mark.parametrize("rule", ["select", "screen", "choose", "evaluate", "time_fit", "resample"])
def test_a_reader_of_files_or_of_results_runs_no_fit_and_no_score_again(rule):
    reached = closure(ROOT / f"workflow/scripts/{rule}.py")
    readers = (
        "blufs_bench.datasets.download",
        "blufs_bench.datasets.readers",
        "blufs_bench.datasets.preparation",
    )
    assert not [
        name for name in reached if name.startswith((*readers, "blufs_bench.results.suite"))
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_new_method_runs_nothing_again(script):
    assert not {"blufs_bench.method_names", "blufs_bench.registry"} & set(closure(script))


def test_a_method_does_not_depend_on_the_others_or_on_the_plots():
    reached = set(closure(ROOT / "workflow/scripts/select.py", "blufs.methods.blufs"))
    assert "blufs.solver.sweeps" in reached
    assert "blufs.methods.lapscore" not in reached
    assert not any(module.startswith("blufs_bench.compare") for module in reached)


def test_a_class_of_the_user_counts_with_its_own_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_own_selector.py").write_text("A = 1\n")
    script = ROOT / "workflow/scripts/select.py"
    before = code_digest(script, "my_own_selector")
    (tmp_path / "my_own_selector.py").write_text("A = 2\n")
    code_digest.cache_clear()
    assert code_digest(script, "my_own_selector") != before
    assert "my_own_selector" not in sys.modules


def test_what_a_users_method_imports_of_his_own_counts_and_what_is_installed_does_not(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(tmp_path))
    files = {
        "my_selector.py": "import numpy\nimport my_helper\nfrom my_parts import deep\n",
        "my_helper.py": "A = 1\n",
        "my_parts/__init__.py": "from . import near\n",
        "my_parts/near.py": "A = 1\n",
        "my_parts/deep/__init__.py": "from .inside import x\nfrom ..far import y\n",
        "my_parts/deep/inside.py": "x = 1\n",
        "my_parts/far.py": "y = 1\n",
        "my_unused.py": "A = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    reached = closure("my_selector")
    assert {path.relative_to(tmp_path).as_posix() for path in reached.values() if path} == {
        *files
    } - {"my_unused.py"}
    assert set(closure("sklearn.feature_selection._univariate_selection")) == {
        "sklearn.feature_selection._univariate_selection"
    }
