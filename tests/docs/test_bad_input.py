"""The list of cases that were tried: its numbers add up, and every test that it names exists."""

import re

from tests.helpers import ROOT

PAGE = (ROOT / "docs/develop/bad-input.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .+ \| (\d+) \| (\d+) \| (.+) \|$", PAGE, flags=re.M)


def test_the_numbers_of_cases_add_up():
    words = r"^(\d+) cases: (\d+) hold, (\d+) of them [^.]+\. One is not tested"
    total, held, decided = map(int, re.search(words, PAGE, flags=re.M).groups())
    assert held + 1 == total == sum(int(cases) for cases, _, _ in ROWS)
    listed = PAGE.partition("## Decided")[2].count("\n- ")
    assert decided == listed == sum(int(count) for _, count, _ in ROWS)


def test_every_test_that_is_named_exists():
    named = [re.fullmatch(r"`(.+)::(.+)`", name) for row in ROWS for name in row[2].split(", ")]
    assert len(named) > 60
    for match in named:
        path, function = match.groups()
        assert f"\ndef {function}(" in (ROOT / path).read_text(encoding="utf-8"), match.group()
