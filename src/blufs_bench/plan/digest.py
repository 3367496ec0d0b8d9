"""Digest of the code that a job runs, so that editing it re-runs exactly the jobs that use it.

A job runs a script. Its digest covers the syntax trees of the script and of every module of
``blufs`` and ``blufs_bench`` that it imports, directly or not, also inside functions. What is found
by name at run time (the class of a method, the module of a figure) is named by the rule as well.
With a module of the user's count those that it imports from its own folder, but no installed
packages.

Imports for type checkers (``if TYPE_CHECKING:``) never run, so they do not count.

Importing ``a.b.c`` runs the ``__init__`` of ``a.b`` too, so that counts. That of ``blufs`` itself
does not: it holds the version and the list of public names, which change no number. Comments,
docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PACKAGES = ("blufs", "blufs_bench")
_INSTALLED = Path(__file__).parents[2]


class _Source(NamedTuple):
    """What counts of a source file: the digest of its code, and the names that it imports.

    Each import is a number of dots and a dotted name.
    """

    digest: str
    imports: frozenset[tuple[int, str]]


@cache
def code_digest(*roots: str | Path, source: Path = _INSTALLED) -> str:
    """Short digest of scripts (paths) and modules (names) and of all own modules they import."""
    reached = closure(*roots, source=source)
    lines = [f"{name} {_parse(_text(path)).digest}" for name, path in sorted(reached.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def closure(*roots: str | Path, source: Path = _INSTALLED) -> dict[str, Path | None]:
    """Name -> file of all own modules that the roots import, and of the roots.

    Parameters
    ----------
    roots : paths of scripts, or dotted names of modules
    source : folder that holds the packages ``blufs`` and ``blufs_bench``
    """
    reached: dict[str, Path | None] = {}
    tops = {root.partition(".")[0] for root in roots if isinstance(root, str)}
    own = _OwnModules(source, tops - set(_PACKAGES))
    pending: list[tuple[str, Path | None]] = [
        (root.name, root) if isinstance(root, Path) else (root, _source(root, source))
        for root in roots
    ]
    while pending:
        name, path = pending.pop()
        if name in reached:
            continue
        reached[name] = path
        wanted = {_absolute(*found, name, path) for found in _parse(_text(path)).imports}
        for imported in [*wanted, *([] if path in roots else [name])]:
            pending += list(own.with_parents(imported))
    return reached


class _OwnModules:
    """The modules whose code counts: of our packages, and of the user's.

    Parameters
    ----------
    tops : packages and modules of the user's that are named by the configuration
    """

    def __init__(self, source: Path, tops: set[str]):
        self.source = source
        files = [_source(top, source) for top in tops]
        homes = {file.parents[file.name == "__init__.py"] for file in files if file}
        self.homes = {home for home in homes if not _is_of_others(home)}

    def with_parents(self, name: str) -> Iterator[tuple[str, Path]]:
        """The own module ``name``, if it is one, and the packages around it."""
        parts = name.split(".")
        if not self._is_own(parts[0]):
            return
        for end in range(2 if parts[0] in _PACKAGES else 1, len(parts) + 1):
            module = ".".join(parts[:end])
            if (path := _source(module, self.source)) is not None:
                yield module, path

    def _is_own(self, top: str) -> bool:
        return top in _PACKAGES or any(
            (home / f"{top}.py").is_file() or (home / top).is_dir() for home in self.homes
        )


def _is_of_others(folder: Path) -> bool:
    """Whether a folder holds installed packages or Python's own modules."""
    return bool({"site-packages", "dist-packages"} & set(folder.parts)) or (
        folder == Path(os.__file__).parent
    )


def _absolute(dots: int, name: str, module: str, path: Path | None) -> str:
    """The whole name of what ``module`` imports; dots count from the package around it."""
    if not dots:
        return name
    is_package = path is not None and path.name == "__init__.py"
    around = module.split(".")[: None if is_package and dots == 1 else is_package - dots]
    return ".".join([*around, *([name] if name else [])])


@cache
def _source(module: str, source: Path) -> Path | None:
    """File of a module, found without importing it or its parents."""
    top, *inner = module.split(".")
    if top in _PACKAGES:
        folders = [source / top]
    else:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        if not inner:
            source_file = spec.origin and spec.origin.endswith(".py")
            return Path(spec.origin) if source_file and spec.origin else None
        folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    for folder in folders:
        base = folder.joinpath(*inner)
        for path in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if path.is_file():
                return path
    return None


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    with tokenize.open(path) as stream:  # in the encoding that the file states
        return stream.read()


@cache
def _parse(text: str) -> _Source:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # of a user's module; whoever runs it will say so
        return _Source(hashlib.sha256(text.encode()).hexdigest(), frozenset())
    _remove_what_does_not_run(tree)
    imports: set[tuple[int, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.update((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = [node.module] if node.module else []
            imports.add((node.level, ".".join(module)))
            imports.update((node.level, ".".join([*module, a.name])) for a in node.names)
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return _Source(digest, frozenset(imports))


def _remove_what_does_not_run(tree: ast.Module) -> None:
    """Take docstrings and imports for type checkers out of a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
        elif isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
