"""What a JSON schema finds wrong with a document, where, and what to do, in words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Path = tuple[Any, ...]

_NUMBER_AS_TEXT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
NAME_RULE = "letters, digits, '_', '.', '+' and '-' only, no '/', at most 64 of them"


class Problem(NamedTuple):
    """A problem and the place in the document that cannot be relied on because of it."""

    path: Path
    text: str


def schema_problems(document: Any, schema: dict[str, Any]) -> list[Problem]:
    """Problems of a document against a JSON schema."""
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(document), key=lambda e: str(e.path))
    found = (
        Problem(path, f"{place(error.absolute_path)}: {text}")
        for error in errors
        for path, text in _in_words(error)
    )
    return list(dict.fromkeys(found))


def place(path: Iterable[Any]) -> str:
    """A place of the document as people write it: ``suites.demo.methods``."""
    return ".".join(map(str, path)) or "config"


def suggestion(word: Any, known: Iterable[str]) -> str:
    """What was probably meant, or all that there is to choose from."""
    names = sorted(known)
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.7)
    if not close:
        by_case = {name.lower(): name for name in names}
        close = [by_case[str(word).lower()]] if str(word).lower() in by_case else []
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def text_number(text: Any) -> str | None:
    """The problem of a number written as text; None where it is no number."""
    if isinstance(text, str) and _NUMBER_AS_TEXT.fullmatch(text):
        return f"{text!r} is text, not a number: write 1e-4 as 1.0e-4, and numbers without quotes"
    return None


def _in_words(error: Any) -> Iterator[tuple[Path, str]]:
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        for key in error.instance:
            if key not in known:
                yield (*path, key), f"unknown key {key!r}; {suggestion(key, known)}"
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                yield (*path, key), f"the key {key!r} is missing"
    elif "propertyNames" in error.absolute_schema_path:
        yield (*path, error.instance), f"{error.instance!r} is not a usable name ({NAME_RULE})"
    else:
        yield path, _wrong_value(error)


def _wrong_value(error: Any) -> str:
    value, description = error.instance, error.schema.get("description", "")
    if number := text_number(value):
        return number
    if error.validator == "minItems":
        return "the list is empty"
    if error.validator == "uniqueItems":
        twice = sorted({str(item) for item in value if value.count(item) > 1})
        return f"{', '.join(twice)} twice"
    if error.validator == "enum" and isinstance(value, str):
        key = error.absolute_path[-1] if error.absolute_path else "value"
        return f"unknown {key} {value!r}; {suggestion(value, map(str, error.validator_value))}"
    if error.validator in ("pattern", "anyOf") and description:
        return f"{value!r} does not fit: {description}"
    return f"{error.message}" + (f" ({description})" if description else "")
