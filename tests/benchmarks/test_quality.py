"""What was asked of the defaults in every domain, from scores with known differences."""

import pytest

from benchmarks.speed.render_performance import by_domain, raw_genes

NAMES = ("COIL20", "Yale", "khan", "khan, raw")
ACC = {
    "default": (60, 50, 70, 60),
    "before": (59, 50, 60, 65),
    "Case III": (58, 49, 69, 62),
    "auto c": (57, 47, 67, 57),
    "MCFS": (61, 40, 50, 50),
    "variance": (40, 40, 71, 40),
    "random": (10, 10, 10, 10),
}


@pytest.fixture
def report():
    return {
        row: {name: {"acc": acc, "knn": acc / 2} for name, acc in zip(NAMES, values, strict=True)}
        for row, values in ACC.items()
    }


def test_the_worst_domain_counts(report):
    found = {name: (shown, met) for name, _, shown, met in by_domain(report)}
    earlier = found["ACC above the earlier defaults, points in the worst domain"]
    simple = found["ACC above MCFS, variance and random, points in the worst domain"]
    assert earlier == ("-5.00 (raw genes)", False)
    assert simple == ("-1.00 (genes)", False)
    assert found['ACC lost by `n_clusters="auto"`, points'] == ("3.00", False)


def test_raw_genes_are_told_with_and_without_logarithms(report):
    told = raw_genes(report)
    assert "Case III: khan -5.0 and -2.0." in told
    assert "as in `wide`: khan +10.0 and +1.0." in told
