"""Majorities of three, and when there is none."""

import pytest

from harvest.sources.voting import vote


def near(one, other):
    return abs(one - other) <= 1


@pytest.mark.parametrize(
    ("found", "odd", "majority"),
    [
        ({"a": 1, "b": 1, "c": 9}, ("c",), ("a", "b")),
        ({"a": 9, "b": 1, "c": 1}, ("a",), ("b", "c")),
        ({"a": 1, "b": 1, "c": 1}, (), ("a", "b", "c")),
        ({"a": 1, "b": 5, "c": 9}, (), ()),
        ({"a": 1, "b": 9}, (), ()),
        ({"a": 1, "b": 1}, (), ("a", "b")),
        ({"a": 1, "b": 1, "c": 9, "d": 9}, (), ()),
        ({}, (), ()),
    ],
)
def test_votes(found, odd, majority):
    result = vote(found, near)
    assert (result.odd, result.majority) == (odd, majority)
    assert result.unanimous == (bool(majority) and not odd)
