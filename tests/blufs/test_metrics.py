"""ACC and NMI on cases computed by hand."""

import numpy as np
import pandas as pd
import pytest

from blufs.metrics import clustering_accuracy, normalized_mutual_info


@pytest.mark.parametrize(
    ("true", "predicted", "accuracy"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0),
        (["a", "a", "b", "b"], [7, 7, 7, 3], 3 / 4),
        # Three clusters for two classes: one of them stays unmatched.
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 4 / 6),
        # One cluster for everything finds the largest class.
        ([0, 0, 0, 1, 2], [0, 0, 0, 0, 0], 3 / 5),
        # Greedy matching (3 + 0) would miss the best one (2 + 2).
        ([0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0, 0], 4 / 7),
    ],
)
def test_accuracy(true, predicted, accuracy):
    assert clustering_accuracy(true, predicted) == pytest.approx(accuracy)


def test_nmi_divides_by_the_larger_entropy():
    # Classes of 2 + 2, clusters of 2 + 1 + 1 that refine them: I = H(true) = log 2,
    # H(predicted) = 1.5 log 2.
    assert normalized_mutual_info([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(2 / 3)
    assert normalized_mutual_info([0, 0, 1, 2], [5, 5, 9, 9]) == pytest.approx(2 / 3)


def test_nmi_extremes():
    assert normalized_mutual_info([0, 0, 1, 1], [1, 1, 0, 0]) == pytest.approx(1)
    assert normalized_mutual_info([0, 1, 0, 1], [0, 0, 1, 1]) == pytest.approx(0, abs=1e-12)


def test_nmi_from_the_definition():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    joint = np.array(
        [[np.mean((true == a) & (predicted == b)) for b in range(4)] for a in range(3)]
    )
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    information = np.sum(joint * np.log(joint / np.outer(rows, columns)))
    entropy = max(-np.sum(rows * np.log(rows)), -np.sum(columns * np.log(columns)))
    assert normalized_mutual_info(true, predicted) == pytest.approx(information / entropy)


@pytest.mark.parametrize("metric", [clustering_accuracy, normalized_mutual_info])
@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([], [], "no labels"),
        ([0, 1, np.nan], [0, 1, 1], "missing"),
        ([0, 1, 1], ["a", None, "b"], "missing"),
        (pd.Series([0, pd.NA, 1], dtype=object), [0, 1, 1], "missing"),
        (np.ma.masked_array([0, 1, 1], [0, 1, 0]), [0, 1, 1], "masked"),
        ([0, 1], [0, 1, 1], "3 labels for 2 samples"),
        ([[0, 1]], [0, 1], "one per sample"),
        ([(0, 1), (1, 0)], [0, 1], "one per sample"),
    ],
)
def test_what_are_no_labels_is_refused(metric, true, predicted, message):
    with pytest.raises(ValueError, match=message):
        metric(true, predicted)


@pytest.mark.parametrize("metric", [clustering_accuracy, normalized_mutual_info])
def test_labels_may_be_of_any_kind(metric, recwarn):
    labels = [0.5, 1.5, 1.5, 2.5]
    mixed = np.array([3, "3", "3", b"x"], dtype=object)
    assert metric(labels, ["u", "v", "v", "w"]) == pytest.approx(1)
    assert metric(mixed, labels) == pytest.approx(1)
    assert not recwarn.list
