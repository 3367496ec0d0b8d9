"""Definitions of datasets: the project's and the user's, checked and made canonical."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from blufs_bench.datasets.errors import DatasetError, DefinitionError
from blufs_bench.datasets.readers import (
    ARCHIVE_SUFFIXES,
    ARRAY_SUFFIXES,
    SUFFIXES,
    TEXT_SUFFIXES,
)
from blufs_bench.files.canonical import canonical
from blufs_bench.files.schema import schema_problems

#: Domain of a dataset that names none, see :data:`blufs_bench.results.vocabulary.DOMAINS`.
DEFAULT_DOMAIN = "other"
#: Keys that say where the data come from.
SOURCES = ("path", "url", "package", "builtin", "generate")
#: Keys that say how a file is laid out.
_LAYOUT = (
    *("label", "labelled", "keys", "one_hot", "class_axis", "sample_axes", "no_class"),
    *("missing_labels", "missing", "layer", "transpose", "member"),
)
_LAYOUT_OF_TABLES = ("drop", "separator", "header")
#: Defaults of nested keys, written out so that equal definitions look equal.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "subset": {"stratified": True, "seed": 0},
    "noise": {"scale": 1.0, "seed": 0},
    "generate": {"seed": 0},
    "fallback": {"seed": 0},
    "image": {"order": "C"},
}


def dataset_definitions(
    definitions_path: str | os.PathLike,
    user_datasets: Mapping[str, Any] | None = None,
    *,
    schema_path: str | os.PathLike | None = None,
) -> dict[str, dict[str, Any]]:
    """Definitions of all known datasets by name.

    Parameters
    ----------
    definitions_path : path of ``data/datasets.yaml``
    user_datasets : mapping of name to definition, optional
        The section ``datasets:`` of the configuration. A definition that names a source (``path``,
        ``url``, ``package``, ``builtin``, ``generate``, ``file``) replaces the project's one of
        the same name; one without changes the given keys of it
        (``mnist: {subset: {samples: 500}}``).
    schema_path : path, optional
        Default: ``workflow/schemas/datasets.schema.yaml`` of the project.

    Returns
    -------
    definitions : dict of name to canonical definition
        JSON-able; defaults filled in, keys sorted, with ``name``, ``title``, ``domain`` and
        ``study``.

    Raises
    ------
    DefinitionError
        With all problems at once.
    """
    definitions_path = Path(definitions_path)
    if schema_path is None:
        schema_path = definitions_path.parents[1] / "workflow/schemas/datasets.schema.yaml"
    schema = _read_yaml(Path(schema_path))
    known = _read_yaml(definitions_path)
    problems = [f"{definitions_path}: {text}" for _, text in schema_problems(known, schema)]
    if problems:
        raise DefinitionError(problems)
    own = user_datasets or {}
    found = schema_problems({"datasets": own}, schema)
    problems = [f"config: {text}" for _, text in found]
    if any(len(path) < 2 for path, _ in found):  # names that cannot be used
        raise DefinitionError(problems)
    # Definitions that break the schema are reported; the others are looked at all the same.
    broken = {path[1] for path, _ in found}

    merged = {name: dict(spec) for name, spec in known["datasets"].items()}
    for name, spec in own.items():
        if name not in broken:
            merged[name] = dict(spec) if has_source(spec) else {**merged.get(name, {}), **spec}
    definitions = {name: _canonical(name, spec) for name, spec in merged.items()}
    problems += [
        f"datasets.{name}: {problem}"
        for name, spec in definitions.items()
        for problem in _definition_problems(spec)
    ]
    problems += _file_clashes(definitions)
    if problems:
        raise DefinitionError(problems)
    return definitions


def has_source(spec: Mapping[str, Any]) -> bool:
    """Whether a definition names a data source; one without overrides keys of a known dataset."""
    return any(key in spec for key in (*SOURCES, "file"))


def _read_yaml(path: Path) -> Any:
    import yaml

    from blufs_bench.files.read_yaml import read_yaml

    try:
        return read_yaml(path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error


# ------------------------------------------------------------------------------------ canonical


def _canonical(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    filled = {"name": name, "title": name, "domain": DEFAULT_DOMAIN, "study": name, **spec}
    for key, defaults in _DEFAULTS.items():
        if key in filled:
            filled[key] = {**defaults, **filled[key]}
    if "url" in filled and "file" not in filled:
        filled["file"] = PurePosixPath(unquote(urlsplit(filled["url"]).path)).name
    return canonical(filled)


# --------------------------------------------------------------------- what a schema cannot say


def _definition_problems(spec: Mapping[str, Any]) -> Iterator[str]:
    """Keys that need or exclude each other."""
    sources = [key for key in SOURCES if key in spec]
    if not sources and "file" not in spec:
        yield f"says nothing about where the data are; give one of {', '.join(SOURCES)}"
    if len(sources) > 1:
        yield f"gives {' and '.join(sources)}; only one of them can be the source"
    if "file" in spec and {"path", "builtin", "generate"} & set(sources):
        yield f"`file` has no meaning next to `{sources[0]}`"
    if "package" in spec and not spec.get("file", "").endswith(".whl"):
        yield "`package` needs `file`, the name of the wheel"
    elif "path" in spec or "file" in spec:
        yield from _layout_problems(spec)
    else:
        for key in ("sha256", "git_blob", "fallback", "max_size_mb", *_LAYOUT, *_LAYOUT_OF_TABLES):
            if key in spec:
                yield f"`{key}` is for datasets that are read from a file"
    if "floor" in spec and spec.get("transform") != "log":
        yield "`floor` is for `transform: log`"
    for key, value in _numbers(spec):
        if not math.isfinite(value):
            yield f"`{key}` is {value}; it must be a finite number"


def _layout_problems(spec: Mapping[str, Any]) -> Iterator[str]:
    source = spec.get("path") or spec["file"]
    suffix = PurePosixPath(source).suffix.lower()
    if suffix not in SUFFIXES:
        yield f"{source!r} must end in one of {' '.join(SUFFIXES)}"
        return
    packed = suffix in ARCHIVE_SUFFIXES
    arrays, text = packed or suffix in ARRAY_SUFFIXES, suffix in TEXT_SUFFIXES
    if packed and "member" not in spec:
        yield f"{source!r} holds many files; say which by `member`"
    if "member" in spec:
        yield from _member_problems(spec, packed)
    if "keys" in spec and not arrays:
        yield f"`keys` is for .mat, .npz and .RData files; use `label` for {suffix}"
    for key in ("one_hot", "class_axis", "sample_axes", "no_class"):
        if key in spec and not arrays:
            yield f"`{key}` is for .mat, .npz and .RData files"
    if "layer" in spec and suffix != ".h5ad":
        yield "`layer` is for .h5ad files"
    if suffix == ".h5ad" and isinstance(spec.get("label"), int):
        yield "`label` is the name of a column of obs in a .h5ad file"
    for key in ("separator", "header"):
        if key in spec and not text:
            yield f"`{key}` is for .csv, .tsv and .txt files"
    if "drop" in spec and (arrays or suffix in (".npy", ".h5ad")):
        yield "`drop` is for tables, whose columns have names"
    if "transpose" in spec and suffix in (".parquet", ".arff", ".h5ad"):
        yield f"`transpose` is not for {suffix} files"
    if "label" in spec and "y" in spec.get("keys", {}):
        yield "`label` and `keys.y` say the same; give one"
    if spec.get("labelled") is False and ("label" in spec or "y" in spec.get("keys", {})):
        yield "`labelled: false` says that there are no classes, and another key where they are"
    if "sample_axes" in spec and ("class_axis" in spec or "transpose" in spec):
        yield "`sample_axes` says what the axes are; leave out `class_axis` and `transpose`"
    if "class_axis" in spec and ("label" in spec or "y" in spec.get("keys", {})):
        yield "`class_axis` says where the classes are; leave out `label` and `keys.y`"


def _member_problems(spec: Mapping[str, Any], packed: bool) -> Iterator[str]:
    if not packed:
        yield f"`member` is for {' and '.join(ARCHIVE_SUFFIXES)} files"
    for path in spec["member"].values():
        if PurePosixPath(path).suffix.lower() not in (*ARRAY_SUFFIXES, ".npy"):
            yield f"the member {path!r} must end in one of {' '.join(ARRAY_SUFFIXES)} .npy"


def _numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, float):
        yield name, value


def _file_clashes(definitions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Datasets that would overwrite each other's download."""
    owners: dict[str, tuple[str, Any]] = {}
    clashes = []
    for name, spec in definitions.items():
        if "file" not in spec:
            continue
        identity = tuple(spec.get(key) for key in ("url", "package", "sha256", "git_blob"))
        # Not every file system tells capitals from small letters.
        other, known = owners.setdefault(spec["file"].lower(), (name, identity))
        if known != identity:
            clashes.append(
                f"datasets.{name}: its file {spec['file']!r} has the name of another file, that of "
                f"{other}; give one of them a different `file:`"
            )
    return clashes
