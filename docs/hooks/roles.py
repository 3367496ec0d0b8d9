"""Docstrings name classes in Sphinx's way, ``:class:`~blufs.base.X```; show them as code."""

from __future__ import annotations

import re

import griffe

ROLE = re.compile(r":(?:class|meth|func|mod|attr):`~?(?:[\w.]*\.)?(\w+)`")


class PlainRoles(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs) -> None:
        if obj.docstring:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)
