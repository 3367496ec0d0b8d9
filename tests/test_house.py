"""The house keeps its order: which room may look into which, and how large a thing may get."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.helpers import ROOT

SOURCE = ROOT / "src" / "blufs"

#: Room -> the rooms that it may import from, besides itself. "blufs" is the table of public names.
ARROWS = {
    "blufs": {"methods"},
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
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_SCRIPT, LONGEST_SNAKEFILE = 400, 60, 40, 60
#: Puts the folder of other people's packages on the path, which cannot be installed beside ours.
CHANGES_THE_PATH = {"benchmarks/speed/against_packages.py"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def code(*endings: str) -> list[Path]:
    return sorted(
        path
        for folder in ("src", "workflow", "benchmarks", "tests", "examples")
        for ending in endings
        for path in (ROOT / folder).rglob(f"*.{ending}")
        if ".peers" not in path.parts
    )


def in_project(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Dotted name of a module, that of the package for its ``__init__``."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str:
    """Room of a module of this package."""
    parts = module.split(".")
    if len(parts) == 1:
        return module
    return ".".join(parts[1:3]) if parts[1] == "workflow" and len(parts) > 2 else parts[1]


@cache
def imports(path: Path) -> set[str]:
    """Modules of this package that a file imports, also inside functions."""
    known = {name_of(module) for module in modules()}
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{in_project(path)} imports by dots; write the whole name"
            below = {f"{node.module}.{alias.name}" for alias in node.names} & known
            # ``from a import b`` takes the module b of a, or what a itself defines.
            found |= below if len(below) == len(node.names) else {node.module, *below}
    return {name for name in found if name.split(".")[0] == "blufs"}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_arrow_points_back(path):
    here = room(name_of(path))
    if here == "workflow":
        assert not imports(path), "the package around the three rooms holds nothing"
        return
    allowed = ARROWS[here] | {here}
    wrong = {name for name in imports(path) if room(name) not in allowed}
    # The folder that the package lies in is all that the workflow takes from the public names.
    wrong -= {"blufs"} if name_of(path) == "blufs_bench.plan.read" else set()
    assert not wrong, f"{name_of(path)} ({here}) must not import {sorted(wrong)}"


def test_every_room_that_is_drawn_is_there():
    assert {room(name_of(path)) for path in modules()} - {"workflow"} == set(ARROWS)


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
    assert loose == {"__init__.py", "base.py", "tuning.py"}


@pytest.mark.parametrize("path", code("py", "smk", "js", "css", "html"), ids=in_project)
def test_files_and_functions_stay_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{lines} lines"
    for node in ast.walk(tree(path)) if path.suffix == ".py" else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=in_project)
def test_a_script_reads_calls_and_writes(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_SCRIPT
    defined = [n for n in ast.walk(tree(path)) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert not defined, "logic belongs into src/blufs, where it is tested"


@pytest.mark.parametrize(
    "name", ["Snakefile", "workflow/Snakefile", "workflow/rules/benchmark.smk"]
)
def test_the_snakefile_holds_no_functions(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_SNAKEFILE
    assert not [line for line in lines if line.lstrip().startswith(("def ", "class "))]


def test_nobody_bends_the_search_path_of_imports():
    bent = [
        in_project(path)
        for path in code("py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and node.attr in ("insert", "append", "extend")
        and ast.unparse(node.value) == "sys.path"
    ]
    assert set(bent) == CHANGES_THE_PATH
