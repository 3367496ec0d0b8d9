"""Equal settings have one spelling; the digest of code sees what runs and nothing else."""

import importlib
import sys

import pytest

from blufs.workflow.plan import digest
from blufs.workflow.plan.canonical import canonical, canonical_json


def test_key_order_and_whole_floats_do_not_matter():
    assert canonical_json({"b": 1.0, "a": [2.0, 0.5]}) == canonical_json({"a": [2, 0.5], "b": 1})
    assert canonical_json({"a": 1}) != canonical_json({"a": 1.5})
    assert canonical(True) is True


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the digest's view of a small package that the test may edit."""
    root = tmp_path / "blufs_sample"
    root.mkdir()
    (root / "__init__.py").write_text("")
    (root / "helper.py").write_text("def half(x):\n    return x / 2\n")
    (root / "unrelated.py").write_text("VALUE = 1\n")
    (root / "method.py").write_text(
        '"""A method."""\nfrom blufs_sample.helper import half\n\n\n'
        "def fit(x):\n    return half(x)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(digest, "_PACKAGE", "blufs_sample")

    def fresh():
        for function in (digest._source, digest._tree, digest._own_digest, digest._imports):
            function.cache_clear()
        importlib.invalidate_caches()
        return digest.code_digest("blufs_sample.method")

    yield root, fresh
    for name in [n for n in sys.modules if n.startswith("blufs_sample")]:
        del sys.modules[name]
    for function in (digest._source, digest._tree, digest._own_digest, digest._imports):
        function.cache_clear()


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_docstrings_comments_and_layout_do_not_change_the_digest(package):
    root, fresh = package
    before = fresh()
    edit(root / "method.py", '"""A method."""', '"""Another text."""\n\n# a comment')
    assert fresh() == before


def test_code_of_the_module_and_of_its_imports_changes_the_digest(package):
    root, fresh = package
    before = fresh()
    edit(root / "unrelated.py", "1", "2")
    assert fresh() == before
    edit(root / "helper.py", "x / 2", "x / 3")
    after_helper = fresh()
    assert after_helper != before
    edit(root / "method.py", "half(x)\n", "half(x) + 1\n")
    assert fresh() not in (before, after_helper)


def test_a_method_does_not_depend_on_the_others_or_on_the_plots():
    reached = set()
    pending = ["blufs.methods.blufs", "blufs.workflow.stages.select"]
    while pending:
        module = pending.pop()
        if module not in reached:
            reached.add(module)
            pending.extend(digest._imports(module))
    assert "blufs.solver.sweeps" in reached
    assert "blufs.methods.lapscore" not in reached
    assert not any(module.startswith("blufs.analysis") for module in reached)
