"""Jobs start without what they do not need, and leave it to those who want it."""

import subprocess
import sys


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def test_a_job_fits_without_pandas():
    loaded = run(
        "import blufs_bench.run.quick_start, sys;"
        "import blufs_bench.stages.select;"
        "names = {name.split('.')[0] for name in sys.modules};"
        "print(*(name in names for name in ('sklearn', 'pandas', 'rich')))"
    )
    assert loaded == ["True", "False", "False"]


def test_a_job_scores_without_pandas():
    loaded = run(
        "import sys;"
        "from blufs_bench.stages.scoring import Scorer;"
        "Scorer(None, None, None, 2, 'wine', None);"
        "names = {name.split('.')[0] for name in sys.modules};"
        "print(*(name in names for name in ('sklearn', 'pandas', 'rich')))"
    )
    assert loaded == ["True", "False", "False"]


def test_modules_are_out_of_the_sight_of_the_garbage_collector():
    found = run(
        "import gc, blufs_bench.run.quick_start;"
        "print(gc.isenabled(), gc.get_freeze_count() > 100_000)"
    )
    assert found == ["True", "True"]


def test_a_job_for_unavailable_data_needs_no_scipy():
    loaded = run(
        "import sys, blufs_bench.datasets.storage;"
        "from blufs_bench.run.isolation import Limits;"
        "from blufs_bench.stages.unavailable import unavailable_selections;"
        "from blufs_bench.stages.evaluate import Part, evaluate;"
        "from blufs_bench.stages.choose import only_choice;"
        "from blufs_bench.stages.protocol import Protocol;"
        "from blufs_bench.stages.screen import screen;"
        "records = unavailable_selections('wine', 'LapScore', [{}], [2, 4], 'no file');"
        "protocol, limits = Protocol(0, 2, 2, 2, 5, 0.5), Limits(1, 1);"
        "screened = screen(None, None, None, None, records, protocol, limits);"
        "given = records, only_choice('wine', {}), protocol, Part(), limits;"
        "scores = evaluate(None, None, None, None, *given);"
        "print(*{r['status'] for r in screened + scores}, 'scipy' in sys.modules)"
    )
    assert loaded == ["unavailable", "False"]


def test_an_own_method_finds_pandas():
    found = run(
        "import blufs_bench.run.quick_start, pandas;"
        "from blufs import LapScore; from sklearn.datasets import load_wine;"
        "X = load_wine(as_frame=True).data;"
        "selector = LapScore(2).fit(X).set_output(transform='pandas');"
        "print(type(selector.transform(X)).__name__, len(selector.get_feature_names_out()))"
    )
    assert found == ["DataFrame", "2"]


def test_pandas_that_is_there_stays():
    assert run(
        "import pandas, sys, blufs_bench.run.quick_start;print(sys.modules['pandas'] is pandas)"
    ) == ["True"]
