"""What the pages of the documentation say: their code runs, and the files they name exist."""

import importlib.util
import inspect
import re
import subprocess
import warnings
from pathlib import Path

import pytest

import blufs
from tests.helpers import ROOT

#: Pages whose blocks of Python run one after the other -> what they need besides numpy and so on.
RUNNABLE = {
    "index.md": None,
    "get-started.md": None,
    "guides/without-labels.md": None,
    "guides/single-cells.md": "anndata",
    "guides/own-data.md": "pandas",
}
SNIPPET = re.compile(r'--8<-- "examples/(\w+\.py):(\w+)"')
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|ya?ml|smk|sh))[`:]")
MODULE = re.compile(r"python -m (benchmarks[\w.]*)")


def pages() -> list[Path]:
    names = ["docs/**/*.md", "*.md", "config/*.md", "data/*.md"]
    listed = subprocess.run(
        ["git", "ls-files", *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [ROOT / name for name in listed.stdout.splitlines() if name != "CHANGELOG.md"]


def blocks(page: Path) -> list[str]:
    """The blocks of Python of a page, with what it shows of the examples, but for pictures."""

    def part(match: re.Match) -> str:
        source = (ROOT / "examples" / match[1]).read_text()
        _, _, rest = source.partition(f"[start:{match[2]}]\n")
        return "" if match[2] == "plot" else rest.partition("# --8<--")[0]

    text = SNIPPET.sub(part, page.read_text())
    return re.findall(r"```(?:python|\{ \.python \})\n(.*?)```", text, flags=re.S)


@pytest.mark.parametrize(("name", "needs"), RUNNABLE.items())
def test_the_code_of_a_page_runs(name, needs, tmp_path, monkeypatch):
    if needs is not None:
        pytest.importorskip(needs, reason=f"{needs} is missing")
    from sklearn.datasets import load_wine

    frame = load_wine(as_frame=True).frame if needs == "pandas" else None
    if frame is not None:  # what the page of own data reads
        frame.rename(columns={"target": "class"}).to_csv(tmp_path / "my.csv", index=False)
        for folder in ("data", "workflow"):
            (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    found = blocks(ROOT / "docs" / name)
    assert found
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in found:
            exec(block, names)


def test_the_files_that_pages_name_exist():
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages()
        for name in FILE.findall(page.read_text(encoding="utf-8"))
        if not any((folder / name).exists() for folder in (ROOT, ROOT / "src" / "blufs"))
    ]
    assert not missing


def test_the_commands_that_pages_name_exist():
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages()
        for name in MODULE.findall(page.read_text(encoding="utf-8"))
        if importlib.util.find_spec(name.rstrip(".")) is None
    ]
    assert not missing


def test_every_method_has_a_page_with_all_its_parts():
    from blufs_bench.method_names import BUILT_IN

    parts = ("Idea", "Model", "Cost", "When to use it, and when not", "Reference", "Deviations")
    for name, path in BUILT_IN.items():
        module = path.split(":")[0].split(".")[2]
        text = (ROOT / "docs" / "methods" / f"{module}.md").read_text()
        assert text.startswith(f"# {name}\n"), name
        assert all(f"## {part}\n" in text for part in (*parts, "Parameters")), name
        assert f"::: {path.replace(':', '.')}\n" in text, name


def test_the_site_shows_the_defaults_of_the_methods():
    griffe = pytest.importorskip("griffe", reason="mkdocstrings is missing")
    from blufs_bench.method_names import BUILT_IN
    from docs.hooks.roles import PlainRoles

    hooks = griffe.Extensions(PlainRoles())
    package = griffe.load("blufs", search_paths=[ROOT / "src"], extensions=hooks)
    shown = 0
    for name, path in BUILT_IN.items():
        defaults = inspect.signature(getattr(blufs, name)).parameters
        for section in package[path.removeprefix("blufs.").replace(":", ".")].docstring.parse(
            "numpy"
        ):
            if section.kind in ("parameters", "other parameters"):
                for parameter in section.value:
                    shown += 1
                    default = eval(parameter.default)
                    assert default == defaults[parameter.name].default, f"{name}: {parameter.name}"
    assert shown > 100
