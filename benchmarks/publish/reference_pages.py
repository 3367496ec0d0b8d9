"""Write the reference pages that follow from the code.

``python -m benchmarks.publish.reference_pages``:
docs/result-files.md comes from the schemas of the result tables and docs/configuration.md from the
schema of the configuration, so that neither can disagree with what the workflow does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from benchmarks.harness import ROOT, markdown
from blufs.results.schemas import TABLES
from blufs.results.vocabulary import CHOICES, CRITERIA, METRICS, STATUSES

_RESULT_FILES = """\
# Result files

Every suite leaves its results as Parquet files in `results/<suite>/`. Load them all with

```python
from blufs.results import load

results = load("results/demo")
results.scores, results.selections, results.screened, results.timing, results.stability
```

or one by one with `pandas.read_parquet`. A row of `results.parquet` points to its row of
`selections.parquet` by dataset, method, setting, s and fit_seed.
"""

_CONFIGURATION = """\
# Configuration

`config.yaml` holds the defaults. Change them there, or give a file of your own with
`--configfile mine.yaml`: lists replace lists, dictionaries are merged. Every key is checked before
the first job, and all problems are reported at once.

"""


def result_files() -> str:
    """docs/result-files.md."""
    parts = [_RESULT_FILES]
    for table in TABLES.values():
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
    return "\n\n".join(part.strip() for part in parts) + "\n"


def configuration() -> str:
    """docs/configuration.md."""
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    rows = [[f"`{path}`", kind, description] for path, kind, description in _keys(schema, schema)]
    return _CONFIGURATION + markdown(["key", "type", "what it sets"], rows) + "\n"


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


PAGES = {"result-files.md": result_files, "configuration.md": configuration}


def main() -> None:
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
