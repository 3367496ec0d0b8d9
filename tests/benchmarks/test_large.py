"""The law by which large data are planned."""

import pytest

from benchmarks.speed.large_law import fit_law


def test_the_law_of_large_data_is_found_again():
    rows = [
        {
            "n": n,
            "d": d,
            "density": 0.1,
            "c": c,
            "fit_seconds": c * (2e-8 * 0.1 * n * d + 3e-6 * n**1.2),
            "x_bytes": 1.2 * n * d,
            "peak_bytes": 1.2 * n * d + 500 * n + 1e6,
        }
        for n, d, c in ((1000, 500, 5), (50_000, 2000, 20), (10_000, 20_000, 8), (10**6, 300, 10))
    ]
    law = fit_law(rows)
    assert law.exponent == pytest.approx(1.2)
    assert law.error == pytest.approx(1, abs=1e-6)
    assert law.seconds(10**7, 1e9, 3) == pytest.approx(3 * (20 + 3e-6 * 10 ** (7 * 1.2)))
    assert law.bytes(10**7, 1e9) == pytest.approx(12e9 + 5e9 + 1e6)
