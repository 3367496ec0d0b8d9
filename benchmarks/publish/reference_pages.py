"""Write the reference pages that follow from the code.

``python -m benchmarks.publish.reference_pages`` writes into docs/reference:
result-files.md from the schemas of the result tables, configuration.md from the schema of the
configuration, datasets.md from data/datasets.yaml, and inputs.md from the classes of the methods.
So none of them can disagree with what the code does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import yaml
from sklearn.utils import get_tags

from benchmarks.harness import ROOT, markdown
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.synthetic import generate
from blufs_bench.method_names import BUILT_IN
from blufs_bench.plan.sizes import expected_shape
from blufs_bench.registry import method_class
from blufs_bench.results.schemas import SCHEMAS
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, DOMAINS, METRICS, STATUSES
from blufs_bench.selectors import is_random

_RESULT_FILES = """\
# Result files

Every suite leaves its results as Parquet files in `results/<suite>/`. Load them all with

```python
from blufs_bench.results import load

results = load("results/demo")
results.scores, results.selections, results.screened, results.timing, results.stability
```

or one by one with `pandas.read_parquet`. A row of `scores.parquet` points to its row of
`selections.parquet` by dataset, method, setting, s and fit_seed.
"""

_CONFIGURATION = """\
# Configuration

`config.yaml` holds the defaults. Change them there, or give a file of your own with
`--configfile mine.yaml`: lists replace lists, dictionaries are merged. Every key is checked before
the first job, and all problems are reported at once.

"""

_DATASETS = """\
# Datasets

The datasets that the benchmark knows by name. List the names under `datasets` of a suite in
`config.yaml`. Your own data need [two lines](../guides/own-data.md).

No data file is part of the project. A file is downloaded from its address when a run first needs
it, and checked against the hash in `data/datasets.yaml`. That file also states the origin and the
terms of use of every dataset. [How files are found and read](../../data/README.md).

n is the number of samples and d the number of features, as the methods see them: where a random
subset of the samples is taken, n is its size, and noise features that are added count in d.
[What the transforms do](../../data/README.md#what-methods-get).

The labels of a `develop` set may be used to choose a default of a method, those of a `judge` set
never are. Datasets of one study share samples or their source, so tests count them once.
"""

_INPUTS = """\
# What each method takes

- **Sparse X**: the method takes any SciPy sparse matrix or array, and never makes it dense as a
  whole. The other methods raise a `TypeError` that says so.
- **In chunks**: the method reads data beyond memory a block of rows at a time: dask arrays,
  memory-mapped files, HDF5 and AnnData on disk, see
  [data beyond memory](../performance.md#data-beyond-memory).
- **`n_clusters`**: the method wants to know the number of clusters. Where the table says `"auto"`,
  it can also count them itself.
- **Neighbour graph**: `fit(X, precomputed=...)` takes a `SampleGraph` or a similarity matrix of
  your own.
- **Random**: with the default setting, the result depends on `random_state`.

"""

_INPUTS_END = """\
All methods take NumPy arrays and data frames, in double or single precision. Missing values are
refused: fill them in first, for example by scikit-learn's `SimpleImputer`.

A sparse matrix in code, from text to a tuned classifier:
[sparse text](../../examples/sparse_text.py).
To ask in code: `sklearn.utils.get_tags(BLUFS()).input_tags.sparse`.
"""


def result_files() -> str:
    """docs/reference/result-files.md."""
    parts = [_RESULT_FILES]
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
    return "\n\n".join(part.strip() for part in parts) + "\n"


def configuration() -> str:
    """docs/reference/configuration.md."""
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


def datasets() -> str:
    """docs/reference/datasets.md."""
    known = dataset_definitions(ROOT / "data/datasets.yaml")
    parts = [_DATASETS]
    header = ["name", "n", "d", "classes", "transform", "role", "study", "from"]
    for domain, title in DOMAINS.items():
        found = [spec for spec in known.values() if spec["domain"] == domain]
        if found:
            parts.append(f"## {title}\n\n" + markdown(header, [_dataset_row(s) for s in found]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


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
    """docs/reference/inputs.md."""
    rows = [_input_row(name) for name in BUILT_IN]
    header = ["method", "sparse X", "in chunks", "`n_clusters`", "neighbour graph", "random"]
    return _INPUTS + markdown(header, rows) + "\n\n" + _INPUTS_END


def _input_row(name: str) -> list[str]:
    cls = method_class(name)
    module = BUILT_IN[name].split(":")[0].removeprefix("blufs.methods.").split(".")[0]
    parameters = cls().get_params()
    rules = cls._parameter_constraints.get("n_clusters", [])
    counts = any("auto" in getattr(rule, "options", ()) for rule in rules)
    clusters = ('yes, or `"auto"`' if counts else "yes") if "n_clusters" in parameters else ""
    return [
        f"[{name}](../methods/{module}.md)",
        "yes" if get_tags(cls()).input_tags.sparse else "",
        "yes" if cls.takes_chunks else "",
        clusters,
        "yes" if cls.takes_graph else "",
        "yes" if is_random(cls()) else "",
    ]


PAGES = {
    "result-files.md": result_files,
    "configuration.md": configuration,
    "datasets.md": datasets,
    "inputs.md": inputs,
}


def main() -> None:
    for name, page in PAGES.items():
        (ROOT / "docs" / "reference" / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
