"""What a method is and which paper it comes from, read from the docstring of its class.

Apart from the registry, which every fit imports: a change here repeats no fit.
"""

from __future__ import annotations

import inspect
import re


def about(cls: type) -> tuple[str, list[str]]:
    """First sentence of a class's docstring, and the entries of its section "References"."""
    text = inspect.getdoc(cls) or ""
    section = re.search(r"^References\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", text, re.M | re.S)
    entries = section[1].split("\n\n") if section else []
    plain = [re.sub(r"^\.\. \[\w+\]\s*", "", " ".join(entry.split())) for entry in entries]
    return " ".join(text.partition("\n\n")[0].split()), [entry for entry in plain if entry]
