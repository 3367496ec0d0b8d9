"""The cut of the numbers of features into jobs: what is there is kept."""

from hypothesis import given
from hypothesis import strategies as st

from blufs_bench.plan.parts import Part, blocks, parts_in

counts = st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True)
some_blocks = st.lists(counts.map(lambda values: tuple(sorted(values))), max_size=6)


def test_the_parts_of_a_folder_are_those_whose_files_are_there(tmp_path):
    parts = {Part(0, ()), Part(12, (10,)), Part(3, (10, 200)), Part(1234, (5, 7), 2)}
    for part in parts:
        (tmp_path / f"{part}.json").touch()
    for name in ("all", "grid0-s2", "grid000-s-fit1", "grid000-s2-fit", "notes"):
        (tmp_path / f"{name}.json").touch()
    assert set(parts_in(tmp_path)) == parts
    assert parts_in(tmp_path / "missing") == []


def test_a_block_with_a_value_that_is_not_asked_for_is_not_used():
    assert blocks([2, 6], [(2, 4), (6,)]) == [(2,), (6,)]


@given(counts, some_blocks)
def test_every_value_is_in_one_block(asked, existing):
    cut = blocks(asked, existing)
    assert sorted(s for block in cut for s in block) == sorted(asked)


@given(counts, some_blocks, st.data())
def test_planning_again_while_blocks_appear_changes_nothing(asked, existing, data):
    """What a job of a cluster relies on: it plans for itself while others finish."""
    cut = blocks(asked, existing)
    finished = data.draw(st.lists(st.sampled_from(cut), unique=True))
    assert blocks(asked, [*existing, *finished]) == cut
