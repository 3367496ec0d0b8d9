"""The house keeps its order: which room may look into which, and how large a thing may get."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "blufs"

#: Room -> the rooms that it may import from, besides itself.
ARROWS = {
    "files": set(),
    "numerics": set(),
    "base": {"numerics"},
    "solver": {"numerics"},
    "methods": {"base", "numerics", "solver"},
    "anndata": {"base", "methods", "numerics"},
    "evaluation": {"numerics"},
    "tuning": {"base", "evaluation", "numerics"},
    "datasets": {"files", "numerics"},
    "results": {"files", "datasets"},
    "workflow.run": {"files"},
    "workflow.plan": {"base", "datasets", "files", "methods", "results", "workflow.run"},
    "workflow.stages": {
        "base",
        "datasets",
        "evaluation",
        "files",
        "methods",
        "numerics",
        "results",
        "workflow.plan",
        "workflow.run",
    },
    "analysis": {"datasets", "files", "results"},
}
LONGEST_FILE, LONGEST_FUNCTION = 400, 60


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


def code() -> list[Path]:
    return sorted(
        path
        for folder in ("src", "workflow", "benchmarks", "tests", "examples")
        for path in (ROOT / folder).rglob("*.py")
    )


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module: str) -> str:
    """Room of a module's name without its leading ``blufs.``."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "workflow" and len(parts) > 1 else parts[0]


def imports(path: Path) -> set[str]:
    """Modules of this package that a file imports, without the leading ``blufs.``."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name.removeprefix("blufs.") for name in found if name.startswith("blufs.")}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_arrow_points_back(path):
    here = room(name_of(path))
    allowed = ARROWS[here] | {here}
    wrong = {name for name in imports(path) if room(name) not in allowed}
    assert not wrong, f"{name_of(path)} ({here}) must not import {sorted(wrong)}"


def test_no_module_imports_itself_by_way_of_others():
    graph = {name_of(path): imports(path) for path in modules()}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, f"import cycle: {' -> '.join((*way, name))}"
        if name in done or name not in graph:
            return
        for other in graph[name]:
            visit(other, (*way, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_only_the_contract_and_the_search_stand_outside_a_room():
    loose = {path.name for path in SOURCE.glob("*.py")}
    assert loose <= {"__init__.py", "base.py", "tuning.py"}


@pytest.mark.parametrize("path", code(), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{lines} lines"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines"
