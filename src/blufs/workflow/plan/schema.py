"""The configuration against its JSON schema: what is wrong, where, and what to do, in words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Path = tuple[Any, ...]

#: Keys of earlier versions -> what they are called now.
RENAMED_KEYS = {
    "s_values_of": "s_values_by_dataset",
    "grids": "grid_overrides",
    "fit_seeds": "n_fit_seeds",
    "oracle_budget": "equal_budget",
    "clusterings": "n_clusterings",
    "restarts": "n_restarts",
    "splits": "n_splits",
    "neighbors": "n_neighbors",
    "repeats": "n_repeats",
    "resamples": "n_resamples",
    "of": "variant_of",
    "label": "title",
    "alpha": "significance_level",
}
#: What to write where more than the name has changed.
_NEW_FORM = {"oracle_budget": " (write `equal_budget: {{settings: {old}}}`)"}
_RENAMED_VALUES = {"seed": "repetition"}

_NUMBER_AS_TEXT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
NAME_RULE = "letters, digits, '_', '.', '+' and '-' only, no '/', at most 64 of them"


class Problem(NamedTuple):
    """A problem and the place in the configuration that cannot be relied on because of it."""

    path: Path
    text: str


def schema_problems(config: Any, schema: dict[str, Any]) -> list[Problem]:
    """Problems of ``config`` against the JSON schema."""
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda e: str(e.path))
    return list(dict.fromkeys(problem for error in errors for problem in _in_words(error)))


def place(path: Iterable[Any]) -> str:
    """A place of the configuration as people write it: ``suites.demo.methods``."""
    return ".".join(map(str, path)) or "config"


def suggestion(word: Any, known: Iterable[str]) -> str:
    """What was probably meant, or all that there is to choose from."""
    names = sorted(known)
    close = difflib.get_close_matches(str(word), names, n=1)
    if not close:
        by_case = {name.lower(): name for name in names}
        close = [by_case[str(word).lower()]] if str(word).lower() in by_case else []
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def text_number(text: Any) -> str | None:
    """The problem of a number written as text; None where it is no number."""
    if isinstance(text, str) and _NUMBER_AS_TEXT.fullmatch(text):
        return f"{text!r} is text, not a number: write 1e-4 as 1.0e-4, and numbers without quotes"
    return None


def _in_words(error) -> Iterator[Problem]:
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        for key in error.instance:
            if key not in known:
                text = _unknown_key(key, error.instance, known)
                yield Problem((*path, key), f"{place(path)}: {text}")
    elif error.validator == "required":
        old_names = {RENAMED_KEYS.get(key) for key in error.instance}
        for key in error.validator_value:
            # An old name is reported as such: its new one is not missing as well.
            if key not in error.instance and key not in old_names:
                yield Problem((*path, key), f"{place(path)}: the key {key!r} is missing")
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem((*path, error.instance), f"{place(path)}: {_unusable(error.instance)}")
    else:
        yield Problem(path, f"{place(path)}: {_wrong_value(error)}")


def _unknown_key(key: Any, instance: dict, known: dict) -> str:
    new = RENAMED_KEYS.get(key)
    if new in known:
        form = _NEW_FORM.get(key, "").format(old=instance[key])
        return f"the key {key!r} is now called {new!r}{form}"
    return f"unknown key {key!r}; {suggestion(key, known)}"


def _unusable(name: Any) -> str:
    return f"{name!r} is not a usable name ({NAME_RULE})"


def _wrong_value(error) -> str:
    value, description = error.instance, error.schema.get("description", "")
    if number := text_number(value):
        return number
    if error.validator == "minItems":
        return "the list is empty"
    if error.validator == "uniqueItems":
        twice = sorted({str(item) for item in value if value.count(item) > 1})
        return f"{', '.join(twice)} twice"
    if error.validator == "enum" and isinstance(value, str) and value in _RENAMED_VALUES:
        return f"{value!r} is now called {_RENAMED_VALUES[value]!r}"
    if error.validator in ("pattern", "anyOf"):
        return f"{value!r} does not fit: {description}"
    return f"{error.message}" + (f" ({description})" if description else "")
