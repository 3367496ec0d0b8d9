"""The files of the known datasets, where they are at hand: every one is prepared once."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from blufs_bench.datasets import dataset_definitions, fetch, prepare
from tests.helpers import ROOT
from tests.helpers.real_data import real_file

DEFINITIONS = dataset_definitions(ROOT / "data" / "datasets.yaml")
SPARSE = {
    *("BASEHOCK", "PCMAC", "RELATHE", "tr11", "tr31", "tr41", "tr45", "wap", "k1b", "CNAE9"),
    *("news4a", "WebKB", "bbcsport", "TDT2"),
}

#: n, d, samples of each class, checksum.
FACTS = {
    "Isolet": (1560, 617, [60] * 26, 2.2248153792e07),
    "Jaffe": (213, 676, [23, 22, 22, 20, 21, 21, 20, 21, 21, 22], 2.7988488020e09),
    "pie": (1166, 1024, [22] * 53, 2.7294953023e08),
    "COIL20": (1440, 1024, [72] * 20, 2.4403697867e08),
    "warpAR": (130, 2400, [13] * 10, 1.2129743271e10),
    "Dartboard1": (1000, 9, [250] * 4, -6.8620179516e03),
    "Banana": (4811, 9, [2520, 2291], 5.3044339092e05),
    "Diamond9": (3000, 9, [333, 334, 333, 333, 334, 333, 333, 334, 333], 6.0105748623e05),
    "arcene": (200, 10000, [112, 88], 9.0213199223e10),
    "GLIOMA": (50, 4434, [14, 7, 14, 15], 8.7501223414e07),
    "MSTAR_SOC_pix32": (
        2425,
        1024,
        [274, 195, 274, 195, 196, 274, 273, 196, 274, 274],
        5.4674138080e10,
    ),
    "Yale": (165, 1024, [11] * 15, 2.9093537264e09),
    "YaleB": (
        2414,
        1024,
        [64] * 10 + [60, 59, 60, 63, 62, 63, 63] + [64] * 21,
        1.1806274013e11,
    ),
    "umist": (
        575,
        644,
        [38, 35, 26, 24, 26, 23, 19, 22, 20, 32, 34, 34, 26, 30, 19, 26, 26, 33, 48, 34],
        8.9350230477e09,
    ),
    "MSRA25": (
        1799,
        256,
        [175, 154, 113, 178, 186, 159, 179, 128, 133, 131, 128, 135],
        1.8662504168e10,
    ),
    "USPS": (11000, 256, [1100] * 10, 1.3824746853e11),
    "binaryalphadigs": (1404, 320, [39] * 36, 5.4657373735e07),
    "ALLAML": (72, 7129, [47, 25], -2.7765722519e06),
    "ProstateGE": (102, 5966, [50, 52], 3.0767511405e08),
    "khan": (83, 1069, [11, 29, 18, 25], -3.5195423868e07),
    "bhattacharjee": (203, 1543, [139, 20, 17, 6, 21], 4.2298231084e08),
    "su": (174, 1571, [8, 26, 23, 12, 11, 7, 28, 27, 6, 26], 3.8263484916e08),
    "BASEHOCK": (1993, 4862, [994, 999], 1.7934518606e07),
    "PCMAC": (1943, 3289, [982, 961], 1.2038516782e07),
    "tr11": (414, 6429, [21, 69, 52, 11, 29, 74, 132, 20, 6], 3.9017139028e06),
    "wap": (
        1560,
        8460,
        [15, 76, 33, 54, 5, 196, 341, 44, 18, 11, 91, 40, 168, 65, 91, 97, 13, 37, 130, 35],
        2.3714734700e07,
    ),
    "k1b": (2340, 21839, [142, 1389, 494, 114, 141, 60], 7.0642988128e07),
    "CNAE9": (1080, 856, [120] * 9, 1.1288508080e06),
    "Pollen": (249, 6982, [22, 17, 24, 26, 7, 16, 18, 42, 38, 15, 24], 1.5472461333e09),
    "madelon": (2600, 500, [1300] * 2, 3.2209650208e11),
    "musk": (6598, 166, [5581, 1017], -2.1590506060e10),
    "ORL": (400, 1024, [10] * 40, 1.5146067457e10),
    "orlraws10P": (100, 10304, [10] * 10, 5.2809601944e10),
    "pixraw10P": (100, 10000, [10] * 10, 1.3328169226e10),
    "warpPIE10P": (210, 2420, [21] * 10, 1.0283294625e10),
    "AR": (840, 768, [7] * 120, 3.2535620715e10),
    "Imm40": (240, 1024, [6] * 40, 1.3623009433e07),
    "Brain_Tumor1": (90, 5920, [60, 10, 10, 4, 6], 1.3047342201e09),
    "GLI85": (85, 9430, [26, 59], 2.8768512024e09),
    "TOX171": (171, 5748, [45, 45, 39, 42], 3.7436939844e09),
    "lymphoma": (96, 4026, [46, 10, 9, 11, 6, 6, 4, 2, 2], -7.3132056783e06),
    "nci9": (60, 9712, [9, 9, 8, 5, 7, 6, 8, 6, 2], -3.2628546784e07),
    "lung_small": (73, 325, [6, 5, 5, 16, 7, 13, 21], -1.6051363943e04),
    "colon": (62, 2000, [40, 22], -3.0797202526e06),
    "CNS": (60, 7129, [39, 21], 8.7789518043e08),
    "garber": (66, 4553, [40, 4, 17, 5], -7.4343222823e05),
    "gordon": (181, 1626, [150, 31], 3.9938532611e08),
    "tomlins": (104, 2315, [27, 20, 32, 13, 12], -3.3487519776e04),
    "ramaswamy": (
        190,
        1363,
        [11, 11, 20, 11, 30, 11, 22, 11, 10, 11, 11, 10, 11, 10],
        2.7450108463e08,
    ),
    "yeoh": (248, 2526, [15, 27, 64, 20, 43, 79], 1.1853384519e09),
    "RELATHE": (1427, 4322, [779, 648], 1.1018585714e07),
    "tr31": (927, 10128, [352, 63, 151, 21, 227, 111, 2], 1.6319911211e07),
    "tr41": (878, 7454, [26, 174, 95, 243, 35, 9, 162, 33, 18, 83], 1.1759258441e07),
    "tr45": (690, 8261, [128, 75, 47, 14, 160, 36, 18, 82, 63, 67], 1.0146737433e07),
    "news4a": (3840, 4989, [955, 971, 948, 966], 4.1536716988e07),
    "WebKB": (4199, 1000, [930, 504, 1124, 1641], 1.8653177903e07),
    "bbcsport": (737, 1000, [101, 124, 265, 147, 100], 1.9389083815e06),
    "TDT2": (
        7456,
        1000,
        [1844, 1828, 1222, 811, 441, 407, 272, 238, 226, 167],
        5.1521336278e07,
    ),
    "mECS": (182, 8989, [59, 58, 65], 1.0442048902e09),
    "bittner": (38, 2201, [19, 19], 1.2647515065e05),
    "bredel": (50, 1739, [5, 31, 14], -1.8558017471e05),
    "chen": (179, 85, [104, 75], -7.6206819076e02),
    "golub": (72, 1868, [38, 9, 25], 1.2380425262e08),
    "laiho": (37, 2202, [29, 8], 5.6189521263e07),
    "liang": (37, 1411, [28, 3, 6], 1.4712465571e04),
    "risinger": (42, 1771, [3, 19, 7, 13], -2.0870316178e05),
    "shipp": (77, 798, [58, 19], 3.8539608115e07),
    "singh": (102, 339, [50, 52], 2.1174597580e07),
    "chowdary": (104, 182, [62, 42], 6.2125629951e06),
    "IndianPines": (
        10249,
        200,
        [46, 1428, 830, 237, 483, 730, 28, 478, 20, 972, 2455, 593, 205, 1265, 386, 93],
        2.9649618711e12,
    ),
    "Zeisel": (3005, 4000, [224, 235, 290, 98, 820, 939, 399], 1.0386343530e10),
    "CITEseq": (
        8617,
        500,
        [348, 2481, 219, 143, 3086, 282, 80, 81, 93, 607, 976, 171, 50],
        2.2442507271e09,
    ),
}


def checksum(X):
    """``sum_ij sqrt(i j) x_ij``, i and j from 1: another order of samples or features shows."""
    rows, columns = (np.sqrt(np.arange(1, size + 1)) for size in X.shape)
    return rows @ (X @ columns)


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
    n_samples, n_features, class_counts, known = FACTS[name]
    assert prepared.X.shape == (n_samples, n_features)
    assert prepared.card["class_counts"] == class_counts
    assert np.bincount(prepared.y).tolist() == class_counts
    assert sp.issparse(prepared.X) == (name in SPARSE)
    values = prepared.X.data if sp.issparse(prepared.X) else prepared.X
    assert np.isfinite(values).all()
    assert checksum(prepared.X) == pytest.approx(known, rel=1e-8)


def test_k1b_is_never_dense(tmp_path):
    """From the file to arrays and graph with less memory than the dense matrix alone takes."""
    code = (
        "import resource, sys\n"
        "from blufs_bench.datasets.preparation import prepare_or_unavailable, write_dataset\n"
        "from blufs_bench.datasets import dataset_definitions\n"
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
