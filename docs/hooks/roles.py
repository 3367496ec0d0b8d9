"""Docstrings as the site shows them.

- Classes are named in Sphinx's way, ``:class:`~blufs.base.X```: shown as code.
- Several parameters share a line, ``a, b : float, default=1, 2``: each gets its own default, which
  mkdocstrings takes from the signature if the line does not state one.
"""

from __future__ import annotations

import re

import griffe

ROLE = re.compile(r":(?:class|meth|func|mod|attr):`~?(?:[\w.]*\.)?(\w+)`")
SHARED_DEFAULT = re.compile(r"^( *\w+(?:, \w+)+ : .*), default=.*$", flags=re.MULTILINE)


class PlainRoles(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs) -> None:
        if obj.docstring:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = SHARED_DEFAULT.sub(r"\1", text)
