"""The files of the known datasets, where they are at hand: every one is prepared once."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.download import fetch
from blufs_bench.datasets.preparation import prepare
from tests.helpers import ROOT
from tests.helpers.real_data import real_file

DEFINITIONS = dataset_definitions(ROOT / "data" / "datasets.yaml")
SPARSE = {
    *("BASEHOCK", "PCMAC", "RELATHE", "tr11", "tr31", "tr41", "tr45", "wap", "k1b", "CNAE9"),
    *("news4a", "WebKB", "bbcsport", "TDT2"),
}

#: Checksums; sizes and classes are checked against the definitions.
FACTS = {
    "Isolet": 3.3674214757e08,
    "Jaffe": 1.7826598133e10,
    "pie": 8.9773798897e09,
    "COIL20": 3.0549362785e09,
    "warpAR": 7.8502399659e10,
    "Dartboard1": -1.8389473825e04,
    "Banana": 8.5518134133e05,
    "Diamond9": 4.2754407271e06,
    "arcene": 1.2832867749e11,
    "GLIOMA": 2.5558268201e08,
    "MSTAR_SOC_pix32": 3.6401677006e11,
    "Yale": 2.7561905498e10,
    "YaleB": 2.6857088626e12,
    "umist": 1.1247799039e11,
    "MSRA25": 1.2630240998e11,
    "USPS": 9.1558717840e11,
    "binaryalphadigs": 1.1905417383e09,
    "ALLAML": -3.4215447886e06,
    "ProstateGE": 5.0725584286e08,
    "khan": -1.0019344620e08,
    "bhattacharjee": 8.5116325095e08,
    "su": 2.3172613006e09,
    "BASEHOCK": 2.9772435771e07,
    "PCMAC": 1.9739029134e07,
    "tr11": 1.9886397286e07,
    "wap": 2.5228530480e08,
    "k1b": 1.7679906408e08,
    "CNAE9": 5.6625536264e06,
    "Pollen": 1.0245868974e10,
    "madelon": 4.8443314353e11,
    "musk": -2.3159225447e10,
    "ORL": 3.6222678068e11,
    "orlraws10P": 3.4520790112e11,
    "pixraw10P": 8.3087448827e10,
    "warpPIE10P": 6.4968110280e10,
    "AR": 2.3543623798e12,
    "Imm40": 3.3519672509e08,
    "Brain_Tumor1": 2.6549624077e09,
    "GLI85": 5.2575509036e09,
    "TOX171": 1.0579424397e10,
    "lymphoma": -4.4756734560e07,
    "nci9": -1.3534257866e08,
    "lung_small": 8.4825152843e05,
    "colon": -4.3702661393e06,
    "CNS": 1.0606305253e09,
    "garber": 2.8840289624e05,
    "gordon": 4.2751390146e08,
    "tomlins": 1.0043252447e05,
    "ramaswamy": 1.8889426195e09,
    "yeoh": 5.5925211770e09,
    "RELATHE": 1.7573139602e07,
    "tr31": 4.8559194752e07,
    "tr41": 5.6668411677e07,
    "tr45": 5.2553404896e07,
    "news4a": 1.2206642941e08,
    "WebKB": 5.8123660281e07,
    "bbcsport": 6.6115999397e06,
    "TDT2": 2.0369735841e08,
    "mECS": 2.4866486776e09,
    "bittner": 1.7513318605e05,
    "bredel": -4.4415132215e05,
    "chen": -1.2738948649e04,
    "golub": 2.3981256651e08,
    "laiho": 6.2234059460e07,
    "liang": -2.7409388716e04,
    "risinger": -4.4544603858e05,
    "shipp": 5.1257349488e07,
    "singh": 3.5262869390e07,
    "chowdary": 9.8384427954e06,
    "IndianPines": 2.5554568678e13,
    "Zeisel": 5.4102469200e10,
    "CITEseq": 1.0785131007e10,
}


def checksum(X, y):
    """``sum_ij (1 + y_i) sqrt(i j) x_ij``, i and j from 1: another order or other classes show."""
    rows, columns = (np.sqrt(np.arange(1, size + 1)) for size in X.shape)
    return ((1 + y) * rows) @ (X @ columns)


def file_of(name):
    return real_file(DEFINITIONS[name]["file"])


def test_every_file_that_is_verified_by_sha256_is_known_here():
    verified = {name for name, spec in DEFINITIONS.items() if "sha256" in spec}
    assert set(FACTS) == verified


@pytest.mark.parametrize("name", FACTS)
def test_real_file_gives_the_known_arrays(name, tmp_path):
    mirror = str(file_of(name).parent)
    without_network = {
        key: value for key, value in DEFINITIONS[name].items() if key not in ("url", "package")
    }
    path = fetch(without_network, mirrors=[mirror], cache_dir=tmp_path)
    prepared = prepare(DEFINITIONS[name], path)
    assert {"n_samples", "n_features", "n_classes"} <= set(DEFINITIONS[name]["expect"])
    assert sp.issparse(prepared.X) == (name in SPARSE)
    assert checksum(prepared.X, prepared.y) == pytest.approx(FACTS[name], rel=1e-8)


def test_k1b_is_never_dense(tmp_path):
    """From the file to arrays and graph with less memory than the dense matrix alone takes."""
    code = (
        "import resource, sys\n"
        "from blufs_bench.datasets.preparation import prepare_or_unavailable, write_dataset\n"
        "from blufs_bench.datasets.definitions import dataset_definitions\n"
        "import scipy.io\n"
        "spec = dataset_definitions(sys.argv[1])['k1b']\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "before = peak()\n"
        "prepared = prepare_or_unavailable(spec, {'status': 'ok', 'file': sys.argv[2]})\n"
        "write_dataset(prepared, *(sys.argv[3] + name for name in ('/d.npz', '/c', '/g.npz')))\n"
        "print(prepared.card['status'], peak() - before)"
    )
    command = [
        sys.executable,
        "-c",
        code,
        ROOT / "data" / "datasets.yaml",
        file_of("k1b"),
        tmp_path,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    status, megabytes = done.stdout.split()
    assert status == "ok"
    dense = 8 * 2340 * 21839 / 2**20
    assert float(megabytes) < dense / 4
