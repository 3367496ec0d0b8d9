"""What the pages say: their code runs, their links lead somewhere, the files they name exist."""

import importlib.util
import inspect
import re
import subprocess
import warnings
from pathlib import Path

import pytest

import blufs
from tests.helpers import ROOT

#: Pages whose blocks of Python run one after the other -> what they need besides the library.
RUNNABLE = {
    "index.md": None,
    "get-started.md": "matplotlib",
    "guides/without-labels.md": None,
    "guides/single-cells.md": "anndata",
    "guides/own-data.md": "pandas",
    "guides/choose-features.md": "pandas",
}
CODE = re.compile(r"```.*?```|`[^`\n]*`", flags=re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", flags=re.M)
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|ya?ml|smk|sh))[`:]")
MODULE = re.compile(r"python -m (benchmarks[\w.]*)")


def pages() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in paths if path.exists() and path.name != "CHANGELOG.md"]


def anchors(page: Path) -> set[str]:
    """Names that the repository's view gives the headings of a page."""
    names = (
        re.sub(r"[`*_]|\]\([^)]*\)|\[", "", title) for title in HEADING.findall(page.read_text())
    )
    return {re.sub(r"[^\w\- ]", "", name.strip().lower()).replace(" ", "-") for name in names}


def dead_links(page: Path) -> list[str]:
    """Links to files and headings that are not there, as somebody sees it in the repository."""
    dead = []
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        name, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
            dead.append(target)
    return dead


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.parametrize(("name", "needs"), RUNNABLE.items())
def test_the_code_of_a_page_runs(name, needs, tmp_path, monkeypatch):
    if needs is not None:
        pytest.importorskip(needs, reason=f"{needs} is missing")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if needs == "pandas":  # what the page of own data reads
        from sklearn.datasets import load_wine

        frame = load_wine(as_frame=True).frame
        frame.rename(columns={"target": "class"}).to_csv(tmp_path / "my.csv", index=False)
        for folder in ("data", "workflow"):
            (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    code = blocks(ROOT / "docs" / name)
    assert code
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in code:
            exec(block, names)


def test_every_link_leads_somewhere():
    dead = {str(page.relative_to(ROOT)): links for page in pages() if (links := dead_links(page))}
    assert not dead


def test_a_dead_link_and_a_dead_anchor_are_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One `two`\n[a](#one-two) [b](page.md#three) [c](gone.md) `[d](gone.md)`\n")
    assert dead_links(page) == ["page.md#three", "gone.md"]


def test_the_files_and_commands_that_pages_name_exist():
    missing = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        folders = (ROOT, page.parent, ROOT / "src", ROOT / "src/blufs", ROOT / "src/blufs_bench")
        files = [f for f in FILE.findall(text) if not f.startswith("results/")]
        files = [f for f in files if not any((folder / f).exists() for folder in folders)]
        modules = [m.rstrip(".") for m in MODULE.findall(text)]
        unknown = [m for m in modules if importlib.util.find_spec(m) is None]
        missing += [f"{page.relative_to(ROOT)}: {name}" for name in files + unknown]
    assert not missing


def test_the_site_shows_the_defaults_of_the_methods():
    griffe = pytest.importorskip("griffe", reason="mkdocstrings is missing")
    from blufs_bench.method_names import BUILT_IN
    from docs.hooks.roles import PlainRoles

    hooks = griffe.Extensions(PlainRoles())
    package = griffe.load("blufs", search_paths=[ROOT / "src"], extensions=hooks)
    shown = 0
    for name, path in BUILT_IN.items():
        assert (ROOT / "docs/methods" / f"{path.split(':')[0].split('.')[2]}.md").exists()
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
