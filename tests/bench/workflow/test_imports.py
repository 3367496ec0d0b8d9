"""Jobs start without what they do not need."""

import subprocess
import sys


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def test_a_job_for_unavailable_data_needs_no_scikit_learn():
    loaded = run(
        "import sys, blufs_bench.datasets.storage;"
        "from blufs_bench.run.isolation import Limits;"
        "from blufs_bench.stages.unavailable import unavailable_selections;"
        "from blufs_bench.stages.evaluate import Cells, evaluate;"
        "from blufs_bench.stages.choose import only_choice;"
        "from blufs_bench.stages.protocol import Protocol;"
        "from blufs_bench.stages.screen import screen;"
        "records = unavailable_selections('wine', 'LapScore', [{}], [2, 4], 'no file');"
        "protocol, limits = Protocol(0, 2, 2, 2, 5, 0.5), Limits(1, 1);"
        "screened = screen(None, None, None, None, records, protocol, limits);"
        "given = records, only_choice('wine', {}), protocol, Cells(), limits;"
        "scores = evaluate(None, None, None, None, *given);"
        "print(*{r['status'] for r in screened + scores}, 'sklearn' in sys.modules)"
    )
    assert loaded == ["unavailable", "False"]
