"""How the entries of a phase are parted."""

import pytest

from analysis.build import SMALLEST, shared


@pytest.mark.parametrize("count", [0, 1, SMALLEST, SMALLEST + 1, 100, 4165])
def test_every_entry_is_in_one_part_and_the_last_parts_are_small(count):
    parts = shared(count, 2)
    assert [entry for start, end in parts for entry in range(start, end)] == list(range(count))
    sizes = [end - start for start, end in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert all(size <= max(count / 4, SMALLEST) for size in sizes)
