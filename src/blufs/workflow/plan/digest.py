"""Digest of the code that a job runs, so that editing it re-runs exactly the jobs that use it.

The digest of a module covers its syntax tree and that of every ``blufs`` module that it imports,
directly or not. Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from functools import cache
from pathlib import Path

_PACKAGE = "blufs"


def code_digest(*modules: str) -> str:
    """Short digest of the modules and of all blufs modules that they import."""
    reached: set[str] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in reached:
            reached.add(module)
            pending.extend(_imports(module))
    text = "\n".join(f"{name} {_own_digest(name)}" for name in sorted(reached))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _source(module: str) -> Path | None:
    """File of a module, found without importing its parents (those of the analysis are slow)."""
    top, *inner = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not inner:
        origin = spec and spec.origin
        return Path(origin) if origin and origin.endswith(".py") else None
    for folder in spec.submodule_search_locations or []:
        base = Path(folder, *inner)
        for path in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if path.is_file():
                return path
    return None


@cache
def _tree(module: str) -> ast.Module:
    source = _source(module)
    tree = ast.parse(source.read_text(encoding="utf-8") if source else "")
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = body[1:]  # type: ignore[index]
    return tree


@cache
def _own_digest(module: str) -> str:
    return hashlib.sha256(ast.dump(_tree(module)).encode()).hexdigest()


@cache
def _imports(module: str) -> frozenset[str]:
    """Modules of this package that ``module`` imports anywhere in its code."""
    found: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(
        name for name in found if name.split(".")[0] == _PACKAGE and _source(name) is not None
    )
