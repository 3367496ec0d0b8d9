"""Reading and checking the configuration: all problems at once, before the first job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blufs.methods.registry import ALIASES, UnknownMethodError, make_selector, method_class

_NUMBER_AS_TEXT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


class ConfigError(ValueError):
    """The configuration has problems; the message lists all of them."""

    def __init__(self, problems: list[str]):
        self.problems = problems
        lines = "\n".join(f"  - {problem}" for problem in problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"the configuration has {count}:\n{lines}")


def check_schema(config: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Problems of ``config`` against the JSON schema, in words."""
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda e: str(e.path))
    return [_in_words(error) for error in errors]


def _in_words(error) -> str:
    place = ".".join(str(part) for part in error.absolute_path) or "config"
    if error.validator == "additionalProperties":
        unknown = sorted(set(error.instance) - set(error.schema.get("properties", {})))
        known = ", ".join(sorted(error.schema.get("properties", {})))
        return f"{place}: unknown key {', '.join(map(repr, unknown))}; known keys: {known}"
    if isinstance(error.instance, str) and _NUMBER_AS_TEXT.fullmatch(error.instance):
        return f"{place}: {_text_number(error.instance)}"
    if error.validator == "minItems":
        return f"{place}: the list is empty"
    if error.validator in ("pattern", "propertyNames"):
        return (
            f"{place}: {error.instance!r} is not a usable name "
            "(letters, digits, '_', '.', '+' and '-' only, no '/')"
        )
    return f"{place}: {error.message}"


def _text_number(text: str) -> str:
    return f"{text!r} is text, not a number: YAML reads 1e-4 as text, write 1.0e-4 (and no quotes)"


def check_names(names: Iterator[str] | list[str], place: str) -> list[str]:
    """Problems of names that become file names."""
    return [
        f"{place}: {name!r} is not a usable name (letters, digits, '_', '.', '+' and '-' only, "
        "no '/')"
        for name in names
        if not _NAME.fullmatch(name)
    ]


def check_text_numbers(value: Any, place: str) -> list[str]:
    """Problems where a hyper-parameter is a number written as text."""
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in check_text_numbers(v, f"{place}.{k}")]
    if isinstance(value, list):
        return [p for item in value for p in check_text_numbers(item, place)]
    if isinstance(value, str) and _NUMBER_AS_TEXT.fullmatch(value):
        return [f"{place}: {_text_number(value)}"]
    return []


def check_method(name: str, definition: dict[str, Any], settings: list[dict]) -> list[str]:
    """Problems of a method: unknown class, unknown or inadmissible parameters of any setting."""
    try:
        cls = method_class(definition.get("of", name), definition.get("class"))
    except UnknownMethodError as error:
        return [f"methods.{name}: {error}"]
    problems = []
    for setting in settings:
        try:
            selector = make_selector(cls, setting)
            validate = getattr(getattr(selector, "estimator", selector), "_validate_params", None)
            if validate is not None:
                validate()
        except (TypeError, ValueError) as error:
            problems.append(f"methods.{name}: {error}")
    return sorted(set(problems))


def resolve_aliases(names: list[str]) -> list[str]:
    """Replace the paper's names of methods by their own."""
    return [ALIASES.get(name, name) for name in names]
