"""Digest of the code that a job runs, so that editing it re-runs exactly the jobs that use it.

A job runs a script. Its digest covers the syntax trees of the script and of every module of
``blufs`` and ``blufs_bench`` that it imports, directly or not, also inside functions. What is found
by name at run time (the class of a method, the module of a figure) is named by the rule as well.

Imports for type checkers (``if TYPE_CHECKING:``) never run, so they do not count.

Importing ``a.b.c`` runs the ``__init__`` of ``a.b`` too, so that counts. That of ``blufs`` itself
does not: it holds the version and the list of public names, which change no number. Comments,
docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PACKAGES = ("blufs", "blufs_bench")
_INSTALLED = Path(__file__).parents[2]


class _Source(NamedTuple):
    """What counts of a source file: the digest of its code, and the names that it imports."""

    digest: str
    imports: frozenset[str]


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
    pending: list[tuple[str, Path | None]] = [
        (root.name, root) if isinstance(root, Path) else (root, _source(root, source))
        for root in roots
    ]
    while pending:
        name, path = pending.pop()
        if name in reached:
            continue
        reached[name] = path
        wanted = {*_parse(_text(path)).imports, *([] if path in roots else [name])}
        for imported in wanted:
            pending += list(_with_parents(imported, source))
    return reached


def _with_parents(name: str, source: Path) -> Iterator[tuple[str, Path]]:
    """The own module ``name``, if it is one, and the packages around it."""
    parts = name.split(".")
    if parts[0] not in _PACKAGES:
        return
    for end in range(2, len(parts) + 1):
        module = ".".join(parts[:end])
        if (path := _source(module, source)) is not None:
            yield module, path


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
            return Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None
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
    imports: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            imports.add(node.module)
            imports.update(f"{node.module}.{alias.name}" for alias in node.names)
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
