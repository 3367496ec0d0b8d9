"""The methods that the benchmark knows, by name.

A method is one of

- the built-in ones of :mod:`blufs_bench.method_names`;
- an entry point in the group ``blufs.methods`` of any installed package;
- ``class: package.module:Class`` in the configuration.
"""

from __future__ import annotations

from blufs_bench.method_names import ALIASES, known_methods
from blufs_bench.selectors import UnknownMethodError, import_class


def method_class(name: str) -> type:
    """Class of the built-in or installed method ``name``."""
    path = known_methods().get(ALIASES.get(name, name))
    if path is None:
        raise UnknownMethodError(
            f"unknown method {name!r}; known: {', '.join(known_methods())}; a method of your own "
            "needs `class: package.module:Class`"
        )
    return import_class(name, path)
