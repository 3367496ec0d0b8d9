"""The line that tells how a run is going."""

from types import SimpleNamespace

import pytest

from blufs_bench.run.progress import LogHandler, Progress, failed_job


def at(*times):
    ticks = iter(times)
    return lambda: next(ticks)


def test_the_line_says_stage_done_failures_and_time_left():
    progress = Progress(clock=at(0.0, 60.0))
    progress.update("run_info", {"stats": {"select": 200, "total": 235}})
    progress.update("job_info", {"rule_name": "select"})
    progress.update("job_error", {})
    progress.update("progress", {"done": 47, "total": 235})
    assert progress.line == "[ 47 of 235] selecting features, 1 failed, about 4 min left"


def test_before_the_first_and_after_the_last_job_no_time_is_guessed():
    progress = Progress(clock=at(0.0))
    assert progress.line == "planning"
    progress.update("run_info", {"stats": {"total": 2}})
    assert progress.line == "[0 of 2] planning"
    progress.update("job_info", {"rule_name": "report"})
    progress.update("progress", {"done": 2, "total": 2})
    assert progress.line == "[2 of 2] writing the report"


def test_a_failed_job_is_named_with_its_log():
    fields = {"rule_name": "select", "log": ["logs/a.log"]}
    assert failed_job(fields) == "failed: select; log: logs/a.log"


@pytest.mark.parametrize(
    ("verbose", "dryrun", "ours"),
    [(False, False, True), (True, False, False), (False, True, False)],
)
def test_verbose_and_dry_runs_are_left_to_snakemake(verbose, dryrun, ours):
    handler = LogHandler(SimpleNamespace(verbose=verbose, dryrun=dryrun), None)
    assert handler.writes_to_stream is ours
