"""Tables of the reference pages that follow from the code.

Result files from the schemas of the result tables, configuration from the schema of the
configuration, datasets from data/datasets.yaml, and inputs from the classes of the methods. So none
of them can disagree with what the code does. ``python -m benchmarks.tables`` fills them in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import yaml
from sklearn.utils import get_tags

from benchmarks.harness import ROOT, markdown
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.synthetic import generate
from blufs_bench.method_description import VERIFIED, method_page
from blufs_bench.method_names import BUILT_IN
from blufs_bench.plan.sizes import expected_shape
from blufs_bench.registry import method_class
from blufs_bench.results.schemas import SCHEMAS
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, DOMAINS, METRICS, STATUSES
from blufs_bench.selectors import is_random


def result_files() -> str:
    """Of docs/reference/result-files.md."""
    parts = []
    for table in SCHEMAS.values():
        rows = [[f"`{c.name}`", str(c.type), c.description] for c in table.columns]
        key = ", ".join(f"`{name}`" for name in table.key)
        parts.append(
            f"## `{table.name}.parquet`\n\nOne row is {table.description}. Key: {key}.\n\n"
            + markdown(["column", "type", "what it holds"], rows)
        )
    words = {
        "Metrics": [[f"`{m.key}`", m.title] for m in METRICS.values()],
        "Label-free criteria": [[f"`{c.key}`", c.explanation] for c in CRITERIA.values()],
        "Choices": [[f"`{c.key}`", c.explanation] for c in CHOICES.values()],
        "Statuses": [[f"`{s.key}`", s.title] for s in STATUSES.values()],
    }
    for title, rows in words.items():
        parts.append(f"## {title}\n\n" + markdown(["value", "meaning"], rows))
    return "\n\n".join(parts)


def configuration() -> str:
    """Of docs/reference/configuration.md."""
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    rows = [[f"`{path}`", kind, description] for path, kind, description in _keys(schema, schema)]
    return markdown(["key", "type", "what it sets"], rows)


def _keys(
    node: dict[str, Any], schema: dict[str, Any], path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Path, type and description of every key below a node of the schema, in its order."""
    for name, child in node.get("properties", {}).items():
        yield from _key(child, schema, f"{path}.{name}" if path else name)
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        yield from _keys(_resolved(values, schema), schema, f"{path}.<name>")


def _key(
    child: dict[str, Any], schema: dict[str, Any], path: str
) -> Iterator[tuple[str, str, str]]:
    resolved = _resolved(child, schema)
    kind = resolved.get("type") or ("one of " + ", ".join(map(str, resolved.get("enum", []))))
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    yield path, kind, resolved.get("description", "")
    yield from _keys(resolved, schema, path)


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A node with its reference followed; what stands beside the reference wins."""
    reference = node.get("$ref")
    if reference is None:
        return node
    target = schema
    for part in reference.removeprefix("#/").split("/"):
        target = target[part]
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def datasets() -> str:
    """Of docs/reference/datasets.md."""
    known = dataset_definitions(ROOT / "data/datasets.yaml")
    parts = []
    header = ["name", "n", "d", "classes", "transform", "role", "study", "from"]
    for domain, title in DOMAINS.items():
        found = [spec for spec in known.values() if spec["domain"] == domain]
        if found:
            parts.append(f"## {title}\n\n" + markdown(header, [_dataset_row(s) for s in found]))
    return "\n\n".join(parts)


def _dataset_row(spec: dict[str, Any]) -> list[str]:
    n, d = expected_shape(spec)
    classes = (spec.get("expect") or {}).get("n_classes", "")
    if made := spec.get("generate"):
        classes = len(set(generate(made["shape"], made["samples"], made["seed"])[1]))
    return [
        f"`{spec['name']}`",
        *(str(value) for value in (n, d, classes)),
        spec.get("transform", ""),
        spec["role"],
        spec["study"] if spec["study"] != spec["name"] else "",
        _source(spec),
    ]


def _source(spec: dict[str, Any]) -> str:
    """Where a dataset comes from, in words."""
    if "url" in spec:
        host = "github.com" if "github" in spec["url"] else urlsplit(spec["url"]).hostname
        return f"download ({host})"
    if "package" in spec:
        return f"the package {spec['package']}, by pip"
    if "builtin" in spec:
        return "a Python package, no download"
    if "generate" in spec:
        return "made by the project, no download"
    return f"no public address known; put `{spec['file']}` into a mirror"


def inputs() -> str:
    """Of docs/reference/inputs.md."""
    rows = [_input_row(name) for name in BUILT_IN]
    header = ["method", "sparse X", "in chunks", "`n_clusters`", "neighbour graph", "random"]
    return markdown(header, rows)


def _input_row(name: str) -> list[str]:
    cls = method_class(name)
    parameters = cls().get_params()
    rules = cls._parameter_constraints.get("n_clusters", [])
    counts = any("auto" in getattr(rule, "options", ()) for rule in rules)
    clusters = ('yes, or `"auto"`' if counts else "yes") if "n_clusters" in parameters else ""
    return [
        f"[{name}](../methods/{method_page(name)})",
        "yes" if get_tags(cls()).input_tags.sparse else "",
        "yes" if cls.takes_chunks else "",
        clusters,
        "yes" if cls.takes_graph else "",
        "yes" if is_random(cls()) else "",
    ]


def verified() -> str:
    """Of docs/methods/index.md."""
    rows = [
        [f"[{name}]({method_page(name)})", VERIFIED[name].kind, VERIFIED[name].extent]
        for name in BUILT_IN
    ]
    return markdown(["method", "its code is", "how far"], rows)


def verified_line(name: str) -> str:
    """Of the page of a method."""
    found = VERIFIED[name]
    words = f"{found.kind[0].upper()}{found.kind[1:]}. {found.extent}"
    return f"{words} `{found.test.partition('::')[0]}` compares." if found.test else words


TABLES = {
    "result_files": result_files,
    "verified": verified,
    **{f"verified_{name}": partial(verified_line, name) for name in BUILT_IN},
    "configuration": configuration,
    "datasets": datasets,
    "inputs": inputs,
}
