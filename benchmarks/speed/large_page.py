"""Write docs/results/large-data.md from large.json and neighbor_indexes.json."""

from __future__ import annotations

from dataclasses import asdict

from benchmarks.harness import ROOT, markdown, read
from benchmarks.speed.large_law import Law, fit_law
from blufs._numerics.matrix.chunked import COLUMN_BYTES
from blufs._numerics.matrix.row_blocks import BLOCK_BYTES
from blufs._numerics.neighbors import EXACT_UP_TO
from blufs.solver.pursuit import MAX_BLOCK

PAGE = ROOT / "docs" / "results" / "large-data.md"

TEXT = """\
# Large data

What a fit of BLUFS takes in time and memory, to plan with. Measured on one core by
`python -m benchmarks.speed.large`; `python -m benchmarks.speed.large_page` writes this page.

## Sparse data in memory

Made-up counts of single cells: c kinds of cells, a tenth of the features ten times as frequent in
one of the kinds. *Pairs* is the time of the fit in units of one product `X @ B` and one `X.T @ C`
with 2 c columns. Memory is the peak during the fit, X included. A case that is missing here has
not been measured yet.

{cells}

*Precision* is the share of the chosen features that do differ between the kinds. Beside BLUFS: the
features of largest variance, and those of largest normalised dispersion, which is scanpy's default
for highly variable genes:

{precision}

These numbers show that the planted features can be found at this size. They do not rank the
methods, because the answer depends on how the data are made. Here each kind of cells has many
features of its own, which suits BLUFS. In other designs that were tried, with about ten rare
features for each kind or with smaller differences, the dispersion found more of them than BLUFS.

## How time and memory grow

- Products with X take time in proportion to its stored entries: a fit needs some dozens of pairs.
- Neighbours: of up to {exact:,} samples all pairs are compared. Beyond that an index (faiss, if it
  is installed) looks at some of them, as many as the data need; data without clusters, or a machine
  without faiss, take all pairs in single precision: four times as long for twice the samples.
- Memory beyond X grows with the number of samples, and hardly depends on that of features.
- Exponents for dense data are on the page [performance](../performance.md).

As a formula, with nnz stored entries, n samples and c clusters:

    seconds = c ({per_entry:.2g} nnz + {per_sample:.2g} n^{exponent:.2f})
    bytes   = {bytes_per_entry:.0f} nnz + {bytes_per_sample:,.0f} n + {bytes_at_least:,.0f}

The measured times differ from it by a factor of at most {error:.1f}; no measured case holds more
memory. By this formula, not measured:

{planned}

{ways}## Data beyond memory

A dask array, a memory-mapped file (`numpy.load(file, mmap_mode="r")`), an HDF5 or Zarr array, and
`adata.X` of an AnnData object on disk (`anndata.read_h5ad(file, backed="r")`) are read in blocks of
rows of about {block} MiB. The selection is that of the same matrix in memory.
[What each method takes](../reference/inputs.md) says which methods can.

A fit of BLUFS reads all rows

- 12 times for ranges, scaling, principal vectors and the start;
- once for each {columns} MiB that X takes in memory, to compare every feature with its graph;
- twice for each block of up to {choices} choices of features, and twice for each search for better
  ones, of which there is one in the first sweep and one whenever the sweeps come to rest;
- 9 times more with `n_clusters="auto"`, and once more if features are constant or far from zero.

So the passes grow with the size of X and with s. `transform` reads once, and gives the chosen
columns: in memory, or as another dask array for a dask array.

Random clusters in a memory-mapped file of float32; memory is all that the process holds, the
interpreter and its libraries included. On Linux, `MALLOC_MMAP_THRESHOLD_=1000000` in the
environment, as here, lets Python give memory back to the system sooner:

{disk}
"""

WAYS = """\
## Which index

Four ways to find the {k} nearest neighbours of {n:,} samples with {d} coordinates, on one thread
(`python -m benchmarks.speed.neighbor_indexes`; a library that was not installed is left out). The
first call includes the import, and the compilation if there is one. *Recall* is the share of the
exact neighbours that are found. *Same* says whether a second call, and one on two threads, finds
the same neighbours.

{table}

"""


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f}"


def size(row: dict) -> list[str]:
    return [f"{row['n']:,} x {row['d']:,}"]


def cells(report: dict) -> str:
    header = ["n x d", "stored", "c", "s", "X, MB", "memory, MB", "processor time", "pairs"]
    rows = [
        [
            *size(row),
            f"{100 * row['density']:.1f} %",
            row["c"],
            row["s"],
            megabytes(row["x_bytes"]),
            megabytes(row["peak_bytes"]),
            in_words(row["fit_seconds"]),
            f"{row['pairs']:.0f}",
        ]
        for row in report
    ]
    return markdown(header, rows)


def precision(report: list[dict]) -> str:
    header = ["n x d", "BLUFS", "dispersion", "variance"]
    return markdown(
        header,
        [
            [*size(row), *(row["precision"][key] for key in ("BLUFS", "dispersion", "variance"))]
            for row in report
        ],
    )


def disk(report: list[dict]) -> str:
    header = ["n x d", "c", "s", "X, MB", "memory, MB", "processor time", "passes"]
    return markdown(
        header,
        [
            [
                *size(row),
                row["c"],
                row["s"],
                megabytes(row["x_bytes"]),
                megabytes(row["peak_bytes"]),
                in_words(row["fit_seconds"]),
                row["passes"],
            ]
            for row in report
        ],
    )


#: Sizes that are larger than what was measured: n, d, share of stored entries, c.
PLANNED = ((200_000, 20_000, 0.03, 20), (650_000, 25_000, 0.03, 20), (1_300_000, 28_000, 0.05, 20))


def planned(law: Law) -> str:
    rows = []
    for n, d, density, c in PLANNED:
        nnz = n * d * density
        needed = [in_words(law.seconds(n, nnz, c)), f"{law.bytes(n, nnz) / 1e9:.0f}"]
        rows.append([f"{n:,} x {d:,}", f"{100 * density:.0f} %", c, *needed])
    return markdown(["n x d", "stored", "c", "processor time", "memory, GB"], rows)


def ways(report: dict | None) -> str:
    if report is None:
        return ""
    header = ["way", "first call, s", "later calls, s", "memory, MB", "recall", "same"]
    rows = [
        [
            row["way"],
            row["first_seconds"],
            row["later_seconds"],
            megabytes(row["bytes"]),
            f"{100 * row['recall']:.1f} %",
            "yes" if row["same_again"] and row["same_on_two_threads"] else "no",
        ]
        for row in report["ways"]
    ]
    sizes = {key: report[key] for key in ("n", "d", "k")}
    return WAYS.format(table=markdown(header, rows), **sizes)


def in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def page() -> str:
    rows = sorted((read("large") or {}).values(), key=lambda row: row["n"] * row["d"])
    in_memory = [row for row in rows if "passes" not in row]
    law = fit_law(in_memory)
    return TEXT.format(
        cells=cells(in_memory),
        precision=precision(in_memory),
        disk=disk([row for row in rows if "passes" in row]),
        ways=ways(read("neighbor_indexes")),
        planned=planned(law),
        **asdict(law),
        exact=EXACT_UP_TO,
        block=BLOCK_BYTES // 2**20,
        columns=COLUMN_BYTES // 2**20,
        choices=MAX_BLOCK,
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
