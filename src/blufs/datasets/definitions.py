"""Definitions of datasets: the registry's and the user's, checked and made canonical."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from blufs.datasets.errors import DatasetError
from blufs.datasets.readers import FORMATS

#: Keys that say where the data come from.
SOURCES = ("path", "url", "builtin", "generate")
#: Defaults of nested keys, written out so that equal definitions look equal.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "subset": {"stratified": True, "seed": 0},
    "noise": {"scale": 1.0, "seed": 0},
    "generate": {"seed": 0},
    "fallback": {"seed": 0},
    "image": {"order": "C"},
}


def dataset_definitions(
    registry_path: str | os.PathLike,
    user_datasets: Mapping[str, Any] | None = None,
    *,
    schema_path: str | os.PathLike | None = None,
) -> dict[str, dict[str, Any]]:
    """Definitions of all known datasets by name.

    Parameters
    ----------
    registry_path : path of ``data/registry.yaml``
    user_datasets : mapping of name to definition, optional
        The section ``datasets:`` of the configuration. A definition that names a source (``path``,
        ``url``, ``builtin``, ``generate``, ``file``) replaces one of the same name in the registry;
        one without changes the given keys of it (``mnist: {subset: {samples: 500}}``).
    schema_path : path, optional
        Default: ``workflow/schemas/registry.schema.yaml`` of the project the registry lies in.

    Returns
    -------
    definitions : dict of name to canonical definition
        JSON-able; defaults filled in, keys sorted, with ``name`` and ``title``.

    Raises
    ------
    DatasetError
        With all problems at once.
    """
    registry_path = Path(registry_path)
    if schema_path is None:
        schema_path = registry_path.parents[1] / "workflow/schemas/registry.schema.yaml"
    schema = _read_yaml(Path(schema_path))
    registry = _read_yaml(registry_path)
    problems = [f"{registry_path}: {text}" for text in _schema_problems(schema, registry)]
    if user_datasets:
        own = {"datasets": user_datasets}
        problems += [f"config: {text}" for text in _schema_problems(schema, own)]
    if problems:
        raise DatasetError(_listing(problems))

    merged = {name: dict(spec) for name, spec in registry["datasets"].items()}
    for name, spec in (user_datasets or {}).items():
        replaces = any(key in spec for key in (*SOURCES, "file"))
        merged[name] = dict(spec) if replaces else {**merged.get(name, {}), **spec}
    definitions = {name: _canonical(name, spec) for name, spec in merged.items()}
    problems = [
        f"datasets.{name}: {problem}"
        for name, spec in definitions.items()
        for problem in _definition_problems(spec)
    ]
    problems += _file_clashes(definitions)
    if problems:
        raise DatasetError(_listing(problems))
    return definitions


def _read_yaml(path: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error


def _listing(problems: list[str]) -> str:
    count = len(problems)
    head = f"{count} problem{'s' * (count > 1)} in the definitions of datasets:"
    return "\n".join([head, *(f"  - {problem}" for problem in problems)])


def _schema_problems(schema: Any, document: Any) -> Iterator[str]:
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema)
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        where = ".".join(map(str, error.absolute_path)) or "the document"
        yield f"{where}: {_readable(error)}"


def _readable(error: Any) -> str:
    """One line that says what is wrong and, where it can be guessed, what was meant."""
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = error.schema.get("properties", {})
        unknown = [key for key in error.instance if key not in known]
        return "; ".join(f"unknown key {key!r}{_suggestion(key, known)}" for key in unknown)
    if error.validator == "pattern" and error.parent is not None:
        return f"{error.instance!r} is not a valid name (letters, digits and _ . - only)"
    described = error.schema.get("description")
    message = error.message + (f" ({described})" if described else "")
    if error.validator == "type" and isinstance(error.instance, str):
        message += "; write numbers in full, without an exponent or quotes"
    return message


def _suggestion(key: Any, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(str(key), known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else f" (known: {', '.join(known)})"


def _canonical(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    filled = {"name": name, "title": name, **spec}
    for key, defaults in _DEFAULTS.items():
        if key in filled:
            filled[key] = {**defaults, **filled[key]}
    if "noise" in filled:
        filled["noise"]["scale"] = float(filled["noise"]["scale"])
    if "url" in filled and "file" not in filled:
        filled["file"] = PurePosixPath(unquote(urlsplit(filled["url"]).path)).name
    return _sorted_keys(filled)


def _sorted_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted_keys(value[key]) for key in sorted(value)}
    return value


def _definition_problems(spec: Mapping[str, Any]) -> Iterator[str]:
    """What a schema cannot say: keys that need or exclude each other."""
    sources = [key for key in SOURCES if key in spec]
    if not sources and "file" not in spec:
        yield f"says nothing about where the data are; give one of {', '.join(SOURCES)}"
    if len(sources) > 1:
        yield f"gives {' and '.join(sources)}; only one of them can be the source"
    has_file = "path" in spec or "file" in spec
    if "file" in spec and {"path", "builtin", "generate"} & set(sources):
        yield f"`file` has no meaning next to `{sources[0]}`"
    if has_file:
        source = spec.get("path") or spec["file"]
        suffix = PurePosixPath(source).suffix.lower()
        if suffix not in FORMATS:
            yield f"{source!r} must end in one of {' '.join(FORMATS)}"
        elif "keys" in spec and suffix not in (".mat", ".npz"):
            yield f"`keys` is for .mat and .npz files; use `label` for {suffix}"
        if isinstance(spec.get("label"), int) and suffix in (".mat", ".npz"):
            yield f"`label` must be the name of an array in a {suffix} file, not a number"
    else:
        for key in ("sha256", "git_blob", "label", "keys", "drop", "separator", "header"):
            if key in spec:
                yield f"`{key}` is for datasets that are read from a file"
    if "label" in spec and "y" in spec.get("keys", {}):
        yield "`label` and `keys.y` say the same; give one"
    if "fallback" in spec and not has_file:
        yield "`fallback` is for datasets that are read from a file"


def _file_clashes(definitions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Datasets that would overwrite each other's download."""
    owners: dict[str, tuple[str, Any]] = {}
    clashes = []
    for name, spec in definitions.items():
        if "file" not in spec:
            continue
        identity = (spec.get("url"), spec.get("sha256"), spec.get("git_blob"))
        other, known = owners.setdefault(spec["file"], (name, identity))
        if known != identity:
            clashes.append(
                f"datasets.{name}: its file {spec['file']!r} has the name of another file, that of "
                f"{other}; give one of them a different `file:`"
            )
    return clashes
