"""Docstrings as the site shows them.

- Classes are named in Sphinx's way, ``:class:`~blufs.base.X```: shown as code.
- Several parameters share an entry, ``a, b : float, default=1 and 2``: each gets its own, without
  the defaults, which mkdocstrings then takes from the signature.
"""

from __future__ import annotations

import re

import griffe

ROLE = re.compile(r":(?:class|meth|func|mod|attr):`~?(?:[\w.]*\.)?(\w+)`")
SHARED_ENTRY = re.compile(
    r"^(\w+(?:, \w+)+) : (.*?)(?:, default=.*(?:,| and ).*)?\n((?: +.*\n)+)", flags=re.MULTILINE
)


def entries(shared: re.Match) -> str:
    """An entry for each of several parameters, with the text that they share."""
    names, kind, text = shared.groups()
    return "".join(f"{name} : {kind}\n{text}" for name in names.split(", "))


class PlainRoles(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs) -> None:
        if obj.docstring:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = SHARED_ENTRY.sub(entries, text)
