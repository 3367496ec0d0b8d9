"""What a JSON schema finds wrong with definitions, in words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def schema_problems(schema: Any, document: Any) -> Iterator[tuple[tuple, str]]:
    """Path and one line for each place that breaks the schema."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema)
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        where = ".".join(map(str, error.absolute_path)) or "the document"
        yield tuple(error.absolute_path), f"{where}: {_readable(error)}"


def _readable(error: Any) -> str:
    """One line that says what is wrong and, where it can be guessed, what was meant."""
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = error.schema.get("properties", {})
        unknown = [key for key in error.instance if key not in known]
        return "; ".join(f"unknown key {key!r}{_suggestion(key, known)}" for key in unknown)
    if error.validator == "enum":
        key = error.absolute_path[-1] if error.absolute_path else "value"
        known = list(map(str, error.validator_value))
        return f"unknown {key} {error.instance!r}{_suggestion(error.instance, known)}"
    if error.validator == "pattern" and error.parent is not None:
        return f"{error.instance!r} is not a valid name (letters, digits and _ . - only)"
    described = error.schema.get("description")
    message = error.message + (f" ({described})" if described else "")
    if error.validator == "type" and isinstance(error.instance, str):
        message += "; write numbers without quotes, small ones as 1.0e-4"
    return message


def _suggestion(key: Any, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(str(key), known, n=1, cutoff=0.7)
    return f" (did you mean {close[0]!r}?)" if close else f" (known: {', '.join(known)})"
