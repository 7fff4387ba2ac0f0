"""The table that knows objects by identity, as the interpreter under test uses it."""

import sys
from pathlib import Path

import pytest

INSIDE = Path(__file__).parents[3] / "analysis/inside"


@pytest.fixture
def known(monkeypatch):
    monkeypatch.syspath_prepend(str(INSIDE))
    sys.modules.pop("identity", None)
    from identity import Known

    return Known()


def test_no_later_object_is_taken_for_one_that_nothing_else_holds(known):
    for number in range(100):
        known.setdefault([number], "gone")  # as a method of a class in C, which is made when asked
    assert not any([number] in known for number in range(1000))
    assert known.values() == ["gone"] * 100


def test_what_equals_an_object_is_another_one(known):
    one, other = [1], [1]
    known[one] = "one"
    assert known.setdefault(one, "two") == known[one] == "one"
    assert (other in known, known.get(other), known.get(other, "none")) == (False, None, "none")
    assert known.items() == [(one, "one")]
