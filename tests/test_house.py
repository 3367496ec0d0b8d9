"""The house keeps its order: which room may import which. docs/architecture.md draws it."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.helpers import ROOT

SOURCE = ROOT / "src"
PACKAGES = ("blufs", "blufs_bench")

#: Room -> the rooms of its own package that it may import. All rooms of blufs_bench but `files`
#: may import blufs; blufs imports nothing of blufs_bench. Modules that lie beside the rooms of
#: blufs (search, metrics, ...) put its rooms together, those of blufs_bench (registry, ...) are
#: what its rooms share; `command` puts them together for `blufs compare`.
ARROWS = {
    "blufs": {
        "_numerics": set(),
        "base": {"_numerics"},
        "solver": {"_numerics"},
        "methods": {"base", "_numerics", "solver"},
    },
    "blufs_bench": {
        "files": set(),
        "run": {"files"},
        "datasets": {"files", "run", "shared modules"},
        "plan": {"datasets", "files", "run", "shared modules"},
        "stages": {"datasets", "files", "plan", "results", "run", "shared modules"},
        "results": {"datasets", "files", "shared modules"},
        "compare": {"files", "results", "shared modules"},
        "show": {"compare", "files", "results", "shared modules"},
        "shared modules": {"files"},
        "command": {"datasets", "plan"},
    },
}


def dotted_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    dotted_name(path): path for package in PACKAGES for path in (SOURCE / package).rglob("*.py")
}


def imported_modules(path: Path) -> set[str]:
    """Modules of the two packages that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the whole name instead of dots"
            # `from a import b` means the module a.b, or something that module a defines.
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                names.add(below if below in MODULES else node.module)
    return names & set(MODULES)


IMPORTS = {name: imported_modules(path) for name, path in MODULES.items()}


def room(module: str) -> str:
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    return name if name in ARROWS[package] else "shared modules"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrows(package):
    against = []
    for module, imports in IMPORTS.items():
        here, allowed = room(module), ARROWS[package].get(room(module))
        if module.partition(".")[0] != package or allowed is None:
            continue
        for other in imports - {package}:
            if other.startswith(f"{package}."):
                forbidden = room(other) not in allowed | {here}
            else:
                forbidden = here == "files"
            if forbidden:
                against.append(f"{module} ({here}) imports {other}")
    assert not against


def test_the_library_knows_nothing_of_its_benchmark():
    against = {
        f"{module} imports {other}"
        for module, imports in IMPORTS.items()
        for other in imports
        if module.partition(".")[0] == "blufs" and other.partition(".")[0] == "blufs_bench"
    }
    assert not against


def test_no_module_imports_itself_by_way_of_others():
    list(TopologicalSorter(IMPORTS).static_order())  # a cycle raises, and names its modules


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow" / "scripts").glob("*.py")), ids=lambda path: path.stem
)
def test_scripts_define_nothing(path):
    """A script reads, calls one function and writes; what is defined in src is tested there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = [
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    assert not defined
