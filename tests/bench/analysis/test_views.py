"""Comparisons over metrics, choices, domains and kinds of score follow from the scores."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blufs_bench.compare.comparison import compare_methods, view
from blufs_bench.compare.means import area_matrix, curve_scores, fit_seconds
from blufs_bench.compare.pairs import bayes, compared, pairs, standings
from blufs_bench.compare.paper import Paper
from blufs_bench.compare.sentence import answer
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.figures.comparisons import pareto
from blufs_bench.show.tables.build import build_table
from tests.helpers.results_fixture import Made, make_results, rows_of, suite_info

DATASETS = ("rings", "digits", "COIL20", "Jaffe", "pie", "lung")
METHODS = ("AllFeatures", "RandomFeatures", "LapScore", "BLSFS", "BLUFS")
DOMAIN = {"digits": "image", "COIL20": "image", "Jaffe": "image", "pie": "gene_expression"}
SUITE = Suite(**suite_info(datasets=DATASETS, methods=METHODS, ablation=()))
ALL = "AllFeatures"
#: Random features fail nowhere, "Gap" has no score on b, all features are best.
MATRIX = pd.DataFrame(
    {
        "AllFeatures": [0.9, 0.9, 0.9, 0.9],
        "RandomFeatures": [0.5, 0.5, 0.5, 0.5],
        "BLUFS": [0.7, 0.6, 0.6, 0.7],
        "Gap": [0.8, np.nan, 0.8, 0.4],
    },
    index=list("abcd"),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = make_results(
        tmp_path_factory.mktemp("views"),
        datasets=DATASETS,
        methods=METHODS,
        ablation=(),
        failed=[("COIL20", "BLSFS")],
        unavailable=["lung"],
        made=Made(domains=DOMAIN),
    )
    return load(folder)


@pytest.fixture(scope="module")
def summary(results):
    return compare_methods(results, SUITE).content


def test_a_gap_counts_as_random_features_and_is_marked():
    found = compared(MATRIX)
    assert found.scores.loc["b", "Gap"] == 0.5
    assert found.n_imputed.to_dict() == {ALL: 0, "RandomFeatures": 0, "BLUFS": 0, "Gap": 1}
    table = standings(MATRIX)
    assert list(table.index) == [ALL, "BLUFS", "Gap", "RandomFeatures"]
    assert table.loc["Gap", "gain"] == pytest.approx((30 + 0 + 30 - 10) / 4)
    assert tuple(table.loc["Gap", ["wins", "ties", "losses"]]) == (2, 1, 1)
    assert table.loc["BLUFS", "gain"] == pytest.approx(15)
    assert 9.99 < table.loc["BLUFS", "low"] < 15 < table.loc["BLUFS", "high"] < 20.01


def test_all_features_stand_in_the_table_and_are_never_ranked():
    table = standings(MATRIX)
    assert pd.isna(table.loc[ALL, ["place", "rank", "common_rank"]]).all()
    assert table.loc[ALL, "gain"] == pytest.approx(40)
    assert table["place"].dropna().to_dict() == {"BLUFS": 1, "Gap": 2, "RandomFeatures": 3}
    assert ALL not in set(pairs(MATRIX)["method"])


def test_ranks_with_imputed_gaps_differ_from_those_on_common_datasets():
    table = standings(MATRIX)
    # a: Gap 1, BLUFS 2, random 3; b: BLUFS 1, others share 2.5; c as a; d: BLUFS, random, Gap
    assert table.loc["Gap", "rank"] == pytest.approx((1 + 2.5 + 1 + 3) / 4)
    assert table.loc["Gap", "common_rank"] == pytest.approx((1 + 1 + 3) / 3)
    assert set(table["n_common"]) == {3}


def test_without_random_features_gains_are_absent_and_the_view_says_so():
    found = view(MATRIX.drop(columns="RandomFeatures"))
    assert not found["has_random"]
    assert "add it to the methods of the suite" in found["note"]
    assert "gain" not in found["methods"]["BLUFS"]
    assert found["datasets"] == ["a", "c", "d"]
    assert found["left_out"] == ["b"]
    assert found["methods"]["Gap"]["mean"] == pytest.approx(2 / 3)


def test_a_pair_is_listed_once_with_the_better_method_first():
    found = {(row["method"], row["other"]): row for row in view(MATRIX)["pairs"]}
    assert set(found) == {
        ("BLUFS", "Gap"),
        ("BLUFS", "RandomFeatures"),
        ("Gap", "RandomFeatures"),
    }
    assert found["BLUFS", "Gap"]["difference"] == pytest.approx(2.5)
    assert (found["BLUFS", "Gap"]["wins"], found["BLUFS", "Gap"]["losses"]) == (2, 2)


def test_bayes_compares_blufs_on_five_datasets_or_more():
    matrix = pd.concat([MATRIX, MATRIX.iloc[:1].rename(index={"a": "e"})])
    assert bayes(matrix.iloc[:4]) == {}
    found = bayes(matrix)
    assert set(found) == {ALL, "RandomFeatures", "Gap"}
    assert all(sum(chances.values()) == pytest.approx(1) for chances in found.values())
    assert found["RandomFeatures"]["better"] > 0.99
    assert found[ALL]["worse"] > 0.99


def test_area_is_the_mean_height_and_a_partial_curve_has_none(results):
    curves = curve_scores(results, ["nmi"])
    areas = area_matrix(curves, "nmi", "default", ["digits"], METHODS)
    key = {"dataset": "digits", "metric": "nmi", "choice": "default", "method": "BLUFS"}
    two, five, ten = (rows_of(results, s=s, **key)["value"].mean() for s in (2, 5, 10))
    expected = (3 * (two + five) / 2 + 5 * (five + ten) / 2) / 8
    assert areas.loc["digits", "BLUFS"] == pytest.approx(expected)
    assert np.isfinite(areas.loc["digits", ALL])
    partial = curves[~((curves["method"] == "BLUFS") & (curves["s"] == 5))]
    areas = area_matrix(partial, "nmi", "default", ["digits"], METHODS)
    assert np.isnan(areas.loc["digits", "BLUFS"])


def test_views_cover_metrics_choices_scores_and_domains(results, summary):
    comparison = compare_methods(results, SUITE)
    assert comparison.domains == {
        "all": ["digits", "COIL20", "Jaffe", "pie"],
        "image": ["digits", "COIL20", "Jaffe"],
        "gene_expression": ["pie"],
    }
    assert len(list(comparison.views())) == 3 * 4 * 2 * 3
    image = summary["views"]["nmi"]["blind"]["reported"]["image"]
    matrix = comparison.matrix("nmi", "blind").loc[comparison.domains["image"]]
    gain = (matrix["BLUFS"] - matrix["RandomFeatures"]).mean()
    assert image["methods"]["BLUFS"]["gain"] == pytest.approx(100 * gain)
    assert image["methods"]["BLSFS"]["n_imputed"] == 1
    assert image["methods"]["BLUFS"]["wins"] == 3
    one = summary["views"]["nmi"]["blind"]["reported"]["gene_expression"]
    assert one["methods"]["BLUFS"]["low"] is None
    assert one["bayes"] == image["bayes"] == {}
    assert json.dumps(summary, allow_nan=False)


def test_the_answer_names_the_winner_and_where_blufs_stands():
    where = {"metric": "nmi", "choice": "default", "score": "reported", "domain": "all"}
    suite = Suite("x", list("abcd"), list(MATRIX.columns))
    found = view(MATRIX) | {"s": [20]}
    said = answer(found, suite, **where)
    low, high = (found["methods"]["BLUFS"][key] for key in ("low", "high"))
    assert said == (
        "With default settings and 20 features, BLUFS comes first: its normalised mutual "
        "information (NMI) is 15.0 points above that of random features (95 % interval "
        f"{low:+.1f} to {high:+.1f}), better on 4 of 4 datasets; Gap has place 2 with +12.5."
    )
    worse = view(MATRIX.assign(BLUFS=0.4))
    said = answer(worse, suite, **where)
    assert "Gap comes first: its normalised mutual information (NMI) is 12.5 points" in said
    assert said.endswith("; BLUFS has place 3 with -10.0.")
    bare = view(MATRIX.drop(columns="RandomFeatures")) | {"s": [5, 10, 20]}
    said = answer(bare, suite, **where | {"score": "area"})
    assert "and 5 to 20 features, BLUFS and Gap come first: their mean normalised mutual" in said
    assert "is 66.7 % on average over 3 datasets" in said

    suite = Suite("x", list("abcd"), [*MATRIX.columns, "Other"])
    equal = view(MATRIX.assign(Gap=MATRIX["BLUFS"], Other=MATRIX["BLUFS"]))
    assert "BLUFS, Gap and Other come first" in answer(equal, suite, **where)


def test_where_random_features_lead_no_method_is_called_first():
    where = {"metric": "nmi", "choice": "default", "score": "reported", "domain": "all"}
    suite = Suite("x", list("abcd"), list(MATRIX.columns))
    low = MATRIX.assign(BLUFS=0.4, Gap=0.3)
    said = answer(view(low), suite, **where)
    assert said.startswith("With default settings, no method is better than random features. ")
    assert "BLUFS is the best of them: its normalised mutual information (NMI) is 10.0" in said
    tied = answer(view(MATRIX.assign(BLUFS=0.5, Gap=0.5)), suite, **where)
    assert "no method is better than random features" in tied
    alone = answer(view(MATRIX.assign(BLUFS=0.1).drop(columns="Gap")), suite, **where)
    assert "no method is better than random features. BLUFS: its" in alone


SCORE = st.sampled_from([0.0, 0.2, 0.35, 0.5, 0.5 + 1e-13, 0.9, np.nan])


@settings(max_examples=60)
@given(
    matrix=st.integers(1, 6).flatmap(
        lambda n: st.fixed_dictionaries(
            {name: st.lists(SCORE, min_size=n, max_size=n) for name in ("RandomFeatures", *"PQR")}
        )
    ),
    has_random=st.booleans(),
    all_features=st.booleans(),
)
def test_the_answer_calls_first_who_is_first_in_the_table(matrix, has_random, all_features):
    scores = pd.DataFrame(matrix)
    scores = scores if has_random else scores.drop(columns="RandomFeatures")
    scores = scores.assign(AllFeatures=1.0) if all_features else scores
    found = view(scores, with_bayes=False)
    suite = Suite("x", list(scores.index), list(scores.columns))
    said = answer(found, suite, metric="nmi", choice="default", score="area", domain="all")
    places = {name: row["place"] for name, row in found["methods"].items() if row["place"]}
    leading = [name for name, place in places.items() if place == 1]
    if not set(places) - {"RandomFeatures"}:
        assert said == "No method has a score to compare here."
    elif "RandomFeatures" in leading:
        assert "no method is better than random features" in said
        assert " first" not in said
    else:
        named, _, _ = said.removeprefix("With default settings, ").partition(" come")
        expected = " and ".join(", ".join(leading).rsplit(", ", 1))
        assert named == expected or (len(places) == 1 and f"{leading[0]} is the only" in said)


def test_data_on_which_no_default_was_picked_are_a_view_of_their_own(results):
    cards = {name: card | {"role": "develop"} for name, card in results.cards.items()}
    cards["pie"]["role"] = "judge"
    split = load(results.tables["scores"].parent)
    split.__dict__["cards"] = cards
    comparison = compare_methods(split, SUITE)
    assert comparison.domains["unseen"] == ["pie"]
    first = comparison.first_view()
    assert (first.domain, first.score, first.choice) == ("unseen", "area", "default")
    assert "comes first on data that no default was picked on" in first.content["answer"]
    assert "unseen" not in compare_methods(results, SUITE).domains


def test_data_whose_scales_are_orders_of_magnitude_apart_are_named(results):
    split = load(results.tables["scores"].parent)
    ratios = {"pie": 100.0, "digits": 99.0}
    split.__dict__["cards"] = {
        name: card | {"scale_ratio": ratios.get(name)} for name, card in results.cards.items()
    }
    comparison = compare_methods(split, SUITE)
    told = [
        v.domain for v in comparison.views() if "On pie the scales" in str(v.content["caveats"])
    ]
    assert set(told) == {"gene_expression"}


def test_every_pair_of_ranked_methods_is_listed_once_with_its_difference(results):
    tidy = build_table("pairs", results, SUITE, Paper).tidy
    one = tidy[tidy.eval("metric == 'nmi' and choice == 'blind' and score == 'area'")]
    one = one[one["domain"] == "all"]
    ranked = [method for method in METHODS if method != ALL]
    assert list(zip(one["method"], one["other"], strict=True)) == list(combinations(ranked, 2))
    matrix = compare_methods(results, SUITE).matrix("nmi", "blind", "area")
    mean = compared(matrix).scores.mean()
    gaps = [100 * (mean[a] - mean[b]) for a, b in combinations(ranked, 2)]
    np.testing.assert_allclose(one["difference"], gaps, atol=1e-6)


def test_seconds_are_the_median_over_the_datasets(results):
    assert fit_seconds(results, ["digits", "pie"])["BLUFS"] == pytest.approx(0.1)
    rows = results.selections.copy()
    rows.loc[rows["dataset"] == "digits", "fit_seconds"] = 0.5
    changed = load(results.tables["scores"].parent)
    changed.__dict__["selections"] = rows
    assert fit_seconds(changed, ["digits", "pie"])["BLUFS"] == pytest.approx(0.3)
    assert "BLSFS" not in fit_seconds(results, ["COIL20"])


def test_the_front_holds_who_is_beaten_by_nobody_in_both():
    seconds = pd.Series({"slow": 9.0, "fast": 1.0, "worse": 2.0, "best": 3.0, "same": 3.0})
    scores = pd.Series({"slow": 0.7, "fast": 0.5, "worse": 0.4, "best": 0.8, "same": 0.7})
    assert pareto(scores, seconds) == ["fast", "best"]


def test_labels_of_the_ablation_do_not_hide_the_criteria_of_unlabelled_data(tmp_path):
    """Own data without labels in a suite whose variants run on a labelled dataset."""
    names = ("digits", "COIL20")
    folder = make_results(tmp_path, datasets=names, unlabelled=("digits",), methods=METHODS)
    suite = Suite(**suite_info(datasets=("digits",), methods=METHODS))
    results = load(folder)
    assert "clustering_acc" in set(results.scores["metric"])
    comparison = compare_methods(results, suite)
    assert not comparison.by_labels
    assert comparison.datasets == ["digits"]
    assert "its cohesion is" in comparison.view("cohesion", "default").content["answer"]
