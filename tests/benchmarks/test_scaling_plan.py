"""The graph of jobs behind docs/results/scaling.md is that of the workflow."""

import re

import pytest

from benchmarks.speed.scaling_plan import Graph
from tests.helpers import ROOT
from tests.helpers.small_config import plan, small_config

RULES = ROOT / "workflow" / "rules"
START = 2.0  # one second for a script, twice half a second for the workflow


def graph(**jobs) -> Graph:
    """Every fit takes 3 s, every screening of a selection 2 s, every scoring 1 s."""
    scoring = {kind: {"cluster": 1.0, "classify": 1.0} for kind in ("screening", "evaluation")}
    fits = {name: {"seconds": 3.0} for name in ("LapScore", "BLUFS", "BLUFS-III")}
    entry = {"fits": fits, "scoring": scoring}
    measured = {
        "datasets": {"wine": entry, "digits": entry},
        "start": {"script": 1.0, "workflow": 0.5},
    }
    return Graph(plan(small_config(), {"jobs": jobs}), measured, stopped=20.0)


def seconds(found: Graph, name: str) -> float:
    return found.jobs[name].seconds - START


def test_settings_of_one_job_are_screened_where_they_are_evaluated():
    found = graph()
    assert not [name for name in found.jobs if name.startswith(("screen", "choose"))]
    assert seconds(found, "select wine BLUFS grid000-s2-4-fitall") == 7 * 3
    # 7 settings and 2 s by the light protocol; 6 clusterings and 4 classifications for each s.
    assert seconds(found, "evaluate wine BLUFS all") == 7 * 2 * 2 + 2 * (6 + 4)
    assert seconds(found, "evaluate wine LapScore all") == 2 * 2


def test_settings_of_several_jobs_are_screened_and_chosen_apart():
    found = graph(settings_per_job=3)
    screens = [f"screen wine BLUFS grid00{chunk}-s2-4-fitall" for chunk in range(3)]
    assert [seconds(found, name) for name in screens] == [3 * 2 * 2, 3 * 2 * 2, 1 * 2 * 2]
    assert found.jobs["choose wine BLUFS"].after == screens
    assert "choose wine BLUFS" in found.jobs["evaluate wine BLUFS all"].after
    assert seconds(found, "evaluate wine BLUFS all") == 2 * (6 + 4)


def test_one_core_takes_all_the_work_and_many_take_the_longest_way():
    found = graph(settings_per_job=1)
    assert found.makespan(1) == pytest.approx(sum(job.seconds for job in found.jobs.values()))
    way = found.longest_way()
    assert found.makespan(1000) == pytest.approx(sum(found.jobs[name].seconds for name in way))
    assert way[-3:] == ["compare_methods", "report", "check_complete"]


def test_every_job_is_one_of_a_rule():
    rules = {
        name
        for path in RULES.glob("*.smk")
        for name in re.findall(r"^rule (\w+):", path.read_text(), flags=re.M)
    }
    assert {name.split()[0] for name in graph(settings_per_job=1).jobs} == rules - {
        "show_cell",
        "resample",  # none in this suite
    }
