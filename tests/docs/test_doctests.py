"""The examples in the docstrings run and print what they say."""

import doctest
import importlib

import pytest

from tests.helpers import ROOT

SOURCE = ROOT / "src" / "blufs"


def with_examples() -> list[str]:
    paths = (path for path in SOURCE.rglob("*.py") if ">>>" in path.read_text(encoding="utf-8"))
    return sorted(
        ".".join(("blufs", *path.relative_to(SOURCE).with_suffix("").parts)) for path in paths
    )


@pytest.mark.parametrize("name", with_examples())
@pytest.mark.filterwarnings("ignore")
def test_the_examples_of_a_module_hold(name, tmp_path, monkeypatch):
    module = importlib.import_module(name.removesuffix(".__init__"))
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0
