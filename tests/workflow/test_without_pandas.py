"""Jobs start without pandas and leave it to those who want it."""

import subprocess
import sys


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def test_a_job_scores_without_pandas():
    loaded = run(
        "import blufs.workflow.run.without_pandas, sys;"
        "import blufs.workflow.stages.select, blufs.workflow.stages.scoring;"
        "print('sklearn' in sys.modules, any(name.startswith('pandas') for name in sys.modules))"
    )
    assert loaded == ["True", "False"]


def test_a_job_for_unavailable_data_needs_no_scikit_learn():
    loaded = run(
        "import sys, blufs.datasets.storage;"
        "from blufs.workflow.run.isolation import Limits;"
        "from blufs.workflow.stages.unavailable import unavailable_selections;"
        "from blufs.workflow.stages.evaluate import Part, evaluate;"
        "from blufs.workflow.stages.choose import only_choice;"
        "from blufs.workflow.stages.protocol import Protocol;"
        "from blufs.workflow.stages.screen import screen;"
        "records = unavailable_selections('wine', 'LapScore', [{}], [2, 4], 'no file');"
        "protocol, limits = Protocol(0, 2, 2, 2, 5, 0.5), Limits(1, 1);"
        "screened = screen(None, None, None, None, records, protocol, limits);"
        "given = records, only_choice('wine', {}), protocol, Part(), limits;"
        "scores = evaluate(None, None, None, None, *given);"
        "print(*{r['status'] for r in screened + scores}, 'sklearn' in sys.modules)"
    )
    assert loaded == ["unavailable", "False"]


def test_an_own_method_finds_pandas():
    found = run(
        "import blufs.workflow.run.without_pandas, pandas;"
        "from blufs import LapScore; from sklearn.datasets import load_wine;"
        "X = load_wine(as_frame=True).data;"
        "selector = LapScore(2).fit(X).set_output(transform='pandas');"
        "print(type(selector.transform(X)).__name__, len(selector.get_feature_names_out()))"
    )
    assert found == ["DataFrame", "2"]


def test_pandas_that_is_there_stays():
    assert run(
        "import pandas, sys, blufs.workflow.run.without_pandas;"
        "print(sys.modules['pandas'] is pandas)"
    ) == ["True"]
